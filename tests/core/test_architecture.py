"""The import lines draw the system: every arrow points to the left."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = Path(__file__).parents[2] / "packages"
CORE = PACKAGES / "core" / "src" / "thumbindex"
# The public door, __init__.py, lists names of every stage.
MODULES = sorted(path for path in CORE.rglob("*.py") if path != CORE / "__init__.py")

CONTRIBUTING = PACKAGES.parent / "CONTRIBUTING.md"


def stages() -> list[tuple[str, ...]]:
    """The map that CONTRIBUTING shows: one row per stage; a module may import its own stage and the stages above it."""
    text = CONTRIBUTING.read_text(encoding="utf-8")
    table = text[text.index("| Stage |") : text.index("\n\n", text.index("| Stage |"))]
    return [tuple(re.findall(r"`([\w]+)`", row.split("|")[2])) for row in table.splitlines()[2:]]


STAGES = stages()
STAGE = {name: position for position, names in enumerate(STAGES) for name in names}
# A repair makes the index anew from the trees, as adding does; nothing of the store imports it.
MOVED = {"store/sqlite/repair.py": "ingest"}
OUTSIDE = {"os", "pathlib", "io", "time", "datetime", "random", "secrets", "subprocess", "sqlite3", "asyncio", "socket"}
PRIVATE = ("thumbindex.concurrency", "thumbindex.ingest", "thumbindex.store.sqlite")
"""Parts of the core that adapters have no need of: event loops, parsing and SQLite."""
ADAPTERS = {"langchain": "langchain_core", "llamaindex": "llama_index", "agents-sdk": "agents"}


def imports(path: Path) -> Iterator[str]:
    """Full names of all modules that a file imports, wherever in the file."""
    source_root = next(parent for parent in path.parents if parent.name == "src")
    package = path.relative_to(source_root).parts[:-1]
    for item in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(item, ast.Import):
            yield from (alias.name for alias in item.names)
        elif isinstance(item, ast.ImportFrom):
            base = package[: len(package) - item.level + 1] if item.level else ()
            name = ".".join((*base, *filter(None, [item.module])))
            # `from . import x` may mean a module or a name of the package.
            yield from (f"{name}.{alias.name}" for alias in item.names) if item.module is None else [name]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(CORE)))
def test_a_module_imports_only_its_own_stage_and_those_to_its_left(path: Path) -> None:
    """errors and values -> sources -> headings -> tree -> ... -> library -> tools -> the surfaces."""
    place = path.relative_to(CORE)
    own = MOVED.get(place.as_posix(), place.with_suffix("").parts[0])
    assert own in STAGE, f"{own} has no place in the map of CONTRIBUTING.md: give it one"
    ours = [name.split(".")[1] for name in imports(path) if name.startswith("thumbindex.")]
    assert [name for name in ours if STAGE.get(name, len(STAGES)) > STAGE[own]] == []


@pytest.mark.parametrize("stage", ["headings", "tree"])
def test_finding_headings_and_building_trees_is_pure(stage: str) -> None:
    """No files, no network, no clock, no chance."""
    roots = {name.split(".")[0] for path in (CORE / stage).rglob("*.py") for name in imports(path)}
    assert roots & OUTSIDE == set()


def test_headings_are_found_from_values_alone() -> None:
    """A heading rule sees lines with style, whatever kind of file they came from."""
    assert [name for path in (CORE / "headings").rglob("*.py") for name in imports(path) if ".sources" in name] == []


@pytest.mark.parametrize("package", ["text", "headings", "tree", "search"])
def test_the_modules_of_a_package_have_no_cycle(package: str) -> None:
    """Imports inside functions count: they hide a cycle and do not remove it."""
    below = {
        f"thumbindex.{package}.{path.stem}": set(imports(path))
        for path in (CORE / package).glob("*.py")
        if path.stem != "__init__"
    }
    while free := {name for name, needed in below.items() if not needed & below.keys()}:
        below = {name: needed for name, needed in below.items() if name not in free}
    assert sorted(below) == [], "these import each other, or a module that does"


@pytest.mark.parametrize("package", ["search", "navigation", "citations"])
def test_a_search_sees_a_store_by_its_protocol_alone(package: str) -> None:
    """Another store can take the place of SQLite."""
    names = {name for path in (CORE / package).rglob("*.py") for name in imports(path)}
    assert {name for name in names if ".sqlite" in name or name.startswith("sqlite3")} == set()


def test_one_package_imports_pdfium() -> None:
    """PDFium crashes when two threads use it, so one package holds it and a process of its own runs that."""
    users = {path.relative_to(CORE).parent for path in MODULES if any(n.startswith("pypdfium2") for n in imports(path))}
    assert users == {Path("sources/pdf")}


def test_the_core_imports_no_framework() -> None:
    """`import thumbindex` is for everyone; a framework is its adapter's business."""
    roots = {name.split(".")[0] for path in MODULES for name in imports(path)}
    assert roots & {"langchain_core", "langchain", "llama_index", "agents"} == set()


@pytest.mark.parametrize("package", ADAPTERS)
def test_an_adapter_imports_its_own_framework_only(package: str) -> None:
    """Loading one framework takes seconds; nobody should pay for two."""
    roots = {name.split(".")[0] for path in (PACKAGES / package / "src").rglob("*.py") for name in imports(path)}
    assert roots & set(ADAPTERS.values()) <= {ADAPTERS[package]}


@pytest.mark.parametrize("package", ADAPTERS)
def test_an_adapter_uses_public_parts_of_the_core_only(package: str) -> None:
    """Adapters translate: event loops, parsing and storage stay inside the core."""
    names = {name for path in (PACKAGES / package / "src").rglob("*.py") for name in imports(path)}
    assert [name for name in sorted(names) if name.startswith(PRIVATE)] == []
