"""What reports call the things that people ask for by other names: abbreviations, statements, ratios and their parts.

A question for "capex" or the "current ratio" is answered where the report says "purchases of property and equipment" or
"total current assets". Each entry: ways to ask, then phrases that a report has. General knowledge of business reports;
English only, as are the abbreviations.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TABLE = """
income statement, statement of income, statements of income, profit and loss, p&l, statement of operations: statements of income; statements of operations; statements of earnings
balance sheet, statement of financial position: balance sheets; statement of financial position; total assets; total liabilities
cash flow statement, statement of cash flows, cashflow statement: statements of cash flows; operating activities; investing activities
capex, capital expenditure, capital expenditures, capital intensive, capital-intensive: capital expenditures; purchases of property plant and equipment; additions to property and equipment
cogs, cost of goods sold, cost of sales, cost of revenue: cost of sales; cost of goods sold; cost of revenue; cost of products sold
gross margin, gross margins, gross profit: gross profit; gross margin; cost of sales; net sales
operating margin, operating profit, operating income: operating income; income from operations; operating profit; total revenues
net margin, profit margin, net profit, bottom line, net earnings: net income; net earnings; total revenues
ebitda: operating income; depreciation and amortization; interest expense
d&a, depreciation: depreciation and amortization
pp&e, ppe, fixed asset, fixed assets, property plant: property plant and equipment; property and equipment net
return on assets, return on asset, roa, asset turnover: net income; total assets
return on equity, roe: net income; total stockholders equity; total shareholders equity
return on capital, invested capital, capitalization: total debt; total equity; operating income; total assets
days payable, dpo, accounts payable: accounts payable; cost of sales
days sales outstanding, dso, receivables turnover: accounts receivable; net sales
inventory turnover, days inventory, dio, sold its inventory: inventories; cost of sales
working capital, current ratio, quick ratio, liquidity ratio: total current assets; total current liabilities
cash flow ratio, operating cash flow, cash from operations, cash flow from operations: net cash provided by operating activities; cash flows from operating activities
free cash flow, free cashflow, cashflow conversion: net cash provided by operating activities; purchases of property and equipment; free cash flow
effective tax rate, tax rate, effective tax ratio: provision for income taxes; income before income taxes; effective tax rate
interest coverage, interest expense: interest expense; operating income
eps, earnings per share: earnings per share; net income per share
payout ratio, dividend: dividends paid; dividends declared
total debt, leverage, debt to: long-term debt; current portion of long-term debt; short-term debt
revenue growth, growth rate, top line, revenue, sales growth: total revenues; net sales; net revenues
buyback, buybacks, share repurchase: repurchase of common stock; stock repurchase program
r&d: research and development
sg&a: selling general and administrative
m&a: mergers and acquisitions; acquisitions
ceo: chief executive officer
cfo: chief financial officer
legal battles, legal battle, lawsuit, lawsuits: legal proceedings; litigation
geographies, geography: countries; geographic; markets
headcount: number of employees; employees
fte: full-time equivalent
faq: frequently asked questions
toc: table of contents
usa, us: united states
uk: united kingdom
eu: european union
"""


@lru_cache(maxsize=1)
def _entries() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    entries = []
    for line in _TABLE.strip().splitlines():
        asked, _, said = line.partition(":")
        ways = "|".join(re.escape(way.strip()) for way in asked.split(","))
        entries.append(
            (
                re.compile(rf"(?<!\w)(?:{ways})(?!\w)", re.IGNORECASE),
                tuple(phrase.strip() for phrase in said.split(";")),
            )
        )
    return tuple(entries)


def other_words(question: str) -> list[str]:
    """Phrases by which a report may name what the question asks for, each once."""
    question = " ".join(question.split())
    return list(dict.fromkeys(phrase for asked, said in _entries() if asked.search(question) for phrase in said))
