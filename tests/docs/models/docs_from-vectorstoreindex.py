"""The models that the page leaves to the reader."""

from llama_index.core.llms import MockLLM

llm = MockLLM()
