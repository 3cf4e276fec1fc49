"""`AsyncLibrary`: the same calls under the same names, awaited."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from thumbindex import AsyncLibrary, Library, Scope
from thumbindex.async_library import AsyncLibraryView
from thumbindex.library_view import LibraryView

CALLS = {
    owner: sorted(name for name, _ in inspect.getmembers(owner, inspect.isroutine) if not name.startswith("_"))
    for owner in (Library, LibraryView)
}


@pytest.mark.parametrize(
    ("sync", "name"), [(owner, name) for owner, names in CALLS.items() for name in names], ids=lambda part: str(part)
)
def test_an_async_call_takes_what_its_sync_call_takes(sync: type[LibraryView], name: str) -> None:
    """The same parameters in the same order, with the same defaults."""
    ours = inspect.signature(getattr(sync, name)).parameters
    theirs = inspect.signature(getattr(AsyncLibrary if sync is Library else AsyncLibraryView, name)).parameters
    assert [(parameter.name, parameter.kind, parameter.default) for parameter in theirs.values()] == [
        (parameter.name, parameter.kind, parameter.default) for parameter in ours.values()
    ]


def test_it_has_no_calls_of_its_own() -> None:
    """Whoever knows one class knows the other."""
    theirs = {name for name, _ in inspect.getmembers(AsyncLibrary, inspect.isroutine) if not name.startswith("_")}
    assert theirs == set(CALLS[Library])


def test_async_calls_do_what_sync_calls_do(tmp_path: Path) -> None:
    """A folder followed, references, checks and the choice of documents, all awaited."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "mill.md").write_text("# Mill\n\n## 1 Wheel\n\nSee Section 2.\n\n## 2 Stones\n\nTwo stones grind.\n")

    async def run() -> None:
        async with AsyncLibrary() as library:
            assert [result.what for result in await library.sync(folder)] == ["added"]
            assert [result.what for result in await library.add_all([folder])] == ["known"]
            assert [info.name for info in await library.list(query="stones")] == ["mill.md"]
            assert (await library.follow("mill.md", "see Section 2")).target
            assert (await library.check("mill.md")).coverage > 0
            wheel = (await library.retrieve("wheel", k=1)).evidence[0]
            assert [found.title for found in await library.referenced(wheel)] == ["2 Stones"]
            assert len(await library.passages("mill.md", wheel.lines)) == 1
            await library.summarize("mill.md", summaries={wheel.node_id: "On wheels."})
            assert (await library.tree("mill.md")).node(wheel.node_id).summary == "On wheels."
            view = await library.view(Scope(["mill.md"]))
            assert (await view.retrieve("wheel", k=1)).evidence == (wheel,)

    asyncio.run(run())


def test_both_may_be_used_side_by_side() -> None:
    """The async library wraps the same object."""
    library = Library()
    library.add(b"# Mill\n\nThe wheel turns.\n", name="mill.md")
    found = asyncio.run(AsyncLibrary(library).retrieve("wheel"))
    assert found.evidence == library.retrieve("wheel").evidence
