"""`Scope`: which documents of a library may be seen, by name and by conditions on their metadata.

Conditions are values. A store turns them into its query language; nothing here reads a document.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from .text.characters import replace_surrogates

__all__ = [
    "DOCUMENT_FIELDS",
    "AllOf",
    "AnyOf",
    "Compare",
    "Condition",
    "Not",
    "Operator",
    "Scalar",
    "Scope",
    "Where",
    "checked_tenant",
]

Scalar: TypeAlias = str | int | float | bool | None
"""A single value of metadata."""
Operator = Literal[
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "between",
    "in",
    "not in",
    "contains",
    "contains all",
    "contains text",
    "contains text ignoring case",
    "is empty",
]
DOCUMENT_FIELDS = ("doc_id", "file_name", "file_path", "total_pages")
"""Keys that every document has besides its metadata: id, name, source and number of pages (documents without pages have no
`total_pages`). A document's own metadata of that name comes first, except for `doc_id`, which no file may claim."""
MAX_DEPTH = 50
"""Levels of nesting. SQLite's parser takes expressions up to 1,000 levels deep, and one of ours makes up to a dozen."""
MAX_COMPARISONS = 500
"""Comparisons in one condition. SQLite's time to plan a statement grows with their square: 500 take 0.04 to 0.6 seconds."""

_LISTS = frozenset({"between", "in", "not in", "contains all"})
_ORDER = frozenset({"<", "<=", ">", ">="})
_TEXTS = frozenset({"contains text", "contains text ignoring case"})


@dataclass(frozen=True, slots=True, eq=False)
class Compare:
    """A comparison of one metadata value of a document with a given value.

    A list in the metadata passes if one of its items does. Numbers are equal whatever their type (1 and 1.0), while `True`
    differs from 1 and "1" from 1. Texts are ordered by code points, so that ISO dates are ordered by time; a text and a number
    have no order, and `True` and `False` have none.

    Operators:
        `==`, `!=`: equal to one value, and the opposite.
        `<`, `<=`, `>`, `>=`: smaller or greater than a number or a string.
        `between`: from the first to the second of two numbers or texts, both included; of a list one item has to lie between.
        `in`, `not in`: equal to one of several values, and the opposite.
        `contains`: a list that has the value as an item, or a text that has it as a part.
        `contains all`: a list that has all of several values as items.
        `contains text`, `contains text ignoring case`: a text, or a list with a text, that has the given text as a part.
        `is empty`: no value, None, an empty text or an empty list; takes no value.

    `!=` and `not in` let documents without the key pass, `contains all` of no values lets all pass; otherwise a document
    without the key does not pass.

    >>> Compare("year", ">=", 2023)
    Compare('year', '>=', 2023)

    Args:
        key: A metadata key, or one of `DOCUMENT_FIELDS`.
        value: Lists, tuples and sets become tuples.

    Raises:
        TypeError: a key that is no text, or a value of a type that metadata cannot have.
        ValueError: an unknown operator, or a value that the operator does not take.
    """

    key: str
    operator: Operator
    value: Scalar | Collection[Scalar] = None

    def __post_init__(self) -> None:
        if not isinstance(self.key, str):
            raise TypeError(f"The key of a condition is a string, the name of a metadata value, not {self.key!r}.")
        if self.operator not in get_args(Operator):
            known = ", ".join(map(repr, get_args(Operator)))
            raise ValueError(f"The condition on {self.key!r} has an unknown operator {self.operator!r}. Use {known}.")
        object.__setattr__(self, "key", replace_surrogates(self.key))
        object.__setattr__(self, "value", self._checked())

    def _checked(self) -> Scalar | tuple[Scalar, ...]:
        value, on = self.value, f"The condition on {self.key!r} with {self.operator!r}"
        is_list = isinstance(value, list | tuple | set | frozenset)
        if isinstance(value, set | frozenset):
            value = sorted(value, key=repr)  # the order of a set differs between processes
        items = [_scalar(self.key, item) for item in value] if is_list else [_scalar(self.key, value)]  # type: ignore[union-attr]
        if self.operator == "is empty":
            if value is not None:
                raise ValueError(f"{on} takes no value, not {value!r}.")
        elif is_list is not (self.operator in _LISTS):
            raise ValueError(f"{on} takes {'one value' if is_list else 'a list of values'}, not {value!r}.")
        elif self.operator == "between":
            if len(items) != 2 or any(isinstance(item, bool) or item is None for item in items):
                raise ValueError(f"{on} takes two numbers or two texts, the first and the last, not {value!r}.")
        elif self.operator in _ORDER and (isinstance(items[0], bool) or items[0] is None):
            raise ValueError(f"{on} takes a number or a string to compare with (dates as '2022-12-31'), not {value!r}.")
        elif self.operator in _TEXTS and not isinstance(items[0], str):
            raise ValueError(f"{on} takes a string, not {value!r}.")
        return tuple(items) if is_list else items[0]

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The values compared with: one, or those of the list."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    def _exactly(self) -> tuple[object, ...]:
        # Python holds True and 1 for equal, and conditions do not.
        values = tuple((isinstance(value, bool), value) for value in self.values)
        return self.key, self.operator, isinstance(self.value, tuple), values

    def __eq__(self, other: object) -> bool:
        return self._exactly() == other._exactly() if isinstance(other, Compare) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._exactly())

    def __repr__(self) -> str:
        value = "" if self.operator == "is empty" else f", {self.value!r}"
        return f"Compare({self.key!r}, {self.operator!r}{value})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class AllOf:
    """A condition that holds where all of these hold; without any it always holds."""

    conditions: tuple[Condition, ...]

    def __init__(self, *conditions: Where) -> None:
        object.__setattr__(self, "conditions", _parts(conditions))

    def __repr__(self) -> str:
        return f"AllOf({', '.join(map(repr, self.conditions))})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class AnyOf:
    """A condition that holds where at least one of these holds; without any it never holds.

    >>> AnyOf({"unit": "north"}, Compare("year", "<", 2020))
    AnyOf(Compare('unit', '==', 'north'), Compare('year', '<', 2020))
    """

    conditions: tuple[Condition, ...]

    def __init__(self, *conditions: Where) -> None:
        object.__setattr__(self, "conditions", _parts(conditions))

    def __repr__(self) -> str:
        return f"AnyOf({', '.join(map(repr, self.conditions))})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Not:
    """A condition that holds where this one does not."""

    condition: Condition

    def __init__(self, condition: Where) -> None:
        object.__setattr__(self, "condition", _parts([condition])[0])

    def __repr__(self) -> str:
        return f"Not({self.condition!r})"


Condition: TypeAlias = Compare | AllOf | AnyOf | Not
Where: TypeAlias = Condition | Mapping[str, object]
"""A condition, or its short form: a mapping of keys to values. A single value stands for equality, a list, tuple or set for
any of its values, `{"min": …, "max": …}` for a range with both bounds included; all keys must fit. An empty mapping leaves
nothing out."""


@dataclass(frozen=True, slots=True, init=False)
class Scope:
    """Some documents of a library: those that are named, as far as their metadata fit. `Scope()` is all of them.

    >>> tenant = Scope(where={"tenant": "north"})
    >>> (tenant & Scope(["a.pdf"], {"year": [2023, 2024]})).where
    AllOf(Compare('tenant', '==', 'north'), Compare('year', 'in', (2023, 2024)))

    Args:
        documents: Ids, names or sources; None for all, an empty list for none.
        where: A condition on metadata, or a mapping (see `Where`); None for no condition.
        tenant: Namespace that documents were added to; names and sources are looked up in it alone. "" for the documents of
            no tenant, None for all.

    Raises:
        TypeError: a single text instead of a list of documents, or a condition or tenant of another type.
        ValueError: a condition that cannot hold for any metadata; the message names its key.
    """

    documents: tuple[str, ...] | None
    where: Condition | None
    tenant: str | None

    def __init__(
        self, documents: Iterable[str] | None = None, where: Where | None = None, *, tenant: str | None = None
    ) -> None:
        object.__setattr__(self, "documents", None if documents is None else _names(documents))
        object.__setattr__(self, "where", None if where is None else _condition(where))
        object.__setattr__(self, "tenant", None if tenant is None else checked_tenant(tenant))

    def __and__(self, other: Scope) -> Scope:
        """The documents of both scopes.

        Where both name documents, names in both stay; they are compared as they are written, so that an id in one and the
        name of the same document in the other leave nothing. `Library.view` finds out what names mean: narrow its result,
        `library.view(one).view(other)`, to mix them.
        """
        if not isinstance(other, Scope):
            return NotImplemented
        documents = other.documents if self.documents is None else self.documents
        if self.documents is not None and other.documents is not None:
            documents = tuple(name for name in self.documents if name in set(other.documents))
        tenant = other.tenant if self.tenant is None else self.tenant
        if other.tenant is not None and other.tenant != tenant:
            documents = ()  # no document is in two namespaces
        conditions: dict[Condition, None] = {}
        for where in (self.where, other.where):
            if where is not None:
                conditions |= dict.fromkeys(where.conditions if isinstance(where, AllOf) else [where])
        if len(conditions) > 1:
            return Scope(documents, AllOf(*conditions), tenant=tenant)
        return Scope(documents, next(iter(conditions), None), tenant=tenant)


def checked_tenant(tenant: str) -> str:
    """Returns the name of a tenant if it can be one.

    Raises:
        TypeError: it is no string.
        ValueError: it has lone surrogates, which no database stores: replaced, two tenants would be one.
    """
    if not isinstance(tenant, str):
        raise TypeError(f"tenant takes a string, the name of a namespace, not {tenant!r}.")
    if replace_surrogates(tenant) != tenant:
        raise ValueError(f"tenant has characters that are no Unicode text: {tenant!r}. Use another name.")
    return tenant


def _names(documents: Iterable[str]) -> tuple[str, ...]:
    if isinstance(documents, str | bytes | Mapping) or not isinstance(documents, Iterable):
        raise TypeError(f"documents takes a list of ids or names, not one {type(documents).__name__}: {documents!r}.")
    names = tuple(documents)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"documents takes ids or names as strings, not {name!r}.")
    return tuple(dict.fromkeys(map(replace_surrogates, names)))


def _condition(where: Where) -> Condition | None:
    """The condition that a mapping stands for, or the one that is given; None where it leaves nothing out."""
    if isinstance(where, Compare | AllOf | AnyOf | Not):
        return where
    if not isinstance(where, Mapping):
        raise TypeError(f"A condition is a Compare, AllOf, AnyOf, Not or a mapping of keys to values, not {where!r}.")
    parts = [_entry(key, wanted) for key, wanted in where.items()]
    return parts[0] if len(parts) == 1 else AllOf(*parts) if parts else None


def _entry(key: str, wanted: object) -> Condition:
    if isinstance(wanted, Mapping):
        if not wanted or not set(wanted) <= {"min", "max"}:
            raise ValueError(
                f"The condition on {key!r} is a range {{'min': …, 'max': …}} or one of both, not {wanted!r}."
            )
        low, high = wanted.get("min"), wanted.get("max")
        if low is not None and high is not None:
            return Compare(key, "between", (low, high))
        if low is not None or high is not None:
            return Compare(key, "<=", high) if low is None else Compare(key, ">=", low)
        # Without bounds a range asks for a value, whatever it is: it must not let every document pass.
        return Not(Compare(key, "is empty"))
    if isinstance(wanted, list | tuple | set | frozenset):
        return Compare(key, "in", wanted)
    return Compare(key, "==", wanted)  # type: ignore[arg-type]  # checks its value itself


def _parts(conditions: Iterable[Where]) -> tuple[Condition, ...]:
    parts = tuple(condition or AllOf() for condition in map(_condition, conditions))
    sizes = [_size(part) for part in parts]
    if sum(count for count, _ in sizes) > MAX_COMPARISONS:
        raise ValueError(f"A condition has at most {MAX_COMPARISONS} comparisons. Use 'in' for many values of one key.")
    if max((depth for _, depth in sizes), default=0) >= MAX_DEPTH:
        raise ValueError(f"Conditions nest at most {MAX_DEPTH} levels deep.")
    return parts


def _size(condition: Condition) -> tuple[int, int]:
    """Number of comparisons in a condition, and its levels."""
    if isinstance(condition, Compare):
        return 1, 1
    sizes = [_size(part) for part in ([condition.condition] if isinstance(condition, Not) else condition.conditions)]
    return sum(count for count, _ in sizes), 1 + max((depth for _, depth in sizes), default=0)


def _scalar(key: str, value: object) -> Scalar:
    if isinstance(value, str):
        return replace_surrogates(value)
    if value is not None and not isinstance(value, int | float):
        raise TypeError(
            f"The condition on {key!r} compares with a string, a number, True, False or None (dates as '2022-12-31'), "
            f"not with a {type(value).__name__}: {value!r}."
        )
    try:
        json.dumps(value)
    except ValueError as error:  # Python turns no number into more than 4,300 digits
        raise ValueError(f"The condition on {key!r} has a number that is too large: {error}.") from None
    return value
