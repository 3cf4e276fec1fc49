"""A tree as JSON, with its text: what it says is all that navigation needs."""

from __future__ import annotations

import zlib
from functools import cache
from typing import TYPE_CHECKING

from ..errors import InvalidTree
from .model import Tree
from .promises import broken_promises

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = "thumbindex-tree"
VERSION = 1


@cache
def _adapter() -> TypeAdapter[Tree]:
    # Imported and built at first use: together they cost more than the rest of the package's import.
    from pydantic import TypeAdapter

    return TypeAdapter(Tree)


def to_json(tree: Tree) -> str:
    """The whole tree with its text as JSON; `from_json` gives an equal tree back."""
    body = _adapter().dump_json(tree).decode()
    return f'{{"format":"{FORMAT}","version":{VERSION},"tree":{body}}}'


def from_json(text: str | bytes) -> Tree:
    """A tree from `to_json`.

    Raises:
        InvalidTree: the text is no such JSON, is of a later version, or describes no consistent tree.
    """
    tree = _parse(text)
    if broken := next(broken_promises(tree), ""):
        raise _refuse(broken)
    return tree


def _parse(text: str | bytes) -> Tree:
    from pydantic import ValidationError
    from pydantic_core import from_json as parse

    try:
        file = parse(text)
    except ValueError as error:
        raise _refuse(f"not JSON ({error})") from None
    if not isinstance(file, dict) or file.get("format") != FORMAT:
        raise _refuse(f"its format is not {FORMAT!r}")
    if file.get("version") != VERSION:
        raise _refuse(f"its version is {file.get('version')!r}")
    try:
        return _adapter().validate_python(file.get("tree"))
    except ValidationError as error:
        first = error.errors()[0]
        raise _refuse(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from None


def _refuse(why: str) -> InvalidTree:
    return InvalidTree(
        f"This is no tree in the format {FORMAT!r} version {VERSION}: {why}. Build the tree again from the document."
    )


def pack(tree: Tree) -> bytes:
    """`to_json`, compressed: how a tree is stored."""
    return zlib.compress(to_json(tree).encode(), 6)


def unpack(packed: bytes) -> Tree:
    """The tree that `pack` packed, which was a sound one: only that it can be read is checked again.

    Raises:
        InvalidTree: the text is no such JSON, or is of a later version.
    """
    return _parse(zlib.decompress(packed))
