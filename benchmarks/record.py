"""Keeping figures: a benchmark's table with what one needs to compare it later, newest first, in `results/`."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results"


def save(name: str, command: str, table: str) -> Path:
    """Put a table on top of `results/NAME.md`, with date, commit, machine and load; `command` names no folders."""
    path = RESULTS / f"{name}.md"
    title = f"# {name}\n"
    earlier = path.read_text(encoding="utf-8").removeprefix(title) if path.exists() else ""
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    entry = f"\n## {date}, commit {_commit()}\n\n`{command}`\n\n{circumstances()}\n\n{table.strip()}\n"
    RESULTS.mkdir(exist_ok=True)
    path.write_text(title + entry + earlier, encoding="utf-8")
    return path


def circumstances() -> str:
    """Machine, Python, and how busy the machine is with other work."""
    load = f", load {os.getloadavg()[0]:.1f} over the last minute" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} cores ({platform.machine()}){load}, Python {platform.python_version()}."


def _commit() -> str:
    here = Path(__file__).resolve().parent
    try:
        known = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=here, capture_output=True, text=True)
        changed = subprocess.run(["git", "status", "--porcelain", "../packages/core"], cwd=here, capture_output=True)
    except OSError:
        return "unknown"
    return (known.stdout.strip() or "unknown") + (" with changes" if changed.stdout.strip() else "")
