"""The figures of one company over two years, so computed that every statement adds up.

Amounts are whole thousands of the reporting currency; expenses and payments are positive inputs.
A year starts from a balance sheet, adds what happened, and ends in a balance sheet.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

Figure = int | float


class Rates(NamedTuple):
    """Interest rates in per cent a year."""

    term: float
    notes: float
    facility: float
    lease: float
    statutory_tax: float


@dataclass(frozen=True, slots=True)
class SegmentYear:
    """One segment in one year."""

    quarters: tuple[int, int, int, int]
    profit: int
    capex: int
    depreciation: int
    employees: int
    orders: int

    @property
    def revenue(self) -> int:
        return sum(self.quarters)


@dataclass(frozen=True, slots=True)
class Balance:
    """A balance sheet; it cannot be made unless it balances."""

    goodwill: int
    development: int
    software: int
    customers: int
    buildings: int
    machinery: int
    equipment: int
    construction: int
    rights_of_use: int
    associate: int
    deferred_tax_assets: int
    inventories: int
    receivables: int
    contract_assets: int
    other_receivables: int
    cash: int
    share_capital: int
    premium: int
    treasury: int
    translation: int
    hedging: int
    retained: int
    minority: int
    term_loan: int
    notes: int
    facility: int
    leases: int
    pensions: int
    warranties: int
    restructuring: int
    claims: int
    decommissioning: int
    deferred_tax_liabilities: int
    payables: int
    contract_liabilities: int
    tax_payable: int
    other_payables: int

    def __post_init__(self) -> None:
        if self.assets != self.equity + self.liabilities:
            raise ValueError(
                f"The balance sheet does not balance: assets {self.assets}, "
                f"equity and liabilities {self.equity + self.liabilities}."
            )

    @property
    def intangibles(self) -> int:
        return self.development + self.software + self.customers

    @property
    def plant(self) -> int:
        return self.buildings + self.machinery + self.equipment + self.construction

    @property
    def non_current_assets(self) -> int:
        return (
            self.goodwill
            + self.intangibles
            + self.plant
            + self.rights_of_use
            + self.associate
            + self.deferred_tax_assets
        )

    @property
    def current_assets(self) -> int:
        return self.inventories + self.receivables + self.contract_assets + self.other_receivables + self.cash

    @property
    def assets(self) -> int:
        return self.non_current_assets + self.current_assets

    @property
    def owners_equity(self) -> int:
        return self.share_capital + self.premium + self.treasury + self.translation + self.hedging + self.retained

    @property
    def equity(self) -> int:
        return self.owners_equity + self.minority

    @property
    def borrowings(self) -> int:
        return self.term_loan + self.notes + self.facility

    @property
    def provisions(self) -> int:
        return self.warranties + self.restructuring + self.claims + self.decommissioning

    @property
    def liabilities(self) -> int:
        return (
            self.borrowings
            + self.leases
            + self.pensions
            + self.provisions
            + self.deferred_tax_liabilities
            + self.payables
            + self.contract_liabilities
            + self.tax_payable
            + self.other_payables
        )

    @property
    def funding(self) -> int:
        """Equity and liabilities together."""
        return self.equity + self.liabilities

    @property
    def net_debt(self) -> int:
        return self.borrowings + self.leases - self.cash


def opening_balance(**items: int) -> Balance:
    """A balance sheet whose retained earnings are what the other items leave."""
    credits = {
        "share_capital", "premium", "treasury", "translation", "hedging", "minority", "term_loan", "notes",
        "facility", "leases", "pensions", "warranties", "restructuring", "claims", "decommissioning",
        "deferred_tax_liabilities", "payables", "contract_liabilities", "tax_payable", "other_payables",
    }  # fmt: skip
    retained = sum(-amount if name in credits else amount for name, amount in items.items())
    return Balance(retained=retained, **items)


@dataclass(frozen=True, slots=True)
class Provision:
    """Movement of one kind of provision in a year."""

    charged: int
    used: int
    released: int

    @property
    def change(self) -> int:
        return self.charged - self.used - self.released


@dataclass(frozen=True, slots=True)
class Events:
    """What happened in one year, apart from the segments."""

    corporate_costs: int
    corporate_capex: int
    corporate_depreciation: int
    corporate_employees: int
    research: int
    selling: int
    administration: int
    other_income: int
    finance_income: int
    other_finance: int
    pension_interest: int
    associate_profit: int
    associate_dividend: int
    current_tax: int
    deferred_tax: int
    tax_paid: int
    minority_profit: int
    minority_dividend: int
    fx_goodwill: int
    fx_plant: int
    fx_cash: int
    hedge_gain: int
    hedge_tax: int
    remeasurement: int
    remeasurement_tax: int
    buildings_added: int
    machinery_added: int
    equipment_added: int
    buildings_completed: int
    machinery_completed: int
    buildings_depreciation: int
    equipment_depreciation: int
    disposed: int
    disposal_proceeds: int
    development_added: int
    software_added: int
    development_amortised: int
    software_amortised: int
    customers_amortised: int
    leases_added: int
    lease_depreciation: int
    lease_repaid: int
    more_inventories: int
    more_receivables: int
    more_contract_assets: int
    more_other_receivables: int
    more_payables: int
    more_contract_liabilities: int
    more_other_payables: int
    service_cost: int
    pension_contributions: int
    term_repaid: int
    facility_drawn: int
    facility_repaid: int
    dividends: int
    buyback: int
    share_payments: int


@dataclass(frozen=True, slots=True)
class Year:
    """One financial year: where it started, what happened, and what follows from that."""

    opening: Balance
    segments: tuple[SegmentYear, SegmentYear, SegmentYear]
    events: Events
    warranties: Provision
    restructuring: Provision
    claims: Provision
    decommissioning: Provision
    rates: Rates
    shares: int
    """Weighted average number of shares, in thousands."""
    dilution: int
    """Shares, in thousands, that awards not yet vested would add."""

    # Income statement

    @property
    def revenue(self) -> int:
        return sum(segment.revenue for segment in self.segments)

    @property
    def segment_profit(self) -> int:
        return sum(segment.profit for segment in self.segments)

    @property
    def operating_profit(self) -> int:
        return self.segment_profit - self.events.corporate_costs

    @property
    def cost_of_sales(self) -> int:
        return self.gross_profit_base - self.operating_profit

    @property
    def gross_profit_base(self) -> int:
        """Revenue less every operating item other than cost of sales."""
        e = self.events
        return self.revenue + e.other_income - e.research - e.selling - e.administration

    @property
    def gross_profit(self) -> int:
        return self.revenue - self.cost_of_sales

    @property
    def term_interest(self) -> int:
        return self._interest(self.opening.term_loan, self.opening.term_loan - self.events.term_repaid, self.rates.term)

    @property
    def notes_interest(self) -> int:
        return self._interest(self.opening.notes, self.opening.notes, self.rates.notes)

    @property
    def facility_interest(self) -> int:
        change = self.events.facility_drawn - self.events.facility_repaid
        return self._interest(self.opening.facility, self.opening.facility + change, self.rates.facility)

    @property
    def lease_interest(self) -> int:
        change = self.events.leases_added - self.events.lease_repaid
        return self._interest(self.opening.leases, self.opening.leases + change, self.rates.lease)

    @staticmethod
    def _interest(first: int, last: int, rate: float) -> int:
        return round((first + last) / 2 * rate / 100)

    @property
    def interest_paid(self) -> int:
        return (
            self.term_interest
            + self.notes_interest
            + self.facility_interest
            + self.lease_interest
            + self.events.other_finance
        )

    @property
    def finance_costs(self) -> int:
        return self.interest_paid + self.events.pension_interest

    @property
    def net_finance_costs(self) -> int:
        return self.finance_costs - self.events.finance_income

    @property
    def profit_before_tax(self) -> int:
        return self.operating_profit - self.net_finance_costs + self.events.associate_profit

    @property
    def tax(self) -> int:
        return self.events.current_tax + self.events.deferred_tax

    @property
    def expected_tax(self) -> int:
        return round(self.profit_before_tax * self.rates.statutory_tax / 100)

    @property
    def associate_tax_effect(self) -> int:
        return -round(self.events.associate_profit * self.rates.statutory_tax / 100)

    @property
    def foreign_tax_effect(self) -> int:
        """What is left of the tax charge once the other lines of the reconciliation are taken off."""
        return self.tax - self.expected_tax - self.associate_tax_effect - self.non_deductible_tax_effect

    @property
    def non_deductible_tax_effect(self) -> int:
        return round(self.events.share_payments * self.rates.statutory_tax / 100)

    @property
    def profit(self) -> int:
        return self.profit_before_tax - self.tax

    @property
    def owners_profit(self) -> int:
        return self.profit - self.events.minority_profit

    @property
    def earnings_per_share(self) -> float:
        return self.owners_profit / self.shares

    @property
    def diluted_earnings_per_share(self) -> float:
        return self.owners_profit / (self.shares + self.dilution)

    # Other comprehensive income

    @property
    def fx(self) -> int:
        return self.events.fx_goodwill + self.events.fx_plant + self.events.fx_cash

    @property
    def hedge_net(self) -> int:
        return self.events.hedge_gain - self.events.hedge_tax

    @property
    def remeasurement_net(self) -> int:
        return self.events.remeasurement - self.events.remeasurement_tax

    @property
    def other_comprehensive_income(self) -> int:
        return self.fx + self.hedge_net + self.remeasurement_net

    @property
    def comprehensive_income(self) -> int:
        return self.profit + self.other_comprehensive_income

    @property
    def owners_comprehensive_income(self) -> int:
        return self.comprehensive_income - self.events.minority_profit

    # Fixed assets

    @property
    def capex(self) -> int:
        return sum(segment.capex for segment in self.segments) + self.events.corporate_capex

    @property
    def construction_added(self) -> int:
        e = self.events
        return self.capex - e.buildings_added - e.machinery_added - e.equipment_added

    @property
    def depreciation(self) -> int:
        """Depreciation and amortisation of every kind."""
        return sum(segment.depreciation for segment in self.segments) + self.events.corporate_depreciation

    @property
    def amortisation(self) -> int:
        e = self.events
        return e.development_amortised + e.software_amortised + e.customers_amortised

    @property
    def plant_depreciation(self) -> int:
        return self.depreciation - self.amortisation - self.events.lease_depreciation

    @property
    def machinery_depreciation(self) -> int:
        e = self.events
        return self.plant_depreciation - e.buildings_depreciation - e.equipment_depreciation

    @property
    def completed(self) -> int:
        return self.events.buildings_completed + self.events.machinery_completed

    @property
    def fx_buildings(self) -> int:
        return self.events.fx_plant // 3

    @property
    def fx_machinery(self) -> int:
        return self.events.fx_plant - self.fx_buildings

    @property
    def intangibles_added(self) -> int:
        return self.events.development_added + self.events.software_added

    @property
    def research_spent(self) -> int:
        """Research and development before capitalisation and amortisation."""
        e = self.events
        return e.research + e.development_added - e.development_amortised

    @property
    def employees(self) -> int:
        return sum(segment.employees for segment in self.segments) + self.events.corporate_employees

    @property
    def orders(self) -> int:
        return sum(segment.orders for segment in self.segments)

    @property
    def ebitda(self) -> int:
        return self.operating_profit + self.depreciation

    @property
    def provisions_change(self) -> int:
        kinds = (self.warranties, self.restructuring, self.claims, self.decommissioning)
        return sum(kind.change for kind in kinds)

    @property
    def provisions_charged(self) -> int:
        kinds = (self.warranties, self.restructuring, self.claims, self.decommissioning)
        return sum(kind.charged for kind in kinds)

    @property
    def provisions_used(self) -> int:
        kinds = (self.warranties, self.restructuring, self.claims, self.decommissioning)
        return sum(kind.used for kind in kinds)

    @property
    def provisions_released(self) -> int:
        kinds = (self.warranties, self.restructuring, self.claims, self.decommissioning)
        return sum(kind.released for kind in kinds)

    # Cash flow

    @property
    def disposal_gain(self) -> int:
        return self.events.disposal_proceeds - self.events.disposed

    @property
    def pension_cash(self) -> int:
        return self.events.service_cost - self.events.pension_contributions

    @property
    def working_capital_change(self) -> int:
        """Cash released (positive) or bound (negative) by working capital."""
        e = self.events
        return (
            e.more_payables
            + e.more_contract_liabilities
            + e.more_other_payables
            - e.more_inventories
            - e.more_receivables
            - e.more_contract_assets
            - e.more_other_receivables
        )

    @property
    def cash_generated(self) -> int:
        return (
            self.profit
            + self.tax
            + self.net_finance_costs
            - self.events.associate_profit
            + self.depreciation
            - self.disposal_gain
            + self.events.share_payments
            + self.provisions_change
            + self.pension_cash
            + self.working_capital_change
        )

    @property
    def operating_cash(self) -> int:
        return self.cash_generated - self.events.tax_paid - self.interest_paid + self.events.finance_income

    @property
    def investing_cash(self) -> int:
        return self.events.disposal_proceeds + self.events.associate_dividend - self.capex - self.intangibles_added

    @property
    def financing_cash(self) -> int:
        e = self.events
        return (
            e.facility_drawn
            - e.facility_repaid
            - e.term_repaid
            - e.lease_repaid
            - e.dividends
            - e.minority_dividend
            - e.buyback
        )

    @property
    def cash_change(self) -> int:
        return self.operating_cash + self.investing_cash + self.financing_cash

    @property
    def free_cash(self) -> int:
        return self.operating_cash - self.capex - self.intangibles_added - self.events.lease_repaid

    @property
    def closing(self) -> Balance:
        """The balance sheet at the end of the year."""
        o, e = self.opening, self.events
        return replace(
            o,
            goodwill=o.goodwill + e.fx_goodwill,
            development=o.development + e.development_added - e.development_amortised,
            software=o.software + e.software_added - e.software_amortised,
            customers=o.customers - e.customers_amortised,
            buildings=o.buildings
            + e.buildings_added
            + e.buildings_completed
            - e.buildings_depreciation
            + self.fx_buildings,
            machinery=o.machinery
            + e.machinery_added
            + e.machinery_completed
            - self.machinery_depreciation
            - e.disposed
            + self.fx_machinery,
            equipment=o.equipment + e.equipment_added - e.equipment_depreciation,
            construction=o.construction + self.construction_added - self.completed,
            rights_of_use=o.rights_of_use + e.leases_added - e.lease_depreciation,
            associate=o.associate + e.associate_profit - e.associate_dividend,
            deferred_tax_assets=o.deferred_tax_assets - e.remeasurement_tax,
            inventories=o.inventories + e.more_inventories,
            receivables=o.receivables + e.more_receivables,
            contract_assets=o.contract_assets + e.more_contract_assets,
            other_receivables=o.other_receivables + e.more_other_receivables + e.hedge_gain,
            cash=o.cash + self.cash_change + e.fx_cash,
            treasury=o.treasury - e.buyback,
            translation=o.translation + self.fx,
            hedging=o.hedging + self.hedge_net,
            retained=o.retained + self.owners_profit + self.remeasurement_net - e.dividends + e.share_payments,
            minority=o.minority + e.minority_profit - e.minority_dividend,
            term_loan=o.term_loan - e.term_repaid,
            facility=o.facility + e.facility_drawn - e.facility_repaid,
            leases=o.leases + e.leases_added - e.lease_repaid,
            pensions=o.pensions + e.service_cost + e.pension_interest - e.pension_contributions - e.remeasurement,
            warranties=o.warranties + self.warranties.change,
            restructuring=o.restructuring + self.restructuring.change,
            claims=o.claims + self.claims.change,
            decommissioning=o.decommissioning + self.decommissioning.change,
            deferred_tax_liabilities=o.deferred_tax_liabilities + e.deferred_tax + e.hedge_tax,
            payables=o.payables + e.more_payables,
            contract_liabilities=o.contract_liabilities + e.more_contract_liabilities,
            tax_payable=o.tax_payable + e.current_tax - e.tax_paid,
            other_payables=o.other_payables + e.more_other_payables,
        )


def named_figures(value: object, suffix: str, prefix: str = "") -> dict[str, Figure]:
    """Every number a value holds or computes, named `prefix` + field or property + `suffix`."""
    names = [name for name in dir(type(value)) if not name.startswith("_")]
    found = {}
    for name in names:
        figure = getattr(value, name)
        if isinstance(figure, int | float):
            found[f"{prefix}{name}{suffix}"] = figure
    return found


def year_figures(year: Year, suffix: str) -> dict[str, Figure]:
    """The figures of a year by name, e.g. `revenue.0`, `a.capex.0`, `bs.cash.0`, `bs.opening_cash.0`."""
    found = named_figures(year, suffix)
    found |= named_figures(year.events, suffix)
    found |= named_figures(year.closing, suffix, "bs.")
    found |= {f"ob.{field.name}{suffix}": getattr(year.opening, field.name) for field in fields(Balance)}
    found |= named_figures(year.opening, suffix, "ob.")
    for letter, segment in zip("abc", year.segments, strict=True):
        found |= named_figures(segment, suffix, f"{letter}.")
        found |= {f"{letter}.q{n}{suffix}": amount for n, amount in enumerate(segment.quarters, 1)}
    found |= {f"q{n}{suffix}": sum(s.quarters[n - 1] for s in year.segments) for n in (1, 2, 3, 4)}
    for kind in ("warranties", "restructuring", "claims", "decommissioning"):
        found |= named_figures(getattr(year, kind), suffix, f"{kind}.")
    return found
