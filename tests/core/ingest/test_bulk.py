"""Many files at once, and a folder that the library follows."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from thumbindex import Library
from thumbindex.errors import DamagedSource, EmptySource, SourceLimit, SourceNotFound
from thumbindex.ingest.bulk import FileResult, Progress


def write(folder: Path, **texts: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n")


def said(results: list[FileResult]) -> dict[str, str]:
    return {Path(one.source).name: one.what for one in results}


@pytest.mark.parametrize("workers", [1, 2])
def test_one_bad_file_does_not_stop_the_others(tmp_path: Path, workers: int) -> None:
    """It is named with its error; the others are kept in the order of their names."""
    write(tmp_path, a="first", b=" ", c="third")
    (tmp_path / "b.md").write_text("  ")
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.7 broken")
    library = Library()
    results = library.add_all([tmp_path, tmp_path / "gone.md"], workers=workers)
    assert said(results) == {"a.md": "added", "b.md": "failed", "c.md": "added", "d.pdf": "failed", "gone.md": "failed"}
    errors = {Path(one.source).name: type(one.error) for one in results if one.error}
    assert errors == {"b.md": EmptySource, "d.pdf": DamagedSource, "gone.md": SourceNotFound}
    assert [info.name for info in library.list()] == ["a.md", "c.md"]


def test_time_for_finding_sections_begins_when_a_file_has_been_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading has limits of its own, and with OCR may take an hour; what comes after it is stopped too, and says so."""
    monkeypatch.setattr("thumbindex.ingest.workers.SECONDS", 0.001)
    write(tmp_path, long="\n\n".join(f"## Part {number}\n\nof the text" for number in range(3000)))
    (tmp_path / "nothing.md").write_text("  ")
    long, nothing = Library().add_all([tmp_path], workers=2)
    assert isinstance(nothing.error, EmptySource)
    assert isinstance(long.error, SourceLimit)
    assert "long.md: indexing it took more than" in str(long.error)


@pytest.mark.parametrize("workers", [1, 2])
def test_many_workers_make_the_same_library_as_one(tmp_path: Path, workers: int) -> None:
    """Documents, sections and order do not depend on how many read."""
    write(tmp_path / "files", **{f"file{n:02}": f"number {n}\n\n## More\n\nof file {n}" for n in range(12)})
    with Library(tmp_path / "one.db") as one, Library(tmp_path / "other.db") as other:
        for file in sorted((tmp_path / "files").iterdir()):
            one.add(file)
        other.add_all([tmp_path / "files"], workers=workers)
        assert [(i.doc_id, i.sha256, i.section_count) for i in one.list()] == [
            (i.doc_id, i.sha256, i.section_count) for i in other.list()
        ]
        question = "What is the number of file 7?"
        assert one.retrieve(question).evidence == other.retrieve(question).evidence


def test_the_same_call_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """What is kept is recognised by its bytes."""
    write(tmp_path, a="first", b="second", c="third")
    library = Library()

    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.files == 2:
            raise Stop

    with pytest.raises(Stop):
        library.add_all([tmp_path], on_progress=stop)
    assert [info.name for info in library.list()] == ["a.md", "b.md"]
    assert said(library.add_all([tmp_path])) == {"a.md": "known", "b.md": "known", "c.md": "added"}


def test_progress_counts_files_pages_and_bytes(tmp_path: Path) -> None:
    """After each file, up to all of them."""
    write(tmp_path, a="first", b="second")
    steps: list[Progress] = []
    Library().add_all([tmp_path], workers=1, on_progress=steps.append)
    assert [(one.files, one.total, one.pages) for one in steps] == [(1, 2, 1), (2, 2, 2)]
    assert steps[-1].read == steps[-1].size == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert steps[-1].seconds_left == 0


def test_a_folder_is_followed_with_what_is_gone_from_it(tmp_path: Path) -> None:
    """New, changed, unchanged, renamed and deleted files; documents from elsewhere are left alone."""
    folder = tmp_path / "files"
    write(folder, same="as it was", changed="before", renamed="moves", deleted="goes")
    library = Library()
    library.add(b"# Else\n\nfrom elsewhere\n", name="else.md")
    library.sync(folder)
    before = {info.name: info.doc_id for info in library.list()}
    write(folder, changed="after", new="comes")
    (folder / "renamed.md").rename(folder / "other-name.md")
    (folder / "deleted.md").unlink()
    assert said(library.sync(folder)) == {
        "changed.md": "revised",
        "deleted.md": "removed",
        "new.md": "added",
        "other-name.md": "moved",
        "same.md": "known",
    }
    after = {info.name: info.doc_id for info in library.list()}
    assert after.keys() == {"else.md", "same.md", "changed.md", "other-name.md", "new.md"}
    assert after["other-name.md"] == before["renamed.md"]
    assert after["changed.md"] == before["changed.md"]
    assert set(said(library.sync(folder)).values()) == {"known"}


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
def test_a_file_whose_name_is_no_utf8_stays(tmp_path: Path) -> None:
    """Its path is kept with a replacement character, and is still the path of a file that is there."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/mill\xff.md")).write_text("# Mill\n\nCorn.\n")
    library = Library()
    assert [result.what for result in library.sync(tmp_path)] == ["added"]
    assert [result.what for result in library.sync(tmp_path)] == ["known"]


def test_copies_are_one_document_for_as_long_as_one_of_them_is_there(tmp_path: Path) -> None:
    """The document goes with its last copy."""
    folder = tmp_path / "files"
    write(folder, a="text")
    (folder / "b.md").write_bytes((folder / "a.md").read_bytes())
    library = Library()
    assert said(library.sync(folder)) == {"a.md": "added", "b.md": "known"}
    (folder / "a.md").unlink()
    assert said(library.sync(folder)) == {"b.md": "moved"}
    (folder / "b.md").unlink()
    assert said(library.sync(folder)) == {"b.md": "removed"}
    assert library.list() == []


def test_a_file_overwritten_with_another_one_takes_its_document(tmp_path: Path) -> None:
    """Whether the other one stays or goes, no text is held that no file has."""
    folder = tmp_path / "files"
    write(folder, a="first", b="second")
    library = Library()
    library.sync(folder)
    (folder / "b.md").replace(folder / "a.md")
    library.sync(folder)
    assert ["second" in library.read(info.doc_id).text for info in library.list()] == [True]
    write(folder, b="first")
    library.sync(folder)
    (folder / "a.md").write_bytes((folder / "b.md").read_bytes())
    library.sync(folder)
    assert ["first" in library.read(info.doc_id).text for info in library.list()] == [True]


def test_a_file_that_became_unreadable_keeps_its_document(tmp_path: Path) -> None:
    """It may be half-written now, and whole at the next time."""
    folder = tmp_path / "files"
    write(folder, a="text")
    library = Library()
    library.sync(folder)
    (folder / "a.md").write_text("")
    assert said(library.sync(folder)) == {"a.md": "failed"}
    assert "text" in library.read("a.md").text


def test_a_folder_that_is_not_there_is_no_order_to_forget(tmp_path: Path) -> None:
    """A disk that is not mounted must not empty the library."""
    with pytest.raises(SourceNotFound, match="no such folder"):
        Library().sync(tmp_path / "missing")
