"""The protocol `Store` is all that a library needs of a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from thumbindex import Library
from thumbindex.store import Store
from thumbindex.store.sqlite import SqliteStore

METHODS = {name for name in vars(Store) if not name.startswith("_")}


class Wrapper:
    """A store that hands every call of the protocol on to another one, and has nothing else."""

    def __init__(self, path: str | None = None) -> None:
        self.__inner = SqliteStore(path)

    def __getattribute__(self, name: str) -> Any:
        if name in METHODS:
            return getattr(object.__getattribute__(self, "_Wrapper__inner"), name)
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        raise AttributeError(f"{name} is no part of the protocol")


def test_the_sqlite_store_has_the_methods_of_the_protocol_and_no_others() -> None:
    assert {name for name in dir(SqliteStore) if not name.startswith("_")} == METHODS


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library on a store of another class."""
    monkeypatch.setattr("thumbindex.library.SqliteStore", Wrapper)
    return Library()


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda library: library.retrieve("How often does the wheel turn?").evidence, id="retrieve"),
        pytest.param(lambda library: library.find_all("wheel"), id="find_all"),
        pytest.param(lambda library: library.list(query="mill"), id="list"),
        pytest.param(lambda library: library.read("mill.md").text, id="read"),
        pytest.param(lambda library: library.sections("mill.md"), id="sections"),
        pytest.param(lambda library: library.check("mill.md").findings == (), id="check"),
        pytest.param(lambda library: library.remove("mill.md") is None, id="remove"),
    ],
)
def test_a_library_works_on_any_store_with_the_protocol(library: Library, use: Callable[[Library], object]) -> None:
    library.add(b"# Mill\n\n## Wheel\n\nThe wheel turns once a day.\n", name="mill.md")
    library.add(b"# Mill\n\n## Wheel\n\nThe wheel turns twice a day.\n", name="mill.md", metadata={"unit": "north"})
    assert use(library)
