"""All regular expressions of the packages, found in their sources."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGES = Path(__file__).parents[2] / "packages"
_CALLS = ("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
_ANCHORED = ("match", "fullmatch")


@dataclass(frozen=True)
class Expression:
    """A regular expression of the packages."""

    place: str
    """Module and line, such as "thumbindex.text.terms:20"."""
    pattern: re.Pattern[str] | re.Pattern[bytes]
    anchored: bool
    """True if it is only ever tried at the start of a text."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Returns the name and the parsed source of every module of the packages."""
    for path in sorted(PACKAGES.glob("*/src/**/*.py")):
        parts = path.relative_to(next(parent for parent in path.parents if parent.name == "src")).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def _calls_of_re(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in _CALLS
        ):
            yield node


def _uses(trees: Iterable[ast.Module]) -> dict[str, set[str]]:
    """Returns, by name of a variable, the methods that are called on it; "value" where it is used otherwise."""
    uses: dict[str, set[str]] = {}
    for tree in trees:
        called: set[int] = set()
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
            ):
                called.add(id(node.func.value))
                positions = len(node.args) > 1 or any(word.arg in ("pos", "endpos") for word in node.keywords)
                method = node.func.attr
                uses.setdefault(node.func.value.id, set()).add("value" if positions and method in _ANCHORED else method)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
                uses.setdefault(node.id, set()).add("value")
    return uses


def _patterns_in(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth < 3:
        for inner in value.values():
            yield from _patterns_in(inner, depth + 1)
    elif isinstance(value, tuple | list | set | frozenset) and depth < 3:
        for inner in value:
            yield from _patterns_in(inner, depth + 1)


def _evaluated(node: ast.Call, module: ModuleType) -> re.Pattern[Any] | None:
    assert isinstance(node.func, ast.Attribute)
    arguments = list(node.args[:1])
    flags = [word.value for word in node.keywords if word.arg == "flags"]
    at = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2}.get(node.func.attr)
    if at is not None and len(node.args) > at:
        flags = [node.args[at]]
    call = ast.Expression(ast.Call(ast.parse("re.compile", mode="eval").body, [*arguments, *flags], []))
    try:
        found = eval(compile(ast.fix_missing_locations(call), "expression", "eval"), {**vars(module), "re": re})
    except NameError:  # made of the arguments of a function
        return None
    assert isinstance(found, re.Pattern)
    return found


def expressions() -> tuple[list[Expression], list[str]]:
    """Returns all expressions, and the places of those that cannot be known without calling the function that makes them."""
    trees = dict(modules())
    everywhere = _uses(trees.values())
    found: dict[tuple[str | bytes, int], Expression] = {}
    unknown: list[str] = []

    def add(place: str, pattern: re.Pattern[Any], anchored: bool) -> None:
        key = (pattern.pattern, pattern.flags)
        if key in found and not (found[key].anchored and not anchored):
            return
        found[key] = Expression(found[key].place if key in found else place, pattern, anchored)

    for name, tree in trees.items():
        if name.endswith("__main__"):
            continue
        module = importlib.import_module(name)
        here = _uses([tree])
        names = {}
        for statement in ast.walk(tree):
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, ast.Name):
                    names[id(statement.value)] = target.id
        for node in _calls_of_re(tree):
            assert isinstance(node.func, ast.Attribute)
            place = f"{name}:{node.lineno}"
            pattern = _evaluated(node, module)
            if pattern is None:
                unknown.append(f"{name} {ast.unparse(node)}")
                continue
            if node.func.attr == "compile":
                assigned = names.get(id(node))
                uses = here if assigned and assigned.startswith("_") else everywhere
                methods = uses.get(assigned, {"value"}) if assigned else {"value"}
                anchored = methods <= {*_ANCHORED, "pattern", "groupindex"}
            else:
                anchored = node.func.attr in _ANCHORED
            add(place, pattern, anchored)
        for variable, value in vars(module).items():
            for pattern in _patterns_in(value):
                if (pattern.pattern, pattern.flags) not in found:
                    add(f"{name}:{variable}", pattern, False)
    return [*found.values()], unknown
