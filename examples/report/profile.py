"""A company and the arrangement of its report, and every value that the text may name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from report.facts import Balance, Events, Figure, Provision, Rates, SegmentYear, Year, year_figures
from report.markup import Value

ACTIVITIES = {
    "M": ("Metering", "Sale of meters"),
    "V": ("Valves", "Sale of valves"),
    "S": ("Services", "Network services"),
    "L": ("Laboratories", "Research, calibration"),
    "D": ("Depots", "Lease of depots"),
    "H": ("Holding", "Holding and finance"),
    "F": ("Foundry", "Castings"),
}


@dataclass(frozen=True, slots=True)
class YearData:
    """What has to be known of a year besides the balance sheet it starts from."""

    segments: tuple[SegmentYear, SegmentYear, SegmentYear]
    events: Events
    warranties: Provision
    restructuring: Provision
    claims: Provision
    decommissioning: Provision
    shares: int
    dilution: int

    def after(self, opening: Balance, rates: Rates) -> Year:
        return Year(
            opening=opening,
            segments=self.segments,
            events=self.events,
            warranties=self.warranties,
            restructuring=self.restructuring,
            claims=self.claims,
            decommissioning=self.decommissioning,
            rates=rates,
            shares=self.shares,
            dilution=self.dilution,
        )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which text comes where: keys of the text files, and of the notes."""

    front: tuple[str, ...]
    chapters: tuple[tuple[str, str], ...]
    """Number and key."""
    notes: tuple[str, ...]
    appendices: tuple[str, ...]
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Order of the sections of a chapter, where it differs from the text file."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles that differ from the text file."""


@dataclass(frozen=True, slots=True)
class Style:
    """Typography; sizes in points."""

    chapter_word: str
    body_font: Literal["Times", "Helvetica"]
    heading_font: Literal["Times", "Helvetica"]
    body_size: float
    leading: float
    chapter_size: float
    section_size: float
    caption_size: float
    margin_mm: float
    heads: Literal["top", "outer"]
    """Running heads: name and chapter above a rule, or chapter at the outer edge of facing pages."""


@dataclass(frozen=True, slots=True)
class Company:
    name: str
    names: Mapping[str, str]
    extras: Mapping[str, Figure]
    rates: Rates
    opening: Balance
    before: YearData
    now: YearData
    seats: tuple[tuple[str, str, tuple[str, ...], str], ...]
    """Country, form of company, towns, and letters of the activities (see `ACTIVITIES`)."""
    arrangement: Arrangement
    style: Style

    @property
    def years(self) -> tuple[Year, Year]:
        """This year and the year before it."""
        before = self.before.after(self.opening, self.rates)
        return self.now.after(before.closing, self.rates), before

    @property
    def subsidiaries(self) -> tuple[tuple[str, str, str, str], ...]:
        """Rows of the list of companies: name, seat, activity, share."""
        rows = []
        for country, form, towns, activities in self.seats:
            for number, letter in enumerate(activities):
                name, activity = ACTIVITIES[letter]
                town = towns[number % len(towns)]
                again = f" {town.split()[0]}" if letter in activities[:number] else ""
                share = "75.0" if letter == "S" and number == len(activities) - 1 else "100.0"
                rows.append((f"{self.names['short']} {name}{again} {country} {form}", town, activity, share))
        rows.append((f"{self.names['short']} Pits {self.names['c2']} (associate)", self.names["hub"], "Pits", "30.0"))
        return tuple(rows)

    @property
    def values(self) -> dict[str, Value]:
        """Every figure and name the text may use; `.0` is this year, `.1` the year before."""
        now, before = self.years
        values: dict[str, Value] = dict(self.names)
        values |= year_figures(now, ".0") | year_figures(before, ".1")
        values |= self.extras
        values |= {
            "rate.term": self.rates.term,
            "rate.notes": self.rates.notes,
            "rate.facility": self.rates.facility,
            "rate.lease": self.rates.lease,
            "rate.tax": self.rates.statutory_tax,
        }
        return values | _derived(now, before, self.extras)


def _derived(now: Year, before: Year, extras: Mapping[str, Figure]) -> dict[str, Figure]:
    """Figures outside the statements that follow from them, so that the text cannot contradict a table."""
    closing = now.closing
    adjusted = now.ebitda - now.disposal_gain + now.events.share_payments
    lenders_debt = closing.borrowings - min(closing.cash, round(extras["x.cov_cash"]))
    found: dict[str, Figure] = {
        "x.buyback_price": now.events.buyback * 1000 / extras["x.bought"],
        "x.facility_free": extras["x.facility"] - closing.facility,
        "x.floor_total": sum(size for name, size in extras.items() if name.startswith("x.floor_")),
        "x.eq2": before.opening.equity / 1000,
        "x.nd2": before.opening.net_debt / 1000,
        "x.leverage": lenders_debt / adjusted,
        "x.headroom": extras["x.cov_leverage"] * adjusted - lenders_debt,
        "x.materiality": round(now.profit_before_tax * 0.05, -2),
        "x.rate_sens": (now.opening.facility + closing.facility) / 2 / 100,
        "x.organic": (now.revenue / before.revenue - 1) * 100 + 0.9,
    }
    for suffix, year in ((".0", now), (".1", before)):
        e = year.events
        expenses = year.cost_of_sales + e.research + e.selling + e.administration
        found[f"x.materials{suffix}"] = round(year.revenue * 0.441)
        found[f"x.other_expenses{suffix}"] = (
            expenses - round(year.revenue * 0.441) - round(extras[f"x.wages{suffix}"]) - year.depreciation
        )
        opening, end = year.opening, year.closing
        employed = opening.equity + opening.net_debt + end.equity + end.net_debt
        found[f"roce.capital{suffix}"] = employed / 2
    return found
