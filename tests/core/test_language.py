"""Names and docstrings use the terms of the field, not private metaphors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[2] / "packages"
MODULES = sorted(path for path in PACKAGES.glob("*/src/**/*.py"))

REPLACED = {
    "twin": "async variant",
    "furniture": "headers and footers",
    "imprint": "cover metadata",
    "broken promises": "violations of invariants",
    "desk": "ToolRunner, OpenedDocument",
    "ledger": "read log",
    "shelf": "node factory",
    "kin": "relations",
    "asides": "low-weight terms",
    "survey": "scores of documents",
    "chat aloud": "stream or chat",
    "salvage": "recover",
    "one line a section": "one line per section",
}
"""Words to avoid, and the terms that replace them."""
OLD_FORMATS = {"tree/exchange.py", "store/sqlite/schema.py"}
"""Files that read data of earlier versions under its old names."""


def words_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yields names, split into words, and docstrings of a module with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            line = getattr(node, "lineno", 1)
            if docstring:
                yield line, docstring
        name = next((getattr(node, field) for field in ("name", "id", "attr", "arg") if hasattr(node, field)), None)
        if isinstance(name, str):
            yield getattr(node, "lineno", 1), re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGES)))
def test_a_module_uses_the_words_of_the_field(path: Path) -> None:
    """Names and docstrings contain none of the replaced words; a failure names the term to use."""
    if any(str(path).endswith(name) for name in OLD_FORMATS):
        return
    avoided = re.compile(rf"\b({'|'.join(REPLACED)})s?\b", re.IGNORECASE)
    found = [
        f"line {line}: {match[0]!r} (write: {REPLACED[match[1].lower()]})"
        for line, words in words_of(path)
        for match in avoided.finditer(words)
    ]
    assert found == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGES)))
def test_a_variable_is_named_after_what_it_holds(path: Path) -> None:
    """`one` does not describe a value."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bound = [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id == "one" and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.arg) and node.arg == "one")
    ]
    assert bound == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGES)))
def test_a_docstring_states_what_a_thing_is_or_does(path: Path) -> None:
    """It does not open with a question word."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    openings = [
        docstring.splitlines()[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and (docstring := ast.get_docstring(node))
        and re.match(r"(What|Whether|How)\b", docstring)
    ]
    assert openings == []
