"""`import thumbindex` opens a small door: about a dozen names, quickly, and nothing that most users never need."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import thumbindex
from thumbindex import errors

HEAVY = {"pypdfium2", "typer", "rich", "openai", "langchain_core", "llama_index", "agents", "mcp", "numpy"}


def test_the_list_of_names_is_sorted_and_complete() -> None:
    """What is not listed may change at any time, so everything imported here on purpose is listed."""
    listed = thumbindex.__all__
    assert list(listed) == sorted(listed)
    public = {
        name
        for name, value in vars(thumbindex).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert public == {name for name in listed if not name.startswith("_")}


def test_there_are_about_two_dozen_names_and_each_explains_itself() -> None:
    """Verbs live on the library; the rest are the values that they take and give."""
    assert len(thumbindex.__all__) <= 22
    undocumented = [name for name in thumbindex.__all__ if not inspect.getdoc(getattr(thumbindex, name))]
    assert undocumented == []


def test_importing_it_loads_no_parser_no_command_line_and_no_framework() -> None:
    """Each of them takes a good part of a second or more; they load when they are used."""
    program = "import json, sys, thumbindex; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert HEAVY & set(json.loads(printed)) == set()


def test_every_error_derives_from_one_and_stands_in_the_drawing() -> None:
    """`except ThumbIndexError` catches all of ours, and the module's docstring shows each."""
    ours = [value for value in vars(errors).values() if inspect.isclass(value) and value.__module__ == errors.__name__]
    assert [error.__name__ for error in ours if not issubclass(error, errors.ThumbIndexError)] == []
    assert [error.__name__ for error in ours if error.__name__ not in (errors.__doc__ or "")] == []
