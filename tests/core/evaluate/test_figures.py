"""Figures by kind and for all kinds together."""

from __future__ import annotations

import pytest

from thumbindex import Library
from thumbindex.evaluate import Figures, Price, Question, figures, make_retriever, run
from thumbindex.testing import ScriptedModel


async def test_figures_are_computed_by_kind_and_for_all(paged: Library, hire: Question) -> None:
    """Means of tokens, percentiles of seconds, and money if all prices are known."""
    questions = [hire.model_copy(update={"id": str(n), "kind": kind}) for n, kind in enumerate(["a", "a", "b"])]
    model = ScriptedModel(["36,500 crowns [boats.pdf, p. 2]."] * 3, name="m")
    records = await run(paged, questions, [make_retriever("bm25", paged)], model=model)
    price = {"m": Price(input=1.0, output=10.0)}
    rows = figures(records, prices=price, models={"bm25": (None, "m")})
    assert [(row.kind, row.questions) for row in rows] == [("a", 2), ("b", 1), ("", 3)]
    total: Figures = rows[-1]
    assert total.money == pytest.approx((total.tokens_in[1] * 1.0 + total.tokens_out[1] * 10.0) / 1e6)
    assert total.seconds[1][0] <= total.seconds[1][1]
    assert figures(records, prices=price, models={"bm25": (None, "other")})[-1].money is None
