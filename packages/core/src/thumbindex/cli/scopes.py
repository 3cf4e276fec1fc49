"""Parsing of `--document` and `--filter` into a scope."""

from __future__ import annotations

import re
from collections.abc import Sequence

import typer

from ..scope import AllOf, Compare, Operator, Scope
from .metadata import parse_value

_FILTER = re.compile(r"(?P<key>[^=!<>]+)(?P<operator><=|>=|!=|=|<|>)(?P<value>.*)", re.DOTALL)
_ORDER: dict[str, Operator] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}


def parse_scope(documents: Sequence[str] | None, filters: Sequence[str] | None, tenant: str | None = None) -> Scope:
    """The documents of a tenant that are named, as far as their metadata pass all filters; `Scope()` without any of them.

    Raises:
        typer.BadParameter: a filter is malformed.
    """
    conditions = [_parse_filter(text) for text in filters or ()]
    return Scope(documents or None, AllOf(*conditions) if conditions else None, tenant=tenant)


def _parse_filter(text: str) -> Compare:
    match = _FILTER.fullmatch(text)
    key, value = (match["key"].strip(), match["value"].strip()) if match else ("", "")
    if match is None or not key:
        raise typer.BadParameter(
            f"--filter takes a key, one of = != < <= > >= and a value, such as year>=2020, not {text!r}."
        )
    parsed = parse_value(value)
    operator = match["operator"]
    try:
        if operator in _ORDER:
            return Compare(key, _ORDER[operator], parsed)
        # A shell has only text: `year=2023` means the number and the text.
        return Compare(key, "in" if operator == "=" else "not in", list(dict.fromkeys([value, parsed])))
    except ValueError as error:
        raise typer.BadParameter(f"--filter {text}: {error}") from None
