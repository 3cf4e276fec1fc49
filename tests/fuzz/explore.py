"""Run the property tests on new examples until the time is over: `python explore.py --seconds 300`.

Test files run in an order that the seed decides, with the profile `explore`; a failing test is shown with its example, and the exit
status is 1.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
_EXAMPLES = re.compile(r"(\d+) passing")


def main() -> None:
    """Runs file after file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    files = sorted(path for path in TESTS.rglob("test_*.py") if "@given(" in path.read_text(encoding="utf-8"))
    random.Random(options.seed).shuffle(files)
    print(f"seed {options.seed}; {len(files)} files", flush=True)
    until = time.monotonic() + options.seconds
    examples = runs = failures = 0
    for number, path in enumerate(itertools.cycle(files)):
        left = until - time.monotonic()
        if left <= 0:
            break
        arguments = [
            "-q",
            "-m",
            "hypothesis",
            "--hypothesis-profile=explore",
            "--hypothesis-show-statistics",
            "--timeout=0",
        ]
        command = [sys.executable, "-m", "pytest", *arguments, f"--hypothesis-seed={options.seed + number}", str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=left, check=False)
        except subprocess.TimeoutExpired:
            break
        runs += 1
        examples += sum(map(int, _EXAMPLES.findall(done.stdout)))
        if done.returncode:
            failures += 1
            print(
                f"FAILED with seed {options.seed + number}: {path}\n{done.stdout[-5000:]}\n{done.stderr[-2000:]}",
                flush=True,
            )
    print(f"{examples:,} examples in {runs} runs of files and {options.seconds:.0f} s, {failures} of them failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
