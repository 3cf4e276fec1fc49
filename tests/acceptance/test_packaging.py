"""Facts that only show once packages are built or installed side by side."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

PACKAGES = Path(__file__).parents[2] / "packages"
PROJECTS = sorted(PACKAGES.glob("*/pyproject.toml"))


def project(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_all_packages_have_one_version() -> None:
    """They are released together."""
    assert len(PROJECTS) == 4
    assert len({project(path)["project"]["version"] for path in PROJECTS}) == 1


def test_an_adapter_asks_for_the_core_of_its_own_version() -> None:
    """0.1 goes with 0.1: before 1.0 each minor version may change an interface."""
    version = project(PACKAGES / "core/pyproject.toml")["project"]["version"]
    major, minor, _ = (int(part) for part in version.split("."))
    for path in PROJECTS:
        if path.parent.name != "core":
            wanted = f"thumbindex>={major}.{minor},<{major}.{minor + 1}"
            assert wanted in project(path)["project"]["dependencies"]


def test_the_namespace_of_llamaindex_stays_a_namespace() -> None:
    """One __init__.py in `llama_index` or `llama_index/retrievers` would hide LlamaIndex or its other retrievers."""
    source = PACKAGES / "llamaindex/src"
    (built,) = project(PACKAGES / "llamaindex/pyproject.toml")["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert built == "src/llama_index"
    assert {path.parent.relative_to(source).as_posix() for path in source.rglob("__init__.py")} == {
        "llama_index/retrievers/thumbindex"
    }


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.parent.name)
def test_every_package_tells_type_checkers_that_it_is_typed(path: Path) -> None:
    """py.typed stands beside the package's __init__.py."""
    (home,) = [found.parent for found in (path.parent / "src").rglob("py.typed")]
    assert (home / "__init__.py").exists()
