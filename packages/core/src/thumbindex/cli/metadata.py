"""Parsing of metadata on the command line: `--set KEY=VALUE`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import typer

from ..pages import MetadataValue


def parse_settings(settings: Sequence[str]) -> dict[str, MetadataValue]:
    """Parses `KEY=VALUE` settings; values are typed by `parse_value`.

    Raises:
        typer.BadParameter: a setting has no key or no equals sign.
    """
    metadata: dict[str, MetadataValue] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise typer.BadParameter(f"--set takes KEY=VALUE, not {setting!r}.")
        metadata[key.strip()] = parse_value(value)
    return metadata


def parse_value(value: str) -> str | int | float | bool:
    """`2022` is a number, `true` a truth value, and anything else text."""
    try:
        parsed = json.loads(value)
    except ValueError:
        return value
    return parsed if isinstance(parsed, bool | int | float) else value
