"""Jobs of adding documents: a path, bytes and an open file are checked alike."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from thumbindex import Library, Limits, build_tree
from thumbindex.errors import SourceLimit, SourceUnreadable
from thumbindex.ingest.jobs import FileSource, make_job
from thumbindex.sources.settings import ReaderSettings
from thumbindex.store.records import SourceKey

LIMIT = 100
READER = ReaderSettings(limits=Limits(file_size=LIMIT))


class OpenFile(io.BytesIO):
    """An open file that counts the bytes read from it."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name
        self.bytes_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.bytes_read += len(data)
        return data


def as_path(path: Path) -> Path:
    return path


def as_bytes(path: Path) -> bytes:
    return path.read_bytes()


def as_open_file(path: Path) -> BinaryIO:
    return OpenFile(path.read_bytes(), str(path))


SOURCES = pytest.mark.parametrize(
    "given",
    [
        pytest.param(as_path, id="path"),
        pytest.param(as_bytes, id="bytes"),
        pytest.param(as_open_file, id="open file"),
    ],
)


@SOURCES
def test_a_source_of_any_form_has_the_same_size_limit(tmp_path: Path, given: Callable[[Path], FileSource]) -> None:
    """One byte over it gives the same error, in a job, a library and a tree; a source of just that size is read."""
    path = tmp_path / "big.md"
    path.write_bytes(b"x" * (LIMIT + 1))
    # A path is named in full, the others by the name given.
    message = f"big.md: it is larger than {LIMIT} bytes. Split it into parts, or raise the limit `file_size`."
    with pytest.raises(SourceLimit) as of_job:
        make_job(given(path), name="big.md", reader=READER)
    with pytest.raises(SourceLimit) as of_library:
        Library(limits=READER.limits).add(given(path), name="big.md")
    with pytest.raises(SourceLimit) as of_tree:
        build_tree(given(path), name="big.md", limits=READER.limits)
    assert all(str(error.value).endswith(message) for error in (of_job, of_library, of_tree))

    path.write_bytes(b"x" * LIMIT)
    assert Library(limits=READER.limits).add(given(path), name="big.md").name == "big.md"
    assert build_tree(given(path), limits=READER.limits).lines == ("x" * LIMIT,)


@SOURCES
def test_jobs_of_the_same_bytes_differ_in_key_and_source_alone(
    tmp_path: Path, given: Callable[[Path], FileSource]
) -> None:
    """Name, hash, password and metadata are the same however the document is given."""
    path = tmp_path / "mill.md"
    path.write_bytes(b"# Mill")
    job = make_job(given(path), name="mill.md", password="river", metadata={"year": 1872}, reader=READER)
    assert (job.name, job.password, job.metadata, job.reader) == ("mill.md", "river", {"year": 1872}, READER)
    assert job.sha256 == hashlib.sha256(b"# Mill").hexdigest()


def test_an_open_file_is_read_to_one_byte_over_the_limit() -> None:
    """A stream without an end, such as an upload, takes no more memory than the limit."""
    file = OpenFile(b"x" * 1_000_000, "upload.md")
    with pytest.raises(SourceLimit):
        Library(limits=READER.limits).add(file)
    assert file.bytes_read == LIMIT + 1


def test_an_open_file_is_read_from_its_current_position_under_its_own_name(tmp_path: Path) -> None:
    """Standard input has no name that a reader would recognise."""
    path = tmp_path / "mill.md"
    path.write_bytes(b"skipped# Mill")
    with path.open("rb") as file:
        file.seek(len("skipped"))
        job = make_job(file)
    assert (job.source, job.name, job.key) == (b"# Mill", "mill.md", SourceKey("name", "mill.md"))
    assert make_job(OpenFile(b"x", "<stdin>")).name == make_job(io.BytesIO(b"x")).name == "document"


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(io.StringIO("text"), id="text mode"),
        pytest.param(["a page"], id="page texts"),
        pytest.param(7, id="a number"),
        pytest.param(None, id="None"),
    ],
)
def test_anything_else_is_a_type_error_that_names_what_to_pass(source: FileSource) -> None:
    with pytest.raises(TypeError, match=r"binary mode, open\(path, 'rb'\)"):
        make_job(source)


@pytest.mark.parametrize(
    ("metadata", "fault"),
    [
        pytest.param({1: "a"}, "the key 1 is no string", id="a key that is no string"),
        pytest.param({"units": ["a", 2]}, "'units' has an item", id="a mixed list"),
        pytest.param({"rate": float("nan")}, "'rate' is nan", id="not a number"),
        pytest.param({"rate": float("inf")}, "'rate' is inf", id="infinite"),
        pytest.param({"rate": 10**400}, "too large", id="beyond floating point"),
        pytest.param({"rate": 10**5000}, "too large", id="too long to print"),
    ],
)
def test_metadata_that_cannot_be_stored_are_an_error_of_their_file(metadata: Any, fault: str) -> None:
    """Which names the file, the key and what may be given."""
    with pytest.raises(SourceUnreadable, match=fault) as error:
        make_job(b"text", name="a.md", metadata=metadata)
    assert "a.md" in str(error.value)
