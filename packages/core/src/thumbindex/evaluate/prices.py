"""Prices of tokens, from a table that the user gives: prices change, and many models have none."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..errors import ThumbIndexError
from ..trail import Usage

_MILLION = 1_000_000


class PricesError(ThumbIndexError, ValueError):
    """A table of prices that cannot be read."""


class Price(BaseModel):
    """Prices of one model per million tokens, in any currency; `cached` for tokens that the provider's cache served."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)

    def of(self, usage: Usage) -> float:
        """The cost of this usage."""
        cached = self.input if self.cached is None else self.cached
        return (usage.uncached * self.input + usage.tokens_cached * cached + usage.tokens_out * self.output) / _MILLION


_TABLE = TypeAdapter(dict[str, Price])


def read_prices(path: str | os.PathLike[str]) -> Mapping[str, Price]:
    """Reads prices by the name of the model, from TOML or JSON.

    Raises:
        PricesError: the file is not such a table.
        OSError: the file cannot be read.
    """
    text = Path(path).read_text(encoding="utf-8-sig")
    try:
        return _TABLE.validate_python(json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text))
    except (ValueError, ValidationError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        detail = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        raise PricesError(
            f"{os.fspath(path)} is not a table of prices ({detail}). It looks like: [my-model] input = 0.25, cached = 0.03, "
            "output = 2.0 (each on its own line), per million tokens."
        ) from None
