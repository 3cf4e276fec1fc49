"""Citations that would take a backtracking matcher a lifetime."""

from __future__ import annotations

from thumbindex.citations.sentences import read_sentences


def test_a_list_of_labels_with_dashes_is_read_at_once():
    """ "v-8" is one label or a range of two; a list of 60 that ends in no label has 2**60 readings."""
    answer = "Sales rose [a.pdf, p. " + ",".join(["v-8"] * 60) + "!]."
    (sentence,) = read_sentences(answer, {"a.pdf": "a-1"})
    assert "Sales rose" in sentence.text


def test_a_list_of_labels_is_cited_as_written():
    (sentence,) = read_sentences("Sales rose [a.pdf, p. v-8, 10 - 12 and p. 14].", {"a.pdf": "a-1"})
    assert [cited.pages for cited in sentence.cited] == ["v-8, 10 - 12 and p. 14"]
