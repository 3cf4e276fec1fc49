"""Kills a program that adds documents, at random moments, and checks what is left: `python kill_while_adding.py 50`.

The program is `thumbindex add FOLDER` in a process of its own, ended by SIGKILL. After each kill the library must open, pass
SQLite's own checks, and hold each of its documents whole: with the tree, passages, and index of one that was never interrupted.
The same command then goes on; when all files are added, a new library is begun. Some files change between runs, so that
revisions are interrupted too.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from thumbindex import Library
from thumbindex.store.sqlite.postings import unpack

ROOT = Path(__file__).parents[2]
FILES = 120
WORDS = [
    "mill",
    "corn",
    "harbour",
    "lantern",
    "wick",
    "ferry",
    "crown",
    "ledger",
    "interest",
    "loan",
    "covenant",
    "quarter",
    "review",
    "water",
    "safety",
]


def make_folder(folder: Path, chance: random.Random) -> None:
    """Many short files with a PDF of 67 pages among them."""
    folder.mkdir()
    for number in range(FILES):
        write_markdown(folder / f"file-{number:03}.md", chance)
    (folder / "file-050.pdf").write_bytes((ROOT / "examples/annual-report.pdf").read_bytes())


def write_markdown(path: Path, chance: random.Random) -> None:
    sections = (
        f"## {number} {chance.choice(WORDS)}\n\n{' '.join(chance.choices(WORDS, k=120))}.\n\n" for number in range(25)
    )
    path.write_text(f"# {path.stem}\n\n" + "".join(sections))


def contents(library: Library) -> dict[str, object]:
    """Returns all that a library holds of each document, by the SHA-256 of its bytes."""
    stored: dict[str, object] = {}
    for info in library.list():
        passages = [stored_passage.passage for stored_passage in library._store.passages(info.doc_id)]
        words = {word: len(library._store.select_passages([word], [info.doc_id], limit=999).keys) for word in WORDS[:4]}
        tree = library.tree(info.doc_id)
        # Ids of sections may come from an earlier revision; the text may not.
        texts = [(tree.path(node), tree.section_text(node)) for node in tree.nodes]
        stored[info.sha256] = (info.page_count, texts, [(passage.path, passage.text) for passage in passages], words)
    return stored


def check_index(connection: sqlite3.Connection) -> None:
    """Checks that every passage has its tokens and is in the posting list of each of them, and of no other.

    Raises:
        AssertionError: The index and the passages disagree.
    """
    tokens = {
        row: set(f"{title} {path} {body}".split())
        for row, title, path, body in connection.execute("SELECT id, title, path, body FROM passage_tokens")
    }
    assert {row for (row,) in connection.execute("SELECT id FROM passages")} == tokens.keys()
    listed: dict[int, set[str]] = {row: set() for row in tokens}
    blocks = connection.execute("SELECT segment, block FROM postings").fetchall()
    for first, block in blocks:
        for term, offsets in unpack(block):
            for offset in offsets:
                # Removed passages stay in the lists until the next compaction.
                if first + offset in listed:
                    listed[first + offset].add(term)
    assert listed == tokens


def check(path: Path, expected: dict[str, object]) -> int:
    """Checks a library and returns the number of its documents.

    Raises:
        AssertionError: The library is damaged, or holds part of a document.
    """
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if "segments" in tables:
            check_index(connection)
    connection.close()
    with Library(path) as library:
        stored = contents(library)
    for sha256, found in stored.items():
        assert expected[sha256] == found, f"part of a document: {sha256}"
    return len(stored)


def main() -> None:
    """Kills the command the given number of times, then lets it finish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as place:
        folder, path = Path(place, "files"), Path(place, "library.db")
        make_folder(folder, chance)
        expected: dict[str, object] = {}

        def expect(files: list[Path]) -> None:
            with Library() as library:
                library.add_all(files, workers=1)
                expected.update(contents(library))

        expect([folder])
        command = [sys.executable, "-m", "thumbindex", "add", str(folder), "--library", str(path), "--workers", "2"]
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - start
        path.unlink()
        kills = early = 0
        counts: list[int] = []
        while kills < options.kills:
            # A session of its own, so that the workers can be killed too, as a machine out of memory may do.
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
            time.sleep(chance.uniform(0.0, seconds * 0.9))
            if process.poll() is None:
                if chance.random() < 0.5:
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
                kills += 1
            else:
                early += 1
                seconds *= 0.8
            process.wait()
            count = check(path, expected) if path.exists() else 0
            if counts and count == counts[-1]:
                seconds *= 1.1  # a busy machine must not be killed at the same file for ever
            counts.append(count)
            if count == len(list(folder.iterdir())):
                if chance.random() < 0.7:
                    for suffix in ("", "-wal", "-shm"):
                        Path(f"{path}{suffix}").unlink(missing_ok=True)
                else:
                    changed = [folder / f"file-{number:03}.md" for number in chance.sample(range(FILES), FILES // 2)]
                    for file in changed:
                        write_markdown(file, chance)
                    expect(changed)
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        assert done.returncode == 0
        assert check(path, expected) == len(list(folder.iterdir()))
        print(f"{kills} kills ({early} runs ended before one), documents after each: {counts}")


if __name__ == "__main__":
    main()
