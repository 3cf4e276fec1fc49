"""Tokens: what the index holds of a text, in every script."""

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
        pytest.param("1,234.5 and 1.234,5", "english", ["1234.5", "and", "1234.5"], id="thousands in both manners"),
        pytest.param("see 14.2", "english", ["see", "14.2"], id="a section's number stays whole"),
        pytest.param("10-K Q3", "english", ["10", "k", "q", "3"], id="letters and digits apart"),
        pytest.param("déjà ﬁne", "english", ["deja", "fine"], id="no diacritics, no ligatures"),
        pytest.param("Kündigungen Kündigung", "german", ["kundig", "kundig"], id="German stems"),
        pytest.param("税率は", "english", ["税率", "率は"], id="pairs where no spaces are written"),
        pytest.param("第4章", "english", ["第", "4", "章"], id="single letters where a run has one"),
        pytest.param("pay-\nable", "english", ["pay", "abl", "payabl"], id="a broken word by its parts and whole"),
        pytest.param("", "english", [], id="nothing"),
    ],
)
def test_tokens(text: str, language: str, tokens: list[str]) -> None:
    """Each kind of token in one form."""
    assert tokenize(text, language) == tokens


def test_function_words_are_not_searched_for() -> None:
    """What remains are the words that say what is asked."""
    assert content_terms("What is the rate of the loan?", "english") == ["rate", "loan"]


def test_a_question_of_function_words_only_keeps_them() -> None:
    """Better to search for them than for nothing."""
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
def test_a_language_is_known_by_its_function_words(text: str, language: str) -> None:
    """English where nothing speaks for another."""
    assert detect_language(text) == language


def test_every_language_has_a_stemmer() -> None:
    """A language that is detected can be indexed."""
    for language in known_languages():
        assert tokenize("a", language)


def test_letters_of_their_own_stay_apart() -> None:
    """й is a letter and no и with a mark; é is an e."""
    assert fold("й") == "й"
    assert fold("é") == "e"


@given(st.text(max_size=200), st.sampled_from(known_languages()))
def test_a_token_is_never_empty_and_holds_no_space(text: str, language: str) -> None:
    """The index keeps tokens in one string, separated by spaces."""
    assert all(token and len(token.split()) == 1 for token in tokenize(text, language))


@pytest.mark.parametrize("letter", ["a", "Ö", "水"])
def test_letters_without_end_are_tokens_all_the_same(letter: str) -> None:
    """Gene sequences and coded data: no stemmer or rule for broken words looks through them from each of their letters."""
    tokens = tokenize(f"see {letter * 60_000} there", "english")
    assert (tokens[0], tokens[-1]) == ("see", "there")
    assert rejoin(letter * 60_000, "there") == letter * 60_000
