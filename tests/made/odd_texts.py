"""Hypothesis strategies for what people, models and programs write where a text is asked for."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = [
    *("wick", "oil", "Section 4.2", "glass OR lamp", '"brass cap"', '"', '""', "'; DROP TABLE documents; --", "lamp*", "*", "^lamp"),
    *("NEAR(oil lamp, 5)", "title:oil", "-oil", "(", ")", "AND", "{}", "%", "_", "\\", "/", "[a.md, p. 1]", "</document_text>"),
    *("油灯", "ランプの油", "등유", "زيت", "תמן", "наполнение", "Ölstand", "o\u0308l", "ﬁll", "🔥", "1,204", "3-5, iv, F-12", "§ 4.2"),
    *("\x00", "\x1b[31m", "\u202e", "\u200b", "\ufeff", "\ufffe", "\u2028", "\x85", "\ud800", "\udfff a", "a\u0301" * 40, "…", " "),
]  # fmt: skip

NEAR_WORDS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
LONG = st.tuples(st.sampled_from([*WORDS, "a", "1", "("]), st.integers(50, 600)).map(lambda pair: pair[0] * pair[1])
# Lone surrogates too: JSON's `"\ud800"` is one, and so is a byte of a file name that is no UTF-8.
ANYTHING = st.text(st.characters(), max_size=60)
ODD_TEXTS = st.one_of(NEAR_WORDS, ANYTHING, LONG)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 30),
    st.sampled_from([2**31, 2**63, -(2**64), 10**400]),
    st.floats(),
    ODD_TEXTS,
)
JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(NEAR_WORDS | st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
