"""Every call that reads, writes or waits has a twin for async code."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from thumbindex import Library

WITHOUT_TWIN = {"from_files", "close", "estimate_summaries", "sections"}
"""What makes or ends a library, and what works in memory on one document."""

CALLS = sorted(
    name
    for name, member in inspect.getmembers(Library, inspect.isfunction)
    if not name.startswith("_") and not inspect.iscoroutinefunction(member) and not name.startswith("astream")
)


def twin(name: str) -> str:
    return {"sync": "async_"}.get(name, f"a{name}")


@pytest.mark.parametrize("name", sorted(set(CALLS) - WITHOUT_TWIN))
def test_a_twin_takes_what_its_call_takes(name: str) -> None:
    """The same parameters in the same order, with the same defaults."""
    ours = inspect.signature(getattr(Library, name)).parameters
    theirs = inspect.signature(getattr(Library, twin(name))).parameters
    assert [(one.name, one.kind, one.default) for one in theirs.values()] == [
        (one.name, one.kind, one.default) for one in ours.values()
    ]


def test_twins_do_what_their_calls_do(tmp_path: Path) -> None:
    """A folder followed, references, checks and selection, all awaited."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "mill.md").write_text("# Mill\n\n## 1 Wheel\n\nSee Section 2.\n\n## 2 Stones\n\nTwo stones grind.\n")

    async def run() -> None:
        library = Library()
        assert [one.what for one in await library.async_(folder)] == ["added"]
        assert [one.what for one in await library.aadd_all([folder])] == ["known"]
        assert [one.name for one in await library.aselect("stones")] == ["mill.md"]
        assert (await library.afollow("mill.md", "see Section 2")).target
        assert (await library.acheck("mill.md")).coverage > 0
        wheel = (await library.aretrieve("wheel", k=1)).evidence[0]
        assert [one.title for one in await library.areferenced(wheel)] == ["2 Stones"]
        assert len(await library.apassages("mill.md", wheel.lines)) == 1
        await library.aset_summaries("mill.md", {wheel.node_id: "On wheels."})
        assert (await library.atree("mill.md")).node(wheel.node_id).summary == "On wheels."

        path = tmp_path / "my.db"
        Library.from_files([folder / "mill.md"], path=path).close()
        assert await Library.ainspect(path) == ()
        assert (await Library.arepair(path)).damaged is None

    asyncio.run(run())
