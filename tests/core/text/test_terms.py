"""Tokens of the index, in every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex.text.languages import detect_language, known_languages
from thumbindex.text.terms import content_terms, fold, rejoin, tokenize


@pytest.mark.parametrize(
    ("text", "language", "tokens"),
    [
        pytest.param("Loans, loan's LOANED", "english", ["loan", "loan", "loan"], id="stems in lower case"),
        pytest.param("FY2018 FY18 fy 2018", "english", ["fy", "2018"] * 3, id="fiscal years are split and completed"),
        pytest.param(
            "1,234.5 and 1.234,5", "english", ["1234.5", "and", "1234.5"], id="thousands separated by commas or points"
        ),
        pytest.param("see 14.2", "english", ["see", "14.2"], id="a section's number is one token"),
        pytest.param("10-K Q3", "english", ["10", "k", "q", "3"], id="letters and digits are separate"),
        pytest.param("déjà ﬁne", "english", ["deja", "fine"], id="no diacritics, no ligatures"),
        pytest.param("Kündigungen Kündigung", "german", ["kundig", "kundig"], id="German stems"),
        pytest.param("税率は", "english", ["税率", "率は"], id="pairs where there are no spaces"),
        pytest.param("第4章", "english", ["第", "4", "章"], id="single characters alone"),
        pytest.param("pay-\nable", "english", ["pay", "abl", "payabl"], id="a broken word by its parts and as a whole"),
        pytest.param("", "english", [], id="nothing"),
    ],
)
def test_tokens(text: str, language: str, tokens: list[str]) -> None:
    """Each kind of token has one form."""
    assert tokenize(text, language) == tokens


def test_function_words_are_not_searched_for() -> None:
    """The words remain that say what is asked."""
    assert content_terms("What is the rate of the loan?", "english") == ["rate", "loan"]


def test_a_question_of_function_words_alone_keeps_them() -> None:
    """They are all there is to search for."""
    assert content_terms("Who are you?", "english") == tokenize("Who are you?", "english")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat is on the roof of the house.", "english"),
        ("Die Katze ist auf dem Dach und das Haus ist alt.", "german"),
        ("Le chat est sur le toit de la maison avec une souris.", "french"),
        ("El gato está en el tejado de la casa y no baja.", "spanish"),
        ("Кот сидит на крыше, и он не хочет вниз.", "russian"),
        ("1 2 3", "english"),
        ("", "english"),
    ],
)
def test_a_language_is_detected_by_its_function_words(text: str, language: str) -> None:
    """English is the default."""
    assert detect_language(text) == language


def test_every_language_has_a_stemmer() -> None:
    """A language that is detected can be indexed."""
    for language in known_languages():
        assert tokenize("a", language)


def test_diacritics_are_removed_from_some_scripts_only() -> None:
    """й is a letter of its own; é is an e."""
    assert fold("й") == "й"
    assert fold("é") == "e"


@given(st.text(max_size=200), st.sampled_from(known_languages()))
def test_a_token_is_never_empty_and_contains_no_space(text: str, language: str) -> None:
    """The index stores tokens in one string, separated by spaces."""
    assert all(token and len(token.split()) == 1 for token in tokenize(text, language))


@pytest.mark.parametrize("letter", ["a", "Ö", "水"])
def test_runs_of_thousands_of_letters_are_tokens(letter: str) -> None:
    """Gene sequences and encoded data: neither a stemmer nor the rule for broken words searches them from each letter."""
    tokens = tokenize(f"see {letter * 60_000} there", "english")
    assert (tokens[0], tokens[-1]) == ("see", "there")
    assert rejoin(letter * 60_000, "there") == letter * 60_000
