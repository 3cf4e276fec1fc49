"""The reader processes of this one, and the memory that they took. Linux only."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def children() -> list[str]:
    """Ids of the processes that this process's main thread started and that are still there."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def peak(process: str) -> int:
    """The most memory that a process ever held, or since `forget_peak`, in MiB; 0 for one that has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    return 0


def forget_peak(process: str) -> None:
    """Let a process's peak begin anew (proc(5), clear_refs)."""
    with suppress(OSError):  # it has just ended
        Path(f"/proc/{process}/clear_refs").write_text("5")
