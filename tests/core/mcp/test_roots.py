"""Documents are added from the folders that are named and from nowhere else, whatever path a model writes."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from mcp import Client, MCPError

from thumbindex import Library
from thumbindex.mcp import make_server
from thumbindex.mcp.roots import Roots
from thumbindex.testing import sample_library
from thumbindex.tools import ToolError

SECRET = "The password is swordfish.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that may be read beside one that may not, with links between them."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "keys.md").write_text(SECRET, encoding="utf-8")
    (tmp_path / "reports-old").mkdir()
    (tmp_path / "reports-old" / "old.md").write_text(SECRET, encoding="utf-8")
    root = tmp_path / "reports"
    (root / "2024").mkdir(parents=True)
    (root / "2024" / "dues.md").write_text("# Dues\n\nDues are 18.20.\n", encoding="utf-8")
    (root / "alias.md").symlink_to(root / "2024" / "dues.md")
    (root / "keys.md").symlink_to(tmp_path / "secret" / "keys.md")
    (root / "hop").symlink_to(tmp_path / "secret", target_is_directory=True)
    (root / "loop.md").symlink_to(root / "loop.md")
    os.mkfifo(root / "pipe.md")
    return root


@pytest.mark.parametrize("path", ["2024/dues.md", "./2024/dues.md", "2024//dues.md", "alias.md", "{root}/2024/dues.md"])
def test_files_below_the_folder_are_found(root: Path, path: str) -> None:
    """By a relative or absolute path, and through a link that stays inside."""
    found = Roots([root]).read(path.format(root=root))
    assert (found.name, found.data) == ("2024/dues.md", b"# Dues\n\nDues are 18.20.\n")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("../secret/keys.md", id="up"),
        pytest.param("2024/../../secret/keys.md", id="up from below"),
        pytest.param("2024/../2024/dues.md", id="up and down"),
        pytest.param("{secret}", id="an absolute path"),
        pytest.param("//{secret}", id="two slashes"),
        pytest.param("keys.md", id="a link to the outside"),
        pytest.param("hop/keys.md", id="a folder linked to the outside"),
        pytest.param("{root}-old/old.md", id="a folder whose name begins like the root"),
        pytest.param("loop.md", id="a link to itself"),
        pytest.param("..\\secret\\keys.md", id="backslashes"),
        pytest.param("C:\\Windows\\win.ini", id="a drive"),
        pytest.param("C:2024/dues.md", id="a folder relative to a drive"),
        pytest.param("\\\\server\\share\\a.md", id="a share"),
        pytest.param("//server/share/a.md", id="a share with slashes"),
        pytest.param("\\\\?\\C:\\a.md", id="a device path"),
        pytest.param("2024/dues.md::$DATA", id="a stream"),
        pytest.param("2024/dues.md.", id="a dot at the end"),
        pytest.param("2024/CON", id="a device"),
        pytest.param("~/keys.md", id="home"),
        pytest.param("file:///etc/passwd", id="a URL"),
        pytest.param("2024/dues.md\x00.pdf", id="a zero byte"),
        pytest.param("2024/missing.md", id="missing"),
        pytest.param("2024", id="a folder"),
        pytest.param(".", id="the folder itself"),
        pytest.param("pipe.md", id="a pipe"),
        pytest.param(" ", id="a blank"),
        pytest.param("a" * 5000, id="a very long name"),
    ],
)
def test_every_other_path_is_refused_with_the_same_message(root: Path, path: str) -> None:
    """It reveals nothing about other folders, not even whether a file exists."""
    requested = path.format(root=root, secret=root.parent / "secret" / "keys.md")
    with pytest.raises(ToolError, match="that may be added") as error:
        Roots([root]).read(requested)
    assert "Give its path below the folder 'reports'" in str(error.value)
    assert "swordfish" not in str(error.value)


def test_a_folder_replaced_by_a_link_reveals_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here between the check of the path and the opening of the file."""
    (root / "2024" / "keys.md").write_text("harmless", encoding="utf-8")
    resolve = Path.resolve

    def swap(path: Path, strict: bool = False) -> Path:
        real = resolve(path, strict=strict)
        if real.name == "keys.md":
            (root / "2024").rename(root / "moved")
            (root / "2024").symlink_to(root.parent / "secret", target_is_directory=True)
        return real

    roots = Roots([root])
    monkeypatch.setattr(Path, "resolve", swap)
    with pytest.raises(ToolError):
        roots.read("2024/keys.md")


async def test_a_client_adds_a_document_and_reads_it(root: Path) -> None:
    """The tool is annotated as writing and idempotent; a changed file becomes a new revision."""
    library = Library()
    async with Client(make_server(library, allow_add=[root])) as client:
        adding = {tool.name: tool for tool in (await client.list_tools()).tools}["add_document"]
        assert adding.annotations is not None
        assert adding.annotations.read_only_hint is False
        assert adding.annotations.destructive_hint is False
        added = await client.call_tool("add_document", {"path": "2024/dues.md"})
        assert added.content[0].text.startswith("Added: ")  # type: ignore[union-attr]
        again = await client.call_tool("add_document", {"path": "alias.md"})
        assert "Already here, revision 1" in again.content[0].text  # type: ignore[union-attr]
        found = await client.call_tool("search_text", {"query": "dues"})
        assert "18.20" in found.content[0].text  # type: ignore[union-attr]
        (root / "2024" / "dues.md").write_text("# Dues\n\nDues are 19.50.\n", encoding="utf-8")
        revised = await client.call_tool("add_document", {"path": "2024/dues.md"})
        assert "revision 2" in revised.content[0].text  # type: ignore[union-attr]
        for arguments in ({}, {"path": 7}, {"path": "2024/dues.md", "force": True}):
            assert (await client.call_tool("add_document", arguments)).is_error
        (root / "picture.bin").write_bytes(bytes(range(256)))
        unread = await client.call_tool("add_document", {"path": "picture.bin"})
        assert unread.is_error
    assert len(library) == 1


async def test_without_a_folder_nothing_can_be_added(root: Path) -> None:
    """The tool does not exist, even for clients that know its name."""
    library = sample_library()
    async with Client(make_server(library)) as client:
        assert "add_document" not in [tool.name for tool in (await client.list_tools()).tools]
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("add_document", {"path": str(root / "2024" / "dues.md")})
    assert len(library) == 2


def test_a_named_pipe_does_not_block(root: Path) -> None:
    """Opening it normally would wait for a writer."""
    done = threading.Event()

    def read() -> None:
        with pytest.raises(ToolError):
            Roots([root]).read("pipe.md")
        done.set()

    threading.Thread(target=read, daemon=True).start()
    assert done.wait(20)


def test_files_of_the_same_path_in_two_folders_have_two_names(tmp_path: Path) -> None:
    """As short as they can be told apart; each is found again under its name."""
    folders = [tmp_path / "north" / "reports", tmp_path / "south" / "reports"]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "dues.md").write_text(folder.parent.name, encoding="utf-8")
    roots = Roots([*folders, folders[0]])
    for folder in folders:
        found = roots.read(str(folder / "dues.md"))
        assert (found.name, found.data.decode()) == (f"{folder.parent.name}/reports/dues.md", folder.parent.name)
        assert roots.read(found.name) == found
