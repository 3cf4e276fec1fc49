"""Citations of an answer, checked without a model: does the cited page exist, was it read, and does it bear out the sentence?"""

from .check import Source, check_answer
from .claims import Claim, claims
from .read_log import (
    Checked,
    ReadableDocuments,
    ReadLog,
    ShownLines,
    annotate,
    check_together,
    repair_request,
)
from .shown import Shown

__all__ = [
    "Checked",
    "Claim",
    "ReadLog",
    "ReadableDocuments",
    "Shown",
    "ShownLines",
    "Source",
    "annotate",
    "check_answer",
    "check_together",
    "claims",
    "repair_request",
]
