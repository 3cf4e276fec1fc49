"""Documents that results of another retriever name in their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from thumbindex.store import DocumentInfo
from thumbindex.store.lookup import documents_named_in
from thumbindex.testing import sample_library

LANTERN, HARBOUR = sample_library().list()


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        pytest.param([{"doc_id": HARBOUR.doc_id}], [HARBOUR], id="by id"),
        pytest.param([{"source": "lantern.md"}], [LANTERN], id="by source or name"),
        pytest.param([{"file_path": "/elsewhere/lantern.md"}], [LANTERN], id="by the last part of a path"),
        pytest.param(
            [{"source": "harbour.md", "file_name": "lantern.md"}], [HARBOUR], id="by the first key that names any"
        ),
        pytest.param([{"source": "none.md", "name": "lantern.md"}], [LANTERN], id="by a later key"),
        pytest.param(
            [{"name": "harbour.md"}, {"name": "lantern.md"}, {"name": "harbour.md"}], [HARBOUR, LANTERN], id="each once"
        ),
        pytest.param([{"uri": "lantern.md"}, {"source": None}, {}], [], id="no such key"),
    ],
)
def test_results_name_documents(metadata: list[Mapping[str, object]], expected: list[DocumentInfo]) -> None:
    """In the order of the results."""
    assert documents_named_in([LANTERN, HARBOUR], metadata) == [info.doc_id for info in expected]


def test_a_name_of_several_documents_names_all_of_them() -> None:
    """The caller's view decides which of them count."""
    other = replace(LANTERN, doc_id="lantern-2", source="other/lantern.md")
    assert documents_named_in([LANTERN, other], [{"name": "lantern.md"}]) == [LANTERN.doc_id, "lantern-2"]
