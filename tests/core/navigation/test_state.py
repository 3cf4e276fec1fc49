"""The state of a retrieval: what each action adds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from thumbindex.navigation.actions import Choose, RankDocuments, SearchSections, Stop
from thumbindex.navigation.state import State, advance
from thumbindex.testing import sample_library
from thumbindex.trail import RunnerUp

EVIDENCE = sample_library().retrieve("wick", k=1).evidence[0]


def test_each_action_leaves_one_step() -> None:
    """In the order of the actions, in words."""
    state = State("Which wick?")
    for action in (RankDocuments(("a.md",), 3), SearchSections(("wick",), (), 2), Choose(EVIDENCE), Stop("enough")):
        state = advance(state, action)
    assert [step.action for step in state.steps] == ["rank documents", "search sections", "choose", "stop"]
    assert state.done


def test_what_is_chosen_is_evidence_in_its_order() -> None:
    """Best first, as the navigator chose."""
    second = replace(EVIDENCE, score=0.5)
    state = advance(advance(State("?"), Choose(EVIDENCE)), Choose(second))
    assert state.retrieval().evidence == (EVIDENCE, second)


def test_stopping_keeps_the_runners_up_and_the_doubt() -> None:
    """Both are part of the result."""
    other = RunnerUp("d#n", "A › B", 3, 0.2)
    found = advance(State("?"), Stop("nothing fits", weak=True, runners_up=(other,))).retrieval()
    assert found.weak
    assert found.trail.runners_up == (other,)


def test_nothing_follows_the_end() -> None:
    """A state that ended takes no further action."""
    with pytest.raises(ValueError, match="has ended"):
        advance(advance(State("?"), Stop("done")), Choose(EVIDENCE))
