"""Reading what models write where JSON was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thumbindex.models.json_text import json_objects
from thumbindex.navigation.parse import Choice, Misunderstood, Move, read_choices, read_move

READ = Move("read", (3, 7))


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param('{"action": "read", "numbers": [3, 7]}', id="as asked"),
        pytest.param('Let me look.\n{"action": "read", "numbers": [3, 7]}\nThat should do.', id="in prose"),
        pytest.param('```json\n{"action": "read", "numbers": [3, 7]}\n```', id="in a fence"),
        pytest.param('{"action": "read", "numbers": [3, 7,],}', id="commas too many"),
        pytest.param("{'action': 'read', 'numbers': [3, 7]}", id="Python's quotes"),
        pytest.param('{action: "read", numbers: [3, 7]}', id="keys without quotes"),
        pytest.param("{“action”: “read”, “numbers”: [3, 7]}", id="curly quotes"),
        pytest.param('{"action": "read", "numbers": [3, 7', id="cut off"),
        pytest.param('{"action": "read", "numbers": ["3", "7."]}', id="numbers as words"),
        pytest.param('{"action": "READ", "numbers": "3, 7"}', id="a list as words, in capitals"),
        pytest.param('{"action": "fetch", "sections": [3, 7, 3]}', id="other words for it, and one twice"),
        pytest.param('{"name": "read", "arguments": {"numbers": [3, 7]}}', id="as a call of a tool"),
        pytest.param('{"read": [3, 7]}', id="the action as a key"),
        pytest.param(
            '{"action": "read", "numbers": [3, 7]} {"action": "open", "numbers": [1]}', id="several: the first"
        ),
        pytest.param(
            '{"thought": "hm"}\n{"action": "read", "numbers": [3, 7]}', id="several: the first with an action"
        ),
        pytest.param("read 3, 7", id="as a command"),
        pytest.param("Action: read [3] and [7]", id="as a command in brackets"),
    ],
)
def test_an_action_is_read_in_any_of_these_forms(reply: str) -> None:
    """They all mean to read 3 and 7."""
    move = read_move(reply)
    assert isinstance(move, Move)
    assert (move.action, move.numbers) == (READ.action, READ.numbers)


def test_reason_text_and_parts_come_along() -> None:
    """Each where it is given."""
    assert read_move('{"action": "search", "query": "term loan", "reason": "the rate"}') == Move(
        "search", (), "term loan", ("term loan",), "the rate"
    )
    move = read_move('{"action": "split", "parts": ["rate", "term"]}')
    assert isinstance(move, Move)
    assert move.parts == ("rate", "term")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        pytest.param("I do not know.", "no JSON", id="prose"),
        pytest.param("", "no JSON", id="nothing"),
        pytest.param('{"numbers": [3]}', 'no "action"', id="no action"),
        pytest.param('{"action": "delete_everything"}', "There is no action 'delete_everything'", id="an invented one"),
        pytest.param("{" * 5000, "action", id="braces without end"),
    ],
)
def test_what_cannot_be_carried_out_is_told_to_the_model(reply: str, told: str) -> None:
    """With what to do instead."""
    move = read_move(reply)
    assert isinstance(move, Misunderstood)
    assert told in move.correction


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ('{"sections": [{"number": 3, "reason": "a"}, {"number": 7, "reason": "b"}]}', [3, 7]),
        ('{"sections": [3, "7", 3]}', [3, 7]),
        ('{"node_list": ["3", "7"], "thinking": "a"}', [3, 7]),
        ('{"number": 3}', [3]),
        ('[{"number": 3}, {"number": 7}]', [3, 7]),
        ("Sections 3 and 7.", [3, 7]),
        ('{"sections": []}', []),
        ('```\n{"sections": [{"number": 3, "reason": "the "rate" of it"}]}\n```', None),
    ],
)
def test_picks_are_read_in_any_of_these_forms(reply: str, numbers: list[int] | None) -> None:
    """In the model's order, each once; what nobody can read is told."""
    choices = read_choices(reply)
    if numbers is None:
        assert isinstance(choices, Misunderstood | list)
    else:
        assert isinstance(choices, list)
        assert [choice.number for choice in choices] == numbers


def test_reasons_stay_with_their_numbers() -> None:
    """They go into the trail."""
    assert read_choices('{"sections": [{"number": 3, "reason": "a"}]}') == [Choice(3, "a")]


@given(st.text(alphabet=st.sampled_from('{}[]":,\\ \n03aread\u201c\u0000'), max_size=120))
def test_any_text_at_all_is_read_or_refused(reply: str) -> None:
    """Never an exception: a model may write anything."""
    assert isinstance(read_move(reply), Move | Misunderstood)
    assert isinstance(read_choices(reply), list | Misunderstood)
    assert all(isinstance(found, dict) for found in json_objects(reply))
