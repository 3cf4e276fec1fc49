"""`thumbindex mcp` in its own process, as Claude Desktop and others start it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from thumbindex import Library

PROGRAM = str(Path(sysconfig.get_path("scripts"), "thumbindex"))
REPORT = Path(__file__).parents[3] / "examples" / "annual-report.pdf"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "THUMBINDEX_CACHE": str(tmp_path / "cache"), "HOME": str(tmp_path)}


def parameters(environment: dict[str, str], *arguments: object) -> StdioServerParameters:
    return StdioServerParameters(command=PROGRAM, args=["mcp", *map(str, arguments)], env=environment)


async def test_a_client_starts_it_over_files_and_over_a_library(environment: dict[str, str], tmp_path: Path) -> None:
    """A PDF is read once and cached; with a folder to add from, the library is created if it does not exist."""
    async with Client(stdio_client(parameters(environment, REPORT))) as client:
        found = await client.call_tool("get_page_content", {"document": REPORT.name, "pages": "43"})
        assert "fixed rate of 4.35 per cent" in found.content[0].text  # type: ignore[union-attr]
    assert [name.rpartition(".")[2] for name in os.listdir(environment["THUMBINDEX_CACHE"])] == ["db"]

    (tmp_path / "dues.md").write_text("# Dues\n\nDues are 18.20.\n", encoding="utf-8")
    path = tmp_path / "my.db"
    async with Client(stdio_client(parameters(environment, "--library", path, "--allow-add", tmp_path))) as client:
        added = await client.call_tool("add_document", {"path": "dues.md"})
        assert not added.is_error, added.content
        outside = await client.call_tool("add_document", {"path": str(REPORT)})
        assert outside.is_error
    with Library(path) as library:
        assert [info.name for info in library.list()] == ["dues.md"]


def start(environment: dict[str, str], *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [PROGRAM, "mcp", *map(str, arguments)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("how", ["closes", "interrupts"])
def test_it_ends_with_its_client(environment: dict[str, str], tmp_path: Path, how: str) -> None:
    """Quietly, and leaves no process and no draft behind."""
    if how == "interrupts" and sys.platform == "win32":
        pytest.skip("signals")
    with Library(tmp_path / "my.db") as library:
        library.add(b"# A\n\nb\n", name="a.md")
    process = start(environment, "--library", tmp_path / "my.db")
    assert process.stdin is not None
    assert process.stdout is not None
    initialize: Any = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        b'"clientInfo":{"name":"raw","version":"1"}}}\n'
    )
    process.stdin.write(initialize)
    process.stdin.flush()
    assert b'"thumbindex"' in process.stdout.readline()
    if how == "closes":
        process.stdin.close()
    else:
        process.send_signal(signal.SIGINT)
    assert process.wait(30) == (0 if how == "closes" else 130)
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    assert process.stdout.read() == b""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param([], 2, "Name the files to serve, or a library", id="nothing to serve"),
        pytest.param(["--library", "none.db"], 3, "There is no library", id="no such library"),
        pytest.param(
            ["--http", "--host", "0.0.0.0", REPORT], 2, "can be reached from other machines", id="open to the network"
        ),
        pytest.param(["--allow-add", ".", REPORT], 2, "name one with --library", id="adding to files"),
        pytest.param(["--allow-add", "nowhere", "-l", "a.db"], 3, "there is no such folder", id="no such folder"),
        pytest.param(["--allow-add", ".", "-l", "a.db", "--document", "a"], 2, "cannot add any", id="adding to a view"),
    ],
)
def test_invalid_options_end_the_server_at_once(
    environment: dict[str, str], tmp_path: Path, arguments: list[object], code: int, message: str
) -> None:
    """With a message on standard error and an exit code; the client gets no output."""
    done = subprocess.run(
        [PROGRAM, "mcp", *map(str, arguments)],
        env=environment | {"COLUMNS": "300"},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "a.db").exists()
