"""The section tree: a model, how an outline becomes one, and its forms as text and as JSON."""

from .build import build
from .exchange import from_json, to_json
from .model import Node, Reference, Tree

__all__ = ["Node", "Reference", "Tree", "build", "from_json", "to_json"]
