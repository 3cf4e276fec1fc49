"""Models named on the command line."""

from __future__ import annotations

import typer

from ..models import ChatModel, OpenAIChat


def check_base_url(base_url: str | None, *models: str | None) -> None:
    """Checks that a server is named together with a model.

    Raises:
        typer.BadParameter: there is a server and no model.
    """
    if base_url is not None and not any(models):
        raise typer.BadParameter("--base-url names the server of a model: give --model too.")


def open_model(name: str | None, base_url: str | None) -> ChatModel | None:
    """The model of that name on an OpenAI-compatible server; None without a name."""
    return None if name is None else OpenAIChat(name, base_url)
