"""Ask questions about documents with an agent of the OpenAI Agents SDK; every citation is checked before you see it.

    pip install openai-agents-thumbindex
    export OPENAI_API_KEY=...
    python examples/agents_app.py examples/annual-report.pdf

Another server that speaks OpenAI's chat completions: also set OPENAI_BASE_URL, and pass --model NAME.
"""

from __future__ import annotations

import argparse
import asyncio
import os

from agents import Model, OpenAIChatCompletionsModel, OutputGuardrailTripwireTriggered, SQLiteSession
from openai import AsyncOpenAI

from thumbindex import Library
from thumbindex_agents import research_agent, run_with_repair


async def talk(library: Library, model: str | Model | None) -> None:
    """Answers questions from standard input, in one conversation, until an empty line."""
    agent = research_agent(library, model=model)
    session = SQLiteSession("agents_app")
    while question := (await asyncio.to_thread(input, "? ")).strip():
        try:
            result = await run_with_repair(agent, question, session=session)
        except OutputGuardrailTripwireTriggered as tripped:
            print("No answer that the documents support:")
            print(tripped.guardrail_result.output.output_info["repair_request"])
            continue
        print(result.final_output)
        for citation in result.output_guardrail_results[0].output.output_info["citations"]:
            print(f"  {citation['status']}: {citation['written']}")


def main() -> None:
    """Reads the documents, then answers questions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", help="PDF, Markdown or text files")
    parser.add_argument("--model", help="a model's name; the SDK's default without")
    options = parser.parse_args()
    model: str | Model | None = options.model
    if options.model and os.environ.get("OPENAI_BASE_URL"):
        model = OpenAIChatCompletionsModel(model=options.model, openai_client=AsyncOpenAI())
    asyncio.run(talk(Library.from_files(options.files), model))


if __name__ == "__main__":
    main()
