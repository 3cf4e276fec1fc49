"""Retrieval without a model: the order of sections, what is never returned, and the reasons given."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex import Budget, Lexical, Library, Scope, build_tree
from thumbindex.errors import DocumentNotFound
from thumbindex.evidence import Retrieval
from thumbindex.testing import sample_library
from thumbindex.text.tokens import estimate_tokens
from thumbindex.trail import Step

LIBRARY = sample_library()


def titles(found: Retrieval) -> list[str]:
    return [evidence.title for evidence in found.evidence]


def library_of(text: str, name: str = "document.md") -> Library:
    library = Library()
    library.add(text.encode(), name=name)
    return library


@pytest.mark.parametrize(
    ("question", "title"),
    [
        pytest.param("How much oil do I fill in?", "Filling", id="by text"),
        pytest.param("How often must the glass be washed?", "4.1 Glass", id="by stems"),
        pytest.param("What is the price of a wick?", "Appendix A Spare parts", id="a table, by its header"),
        pytest.param("How many ships called in 2024?", "Traffic", id="by a number"),
        pytest.param("How deep is the eastern basin?", "Dredging", id="by a pair of words"),
        pytest.param("Which ships pay reduced dues?", "Appendix B Reductions", id="by title and text"),
    ],
)
def test_the_section_that_answers_is_among_the_first_two(question: str, title: str) -> None:
    """Direct questions on the sample documents."""
    assert title in titles(LIBRARY.retrieve(question, k=2))


def test_a_section_gains_from_one_that_refers_to_it() -> None:
    """A question about leverage finds its definition, though other sections contain the word more often."""
    library = library_of(
        "# Report\n\n## Covenant\n\nThe permitted leverage under the loan covenant is defined in Appendix G.\n\n"
        "## Appendix G\n\nThe ratio may not exceed 3.5; leverage means debt over earnings.\n\n"
        "## History\n\nIn the year 1999 leverage was a word that few people here used, leverage being rare.\n"
    )
    found = library.retrieve("What leverage is permitted by the loan covenant?", k=2)
    assert titles(found) == ["Covenant", "Appendix G"]
    assert "Covenant refers to it" in found.evidence[1].why


@pytest.mark.parametrize(
    ("question", "why"),
    [
        pytest.param("How much capex had the mill?", "its beginnings stand side by side", id="run together"),
        pytest.param("What cashflow came from the mill?", "its halves do", id="a compound"),
        pytest.param("Which geographies has the mill?", "it is there with another ending", id="an ending"),
    ],
)
def test_words_are_found_in_the_form_that_the_document_uses(question: str, why: str) -> None:
    """The forms come from the document, not from a list."""
    library = library_of(
        "# Mill\n\nThe mill turns.\n\n## Money\n\nCapital expenditures of the mill were 7, its cash flow 9. "
        "Capital expenditures rose; so did the cash flow. No capital expenditures without cash flow.\n\n"
        "## Markets\n\nThe geographic markets of the mill.\n\n## Year\n\nThe year of the mill.\n"
    )
    wanted = "Markets" if "geographies" in question else "Money"
    assert titles(library.retrieve(question, k=1)) == [wanted], why


def test_a_table_counts_by_the_labels_of_its_rows() -> None:
    """A row that the question names ranks above prose with the same words."""
    prose = "The total of the current assets was discussed. Assets are current where they turn over in a year. "
    pages = [f"# Review\n\n{prose * 3}", "# Position\n\nCash 120 110\nTotal current assets 450 420\nLand 30 30"]
    library = Library()
    library.import_tree(build_tree(pages, name="r"), source="r")
    best = library.retrieve("How much are the total current assets?", k=1).evidence[0]
    assert best.title == "Position"
    assert "in rows of a table: total, current, assets" in best.why


def test_evidence_names_the_page_that_fits_best() -> None:
    """A section may begin on the page before."""
    pages = ["Front matter of the book.\n\n# Birds\n\nOf all kinds.", "The heron was seen at noon.\n\n# Fish\n\nNone."]
    library = Library()
    library.import_tree(build_tree(pages, name="b"), source="b")
    best = library.retrieve("When was the heron seen?", k=1).evidence[0]
    assert (str(best.pages), best.best_page) == ("1-2", 2)
    assert LIBRARY.retrieve("wick", k=1).evidence[0].best_page is None


def test_words_of_instruction_have_a_low_weight() -> None:
    """They say how to answer, not what is asked."""
    library = library_of(
        "# Report\n\n## Dues\n\nThe dues are 7 crowns.\n\n"
        "## Rounding\n\nAnswers are rounded to two decimal places, based on the information provided in the question.\n"
    )
    question = "What are the dues? Round your answer to two decimal places, based on the information provided."
    assert titles(library.retrieve(question, k=2)) == ["Dues", "Rounding"]


FILLER = "Nothing of note happened on the river that day, said the keeper of the lock. " * 8
BIRDS = "\n\n".join(
    [FILLER] * 6
    + ["The heron was seen at noon by the heron watcher."]
    + [FILLER] * 6
    + ["A heron was seen at night, but which heron?"]
    + [FILLER] * 6
)
LOG = f"# Log\n\n## Birds\n\n{BIRDS}\n\n## More\n\nA heron too.\n\n## Fish\n\nNone for the heron.\n"


def test_k_counts_sections() -> None:
    """Of a long section the best part is returned, never a second one in place of another section."""
    library = library_of(LOG)
    for k in (1, 2, 3, 9):
        found = library.retrieve("When was the heron seen?", k=k)
        assert len(set(titles(found))) == len(found.evidence) == min(k, 3)
    assert found.evidence[0].node_id.endswith((".1", ".2", ".3"))
    assert "at noon" in found.evidence[0].text


def test_further_parts_of_a_long_section_are_returned_on_request() -> None:
    """Those that fit better than the next section precede it; they do not count towards k."""
    library = library_of(LOG)
    assert titles(library.retrieve("When was the heron seen?", k=1, navigator=Lexical(include=["parts"]))) == [
        "Birds",
        "Birds",
    ]
    both = library.retrieve("When was the heron seen?", k=2, navigator=Lexical(include=["parts"]))
    assert sorted(set(titles(both))) != ["Birds"]
    assert titles(both)[:2] == ["Birds", "Birds"]
    assert all("heron" in evidence.text for evidence in both.evidence)


def test_k_counts_passages_where_there_are_no_sections() -> None:
    """Otherwise a text without headings would return one passage, whatever the k."""
    found = library_of(BIRDS, "birds.txt").retrieve("When was the heron seen?", k=2)
    assert len(found.evidence) == 2


def test_runners_up_are_other_sections() -> None:
    """Not further parts of those that were chosen."""
    found = library_of(LOG).retrieve("When was the heron seen?", k=1)
    assert sorted(other.section_path for other in found.trail.runners_up) == ["Log › Fish", "Log › More"]


def test_sections_of_one_page_do_not_crowd_out_the_others() -> None:
    """Only the first section of a page gets the full score of the page."""
    pages = ["# Oil\n\nlamp oil\n\n## Oil a\n\noil lamp\n\n## Oil b\n\noil lamp", "# Tar\n\nlamp oil is no tar"]
    library = Library()
    library.import_tree(build_tree(pages, name="oil"), source="oil")
    found = library.retrieve("lamp oil", k=4)
    assert len(found.evidence) == 4


@pytest.mark.parametrize("question", ["", "  \n\t"])
def test_an_empty_question_finds_nothing(question: str) -> None:
    """It is not an error."""
    assert LIBRARY.retrieve(question).evidence == ()


def test_a_library_without_documents_finds_nothing() -> None:
    """It is not an error."""
    assert Library().retrieve("anything").evidence == ()


def test_only_sections_with_a_word_of_the_question_are_returned() -> None:
    """Fewer than k, if need be."""
    found = LIBRARY.retrieve("dredged", k=10)
    assert titles(found) == ["Dredging"]
    assert LIBRARY.retrieve("xylophone", k=10).evidence == ()
    assert LIBRARY.retrieve("xylophone", k=10).weak


def test_a_budget_drops_whole_passages_from_the_end() -> None:
    """The best one is returned even if it alone exceeds the budget."""
    everything = LIBRARY.retrieve("wick glass oil ships dues", k=8).evidence
    budget = sum(estimate_tokens(evidence.text) for evidence in everything[:3])
    assert (
        LIBRARY.retrieve("wick glass oil ships dues", k=8, budget=Budget(evidence_tokens=budget)).evidence
        == everything[:3]
    )
    assert (
        LIBRARY.retrieve("wick glass oil ships dues", k=8, budget=Budget(evidence_tokens=1)).evidence == everything[:1]
    )


@pytest.mark.parametrize(
    ("filters", "documents"),
    [
        ({"year": 2024}, {"harbour.md"}),
        ({"year": [2023, 2024]}, {"lantern.md", "harbour.md"}),
        ({"year": 2023, "title": "Harbour report"}, set()),
        ({"year": "2024"}, set()),
        ({"unknown": 1}, set()),
        ({"year": []}, set()),
        ({}, {"lantern.md", "harbour.md"}),
    ],
)
def test_filters_are_equality_on_metadata(filters: dict[str, object], documents: set[str]) -> None:
    """A list means any of its values; a number is no text; an unknown key matches nothing."""
    found = LIBRARY.retrieve("wick ships lantern harbour", k=20, scope=Scope(where=filters))
    assert {evidence.document for evidence in found.evidence} == documents


def test_nothing_outside_the_scope_is_shown_anywhere() -> None:
    """Neither as evidence, nor as a runner-up, nor in the trail."""
    found = LIBRARY.retrieve("ships wick dues glass oil", k=1, scope=Scope(documents=["lantern.md"]))
    shown = found.trail.render() + repr(found)
    assert "harbour" not in shown.lower()
    assert found.trail.runners_up


def test_an_unknown_document_in_the_scope_is_an_error() -> None:
    """A misspelt scope must not mean the whole library."""
    with pytest.raises(DocumentNotFound):
        LIBRARY.retrieve("wick", scope=Scope(documents=["lantern.pdf"]))
    assert LIBRARY.retrieve("wick", scope=Scope(documents=[])).evidence == ()


def test_a_document_named_in_the_question_is_preferred() -> None:
    """Two reports with the same text differ by their names."""
    library = Library()
    for year in (2021, 2022, 2023):
        library.add(f"# Report\n\nRevenue grew to {year + 7} crowns.\n".encode(), name=f"brannholm-{year}.md")
    assert library.retrieve("Revenue of Brannholm in 2022", k=1).evidence[0].document == "brannholm-2022.md"


def test_languages_are_stemmed_each_by_its_own_rules() -> None:
    """One library, one question each; Chinese is found by pairs of characters."""
    library = Library()
    library.add(
        "# Verträge\n\nDie Kündigungen sind mit der Frist von drei Monaten und in Schriftform möglich.\n".encode(),
        name="v.md",
    )
    library.add("# 合同\n\n贷款的利率为百分之四。\n\n## 其他\n\n没有。\n".encode(), name="h.md")
    library.add(b"# Lease\n\nThe tenant may cancel the lease with a notice of nine months.\n", name="lease.md")
    assert library.retrieve("Wie lang ist die Frist der Kündigung?", k=1).evidence[0].document == "v.md"
    assert library.retrieve("利率是多少", k=1).evidence[0].section_path == "合同"
    assert library.retrieve("cancelling a lease", k=1).evidence[0].document == "lease.md"


def test_a_question_that_the_documents_do_not_answer_is_weak() -> None:
    """A good answer is not."""
    assert LIBRARY.retrieve("Which political parties received donations of money from the harbour?").weak
    assert not LIBRARY.retrieve("To which length is the wick trimmed?").weak


def test_the_trail_lists_the_steps_and_reasons() -> None:
    """In the question's own words, and each step is reported as it is."""
    reported: list[Step] = []
    found = LIBRARY.retrieve("How often are glasses washed by pelicans?", k=2, on_step=reported.append)
    assert tuple(reported) == found.trail.steps
    search = next(step for step in found.trail.steps if step.action == "search sections")
    assert search.target == "often glasses washed pelicans"
    assert search.outcome.endswith("none with: often, pelicans")
    assert "matches glasses, washed" in found.evidence[0].why


def test_a_step_may_use_the_library_from_another_thread() -> None:
    """No lock is held while steps are reported."""
    library = sample_library()

    def use(step: Step) -> None:
        other = threading.Thread(target=library.list)
        other.start()
        other.join(5)
        assert not other.is_alive()

    assert library.retrieve("wick", on_step=use).evidence


questions = st.lists(
    st.sampled_from(
        [
            "wick",
            "oil",
            "glass",
            "ships",
            "dues",
            "harbour",
            "basin",
            "2024",
            "lantern",
            "the",
            "of",
            "how",
            "price",
            "pelican",
            "half",
            "metres",
        ]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)


@given(questions, st.integers(1, 12), st.sampled_from([None, ["lantern.md"], ["harbour.md"]]))
def test_properties_of_every_result(question: str, k: int, documents: list[str] | None) -> None:
    """Scores start at 1 and fall; passages are unique and in the scope; results are repeatable; k only cuts the list."""
    found = LIBRARY.retrieve(question, k=k, scope=Scope(documents=documents))
    scores = [evidence.score for evidence in found.evidence]
    assert scores[:1] in ([], [1.0])
    assert all(before > after > 0 for before, after in pairwise(scores))
    ids = [evidence.id for evidence in found.evidence]
    assert len(set(ids)) == len(ids) <= k
    if documents:
        assert {evidence.document for evidence in found.evidence} <= set(documents)
    assert LIBRARY.retrieve(question, k=k, scope=Scope(documents=documents)).evidence == found.evidence
    more = LIBRARY.retrieve(question, k=k + 3, scope=Scope(documents=documents)).evidence
    assert more[: len(found.evidence)] == found.evidence
    assert len(found.evidence) == min(k, len(more))


def test_tables_come_first_only_where_a_figure_is_asked_for() -> None:
    """Otherwise prose with the words of the question comes first."""
    table = "\n".join(f"Rent of store {n} {n}40 {n}30" for n in range(1, 9))
    prose = "The rent of a store is paid in advance because the owner of the store asks for it."
    library = Library()
    library.import_tree(build_tree([f"# Terms\n\n{prose}", f"# Stores\n\n{table}"], name="s"), source="s")
    assert titles(library.retrieve("How much is the rent of a store?", k=1)) == ["Stores"]
    assert titles(library.retrieve("Why is the rent of a store paid in advance?", k=1)) == ["Terms"]


def test_a_table_counts_where_its_rows_contain_a_word_of_the_question() -> None:
    """Whatever the kind of question; a table about other things ranks last."""
    rows = "\n".join(f"Timber {n} {n}40 {n}30" for n in range(1, 30))
    other = "\n".join(f"Herring {n} {n}40 {n}30" for n in range(1, 30))
    prose = "Of timber it is said that the harbour sells it by the cord, and nothing else is said of timber here."
    library = Library()
    pages = [f"# Terms\n\n{prose}", f"# Fish\n\nTimber is not fish.\n\n{other}", f"# Wood\n\n{rows}"]
    library.import_tree(build_tree(pages, name="t"), source="t")
    assert titles(library.retrieve("Which timber is there?", k=3)) == ["Wood", "Terms", "Fish"]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param("Anchors 9\nBollards 3\nCranes 7\nDredging 2\nEels 8\nFerries 4\nGrain 6", id="an index"),
        pytest.param("Grain 2\nFerries 3\nEels 4\nDredging 5\nCranes 6\nBollards 7\nAnchors 8", id="contents"),
    ],
)
def test_contents_and_indexes_rank_below_what_they_list(entries: str) -> None:
    """They contain every word and no answer."""
    library = Library()
    pages = [
        f"# Overview\n\n{entries}",
        "# Harbour\n\nThe ferries wait behind the cranes. Grain is weighed.",
        "# Sea\n\nDeep.",
    ]
    library.import_tree(build_tree(pages, name="h"), source="h")
    assert titles(library.retrieve("Where do ferries and cranes stand?", k=2))[0] == "Harbour"


def test_many_words_of_the_question_rank_above_one_rare_word() -> None:
    """A rare word alone makes no answer."""
    library = library_of(
        "# Rules\n\n## Keeper\n\nThe keeper of the lock has a zither.\n\n"
        "## Hours\n\nThe keeper opens the lock to boats at dawn.\n\n## Boats\n\nBoats pay.\n\n## Dawn\n\nDawn is early.\n"
    )
    assert titles(library.retrieve("When does the keeper open the lock to boats with a zither?", k=1)) == ["Hours"]


def test_a_page_on_which_a_section_begins_ranks_above_its_next_pages() -> None:
    """Sections start with what they are about. Here the continued page comes first, which otherwise counts in its favour."""
    words = "Of herring and tar the keeper says that both are dear."
    rows = "\n".join(f"The boat with number {n} of the northern harbour came home empty again." for n in range(50))
    runs_on = [f"# Boats\n\n{rows}", f"{words}\n\n{rows}"]
    begins = f"# Prices\n\n{words}\n\n{rows}"
    library = Library()
    library.import_tree(build_tree([*runs_on, begins], name="b"), source="b")
    assert titles(library.retrieve("What is said of herring and tar?", k=2)) == ["Prices", "Boats"]


def test_a_full_page_ranks_below_a_short_one_with_the_same_words() -> None:
    """It contains other things too. Here it comes first, which otherwise counts in its favour."""
    words = "Of herring and tar the keeper says that both are dear."
    rows = "\n".join(f"The boat with number {n} of the northern harbour came home empty again." for n in range(50))
    full = f"# Fish\n\n{words}\n\n## Boats\n\n{rows}\nThe keeper counts them."
    others = [f"# Keeper {n}\n\nThe keeper sleeps." for n in range(8)]
    library = Library()
    library.import_tree(build_tree([full, f"# Oil\n\n{words}", *others], name="b"), source="b")
    assert titles(library.retrieve("What does the keeper say of herring and tar?", k=2)) == ["Oil", "Fish"]


GERMAN = (
    "# Handbuch\n\n## Wartung\n\nDie Filter werden alle sechs Monate gereinigt.\n\n"
    "## Garantie\n\nDie Gewährleistung endet nach zwei Jahren. Ausgenommen sind Verschleißteile.\n\n"
    "## Aufstellung\n\nDas Gerät steht eben und trocken.\n"
)
FRENCH = (
    "# Contrat\n\n## Loyer\n\nLe loyer est payable le premier jour de chaque mois.\n\n"
    "## Résiliation\n\nLe locataire peut résilier le contrat avec un préavis de trois mois.\n\n"
    "## Travaux\n\nLes travaux sont à la charge du propriétaire.\n"
)
RUSSIAN = (
    "# Руководство\n\n## Подключение\n\nПодключите кабель питания к розетке.\n\n"
    "## Очистка\n\nФильтры очищаются раз в шесть месяцев.\n\n## Гарантия\n\nГарантия действует два года.\n"
)
CHINESE = "# 手册\n\n## 安装\n\n设备应放在平整干燥的地面上。\n\n## 清洁\n\n滤网每六个月清洗一次。\n\n## 保修\n\n保修期为两年，易损件除外。\n"
JAPANESE = (
    "# 取扱説明書\n\n## 設置\n\n平らで乾いた場所に置いてください。\n\n## 掃除\n\nフィルターは半年ごとに洗います。\n\n"
    "## 保証\n\n保証期間は二年です。消耗品は対象外です。\n"
)


@pytest.mark.parametrize(
    ("document", "question", "title"),
    [
        pytest.param(GERMAN, "Wie oft muss man den Filter reinigen?", "Wartung", id="German, other endings"),
        pytest.param(GERMAN, "Wann endet die Gewährleistung?", "Garantie", id="German, text"),
        pytest.param(FRENCH, "Quel est le préavis pour la résiliation ?", "Résiliation", id="French, title"),
        pytest.param(FRENCH, "Quel jour faut-il payer le loyer ?", "Loyer", id="French, text"),
        pytest.param(RUSSIAN, "Как часто нужно очищать фильтр?", "Очистка", id="Russian, other endings"),
        pytest.param(RUSSIAN, "Сколько лет действует гарантия?", "Гарантия", id="Russian, title"),
        pytest.param(CHINESE, "滤网多久清洗一次？", "清洁", id="Chinese, text"),
        pytest.param(CHINESE, "保修期是几年？", "保修", id="Chinese, title"),
        pytest.param(JAPANESE, "フィルターはいつ洗いますか", "掃除", id="Japanese, text"),
        pytest.param(JAPANESE, "保証期間は何年ですか", "保証", id="Japanese, title"),
    ],
)
def test_questions_in_other_languages_find_their_section(document: str, question: str, title: str) -> None:
    """By the stems of the language, or by pairs of letters where it writes no spaces."""
    assert titles(library_of(document).retrieve(question, k=1)) == [title]


def test_the_year_of_the_question_chooses_among_reports_of_a_company() -> None:
    """The reports have the same words; each names the years of the others too, and file names do not help."""
    library = Library()
    for number, year in enumerate((2021, 2022, 2023)):
        text = (
            f"# Annual report of Brannholm\n\nFor the year ended 31 December {year}.\n\n## Sales\n\n"
            f"Sales of {year} were {year - 1700} crowns, against {year - 1701} in {year - 1}.\n\n"
            f"## Outlook\n\nWe expect more of {year + 1} than of {year}.\n"
        )
        library.add(text.encode(), name=f"doc-{number}.md")
    for number, year in enumerate((2021, 2022, 2023)):
        found = library.retrieve(f"What were Brannholm's sales in fiscal {year}?", k=1)
        assert (found.evidence[0].document, found.evidence[0].title) == (f"doc-{number}.md", "Sales")


def test_a_question_of_scattered_words_is_weak() -> None:
    """Some of its words occur, but never two together; others do not occur at all."""
    library = library_of(
        "# Mill\n\n## Wheel\n\nThe wheel turns with the river.\n\n## Stone\n\nThe stone grinds.\n\n## Miller\n\nHe sleeps.\n"
    )
    assert library.retrieve("Which stone did the minister award to a river pilot last autumn?", k=3).weak
    assert not library.retrieve("Does the wheel turn with the river?", k=3).weak
