"""Fixtures of the tests of the LangChain adapter."""

from __future__ import annotations

import pytest

from scripted_langchain import Listener


@pytest.fixture
def listener() -> Listener:
    return Listener()
