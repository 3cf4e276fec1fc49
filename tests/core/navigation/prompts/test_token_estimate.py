"""The estimate of tokens against a real tokenizer: budgets are kept by it, so it must not be far off.

LlamaIndex carries the table of o200k_base in its wheel; where it is missing, these tests are skipped.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from thumbindex import build_tree
from thumbindex.text.tokens import estimate_tokens

REPORT = Path(__file__).parents[4] / "examples" / "annual-report.pdf"
CHINESE = (
    "本公司于二〇二四年六月与银行签订定期贷款协议，金额为一亿四千万元，年利率固定为百分之四点三五，每半年偿还一次本金并支付利息。"
    "借款由本公司的四家主要子公司提供担保。截至年末，未偿还的余额为一亿三千万元，其中两千万元将于一年内到期。公司须遵守若干财务契约。"
)
RUSSIAN = (
    "В июне 2024 года компания заключила договор срочного кредита на сумму 140 миллионов евро сроком на семь лет. Процентная ставка "
    "является фиксированной и составляет 4,35 процента годовых; проценты уплачиваются в конце каждого полугодия. Обязательства "
    "обеспечены поручительствами четырёх крупнейших дочерних обществ."
)
TABLE = "\n".join(
    f"Borrowings due in {2024 + n}  {n * 12_345:,}  {n * 9_876:,}  ({n * 1_234:,})  {n * 3.1:.1f}%"
    for n in range(1, 25)
)


@pytest.fixture(scope="module")
def count():
    """Tokens as o200k_base makes them."""
    tiktoken = pytest.importorskip("tiktoken")
    spec = importlib.util.find_spec("llama_index.core")
    folder = Path(spec.origin or "").parent / "_static" / "tiktoken_cache" if spec else Path()
    if not (folder / "fb374d419588a4632f3f557e76b4b70aebbca790").exists():
        pytest.skip("the table of o200k_base is not here")
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        encoding = tiktoken.get_encoding("o200k_base")
    finally:
        os.environ.pop("TIKTOKEN_CACHE_DIR")
        if before is not None:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return lambda text: len(encoding.encode(text, disallowed_special=()))


@pytest.mark.parametrize("text", [CHINESE, RUSSIAN, TABLE], ids=["Chinese", "Russian", "table"])
def test_a_page_is_estimated_within_thirty_percent(count, text: str) -> None:
    """Whatever its script."""
    assert 0.7 <= estimate_tokens(text) / count(text) <= 1.3


def test_a_report_is_estimated_within_fifteen_percent_and_each_page_within_thirty(count) -> None:
    """Prose, tables, contents pages and all."""
    tree = build_tree(REPORT)
    pages = [tree.page_text(page.number) for page in tree.pages or () if page.lines]
    real, estimated = [count(page) for page in pages], [estimate_tokens(page) for page in pages]
    assert 0.85 <= sum(estimated) / sum(real) <= 1.15
    far = [
        number
        for number, (a, b) in enumerate(zip(real, estimated, strict=True), 1)
        if a > 50 and not 0.7 <= b / a <= 1.3
    ]
    assert far == []
