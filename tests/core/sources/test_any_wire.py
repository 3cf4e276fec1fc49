"""Documents and errors are equal after the pipe to a reader process; a pipe that breaks ends the stream and makes no
message."""

from __future__ import annotations

import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from odd_texts import ODD_TEXTS
from thumbindex import errors
from thumbindex.concurrency.messages import receive, send
from thumbindex.pages import Bookmark, Box, Document, Line, LineRange, Link, LinkAnnotation, Mark, Page, Style
from thumbindex.sources.columns import Columns
from thumbindex.sources.wire import dump_document, error_from_json, error_to_json, load_document

NUMBERS = st.floats(allow_nan=False)
STYLES = st.builds(Style, NUMBERS, ODD_TEXTS, st.booleans(), st.booleans())
BOXES = st.builds(Box, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
LINES = st.builds(
    Line,
    ODD_TEXTS.map(lambda text: text.replace("\n", " ")),
    st.none() | BOXES,
    *(st.none() | STYLES for _ in range(3)),
)
DOCUMENTS = st.builds(
    Document,
    ODD_TEXTS,
    st.sampled_from(["pdf", "html", "docx"]),
    st.lists(LINES, max_size=6).map(tuple),
    st.none()
    | st.lists(
        st.builds(
            Page,
            st.integers(1, 9),
            st.none() | st.just(LineRange(1, 2)),
            st.none() | ODD_TEXTS,
            NUMBERS,
            NUMBERS,
            NUMBERS,
            st.none() | st.floats(0, 1),
        ),
        max_size=3,
    ).map(tuple),
    st.lists(st.builds(Bookmark, ODD_TEXTS, st.integers(1, 32), st.none() | st.integers(1, 9), st.none() | NUMBERS), max_size=3).map(tuple),
    st.lists(st.builds(LinkAnnotation, st.integers(1, 9), BOXES, st.integers(1, 9), st.none() | NUMBERS), max_size=3).map(tuple),
    st.dictionaries(ODD_TEXTS, ODD_TEXTS | st.lists(ODD_TEXTS, max_size=2) | st.none() | st.integers() | NUMBERS, max_size=3),
    st.lists(st.integers(1, 9), max_size=3).map(tuple),
    st.lists(st.builds(Mark, ODD_TEXTS, st.integers(1, 32), st.integers(1, 9), st.integers(0, 9)), max_size=3).map(tuple),
    st.lists(st.builds(Link, st.integers(1, 9), st.integers(0, 9), st.integers(0, 9), st.integers(1, 9)), max_size=3).map(tuple),
    st.dictionaries(ODD_TEXTS, st.integers(1, 9), max_size=3),
)  # fmt: skip


@given(DOCUMENTS)
def test_any_document_is_equal_after_the_pipe(document: Document) -> None:
    """Lone surrogates, infinite numbers and lines without a box too."""
    sent = dump_document(replace(document, lines=()), Columns.of(document.lines))
    assert load_document(sent) == document


@given(
    st.lists(
        st.tuples(st.dictionaries(ODD_TEXTS, ODD_TEXTS | st.integers(), max_size=3), st.binary(max_size=50)), max_size=3
    ),
    st.data(),
)
def test_messages_are_equal_up_to_where_the_pipe_broke(
    messages: list[tuple[dict[str, object], bytes]], data: st.DataObject
) -> None:
    """None of them is cut or made up."""
    pipe = io.BytesIO()
    for header, payload in messages:
        send(pipe, header, payload)
    whole = pipe.getvalue()
    cut = data.draw(st.integers(0, len(whole)))
    broken = io.BytesIO(whole[:cut])
    received = []
    while (message := receive(broken)) is not None:
        received.append(message)
    assert received == messages[: len(received)]
    assert cut < len(whole) or received == messages


ERRORS = [
    errors.SourceNotFound,
    errors.UnsupportedSource,
    errors.EmptySource,
    errors.PasswordNeeded,
    errors.DamagedSource,
    errors.NoPages,
    errors.SourceLimit,
]


@given(st.sampled_from(ERRORS), ODD_TEXTS, ODD_TEXTS, ODD_TEXTS)
def test_any_error_is_equal_after_the_pipe(kind: type[errors.SourceError], source: str, what: str, remedy: str) -> None:
    """Class, message and attributes."""
    error = kind(source, what, remedy)
    pipe = io.BytesIO()
    send(pipe, error_to_json(error))
    message = receive(io.BytesIO(pipe.getvalue()))
    assert message is not None
    again = error_from_json(message[0])
    assert (type(again), str(again), again.__reduce__()[1]) == (kind, str(error), error.__reduce__()[1])
