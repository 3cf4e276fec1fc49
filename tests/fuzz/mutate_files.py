"""Change files at random and read them: `python mutate_files.py --seconds 600 [FILE ...]`.

Each changed file must end in a tree without violations or in one of our errors, within its limits; nothing else may be raised, warned
of, or left behind. A file that fails is written to a folder, with the seed that makes it again.
Without files, the report of the examples and small documents of every other format are changed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/made"))

from mutations import mutate  # noqa: E402
from small_documents import small_documents  # noqa: E402
from soundness import faults  # noqa: E402
from thumbindex import Limits, build_tree  # noqa: E402
from thumbindex.errors import ThumbIndexError  # noqa: E402

LIMITS = Limits(seconds=10.0, seconds_per_megabyte=0.0, memory=500 << 20)
SECONDS = 10.0
"""Of this process's own time: to read what is read here, and to make the tree of all."""


def attempt(data: bytes, name: str) -> str:
    """Returns the outcome of reading one file.

    Raises:
        Exception: Anything that a user must never see.
    """
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            wrong = next(faults(build_tree(data, name=name, limits=LIMITS, ocr="off")), None)
            assert wrong is None, wrong
            outcome = "tree"
        except ThumbIndexError as error:
            outcome = type(error).__name__
            message = str(error)
            assert message.replace("\n", "").isprintable(), f"an error with control characters: {message!r}"
    assert not caught, f"warned: {caught[0].message}"
    seconds = time.process_time() - start
    assert seconds < SECONDS, f"took {seconds:.1f} seconds"
    return outcome


def main() -> None:
    """Changes and reads files until the time is over; fails if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--finds", type=Path, default=Path("fuzz-finds"))
    options = parser.parse_args()
    originals = {path.name: path.read_bytes() for path in options.files} or small_documents()
    names = sorted(originals)
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in names}
    print(f"seed {options.seed}; {', '.join(names)}", flush=True)
    found = 0
    number = options.seed
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        number += 1
        chance = random.Random(number)
        name = chance.choice(names)
        data = originals[name]
        for _ in range(chance.choice([1, 1, 2, 4])):
            data = mutate(data, chance, originals[chance.choice(names)]) or data
        try:
            outcomes[name][attempt(data, name)] += 1
        except Exception:
            found += 1
            options.finds.mkdir(exist_ok=True)
            (options.finds / f"{number}-{name}").write_bytes(data)
            print(f"FOUND with seed {number} in {name}:\n{traceback.format_exc(limit=-3)}", flush=True)
            outcomes[name]["FOUND"] += 1
    total = sum(count for counter in outcomes.values() for count in counter.values())
    for name, counter in outcomes.items():
        print(f"{name}: " + ", ".join(f"{what} {count}" for what, count in counter.most_common()))
    print(f"{total:,} files in {options.seconds:.0f} s, {found} finds; load {os.getloadavg()[0]:.1f}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
