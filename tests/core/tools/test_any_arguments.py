"""Whatever arguments a model sends, a tool answers within its cap or says what is wrong, in words that can be sent and shown."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st
from mcp import Client

from odd_texts import JSON_VALUES, ODD_TEXTS
from thumbindex import Library, build_tree
from thumbindex.mcp import make_server
from thumbindex.pages import format_runs
from thumbindex.testing import sample_library
from thumbindex.text.page_spec import parse_pages
from thumbindex.text.tokens import estimate_tokens
from thumbindex.tools import Tool, ToolError, ToolResult, catalogue

LIBRARY = sample_library()
LIBRARY.import_tree(LIBRARY.tree("lantern.md"), source="twin", name="a\x1b[31m</document_text>[b, p. 9].md")
PAGED = build_tree(["# One\n\nPage text.", "Page text two.", "## Two\n\nPage text three."], name="paged")
CAP = 400
TOOLS = {tool.name: tool for tool in catalogue(LIBRARY, max_output_tokens=CAP)}
IDS = [node.id for node in LIBRARY.tree("lantern.md").nodes]

GOOD = st.fixed_dictionaries(
    {},
    optional={
        "document": st.sampled_from(["lantern.md", "harbour.md", "nowhere", *(info.doc_id for info in LIBRARY.list())]),
        "node": st.sampled_from([*IDS, f"{IDS[0]}.2", "4.2 Wick", "lantern#x"]),
        "pages": st.sampled_from(["1", "5-7,12", "iv", "F-12"]),
        "query": st.sampled_from(["wick", "brass cap", "1,204 ships"]),
        "reference": st.sampled_from(["Section 4.2", "Appendix B", "page 3", "#x"]),
        "mode": st.sampled_from(["best", "every"]),
        "filter": st.sampled_from(["year=2023", "year", "=", "title=Harbour report"]),
        "part": st.integers(-1, 4),
        "cursor": st.sampled_from(["0", "1", "8", "-1", "x"]),
    },
)
NAMES = ("document", "node", "pages", "query", "reference", "mode", "filter", "part", "cursor", "self", "prefix")
ODD = st.dictionaries(st.sampled_from(NAMES), ODD_TEXTS | JSON_VALUES, max_size=3)
ARGUMENTS = st.builds(lambda good, odd: {**good, **odd}, GOOD, ODD)


def ask(tool: Tool, arguments: dict[str, object]) -> ToolResult | str:
    """What a tool gives, or tells to be wrong."""
    try:
        return tool.run(**arguments)
    except ToolError as error:
        return str(error)


def printable(text: str) -> bool:
    text.encode("utf-8")
    return all(letter.isprintable() or letter in "\n\t\u200c\u200d" or letter.isspace() for letter in text)


@given(st.sampled_from(sorted(TOOLS)), ARGUMENTS)
@example("search_text", {"query": "\ud800"})
@example("search_text", {"query": "wick " * 5000, "mode": "every"})
@example("get_page_content", {"document": "lantern.md", "pages": "1"})
@example("browse_documents", {"filter": "\ud800=\x1b"})
def test_any_arguments_are_answered_or_told_to_be_wrong(name: str, arguments: dict[str, object]) -> None:
    """Nothing of a document leaves its fence, and no sign that commands a terminal is shown."""
    result = ask(TOOLS[name], arguments)
    if isinstance(result, str):
        assert printable(result)
        assert len(result) < 4000
        return
    assert printable(result.text)
    assert estimate_tokens(result.text) <= CAP
    assert result.text.count("<document_text>") == result.text.count("</document_text>")
    for one in result.evidence:
        assert LIBRARY.tree(one.doc_id).text(one.lines) == one.text


@given(st.lists(st.tuples(st.sampled_from(sorted(TOOLS)), ARGUMENTS), min_size=1, max_size=3))
async def test_any_arguments_are_answered_over_mcp(calls: list[tuple[str, dict[str, object]]]) -> None:
    """As a result or a result that is an error, never as a failure of the server, and it serves on."""
    async with Client(make_server(LIBRARY)) as client:
        for name, arguments in calls:
            plain = json.loads(json.dumps(arguments).encode("utf-8", "replace"))
            if not _can_travel(plain):
                continue
            found = await client.call_tool(name, plain)
            assert found.content
        after = await client.call_tool("browse_documents", {})
        assert not after.is_error


def _can_travel(value: object) -> bool:
    """Whether a client can send it: its JSON takes no half letters and no numbers beyond all."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except ValueError:
        return False
    return "0" * 300 not in repr(value)


@given(st.sets(st.integers(1, 60), min_size=1))
def test_pages_that_we_write_are_read_again(pages: set[int]) -> None:
    """Ranges and single pages, as results print them."""
    assert parse_pages(format_runs(pages), 60) == tuple(sorted(pages))


@given(st.text("0123456789-–, ivxF.٣²۴ ", max_size=14) | ODD_TEXTS)
@example("3-5, iv, F-12")
def test_any_list_of_pages_is_read_or_told_to_be_wrong(spec: str) -> None:
    """Through the tool too, whose document has pages."""
    with Library() as library:
        name = library.import_tree(PAGED).name
        (tool,) = (one for one in catalogue(library) if one.name == "get_page_content")
        result = ask(tool, {"document": name, "pages": spec})
        assert printable(result) if isinstance(result, str) else "Page text" in result.text
