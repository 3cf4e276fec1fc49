"""Adding many files at once, and keeping a library in step with a folder."""

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


def outcomes(results: list[FileResult]) -> dict[str, str]:
    return {Path(result.source).name: result.what for result in results}


@pytest.mark.parametrize("workers", [1, 2])
def test_one_bad_file_does_not_stop_the_others(tmp_path: Path, workers: int) -> None:
    """Its result names it and its error; the others are added in the order of their names."""
    write(tmp_path, a="first", b=" ", c="third")
    (tmp_path / "b.md").write_text("  ")
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.7 broken")
    library = Library()
    results = library.add_all([tmp_path, tmp_path / "gone.md"], workers=workers)
    assert outcomes(results) == {
        "a.md": "added",
        "b.md": "failed",
        "c.md": "added",
        "d.pdf": "failed",
        "gone.md": "failed",
    }
    errors = {Path(result.source).name: type(result.error) for result in results if result.error}
    assert errors == {"b.md": EmptySource, "d.pdf": DamagedSource, "gone.md": SourceNotFound}
    assert [info.name for info in library.list()] == ["a.md", "c.md"]


def test_time_for_indexing_starts_when_a_file_has_been_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading has limits of its own, and with OCR may take an hour; indexing is stopped too, with an error that says so."""
    monkeypatch.setattr("thumbindex.ingest.workers.SECONDS", 0.001)
    write(tmp_path, long="\n\n".join(f"## Part {number}\n\nof the text" for number in range(3000)))
    (tmp_path / "nothing.md").write_text("  ")
    long, nothing = Library().add_all([tmp_path], workers=2)
    assert isinstance(nothing.error, EmptySource)
    assert isinstance(long.error, SourceLimit)
    assert "long.md: indexing it took more than" in str(long.error)


@pytest.mark.parametrize("workers", [1, 2])
def test_many_workers_make_the_same_library_as_one(tmp_path: Path, workers: int) -> None:
    """Documents, sections and order do not depend on the number of workers."""
    write(tmp_path / "files", **{f"file{n:02}": f"number {n}\n\n## More\n\nof file {n}" for n in range(12)})
    with Library(tmp_path / "one.db") as first, Library(tmp_path / "other.db") as second:
        for file in sorted((tmp_path / "files").iterdir()):
            first.add(file)
        second.add_all([tmp_path / "files"], workers=workers)
        assert [(i.doc_id, i.sha256, i.section_count) for i in first.list()] == [
            (i.doc_id, i.sha256, i.section_count) for i in second.list()
        ]
        question = "What is the number of file 7?"
        assert first.retrieve(question).evidence == second.retrieve(question).evidence


def test_the_same_call_continues_where_it_was_stopped(tmp_path: Path) -> None:
    """Stored documents are recognised by their bytes."""
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
    assert outcomes(library.add_all([tmp_path])) == {"a.md": "known", "b.md": "known", "c.md": "added"}


def test_progress_counts_files_pages_and_bytes(tmp_path: Path) -> None:
    """After each file, up to all of them."""
    write(tmp_path, a="first", b="second")
    steps: list[Progress] = []
    Library().add_all([tmp_path], workers=1, on_progress=steps.append)
    assert [(step.files, step.total, step.pages) for step in steps] == [(1, 2, 1), (2, 2, 2)]
    assert steps[-1].read == steps[-1].size == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert steps[-1].seconds_left == 0


def test_sync_adds_revises_moves_and_removes(tmp_path: Path) -> None:
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
    assert outcomes(library.sync(folder)) == {
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
    assert set(outcomes(library.sync(folder)).values()) == {"known"}


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
def test_a_file_whose_name_is_not_utf8_stays(tmp_path: Path) -> None:
    """Its path is stored with a replacement character, and is still the path of an existing file."""
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/mill\xff.md")).write_text("# Mill\n\nCorn.\n")
    library = Library()
    assert [result.what for result in library.sync(tmp_path)] == ["added"]
    assert [result.what for result in library.sync(tmp_path)] == ["known"]


def test_copies_are_one_document_as_long_as_one_of_them_exists(tmp_path: Path) -> None:
    """The document is removed with its last copy."""
    folder = tmp_path / "files"
    write(folder, a="text")
    (folder / "b.md").write_bytes((folder / "a.md").read_bytes())
    library = Library()
    assert outcomes(library.sync(folder)) == {"a.md": "added", "b.md": "known"}
    (folder / "a.md").unlink()
    assert outcomes(library.sync(folder)) == {"b.md": "moved"}
    (folder / "b.md").unlink()
    assert outcomes(library.sync(folder)) == {"b.md": "removed"}
    assert library.list() == []


def test_a_file_overwritten_with_another_one_takes_its_document(tmp_path: Path) -> None:
    """Whether the other one stays or goes, the library contains no text of a missing file."""
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
    """It may be half-written now, and complete the next time."""
    folder = tmp_path / "files"
    write(folder, a="text")
    library = Library()
    library.sync(folder)
    (folder / "a.md").write_text("")
    assert outcomes(library.sync(folder)) == {"a.md": "failed"}
    assert "text" in library.read("a.md").text


def test_a_missing_folder_removes_nothing(tmp_path: Path) -> None:
    """A disk that is not mounted must not empty the library."""
    with pytest.raises(SourceNotFound, match="no such folder"):
        Library().sync(tmp_path / "missing")
