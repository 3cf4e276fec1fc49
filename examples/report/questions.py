"""Twenty questions about a report, with what a right answer must say and the pages it stands on.

Questions are asked in the words of a reader, which are often not those of the section that answers them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

from report.content import Report
from report.layout import Record
from report.markup import Value, fill, resolve

Kind = Literal["direct", "cross-reference", "multi-section", "unanswerable"]


class AskedQuestion(TypedDict):
    """One entry of `questions.json`; pages are physical and 1-based."""

    id: str
    question: str
    kind: Kind
    answer: str | None
    evidence: list[str]
    pages: list[int]
    sections: list[str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question in the markup of the text files; `evidence` pairs an anchor with words found on its page."""

    id: str
    kind: Kind
    question: str
    answer: str | None = None
    evidence: tuple[tuple[str, str], ...] = ()


QUESTIONS = (
    Question(
        "term-rate", "direct", "Which rate applies to the term loan?",
        "A fixed rate of {rate.term:r} a year, payable half-yearly in arrears.",
        (("term-rate", "fixed rate of {rate.term:r} a year"),),
    ),
    Question(
        "payout", "direct", "How much will shareholders get per share for {y0} if the meeting agrees?",
        "{cur} {x.dps:f2} a share.",
        (("dividend-proposed", "dividend of {cur} {x.dps:f2} a share for {y0}"),),
    ),
    Question(
        "rate-shock", "direct", "What would a rise of one percentage point in borrowing costs have done to earnings?",
        "Profit before tax would have been lower by {x.rate_sens:m}.",
        (("rate-sensitivity", "profit before tax would have been lower by {x.rate_sens:m}"),),
    ),
    Question(
        "segregation", "direct", "Where could the same people set up a vendor and also pay it?",
        "At the subsidiary in {c3}, for five months after a colleague had left.",
        (("weakness", "At the subsidiary in {c3} the same two people could create a supplier"),),
    ),
    Question(
        "fraud-loss", "direct", "How much money was sent to fraudsters after a stolen password?",
        "{cur} {x.phishing:i}, of which the bank recovered two thirds.",
        (("phishing", "a payment of {cur} {x.phishing:i} was made to the wrong account"),),
    ),
    Question(
        "quarter-sales", "direct", "What did the whole company sell in the third quarter of {y0}?",
        "{q3.0:m} ({q3.0:n} thousand).",
        (("q3-revenue", "{q3.0:n}"),),
    ),
    Question(
        "goodbye-pay", "direct", "What can a top manager get when the company ends the contract?",
        "At most twelve months' salary, without bonus, and nothing after misconduct.",
        (("severance", "limited to twelve months' salary, without bonus"),),
    ),
    Question(
        "unused-line", "direct", "What does the company pay for the part of its bank line that it does not use?",
        "A commitment fee of {fee.commitment} per cent a year.",
        (("commitment-fee", "commitment fee of {fee.commitment} per cent a year"),),
    ),
    Question(
        "pension-rate", "direct", "Which discount rate was used to value the pensions?",
        "{x.pension_rate:r}.",
        (("pension-discount", "discounted at {x.pension_rate:r}"),),
    ),
    Question(
        "leverage-limit", "cross-reference", "How high may leverage go before the banks' covenant is broken?",
        "Consolidated Net Debt may be at most {x.cov_leverage:f2} times Adjusted Earnings on a test date.",
        (("leverage-limit", "exceed {x.cov_leverage:f2} to one"),),
    ),
    Question(
        "claim-size", "cross-reference", "How much does the utility of {claimant} want in its lawsuit over the meters?",
        "{x.claim:m} with interest; {x.claim_provided:m} has been provided.",
        (("claim-amount", "demands {x.claim:m} with interest"),),
    ),
    Question(
        "plant-water", "cross-reference", "How much water did the company's own plants draw in {y0}?",
        "{x.water:n} cubic metres.",
        (("water", "{x.water:n}"),),
    ),
    Question(
        "mortgaged-land", "cross-reference", "Which real estate is mortgaged to lenders, and for how much?",
        "Land and buildings at {plant.a1} and {foundry}, for {x.mortgage:m}, as security for the term loan.",
        (("pledge", "land and buildings at {plant.a1} and {foundry}, registered for {x.mortgage:m}"),),
    ),
    Question(
        "capex-scopes", "multi-section",
        "What did {sb} invest in fixed assets in {y0}, and how much does the board plan to spend in the whole Group "
        "in {next}?",
        "{sb} invested {b.capex.0:m} ({b.capex.0:n} thousand); the Group plans {x.plan:m} for {next}.",
        (("capex-b", "{b.capex.0:n}"), ("capex-planned", "capital expenditure of {x.plan:m}")),
    ),
    Question(
        "bonus-return", "multi-section",
        "From which return on capital do executives get a bonus, and how is that return calculated?",
        "From {x.roce_threshold:f1} per cent; it is operating profit divided by the average of equity plus net debt "
        "including leases at the beginning and the end of the year.",
        (
            ("roce-threshold", "begins at {x.roce_threshold:f1} per cent"),
            ("roce-definition", "operating profit divided by the average of capital employed"),
        ),
    ),
    Question(
        "foundry", "multi-section", "How large is the foundry, and what did the accident there cost?",
        "{x.floor_foundry:f1} thousand square metres; the accident cost {x.accident:m}.",
        (
            ("foundry-floor", "occupies {x.floor_foundry:f1} thousand square metres"),
            ("accident-cost", "cost {x.accident:m}"),
        ),
    ),
    Question(
        "cover-and-dividends", "multi-section",
        "What was leverage on the last test date, and above which level would dividends be blocked?",
        "{x.leverage:f2}; no dividend may be declared above {x.cov_dividend:f2}.",
        (
            ("headroom-check", "stood at {x.leverage:f2} on the last test date"),
            ("dividend-lock", "above {x.cov_dividend:f2}"),
        ),
    ),
    Question("credit-rating", "unanswerable", "Which credit rating does the company have from the rating agencies?"),
    Question("political-gifts", "unanswerable", "How much did the company donate to political parties in {y0}?"),
    Question("segment-head-salary", "unanswerable", "What is the individual salary of {gb}, the head of {sb}?"),
)  # fmt: skip


def ask(report: Report, record: Record, values: Mapping[str, Value]) -> list[AskedQuestion]:
    """The questions with the figures and the pages of one report."""

    def filled(text: str) -> str:
        return resolve(fill(text, values), report.labels, record.pages)

    return [
        {
            "id": question.id,
            "question": filled(question.question),
            "kind": question.kind,
            "answer": None if question.answer is None else filled(question.answer),
            "evidence": [filled(words) for _, words in question.evidence],
            "pages": sorted({record.anchors[anchor] for anchor, _ in question.evidence}),
            "sections": list(dict.fromkeys(report.enclosing[anchor] for anchor, _ in question.evidence)),
        }
        for question in QUESTIONS
    ]
