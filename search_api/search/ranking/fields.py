"""What ranking and arranging read of one candidate, parsed once from its doc values.

Each signal declares its columns; no other code lists Elasticsearch fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from search_api.search.ranking.diversity import Family
from search_api.search.ranking.duplicates import DuplicateKey

Fields = Mapping[str, Sequence[Any]]
"""The ``fields`` of an Elasticsearch hit: doc values, lists of values by field."""

DocValue = str | Mapping[str, str]
"""An entry of ``docvalue_fields``: a field, or a field with its format."""

Value = TypeVar("Value")
Gathered = TypeVar("Gathered")

DUPLICATE_FIELDS = ("source", "identity", "signature")
_FAMILIES = ("series", "parent")
_OF_NOBODY = DuplicateKey("")


@dataclass(frozen=True, slots=True)
class Column(Generic[Value, Gathered]):
    """One value of each candidate. ``read`` parses it from doc values, once for each version of a record;
    ``gather`` combines the values of all candidates for numpy.
    """

    name: str
    doc_values: tuple[DocValue, ...]
    read: Callable[[Fields], Value]
    gather: Callable[[Sequence[Value]], Gathered]


AnyColumn = Column[Any, Any]


@dataclass(frozen=True, slots=True)
class RankingFields:
    """One candidate: the value of each column, in the order of the columns."""

    values: tuple[Any, ...] = ()
    duplicate_key: DuplicateKey = _OF_NOBODY
    families: tuple[Family, ...] = ()


def doc_values(columns: Iterable[AnyColumn]) -> list[DocValue]:
    """The doc values that ``fields_of`` needs, each once."""
    read = [value for column in columns for value in column.doc_values]
    unique = {str(value): value for value in [*read, *DUPLICATE_FIELDS, *_FAMILIES]}
    return list(unique.values())


def fields_of(fields: Fields, columns: Iterable[AnyColumn]) -> RankingFields:
    """From doc values as the index stores them. Raises ValueError for an unreadable value."""
    return RankingFields(
        values=tuple(column.read(fields) for column in columns),
        duplicate_key=duplicate_key_of(fields),
        families=tuple((kind, name) for kind in _FAMILIES if (name := _text(fields, kind)) is not None),
    )


def duplicate_key_of(fields: Fields) -> DuplicateKey:
    """From the doc values of ``DUPLICATE_FIELDS``."""
    return DuplicateKey(str(first(fields, "source")), _text(fields, "identity"), _text(fields, "signature"))


def first(fields: Fields, name: str) -> Any:
    """The only value of a field, None if there is none."""
    values = fields.get(name)
    return values[0] if values else None


def _text(fields: Fields, name: str) -> str | None:
    value = first(fields, name)
    return None if value is None else str(value)
