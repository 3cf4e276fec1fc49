"""The model that the page leaves to the reader."""

from agents.testing import ScriptedModel, assistant_message, function_call

model = ScriptedModel(
    [
        [
            function_call(
                "search_text",
                {"query": "term loan rate", "document": None, "mode": "best", "cursor": None},
                call_id="1",
            )
        ],
        [assistant_message("The note on borrowings states it.")],
    ]
)
