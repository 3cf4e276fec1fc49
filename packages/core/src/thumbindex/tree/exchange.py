"""A tree with its text as JSON, which is all that navigation needs."""

from __future__ import annotations

import zlib
from functools import cache
from typing import TYPE_CHECKING

from ..errors import InvalidTree
from .invariants import violations
from .model import Tree

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = "thumbindex-tree"
VERSION = 2
"""Version that is written. Version 1 named two fields otherwise and is still read; see `_upgraded`."""


@cache
def _adapter() -> TypeAdapter[Tree]:
    # Imported and built at first use: together they cost more than the rest of the package's import.
    from pydantic import TypeAdapter

    return TypeAdapter(Tree)


def to_json(tree: Tree) -> str:
    """Returns the whole tree with its text as JSON, from which `from_json` makes an equal tree."""
    body = _adapter().dump_json(tree).decode()
    return f'{{"format":"{FORMAT}","version":{VERSION},"tree":{body}}}'


def from_json(text: str | bytes) -> Tree:
    """Returns the tree that `to_json` wrote, in this version or an earlier one.

    Raises:
        InvalidTree: the text is not such JSON, has a later version, or describes an inconsistent tree.
    """
    tree = _parse(text)
    if broken := next(violations(tree), ""):
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
    version, tree = file.get("version"), file.get("tree")
    if version == 1:
        tree = _upgraded(tree)
    elif version != VERSION:
        raise _refuse(f"its version is {version!r}")
    try:
        return _adapter().validate_python(tree)
    except ValidationError as error:
        first = error.errors()[0]
        raise _refuse(f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from None


def _upgraded(tree: object) -> object:
    """Returns the fields of a tree of version 1 under their present names."""
    if not isinstance(tree, dict):
        return tree
    renamed = {_OLD_FIELDS.get(key, key): value for key, value in tree.items()}
    if isinstance(links := renamed.get("links"), list):
        renamed["links"] = [
            {_OLD_LINK_FIELDS.get(key, key): value for key, value in link.items()} if isinstance(link, dict) else link
            for link in links
        ]
    return renamed


_OLD_FIELDS = {"furniture": "headers_footers", "jumps": "links"}
_OLD_LINK_FIELDS = {"to": "target_line", "page": "target_page"}


def _refuse(why: str) -> InvalidTree:
    return InvalidTree(
        f"This is not a tree in the format {FORMAT!r} version {VERSION}: {why}. Build the tree again from the document."
    )


def pack(tree: Tree) -> bytes:
    """Returns the tree as compressed JSON, the form in which it is stored."""
    return zlib.compress(to_json(tree).encode(), 6)


def unpack(packed: bytes) -> Tree:
    """Returns the tree that `pack` compressed. Its invariants were checked then and are not checked again.

    Raises:
        InvalidTree: the text is not such JSON, or has a later version.
    """
    return _parse(zlib.decompress(packed))
