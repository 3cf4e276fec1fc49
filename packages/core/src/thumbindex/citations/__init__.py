"""Citations of an answer, checked without a model: does the cited page exist, was it read, and does it bear out the sentence?"""

from .check import Checked, check_answer
from .claims import Claim, claims
from .feedback import annotate, repair_request
from .read_document import ReadDocument
from .read_log import ReadableDocuments, ReadLog, ShownLines, check_together
from .shown import Shown

__all__ = [
    "Checked",
    "Claim",
    "ReadDocument",
    "ReadLog",
    "ReadableDocuments",
    "Shown",
    "ShownLines",
    "annotate",
    "check_answer",
    "check_together",
    "claims",
    "repair_request",
]
