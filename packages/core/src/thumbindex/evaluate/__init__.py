"""Evaluation of retrieval and answers on your own questions: our navigators, baselines, and retrievers of your own."""

from .figures import Figures, Share, figures
from .grade import Grade, grade
from .named import make_retriever
from .prices import Price, read_prices
from .protocol import Retriever, RetrieverError
from .questions import Question, read_questions
from .run import Record, run

__all__ = [
    "Figures",
    "Grade",
    "Price",
    "Question",
    "Record",
    "Retriever",
    "RetrieverError",
    "Share",
    "figures",
    "grade",
    "make_retriever",
    "read_prices",
    "read_questions",
    "run",
]
