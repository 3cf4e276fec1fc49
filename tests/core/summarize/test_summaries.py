"""What sections are about: by their own phrases without a model, and in a model's words, cached and resumable."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from thumbindex import Library, Select, build_tree
from thumbindex.errors import ModelUnavailable
from thumbindex.models import Message
from thumbindex.summarize import SummaryCache, by_model, extractive
from thumbindex.testing import ScriptedModel, sample_library
from thumbindex.text.languages import STOP_WORDS
from thumbindex.text.tokens import estimate_tokens

PORT = b"""# Port

## Dredging

The port is kept deep. Suction dredgers work the eastern basin to 7.5 metres; silt goes to Heron Island. The dredgers rest in May.

## Pilots

The port is kept safe. Pilots board at the red buoy; a pilot launch waits there. Launches carry radar since 2019.

## Grain

The port is kept clean. Wheat and barley leave by the grain elevator; the elevator loads 300 tonnes an hour.
"""


def by_title(library: Library, document: str) -> dict[str, str]:
    return {node.title: node.summary for node in library.tree(document).nodes}


def answer(messages: Sequence[Message]) -> str:
    """One summary for each section of a prompt: `about` and the first word of its title."""
    found = re.findall(r"^(\d+)\. (\S+).*\n<document_text>", messages[1].content, re.MULTILINE)
    return json.dumps({"summaries": [{"number": int(n), "summary": f"about {title}"} for n, title in found]})


def test_phrases_set_a_section_apart() -> None:
    """What only this section speaks of, not the sentence that all begin with."""
    tree = build_tree(PORT, name="port.md")
    made = extractive.summarize(tree, function_words=STOP_WORDS["english"])
    summaries = {node.title: made[node.id] for node in tree.nodes}
    assert "dredgers" in summaries["Dredging"].lower()
    assert "Heron Island" in summaries["Dredging"]
    assert "pilot" in summaries["Pilots"].lower()
    assert "elevator" in summaries["Grain"]
    assert all("kept" not in summaries[title] for title in ("Dredging", "Pilots", "Grain"))


def test_phrases_neither_begin_nor_end_with_function_words() -> None:
    """A person reads them: "red buoy", not "at the red buoy; a"."""
    library = Library()
    document = library.add(PORT, name="port.md")
    library.summarize(document.doc_id)
    phrases = [phrase.split() for text in by_title(library, document.doc_id).values() for phrase in text.split("; ")]
    small = STOP_WORDS["english"]
    assert phrases
    assert not [phrase for phrase in phrases if {phrase[0].lower(), phrase[-1].lower()} & small]


@pytest.mark.parametrize("limit", [8, 20, 40])
def test_phrases_stay_within_their_tokens(limit: int) -> None:
    """They share a prompt with many others."""
    tree = build_tree(PORT, name="port.md")
    assert all(estimate_tokens(text) <= limit for text in extractive.summarize(tree, max_tokens=limit).values())


def test_without_a_model_nothing_is_called_and_outlines_show_the_phrases() -> None:
    """They help a model that picks sections."""
    library = Library()
    library.add(PORT, name="port.md")
    report = library.summarize("port.md")
    assert (report.usage.calls, report.sections) == (0, 4)
    model = ScriptedModel(['{"sections": []}'])
    library.retrieve("barley", navigator=Select(model))
    assert re.search(r"Grain, lines \d+-\d+ \| .*elevator", model.calls[0].text)


def test_a_model_writes_children_first_and_the_whole_last() -> None:
    """A section's summary is made from those below it; the document's description goes into its metadata."""
    library = sample_library()
    model = ScriptedModel([answer] * 4)
    report = library.summarize("lantern.md", model=model)
    assert by_title(library, "lantern.md")["4 Care"] == "about 4"
    assert "- 4.1 Glass: " in next(
        call.text for call in model.calls if "1. Lantern manual" in call.text or "- 4.1 Glass" in call.text
    )
    assert report.description == "about lantern.md"
    assert library.get("lantern.md").metadata["description"] == "about lantern.md"
    assert report.usage.calls == len(model.calls)


def test_sections_whose_text_is_short_are_their_own_summary() -> None:
    """A call would cost more than it says."""
    library = sample_library()
    library.summarize("lantern.md", model=ScriptedModel([answer] * 4))
    assert by_title(library, "lantern.md")["4.1 Glass"].endswith("Wash the glass with warm water once a week.")


def test_what_was_written_is_not_paid_for_again(tmp_path: Path) -> None:
    """Not in this library, and with a file in no other."""
    cache = SummaryCache(tmp_path / "summaries.db")
    sample_library().summarize("lantern.md", model=ScriptedModel([answer] * 4), cache=cache)
    again = sample_library().summarize(
        "lantern.md", model=ScriptedModel([]), cache=SummaryCache(tmp_path / "summaries.db")
    )
    assert again.usage.calls == 0
    assert again.cached == len(cache)


def test_another_model_writes_its_own() -> None:
    """A summary belongs to the model that wrote it."""
    library = sample_library()
    library.summarize("lantern.md", model=ScriptedModel([answer] * 4, name="one"))
    report = library.summarize("lantern.md", model=ScriptedModel([answer] * 4, name="two"))
    assert report.cached == 0


def test_a_run_that_breaks_off_goes_on_where_it_was() -> None:
    """What was written before the failure is kept."""
    library = Library()
    library.add(PORT, name="port.md")
    with pytest.raises(ModelUnavailable):
        library.summarize("port.md", model=ScriptedModel([answer, ModelUnavailable("m", "gone")]))
    assert by_title(library, "port.md")["Dredging"] == "about Dredging"
    report = library.summarize("port.md", model=ScriptedModel([answer] * 2))
    assert (report.cached, report.failed) == (1, 0)


@pytest.mark.parametrize("reply", ["I cannot.", '{"summaries": [{"number": 99, "summary": "x"}]}', "{}"])
def test_where_a_model_gives_no_summary_the_phrases_stand_in(reply: str) -> None:
    """And are counted as such."""
    library = Library()
    library.add(PORT, name="port.md")
    report = library.summarize("port.md", model=ScriptedModel([reply] * 3))
    assert report.failed >= 3
    assert "elevator" in by_title(library, "port.md")["Grain"]


def test_long_summaries_are_cut() -> None:
    """A model that chatters does not fill the outline."""
    library = Library()
    library.add(PORT, name="port.md")
    reply = json.dumps({"summaries": [{"number": n, "summary": "word " * 500} for n in (1, 2, 3)]})
    library.summarize("port.md", model=ScriptedModel([reply] * 3), max_summary_tokens=20)
    assert all(estimate_tokens(text) <= 21 for text in by_title(library, "port.md").values())


def test_the_cost_is_known_before() -> None:
    """Never less than it turns out to be."""
    library = Library()
    library.add(PORT, name="port.md")
    expected = by_model.estimate(library.tree("port.md"))
    report = library.summarize("port.md", model=ScriptedModel([answer] * 9))
    assert report.usage.calls <= expected.calls
    assert report.usage.tokens_in <= expected.tokens_in
    assert report.usage.tokens_out <= expected.tokens_out
