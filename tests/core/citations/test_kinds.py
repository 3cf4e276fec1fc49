"""Sentences about all kinds of documents in six languages: manuals, contracts, standards, price lists, minutes."""

from __future__ import annotations

from functools import lru_cache

import pytest

from thumbindex import build_tree
from thumbindex.citations import ReadDocument, check_answer
from thumbindex.text.languages import detect_language

MANUAL = """# Maintenance of the mill
Grease the upper bearing every 250 operating hours with 35 ml of oil. Tighten the eight bolts of the lid to 24.5 Nm.
The motor takes 230 V and draws at most 7.5 A. Noise at one metre: 68 dB(A).
The mill may run at −10 °C to 40 °C. Never open the lid while the stone turns.
Error E-17 means that the hopper is empty; hold the reset button for 5 seconds."""
CONTRACT = """# Lease of the boathouse
The Tenant shall pay rent of EUR 1,850 per month, in advance, on or before the third working day.
Either party may terminate this Agreement by giving not less than ninety (90) days' written notice.
The Tenant's liability is limited to EUR 250,000 in aggregate. Interest on late payment accrues at 8 percentage points above the base rate.
The term begins on 1 March 2021 and ends on 28 February 2026."""
STANDARD = """# 7 Test method
7.1 The specimen shall be conditioned at (23 ± 2) °C and a relative humidity of (50 ± 5) % for at least 48 h.
7.2 The test shall be repeated on at least five specimens. The mean shall not be below 12 N/mm2, and no single value below 10.5 N/mm2.
7.3 The uncertainty of measurement shall not exceed ± 0.5 %."""
TARIFF = """# Fares
Adult ................ 12
Child ................ 5
Bicycle ............... 3
Family ................ 28
Season ticket adult ... 410"""
MINUTES = """# Minutes
The motion was carried by 14 votes to 9 with two abstentions. Turnout among members was 63 per cent in 2024 against 58 per cent in 2023.
Membership rose from 1,240 to 1,315."""
GERMAN = """# Jahresbericht
Die Umsatzerlöse stiegen um 4,5 Prozent auf 1.234,5 Mio. Euro. Im Jahresmittel waren 12.480 Mitarbeiter beschäftigt.
Der Jahresfehlbetrag beträgt (3,2) Mio. Euro. Die Kündigungsfrist beträgt sechs Wochen zum Monatsende."""
FRENCH = """# Rapport annuel
Le chiffre d'affaires s'élève à 3 456,7 millions d'euros, en hausse de 2,4 %. L'effectif moyen est de 8 912 salariés.
Le préavis est de trois mois. Le taux d'intérêt est fixé à 1,75 %."""
CHINESE = """# 年度报告
公司全年实现营业收入35.2亿元，同比增长8.4%。净利润为4,180万元。员工总数为1.2万人。
合同期限为三年，租金每月5,600元。"""
RUSSIAN = """# Годовой отчёт
Выручка составила 1 234,5 млн руб. и выросла на 7,3 %. Численность персонала: 4 560 человек."""
SPANISH = """# Informe anual
Los ingresos ascendieron a 1.250,4 millones de euros, un 3,1 % más. La plantilla media fue de 6.730 personas."""
JAPANESE = """# 年次報告
売上高は1,250億円で、前年比3.5％増加した。従業員数は2万3,400人である。"""

HOLDS, FAILS = ("verified", "derived"), ("unsupported", "wrong_place")


@lru_cache(maxsize=16)
def source(page: str) -> ReadDocument:
    """A text as a document that was read, in the language that it is in."""
    tree = build_tree([page], name="paper.pdf")
    return ReadDocument(
        "d", "paper.pdf", tree, tuple(p.lines for p in tree.pages or () if p.lines), detect_language(page)
    )


def status(sentence: str, page: str) -> str:
    (citation,), _ = check_answer(f"{sentence} [paper.pdf, p. 1].", [source(page)])
    return citation.status


@pytest.mark.parametrize(
    ("sentence", "page"),
    [
        pytest.param("The upper bearing is greased every 250 hours", MANUAL, id="interval"),
        pytest.param("The lid's 8 bolts are tightened to 24.5 Nm", MANUAL, id="a count in digits for a number in words"),
        pytest.param("The motor draws at most 7.5 A at 230 V", MANUAL, id="units of physics"),
        pytest.param("The mill runs from -10 °C to 40 °C", MANUAL, id="a temperature below zero"),
        pytest.param("Error E-17 means that the hopper is empty", MANUAL, id="a code"),
        pytest.param("The rent is €1,850 per month", CONTRACT, id="currency as a sign"),
        pytest.param("Either party may terminate by 90 days' notice", CONTRACT, id="ninety (90) days"),
        pytest.param("Either party may terminate with ninety days of notice", CONTRACT, id="ninety"),
        pytest.param("Liability is limited to 250 thousand euros", CONTRACT, id="thousands in words"),
        pytest.param("Liability is limited to EUR 0.25 million", CONTRACT, id="a fraction of a million"),
        pytest.param("Late payment bears 8 percentage points above the base rate", CONTRACT, id="percentage points"),
        pytest.param("The term ends on 28 February 2026", CONTRACT, id="a date"),
        pytest.param("The term ends on February 28, 2026", CONTRACT, id="a date the other way round"),
        pytest.param("Specimens are conditioned at 23 ± 2 °C for at least 48 hours", STANDARD, id="a tolerance"),
        pytest.param("The mean is at least 12 N/mm²", STANDARD, id="a unit with a power"),
        pytest.param("The uncertainty is at most 0.5%", STANDARD, id="plus or minus a percentage"),
        pytest.param("A season ticket for an adult costs 410", TARIFF, id="dots lead to a price"),
        pytest.param("An adult with a bicycle pays 15", TARIFF, id="two prices of a list"),
        pytest.param("The motion was carried by fourteen votes to nine", MINUTES, id="votes in words"),
        pytest.param("Turnout rose by 5 percentage points, from 58% to 63%", MINUTES, id="a difference of percentages"),
        pytest.param("Membership rose by 6.0%, from 1,240 to 1,315", MINUTES, id="growth of figures it states"),
        pytest.param("Die Umsatzerlöse betrugen 1,23 Mrd. Euro", GERMAN, id="German billions, rounded"),
        pytest.param("Revenue rose by 4.5% to EUR 1,234.5 million", GERMAN, id="German reported in English"),
        pytest.param("Beschäftigt waren im Mittel 12 480 Mitarbeiter", GERMAN, id="a space for a point"),
        pytest.param("Der Jahresfehlbetrag beträgt 3,2 Mio. Euro", GERMAN, id="a loss in brackets"),
        pytest.param("Die Kündigungsfrist beträgt 6 Wochen", GERMAN, id="a German number in words"),
        pytest.param("Le chiffre d'affaires est de 3,46 milliards d'euros", FRENCH, id="French billions, rounded"),
        pytest.param("The average headcount is 8,912", FRENCH, id="French reported in English"),
        pytest.param("Le préavis est de 3 mois", FRENCH, id="a French number in words"),
        pytest.param("营业收入为3,520,000,000元", CHINESE, id="亿 written out"),
        pytest.param("Revenue was 3.52 billion yuan, up 8.4%", CHINESE, id="亿 reported in English"),
        pytest.param("净利润为0.418亿元", CHINESE, id="万 as 亿"),
        pytest.param("员工总数约12,000人", CHINESE, id="万 of people written out"),
        pytest.param("合同期限为3年", CHINESE, id="a Chinese number in words"),
        pytest.param("Выручка составила 1,2345 млрд руб", RUSSIAN, id="Russian billions"),
        pytest.param("Los ingresos ascendieron a 1,25 mil millones de euros", SPANISH, id="a Spanish thousand of millions"),
        pytest.param("売上高は0.125兆円である", JAPANESE, id="兆"),
        pytest.param("従業員数は23,400人である", JAPANESE, id="2万3,400"),
    ],
)  # fmt: skip
def test_these_sentences_hold(sentence: str, page: str) -> None:
    """Figures may be written in any form."""
    assert status(sentence, page) in HOLDS


@pytest.mark.parametrize(
    ("sentence", "page"),
    [
        pytest.param("The upper bearing is greased every 350 hours", MANUAL, id="interval"),
        pytest.param("The mill runs from −40 °C to 10 °C", MANUAL, id="signs changed"),
        pytest.param("The rent is €1,580 per month", CONTRACT, id="digits swapped"),
        pytest.param("Either party may terminate by 60 days' notice", CONTRACT, id="another notice"),
        pytest.param("Liability is limited to EUR 2.5 million", CONTRACT, id="another power of ten"),
        pytest.param("The term ends on 27 February 2026", CONTRACT, id="another day"),
        pytest.param("Specimens are conditioned for at least 72 hours", STANDARD, id="another time"),
        pytest.param("An adult with a bicycle pays 16", TARIFF, id="a sum that is none"),
        pytest.param("Membership rose by 7.0%, from 1,240 to 1,315", MINUTES, id="growth that is none"),
        pytest.param("Die Umsatzerlöse betrugen 1,23 Mio. Euro", GERMAN, id="German millions for billions"),
        pytest.param("Die Kündigungsfrist beträgt 8 Wochen", GERMAN, id="other weeks"),
        pytest.param("Le préavis est de 6 mois", FRENCH, id="other months"),
        pytest.param("营业收入为35.2万元", CHINESE, id="万 for 亿"),
        pytest.param("净利润为41,800万元", CHINESE, id="ten times as much"),
        pytest.param("Выручка выросла на 3,7 %", RUSSIAN, id="digits swapped in Russian"),
        pytest.param("従業員数は23,500人である", JAPANESE, id="other people"),
    ],
)
def test_these_sentences_do_not_hold(sentence: str, page: str) -> None:
    """They look like the right ones."""
    assert status(sentence, page) in FAILS
