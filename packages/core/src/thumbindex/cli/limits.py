"""Parsing of `--limit NAME=VALUE`: the time, memory and size that reading one file may take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields

from ..sources.settings import LIMITS, Limits

NAMES = tuple(field.name for field in fields(Limits))
_SIZES = ("memory", "file_size")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_NUMBER = re.compile(r"(\d+(?:\.\d*)?)\s*(?:([KMG])(?:i?B)?)?", re.IGNORECASE)


def parse_limits(settings: Sequence[str]) -> Limits:
    """Parses settings such as `seconds=300` or `memory=4G` (4 GiB); limits that are not named keep their defaults.

    Raises:
        ValueError: a setting names no limit, or its value is not a number above zero.
    """
    values = {name: getattr(LIMITS, name) for name in NAMES}
    for setting in settings:
        key, _, value = setting.partition("=")
        name = key.strip().replace("-", "_")
        if name not in NAMES:
            raise ValueError(f"takes NAME=VALUE with one of {', '.join(NAMES)}, not {setting!r}.")
        match = _NUMBER.fullmatch(value.strip())
        if match is None or (match[2] and name not in _SIZES):
            expected = "a size such as 512M or 4G" if name in _SIZES else "a number"
            raise ValueError(f"{name} takes {expected}, not {value!r}.")
        number = float(match[1]) * _UNITS[(match[2] or "").upper()]
        values[name] = number if name.startswith("seconds") else int(number)
    return Limits(**values)
