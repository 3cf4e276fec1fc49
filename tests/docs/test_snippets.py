"""The pages run: every Python block and every `thumbindex` command of the README and of docs/ is executed here.

The blocks of one page share their names, as a reader would type them one after another; each page starts in a fresh
folder that holds a copy of examples/. A block under the comment `<!-- not run: reason -->` is left out. The output that
a page shows under a command is compared as doctest does: `...` stands for anything, runs of blanks count as one.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import inspect
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from pytest_socket import disable_socket, enable_socket

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("packages/*/README.md"))]
MODELS = Path(__file__).parent / "models"  # scripted models for the pages that leave the model to the reader
SKIP = re.compile(r"<!-- not run: \S.*-->")
# What may stand before our command in a line for a fresh machine.
BEFORE = re.compile(r"^\$ (pip install uv && )?(uv run --package thumbindex --extra cli )?(?=thumbindex )")
COMPARE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: Path) -> Iterator[tuple[str, int, str]]:
    """Language, line (0-based) and text of each fenced block that is to run."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    for before, token in zip([None, *tokens], tokens, strict=False):
        skipped = before is not None and before.type == "html_block" and SKIP.search(before.content)
        if token.type == "fence" and token.map and not skipped:
            yield token.info.strip(), token.map[0], token.content


def run_python(code: str, page: Path, line: int, names: dict[str, object]) -> None:
    """Execute one block; `await` at the top is allowed, as in a notebook."""
    # Empty lines before the code make tracebacks point into the page.
    compiled = compile("\n" * (line + 1) + code, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    result = eval(compiled, names)
    if inspect.iscoroutine(result):
        asyncio.run(result)


def run_console(code: str, folder: Path) -> None:
    """Run each of our commands and compare what it prints with the lines below it."""
    environment = {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "100"}
    for entry in re.split(r"^(?=\$ )", code, flags=re.MULTILINE):
        command, _, expected = entry.partition("\n")
        if not BEFORE.match(command):
            continue
        arguments = shlex.split(BEFORE.sub("", command))
        program = Path(sysconfig.get_path("scripts"), arguments[0])
        done = subprocess.run(
            [program, *arguments[1:]],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        printed = done.stdout + done.stderr
        assert done.returncode == 0, f"{command}\nfails with\n{printed}"
        if expected.strip():
            assert doctest.OutputChecker().check_output(expected, printed, COMPARE), f"{command}\nprints\n{printed}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder as the reader has it after cloning, with no network and no keys."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    disable_socket(allow_unix_socket=True)
    yield tmp_path
    enable_socket()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_the_page_runs(page: Path, folder: Path) -> None:
    """Python runs without error; commands print what the page says they print."""
    models = MODELS / ("_".join(page.relative_to(ROOT).with_suffix("").parts).lower() + ".py")
    names = runpy.run_path(str(models)) if models.exists() else {}
    for language, line, code in blocks(page):
        if language == "python":
            run_python(code, page, line, names)
        elif language == "console":
            run_console(code, folder)
        elif language == "bash":
            run_console(re.sub(r"^", "$ ", code, flags=re.MULTILINE), folder)


def test_the_first_screen_holds_two_commands_and_the_line_for_systems_whose_pip_refuses() -> None:
    """A newcomer needs nothing but these."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first_screen = "\n".join(readme.splitlines()[:50])
    for command in (
        "pip install uv && uv run --package thumbindex --extra cli thumbindex ask examples/annual-report.pdf",
        "pip install uv && uv run --only-group dev nox -s tests",
        "python3 -m venv",
    ):
        assert command in first_screen
