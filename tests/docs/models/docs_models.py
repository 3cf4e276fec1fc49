"""The models that the page leaves to the reader."""

from collections.abc import AsyncIterator

from thumbindex.testing import ScriptedModel

PICK = '{"sections": [{"number": 17, "reason": "the notes state the terms of loans"}]}'

model = ScriptedModel(
    [
        PICK,
        "The term loan bears a fixed rate of 4.35 per cent a year [annual-report.pdf, p. 43].",
        PICK,
        "The term loan bears a fixed rate of 4.35 per cent a year [annual-report.pdf, p. 43].",
        PICK,
        '{"reason": "the notes name it", "action": "search", "numbers": [], "text": "term loan rate"}',
        '{"reason": "found", "action": "follow", "numbers": [], "text": "Note 14"}',
        '{"reason": "read", "action": "answer", "numbers": [], "text": ""}',
    ]
)
writer = ScriptedModel(["{}"] * 400)
blunt = ScriptedModel(["Ninety hours [lantern.md, § 4.2 Wick]."])


class TheirModel:
    """A framework's model, as small as one can be."""

    def invoke(self, messages: list[tuple[str, str]]) -> str:
        assert messages[0][0] == "system"
        return "A wick lasts about ninety hours [lantern.md, § 4.2 Wick]."

    async def ainvoke(self, messages: list[tuple[str, str]]) -> str:
        return self.invoke(messages)

    async def astream(self, messages: list[tuple[str, str]]) -> AsyncIterator[str]:
        for word in self.invoke(messages).split(" "):
            yield f"{word} "


their_llm = TheirModel()
