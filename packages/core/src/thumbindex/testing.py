"""For tests of programs that use thumbindex: a small library with known contents. Needs no files, no model, no network."""

from __future__ import annotations

from .library import Library

MANUAL = """\
---
title: Lantern manual
year: 2023
---
# Lantern manual

The lantern burns lamp oil and lights a room of thirty square metres.

## Filling

Unscrew the brass cap and pour in 0.4 litres of lamp oil. Never fill a burning lantern.

## Lighting

Raise the glass with the lever, light the wick and lower the glass again. For the height of the wick see Section 4.2.

## 4 Care

### 4.1 Glass

Wash the glass with warm water once a week.

### 4.2 Wick

Trim the wick to six millimetres before each lighting. A wick lasts about ninety hours.

## Appendix A Spare parts

| Part  | Order number | Price |
|-------|--------------|-------|
| Wick  | L-204        | 3.50  |
| Glass | L-310        | 12.80 |
"""

REPORT = """\
---
title: Harbour report
year: 2024
---
# Harbour report

## Traffic

In 2024 the harbour was called at by 1,204 ships, of which 310 carried grain. The year before it was 1,150 ships.

## Dues

Harbour dues rose to 18.20 per metre of length. Sailing ships pay half; see Appendix B.

## Dredging

The eastern basin was dredged to 7.5 metres in March. The western basin follows next year.

## Appendix B Reductions

Sailing ships, training ships and ships under repair pay half of the dues.
"""


def sample_library() -> Library:
    """A library in memory with two Markdown documents, `lantern.md` and `harbour.md`."""
    library = Library()
    library.add(MANUAL.encode(), name="lantern.md")
    library.add(REPORT.encode(), name="harbour.md")
    return library
