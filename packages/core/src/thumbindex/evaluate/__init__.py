"""Measuring retrieval and answers on questions of your own: our navigators beside baselines, and beside what you have."""

from .figures import Figures, Share, figures
from .grade import Grade, grade
from .prices import Price, read_prices
from .questions import Question, read_questions
from .retrievers import Budget, Retriever, make_retriever
from .run import Record, run

__all__ = [
    "Budget",
    "Figures",
    "Grade",
    "Price",
    "Question",
    "Record",
    "Retriever",
    "Share",
    "figures",
    "grade",
    "make_retriever",
    "read_prices",
    "read_questions",
    "run",
]
