"""The LlamaIndex tools: text for the model, evidence for the program, errors written for the model."""

from __future__ import annotations

from pathlib import Path

import pytest
from llama_index.core.tools import FunctionTool

from llama_index.retrievers.thumbindex import ThumbIndexRetriever, ThumbIndexToolSpec
from thumbindex import Library
from thumbindex.conformance import QUESTION, sample_library
from thumbindex.tools import ToolError, catalogue


@pytest.fixture(scope="module")
def spec() -> ThumbIndexToolSpec:
    return ThumbIndexToolSpec(sample_library())


@pytest.fixture(scope="module")
def tools(spec: ThumbIndexToolSpec) -> dict[str, FunctionTool]:
    return {tool.metadata.get_name(): tool for tool in spec.to_tool_list()}


def test_the_spec_is_the_catalogue(tools: dict[str, FunctionTool]) -> None:
    """Names, descriptions and arguments are decided in one place for all frameworks."""
    expected = {tool.name: (tool.description, tool.arguments) for tool in catalogue(sample_library())}
    assert {name: (t.metadata.description, t.metadata.fn_schema) for name, t in tools.items()} == expected


def test_descriptions_fit_the_limit_of_function_calling(tools: dict[str, FunctionTool]) -> None:
    """LlamaIndex raises above 1,024 characters."""
    for tool in tools.values():
        assert tool.metadata.to_openai_tool()["function"]["name"] == tool.metadata.name


def test_a_tool_gives_text_to_the_model_and_evidence_to_the_program(tools: dict[str, FunctionTool]) -> None:
    """`raw_output` keeps the sections that the text quotes."""
    output = tools["search_text"].call(query=QUESTION)
    assert output.content == catalogue_output("search_text", query=QUESTION)
    assert "Borrowings › Term loan" in {evidence.section_path for evidence in output.raw_output.evidence}


def catalogue_output(name: str, **arguments: object) -> str:
    (tool,) = [tool for tool in catalogue(sample_library()) if tool.name == name]
    return tool.run(**arguments).text


async def test_sync_and_async_agree(tools: dict[str, FunctionTool]) -> None:
    """One implementation behind both."""
    assert (await tools["search_text"].acall(query=QUESTION)).content == tools["search_text"].call(
        query=QUESTION
    ).content


async def test_each_tool_is_a_pair_of_methods_too(spec: ThumbIndexToolSpec) -> None:
    """For use without an agent, and to choose some by name."""
    assert "loans" in str(spec.browse_documents())  # type: ignore[attr-defined]
    assert "loans" in str(await spec.abrowse_documents())  # type: ignore[attr-defined]
    (tool,) = spec.to_tool_list([("search_text", "asearch_text")])
    assert tool.metadata.name == "search_text"
    (alone,) = spec.to_tool_list(["asearch_text"])
    assert alone.metadata.name == "search_text"


def test_errors_are_written_for_the_model(tools: dict[str, FunctionTool]) -> None:
    """Agents of LlamaIndex hand an exception's text to the model."""
    with pytest.raises(ToolError, match=r"no-such-file\.pdf"):
        tools["get_page_content"].call(document="no-such-file.pdf", pages="1")


def test_a_spec_may_be_bound_to_documents_a_cap_and_a_prefix() -> None:
    """The three options of the catalogue."""
    spec = ThumbIndexToolSpec(sample_library(), documents=["treasury.md"], max_output_tokens=200, prefix="guide_")
    tools = {tool.metadata.get_name(): tool for tool in spec.to_tool_list()}
    assert all(name.startswith("guide_") for name in tools)
    listed = tools["guide_browse_documents"].call().content
    assert "treasury.md" in listed
    assert "| loans |" not in listed
    assert "guide_search_text" in spec.instructions


async def test_tools_see_what_the_request_may_see() -> None:
    """By filters at birth, and by a block for each request: also in the tasks and threads of an agent."""
    spec = ThumbIndexToolSpec(sample_library(), filters={"title": "Treasury guide"})
    listed = {tool.metadata.get_name(): tool for tool in spec.to_tool_list()}["browse_documents"]
    assert "treasury.md" in listed.call().content
    assert "| loans |" not in listed.call().content
    with spec.within(filters={"title": "Another"}):
        assert "treasury.md" not in (await listed.acall()).content
    assert "treasury.md" in (await listed.acall()).content
    with ThumbIndexRetriever(spec.library).within(documents=["loans"]):
        assert "treasury.md" not in listed.call().content


def test_documents_that_are_added_later_are_seen(tmp_path: Path) -> None:
    """A spec is made once, from a path too; its library goes on."""
    path = tmp_path / "library.db"
    spec = ThumbIndexToolSpec(path, filters={"kind": "guide"})
    library = Library(path)
    library.add(b"# New\n\nText.\n", name="new.md", metadata={"kind": "guide"})
    library.add(b"# Other\n\nText.\n", name="other.md")
    listed = str(spec.browse_documents())  # type: ignore[attr-defined]
    assert "new.md" in listed
    assert "other.md" not in listed
