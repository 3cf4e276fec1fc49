"""How work grows with hostile input: `python benchmarks/scaling.py [--all] [--more 40]`.

The first table has, for each regular expression of the packages, the steps of a backtracking matcher for eight times as many pieces
of the worst string found, over those for the pieces once: 8 where they grow with the length, 64 with its square. The second has the
seconds of this process for operations on n and 8n pieces.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/made"))

from expressions import expressions
from regex_steps import RATIO, worst
from thumbindex import Library, build_tree
from thumbindex.text.page_spec import parse_pages
from thumbindex.tree.references import with_references


def revision(size: int) -> Callable[[], object]:
    """A revision in which all titles and texts are new."""
    old, new = (
        "".join(f"## {word} {n}\n\nText {word} of number {n}.\n\n" for n in range(size)) for word in ("old", "new")
    )
    library = Library()
    library.add(old.encode(), name="a.md")
    return lambda: library.add(new.encode(), name="a.md")


def references(size: int) -> Callable[[], object]:
    """References to a note that does not exist."""
    tree = build_tree(("# A\n\n" + "see Note 14 " * size).encode(), name="a.md")
    return lambda: with_references(tree)


def link_definitions(size: int) -> Callable[[], object]:
    """A Markdown file of link definitions."""
    data = ("# A\n\n" + "".join(f"[a{n}]: http://x.invalid\n" for n in range(size))).encode()
    return lambda: build_tree(data, name="a.md")


def links(size: int) -> Callable[[], object]:
    """Links to one heading."""
    data = ("# A\n\n## B\n\n" + "[B](#b) \n" * size).encode()
    return lambda: with_references(build_tree(data, name="a.md"))


def pages(size: int) -> Callable[[], object]:
    """A list of the same range of pages."""
    return lambda: parse_pages(",".join(["1-2000"] * size), 2000)


OPERATIONS = ((revision, 250), (references, 600), (link_definitions, 600), (links, 600), (pages, 2000))


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="print linear expressions too")
    parser.add_argument("--more", type=int, default=4, help="number of strings made by chance for each expression")
    options = parser.parse_args()
    sys.setrecursionlimit(50_000)
    found, _ = expressions()
    steep = 0
    for expression in found:
        growth, (start, piece, end) = worst(expression.pattern, anchored=expression.anchored, more=options.more)
        steep += growth > RATIO
        if options.all or growth > RATIO:
            print(f"{growth:6.1f}  {expression.place}  {start!r} + n * {piece!r} + {end!r}", flush=True)
    print(f"{len(found)} expressions, {steep} of them steeper than linear")
    for operation, size in OPERATIONS:
        seconds: list[float] = []
        for times in (1, 8):
            run = operation(size * times)
            before = time.process_time()
            run()
            seconds.append(time.process_time() - before)
        print(
            f"{operation.__name__} {size}: {seconds[0]:.3f} s, {seconds[1]:.3f} s, {seconds[1] / seconds[0]:.1f} times"
        )


if __name__ == "__main__":
    main()
