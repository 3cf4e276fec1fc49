"""A full disk: nothing finished is lost, the message says what is wrong, and the library goes on once there is room.

On Linux with user namespaces the disk is a small one of its own; everywhere else a limit on the size of files stands in.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUN = """
import json, os, sqlite3, sys
from contextlib import closing
from pathlib import Path
from thumbindex import Library
from thumbindex.errors import LibraryError
from thumbindex.store.sqlite.repair import inspect, repair

def text(number):
    return f"# Part {number}\\n\\n{' '.join(f'word{number}x{place}' for place in range(4000))}\\n".encode()

path = Path(sys.argv[1]) / "my.db"
said, added = [], []
filler = path.with_name("filler")

def fill(limit=40):
    with Library(path) as library:
        for number in range(len(added), limit):
            try:
                added.append(library.add(text(number), name=f"{number}.md").name)
            except LibraryError as error:
                said.append(str(error))
                return

def look():
    with Library(path) as library:
        found = library.retrieve(f"word{len(added) - 1}x7", k=1).evidence
        return [info.name for info in library.list()], found[0].document
"""
FULL = """
filler.write_bytes(bytes(1_500_000))
fill()
full = look(), list(added)
damage_when_full = [one.text for one in inspect(path)]
filler.unlink()
fill(len(added) + 2)
print(json.dumps({"said": said, "full": full, "after": look(), "added": added, "damage": damage_when_full}))
"""
LIMITED = """
import resource, signal
fill(3)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, most))
fill()
full = look(), list(added)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
fill(len(added) + 2)
print(json.dumps({"said": said, "full": full, "after": look(), "added": added, "damage": list(inspect(path))}))
"""
REPAIR = """
fill(4)
with closing(sqlite3.connect(path)) as connection:
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'postings'").fetchone()
data = bytearray(path.read_bytes())
data[(root - 1) * 4096 : root * 4096] = bytes(4096)
path.write_bytes(data)
try:
    with filler.open("wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()
except OSError:
    pass
try:
    repair(path)
except LibraryError as error:
    said.append(str(error))
same = path.read_bytes() == bytes(data)
# SQLite cannot remove its own files where it found no room for them.
left = sorted(file.name for file in path.parent.iterdir() if not file.name.endswith(("-wal", "-shm")))
filler.unlink()
repair(path)
print(json.dumps({"said": said, "same": same, "left": left, "after": look(), "added": added}))
"""


def on_small_disk(folder: Path, script: str, size: str) -> dict[str, Any]:
    """What a program prints that runs where `folder` is a disk of this size."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs Linux's unshare")
    apart = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    mount = f'mount -t tmpfs -o size={size} none "$1"'
    if subprocess.run([*apart, mount, "sh", str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody mount a disk of his own")
    return run([*apart, f'{mount} && exec "$2" -c "$3" "$1"', "sh", str(folder), sys.executable, RUN + script])


def run(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def check(told: dict[str, Any]) -> None:
    """One document failed; all before it were there and found, then and later, and two more could be added."""
    (listed, found), added = told["full"]
    assert listed == added
    assert found == added[-1]
    assert len(told["added"]) == len(added) + 2
    assert told["after"] == [told["added"], told["added"][-1]]
    assert told["damage"] == []


def test_a_full_disk_costs_one_document_and_says_so(tmp_path: Path) -> None:
    told = on_small_disk(tmp_path, FULL, "4m")
    assert [one.split("my.db ")[1] for one in told["said"]] == [
        "could not be written: the disk is full. Nothing was changed."
    ]
    check(told)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no limit on the size of files")
def test_a_file_that_may_not_grow_costs_one_document(tmp_path: Path) -> None:
    told = run([sys.executable, "-c", RUN + LIMITED, str(tmp_path)])
    assert len(told["said"]) == 1
    check(told)


def test_a_repair_without_room_changes_nothing(tmp_path: Path) -> None:
    """The damaged library is as before, nothing half-made is left, and with room the same call succeeds."""
    told = on_small_disk(tmp_path, REPAIR, "6m")
    (said,) = told["said"]
    assert "my.db could not be repaired" in said or "the disk is full" in said
    assert told["same"]
    assert told["left"] == ["filler", "my.db"]
    assert told["after"] == [told["added"], told["added"][-1]]
