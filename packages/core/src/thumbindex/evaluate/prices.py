"""What tokens cost, from a table that the user gives: prices change, and many a model has none."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..errors import ThumbIndexError
from ..trail import Usage

MILLION = 1_000_000


class PricesError(ThumbIndexError, ValueError):
    """A table of prices that cannot be read."""


class Price(BaseModel):
    """What a model costs for a million tokens, in whatever currency; `cached` for those that the provider's cache served."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)

    def of(self, usage: Usage) -> float:
        """The cost of some usage."""
        cached = self.input if self.cached is None else self.cached
        return (usage.uncached * self.input + usage.tokens_cached * cached + usage.tokens_out * self.output) / MILLION


_TABLE = TypeAdapter(dict[str, Price])


def read_prices(path: str | os.PathLike[str]) -> Mapping[str, Price]:
    """Prices by the name of the model, from TOML or JSON.

    Raises:
        PricesError: it is no such table.
        OSError: the file cannot be read.
    """
    text = Path(path).read_text(encoding="utf-8-sig")
    try:
        return _TABLE.validate_python(json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text))
    except (ValueError, ValidationError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        told = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        raise PricesError(
            f"{os.fspath(path)} is no table of prices ({told}). It looks like: [my-model] input = 0.25, cached = 0.03, "
            "output = 2.0 (each on a line of its own), for a million tokens."
        ) from None
