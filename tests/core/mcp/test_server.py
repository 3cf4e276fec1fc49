"""The MCP server with the official client, in the same process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from mcp import Client, MCPError

from thumbindex import Library, Scope, build_tree
from thumbindex.conformance import sample_library as report_library
from thumbindex.errors import DocumentNotFound, SourceNotFound
from thumbindex.mcp import make_server
from thumbindex.testing import sample_library
from thumbindex.text.tokens import estimate_tokens
from thumbindex.tools import INSTRUCTIONS, catalogue

LIBRARY = sample_library()


async def test_the_server_offers_the_catalogue() -> None:
    """With the names, descriptions, arguments and instructions of every other surface; all tools are read-only."""
    async with Client(make_server(LIBRARY)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert client.instructions == INSTRUCTIONS
    assert list(tools) == [tool.name for tool in catalogue(LIBRARY)]
    for tool in catalogue(LIBRARY):
        offered = tools[tool.name]
        assert offered.description == tool.description
        assert offered.input_schema == tool.arguments.model_json_schema()
        assert offered.annotations is not None
        assert offered.annotations.read_only_hint is True
        assert offered.annotations.destructive_hint is False
        assert offered.annotations.open_world_hint is False
        assert offered.output_schema is not None


async def test_a_call_returns_text_and_a_structured_form_with_sources() -> None:
    """The client checks the structured form against the schema that the tool declares."""
    async with Client(make_server(report_library())) as client:
        found = await client.call_tool("search_text", {"query": "interest of the term loan"})
    assert not found.is_error
    assert found.structured_content["text"] == found.content[0].text  # type: ignore[union-attr]
    first = found.structured_content["sources"][0]
    assert first["citation"] in found.content[0].text  # type: ignore[union-attr]
    assert first["section"].endswith("Term loan")
    assert (first["first_page"], first["last_page"]) == (2, 2)


async def test_progress_is_reported_on_request() -> None:
    """At the start and at the end of a call."""
    reported: list[tuple[float, float | None]] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        reported.append((progress, total))

    async with Client(make_server(LIBRARY)) as client:
        await client.call_tool("browse_documents", {}, progress_callback=listen)
        await client.call_tool("browse_documents", {})
    assert reported == [(0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("get_page_content", {"document": "lantern.md", "pages": "1"}, "use read_section"),
        ("read_section", {"document": "x.pdf", "node": "1"}, "Call browse_documents for ids"),
        ("search_text", {"question": "?"}, "query: Field required"),
    ],
)
async def test_a_mistake_is_an_error_with_a_remedy(name: str, arguments: dict[str, Any], message: str) -> None:
    """It is a result that the model reads, not a protocol error."""
    async with Client(make_server(LIBRARY)) as client:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        assert message in result.content[0].text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="There is no tool 'write_file'"):
            await client.call_tool("write_file", {})


async def test_documents_and_sections_are_resources() -> None:
    """A document lists its sections; a section is read by its id, in parts if it is long."""
    library = sample_library()
    library.add(("# Crates\n\n" + "\n".join(f"Crate {n} holds lamps." for n in range(300))).encode(), name="crates.md")
    async with Client(make_server(library, max_output_tokens=400)) as client:
        resources = {resource.name: resource for resource in (await client.list_resources()).resources}
        assert list(resources) == ["lantern.md", "harbour.md", "crates.md"]
        assert resources["lantern.md"].title == "Lantern manual"
        uri = str(resources["lantern.md"].uri)
        outline = (await client.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
        (wick,) = (line.split()[0] for line in outline.splitlines() if "4.2 Wick" in line and "→" not in line)
        text = (await client.read_resource(f"{uri}/sections/{wick}")).contents[0].text  # type: ignore[union-attr]
        assert "about ninety hours" in text
        crates = library.tree("crates.md").nodes[0].id
        first = f"{resources['crates.md'].uri}/sections/{crates}"
        received = ""
        for part in range(1, 40):
            read = (await client.read_resource(f"{first}?part={part}")).contents[0].text  # type: ignore[union-attr]
            assert estimate_tokens(read) <= 400
            received += read
            if "This is the end" in read:
                break
        assert all(f"Crate {n} holds" in received for n in range(300))
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.name for template in templates] == ["document", "section"]
        for wrong in (f"{uri}/sections/none", "thumbindex://documents/..%2F..%2Fetc%2Fpasswd", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)


async def test_many_documents_are_listed_page_by_page() -> None:
    """Each of them once."""
    library = Library()
    for n in range(130):
        library.import_tree(build_tree([f"# Note {n}\n\nText {n}."], name=f"n{n}"), source=f"n{n}")
    async with Client(make_server(library)) as client:
        names: list[str] = []
        cursor: str | None = None
        while True:
            page = await client.list_resources(cursor=cursor)
            names += [resource.name for resource in page.resources]
            if (cursor := page.next_cursor) is None:
                break
        with pytest.raises(MCPError, match="not a cursor"):
            await client.list_resources(cursor="soon")
    assert names == [f"n{n}" for n in range(130)]


async def test_clients_of_a_view_see_nothing_else() -> None:
    """Neither by tools nor by resources; a document outside the view is an unknown document."""
    hidden = LIBRARY.get("harbour.md")
    dues = next(node for node in LIBRARY.tree(hidden.doc_id).nodes if node.title == "Dues")
    async with Client(make_server(LIBRARY.view(Scope(["lantern.md"])))) as client:
        assert [resource.name for resource in (await client.list_resources()).resources] == ["lantern.md"]
        for uri in (hidden.doc_id, f"{hidden.doc_id}/sections/{dues.id}"):
            with pytest.raises(MCPError, match="no document"):
                await client.read_resource(f"thumbindex://documents/{uri}")
        outputs = [
            await client.call_tool(name, arguments)
            for name, arguments in [
                ("browse_documents", {}),
                ("browse_documents", {"query": "dredging of the basin"}),
                ("search_text", {"query": "dredging of the basin"}),
                ("search_text", {"query": "dues", "mode": "every"}),
                ("search_text", {"query": "dues", "document": hidden.doc_id}),
                ("get_document_structure", {"document": hidden.doc_id}),
                ("read_section", {"document": hidden.doc_id, "node": dues.id}),
                ("read_section", {"document": "lantern.md", "node": dues.id}),
                ("follow_reference", {"document": hidden.doc_id, "reference": "Appendix B"}),
            ]
        ]
    texts = [output.content[0].text.replace(hidden.doc_id, "") for output in outputs]  # type: ignore[union-attr]
    assert not [text for text in texts if "harbour" in text.lower() or "18.20" in text or "Dredging" in text]
    assert [output.is_error for output in outputs[4:]] == [True] * 5
    with pytest.raises(DocumentNotFound):
        make_server(LIBRARY.view(Scope(["lamp.md"])))


async def test_no_output_exceeds_the_limit_in_either_form() -> None:
    """Clients show a model one or the other."""
    library = report_library()
    long = "\n".join(f"## Note {n} Crates\n\n" + f"Crate {n} holds lamps, wicks and glass. " * 40 for n in range(60))
    library.add(("# Store\n\n" + long).encode(), name="store.md")
    async with Client(make_server(library, max_output_tokens=500)) as client:
        for name, arguments in [
            ("browse_documents", {}),
            ("get_document_structure", {"document": "store.md"}),
            ("read_section", {"document": "store.md", "node": library.tree("store.md").nodes[0].id}),
            ("search_text", {"query": "crate lamps wicks"}),
            ("search_text", {"query": "lamps", "mode": "every"}),
            ("get_page_content", {"document": "loans", "pages": "1-4"}),
        ]:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result.content
            assert estimate_tokens(result.content[0].text) <= 500  # type: ignore[union-attr]
            assert estimate_tokens(json.dumps(result.structured_content, ensure_ascii=False)) <= 500


def test_a_missing_extra_is_an_error_with_the_command_that_installs_it() -> None:
    """If the MCP SDK is not installed."""
    program = "import sys; sys.modules['mcp'] = None; import thumbindex.mcp"
    failed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert failed.returncode == 1
    assert "pip install 'thumbindex[mcp]'" in failed.stderr


def test_invalid_options_are_refused() -> None:
    """Before any client is served."""
    with pytest.raises(ValueError, match="at least 400"):
        make_server(LIBRARY, max_output_tokens=100)
    with pytest.raises(SourceNotFound):
        make_server(LIBRARY, allow_add=["/no/such/folder"])
    with pytest.raises(ValueError, match="cannot add any"):
        make_server(LIBRARY.view(Scope(["lantern.md"])), allow_add=["."])
