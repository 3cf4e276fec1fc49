"""A library of which a view leaves out one document, and odd calls that try to reach it."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from thumbindex import Library, Scope
from thumbindex.library_view import LibraryView

SECRET = "zebrafish"
"""In the name, the titles, the text and the metadata of the document outside the view, and nowhere inside."""
OUTSIDE = (
    f"# {SECRET} salaries\n\n## 1 {SECRET} pay\n\nThe {SECRET} rate is 7. See Note 2.\n\n## Note 2 {SECRET}\n\nMore.\n"
)
INSIDE = "# Rates\n\n## 1 Base rate\n\nThe rate is 4 per cent. See Note 2.\n\n## Note 2 Terms\n\nSeven years.\n"
NORTH = Scope(where={"tenant": "north"})


def make_library() -> tuple[Library, LibraryView, str]:
    """The library, the view, and the id of the document outside the view."""
    library = Library()
    hidden = library.add(OUTSIDE.encode(), name=f"{SECRET}.md", metadata={"tenant": SECRET})
    library.add(INSIDE.encode(), name="rates.md", metadata={"tenant": "north"})
    return library, library.view(NORTH), hidden.doc_id


LIBRARY, VIEW, HIDDEN = make_library()
HIDDEN_SECTIONS = [node.id for node in LIBRARY.tree(HIDDEN).nodes]
NAMES = st.sampled_from([HIDDEN, f"{SECRET}.md", "rates.md", VIEW.list()[0].doc_id, "", "*", "%", f"../{SECRET}.md"])
SECTIONS = st.sampled_from([*HIDDEN_SECTIONS, *(f"{HIDDEN}#{node}" for node in HIDDEN_SECTIONS), "Base rate", "1"])
QUESTIONS = st.sampled_from(["rate", "salaries", "Note 2", "pay rate"])
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "document": NAMES,
        "node": SECTIONS,
        "part": st.integers(-1, 3),
        "pages": st.sampled_from(["1", "1-9"]),
        "query": QUESTIONS,
        "mode": st.sampled_from(["best", "every"]),
        "cursor": st.sampled_from(["0", "1", "9"]),
        "filter": st.sampled_from(["tenant=north", "tenant", "name=rates.md"]),
        "reference": st.sampled_from(["Note 2", "see Section 1", "page 1"]),
    },
)
"""Arguments of any tool."""


def without_the_question(text: str, arguments: Mapping[str, object]) -> str:
    """The text without what it was asked for, which an error may repeat."""
    for value in sorted(map(str, arguments.values()), key=len, reverse=True):
        text = text.replace(value, "").replace(value.rpartition("#")[2] or "\0", "")
    return text
