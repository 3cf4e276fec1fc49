"""`--tenant` adds to a namespace and shows that namespace alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mcp import Client
from typer.testing import CliRunner

from thumbindex import Library, Scope
from thumbindex.cli.app import app
from thumbindex.mcp import make_server
from thumbindex.sources.folders import expand


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_documents_are_added_to_a_tenant_and_searched_in_it(tmp_path: Path) -> None:
    """The same file in two tenants; a search of one finds its own document."""
    file, library = tmp_path / "pay.md", str(tmp_path / "library.db")
    for tenant, rate in (("north", "seven"), ("south", "nine")):
        file.write_text(f"# Pay\n\nThe rate is {rate}.\n")
        run("add", str(file), "--library", library, "--tenant", tenant)
    assert "seven" in run("search", "rate", "--library", library, "--tenant", "north")
    assert "seven" not in run("search", "rate", "--library", library, "--tenant", "south")
    assert run("list", "--library", library, "--tenant", "south").count("pay.md") == 1


def test_clients_of_a_tenant_add_to_it_and_see_it_alone(tmp_path: Path) -> None:
    """With the whole library behind the server."""
    (tmp_path / "pay.md").write_text("# Pay\n\nThe rate is nine.\n")
    library = Library()
    hidden = library.add(b"# Pay\n\nThe rate is seven.\n", name="pay.md", tenant="north")

    async def call() -> str:
        async with Client(make_server(library, allow_add=[tmp_path], tenant="south")) as client:
            await client.call_tool("add_document", {"path": "pay.md"})
            return repr(await client.call_tool("search_text", {"query": "rate"}))

    shown = asyncio.run(call())
    assert "nine" in shown
    assert "seven" not in shown
    assert library.view(Scope(tenant="north")).list() == [hidden]


def test_links_that_lead_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    """Links inside it are, and a link that is named itself is."""
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "a.md").write_text("a")
    (tmp_path / "secret.md").write_text("s")
    (folder / "inside.md").symlink_to(folder / "a.md")
    (folder / "outside.md").symlink_to(tmp_path / "secret.md")
    assert [path.name for path in expand([folder])] == ["a.md", "inside.md"]
    assert expand([folder / "outside.md"]) == [folder / "outside.md"]
