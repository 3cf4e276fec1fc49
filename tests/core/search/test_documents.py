"""Ranking of documents for a question."""

from __future__ import annotations

import random
from itertools import product

import pytest

from thumbindex import Library, Scope, build_tree
from thumbindex.search import document_scores
from thumbindex.search.document_scores import score_documents
from thumbindex.search.documents import name_shares
from thumbindex.search.weights import DOCUMENT_WEIGHTS


@pytest.fixture(scope="module")
def library() -> Library:
    library = Library()
    for company, city in (("NorthWind", "Oslo"), ("EastMill", "Riga"), ("SouthPort", "Bari")):
        for year in (2021, 2022):
            text = f"# Report\n\n## Results\n\nRevenue was {year - 1900} crowns.\n\n## Seat\n\nThe seat is {city}.\n"
            library.add(text.encode(), name=f"{company}_{year}_report.md", metadata={"auditor": f"Firm {year}"})
    return library


@pytest.mark.parametrize(
    ("query", "name"),
    [
        pytest.param("revenue of EastMill in 2022", "EastMill_2022_report.md", id="by the name"),
        pytest.param(
            "revenue of East Mill in 2021", "EastMill_2021_report.md", id="by a name that runs words together"
        ),
        pytest.param("Who has its seat in Bari? 2022", "SouthPort_2022_report.md", id="by the text and the year"),
    ],
)
def test_the_right_document_comes_first(library: Library, query: str, name: str) -> None:
    """Name, metadata and text decide together."""
    assert library.list(query=query)[0].name == name
    assert library.retrieve(query, k=1).evidence[0].document == name


def test_selection_stays_within_the_scope(library: Library) -> None:
    """Documents outside are not ranked, and those without a word of the question are left out."""
    assert [
        info.name for info in library.list(query="revenue", scope=Scope(documents=["NorthWind_2021_report.md"]))
    ] == ["NorthWind_2021_report.md"]
    chosen = library.list(query="revenue", scope=Scope(where={"auditor": "Firm 2022"}))
    assert {info.name[-14:] for info in chosen} == {"2022_report.md"}
    assert len(chosen) == 3
    assert (
        library.list(query="xylophone", scope=Scope(documents=["NorthWind_2021_report.md", "EastMill_2021_report.md"]))
        == []
    )


def test_the_most_frequent_year_of_a_report_is_its_own() -> None:
    """Each report names two years; names and metadata do not help."""
    library = Library()
    for number, year in enumerate((2021, 2022, 2023)):
        parts = [f"## Part {n}\n\nRevenue was {n} crowns in {year}.\n" for n in range(6)]
        parts += [f"## Before {n}\n\nRevenue was {n} crowns in {year - 1}, too.\n" for n in range(3)]
        library.add(f"# Report\n\n{''.join(parts)}".encode(), name=f"copy-{number}.md")
    assert library.list(query="revenue in 2022")[0].name == "copy-1.md"
    assert library.list(query="revenue from 2022 to 2023")[0].name == "copy-2.md"


def test_every_mention_is_found_among_many_documents() -> None:
    """Also of a word that is broken at the end of a page and of a passage."""
    library = Library()
    for number in range(70):
        library.add(f"# Ship {number}\n\nIt sails to port {number}.\n".encode(), name=f"ship-{number}.md")
    prose = "\n".join(["The miller grinds the corn between two heavy stones."] * 90)
    library.import_tree(build_tree([f"# Mill\n\n{prose}\nThe water-", f"course is long.\n{prose}"], name="mill"))
    assert [mention.page for mention in library.find_all("watercourse")] == [1]
    assert len(library.find_all("port")) == 70


def test_scores_do_not_depend_on_how_many_rows_are_read() -> None:
    """A common word that is only looked up where a rarer one occurs counts as if it had been read in full."""
    library = Library()
    names = ["".join(letters) for letters in product("bdfgklmnpr", "xz", "bdfgk")]
    for number in range(90):
        lines = [
            f"## Part {part}\n\nwater {names[number] if part == 7 else 'mill'} wheel{'abcde'[part % 5]}\n"
            for part in range(20)
        ]
        library.add(f"# Book {number}\n\n{''.join(lines)}".encode(), name=f"book-{number}.md")
    scope = [info.doc_id for info in library.list()]
    weights = {"water": 1.0, "wheelc": 1.0, names[7]: 1.0}

    def best() -> list[tuple[str, float, float]]:
        with library._store.search_view(scope) as view:
            scores = score_documents(view, weights, DOCUMENT_WEIGHTS, {}, exact=5, with_others=True)
        assert len(scores.best) + len(scores.others) == 90
        return [(document.doc_id, round(document.score, 9), round(document.top, 9)) for document in scores.best]

    all_rows_read = best()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document_scores, "ROWS_READ", 100)
        assert best() == all_rows_read
    assert library.get(all_rows_read[0][0]).name == "book-7.md"


def test_shares_of_names_do_not_depend_on_the_order_of_documents() -> None:
    """Nor on the order of words in a set, which is different in every process."""
    chance = random.Random(3)
    words = [first + second for first in "bcdfg" for second in "aeiou"]
    in_names = [(f"doc-{number}", set(chance.sample(words, 9))) for number in range(40)]
    results = []
    for _ in range(50):
        chance.shuffle(in_names)
        results.append(name_shares(dict(in_names), (), 90))
    assert all(shares == results[0] for shares in results)
