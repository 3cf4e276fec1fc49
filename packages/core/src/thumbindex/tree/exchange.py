"""A tree as JSON, with its text: what it says is all that navigation needs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import InvalidTree
from .model import Tree

FORMAT = "thumbindex-tree"
VERSION = 1


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    format: Literal["thumbindex-tree"] = FORMAT  # type: ignore[assignment]
    version: Annotated[int, Field(ge=1, le=VERSION)] = VERSION
    tree: Tree


def to_json(tree: Tree) -> str:
    """The whole tree with its text as JSON; `from_json` gives an equal tree back."""
    return _File(tree=tree).model_dump_json()


def from_json(text: str | bytes) -> Tree:
    """A tree from `to_json`.

    Raises:
        InvalidTree: the text is no such JSON, is of a later version, or describes no consistent tree.
    """
    try:
        return _File.model_validate_json(text).tree
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidTree(
            f"This is no tree in the format {FORMAT!r} version {VERSION}: {where}: {first['msg']}. "
            "Build the tree again from the document."
        ) from None
