"""The version of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """Returns the version of the installed package, such as "0.1.0"; "unknown" for a copy of the source alone."""
    try:
        return version("thumbindex")
    except PackageNotFoundError:
        return "unknown"
