"""Navigators: how the sections that answer a question are found, with a language model or with none."""

from .lexical import Lexical
from .named import NAVIGATOR_NAMES, NavigatorName, navigator_named
from .protocol import Navigator, Task
from .select import Select, SelectLimits
from .walk import Walk
from .walk_state import WalkLimits

__all__ = [
    "NAVIGATOR_NAMES",
    "Lexical",
    "Navigator",
    "NavigatorName",
    "Select",
    "SelectLimits",
    "Task",
    "Walk",
    "WalkLimits",
    "navigator_named",
]
