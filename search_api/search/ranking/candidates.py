"""What a ranking reads: the target of the question, and the candidates as columns.

Each signal declares its columns; no other code lists Elasticsearch fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Generic, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from core.geo import BBox
from core.hit import SignalName
from core.json_types import Json
from core.record import ProvenanceKind, Resolution
from core.record_keys import twin_key
from core.timespan import TimeSpan
from search_api.search.ranking.diversity import DuplicateKey, Family

Relation = Literal["intersects", "within", "contains", "disjoint", "near", "north_of", "south_of", "east_of", "west_of"]
SpatialMode = Literal["blend", "hausdorff", "off"]
Level = Literal["global", "continental", "national", "regional", "local"]


@dataclass(frozen=True, slots=True)
class AreaName:
    """The name of an asked area; ``is_described``: by words of the question ("north of Italy"), in its language.

    ``is_rough``: its box holds much that is not of it, as that of an ocean or a mountain range.
    """

    text: str
    is_described: bool = False
    is_rough: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """The asked place, time, resolution and kind; empty fields have no effect.

    ``boxes`` already include directions (north of Italy is a box north of it); ``within``, ``contains`` and
    ``disjoint`` only choose the share that counts. With several boxes, a record gets the mean over them, so one that
    matches both of two asked places wins; so it is with several ``spans``. ``places``: the names of the boxes, as far
    as they have one. ``months``: of any year, 1 to 12. ``now_ms`` is the time of the question. ``spatial``: whether
    place is blended into the score, orders the best by distance at the end, or has no effect. Raises ValueError if a
    time is asked without ``now_ms``.
    """

    boxes: tuple[BBox, ...] = ()
    relation: Relation | None = None
    spans: tuple[TimeSpan, ...] = ()
    months: tuple[int, ...] = ()
    latest: bool = False
    resolution: Resolution = field(default_factory=Resolution)
    level: Level | None = None
    kind: ProvenanceKind | None = None
    places: tuple[AreaName, ...] = ()
    now_ms: int | None = None
    spatial: SpatialMode = "blend"
    asks_companion: bool = False  # for logs, notes, photos

    def __post_init__(self) -> None:
        if (self.spans or self.months or self.latest) and self.now_ms is None:
            raise ValueError("a time is asked for: now_ms must say when")

    @property
    def bounded_spans(self) -> tuple[TimeSpan, ...]:
        """The asked spans without those that are open at both ends and so have no effect."""
        return tuple(span for span in self.spans if span.start_ms is not None or span.end_ms is not None)

    @property
    def moment_ms(self) -> int:
        """``now_ms``, which must be set."""
        if self.now_ms is None:
            raise ValueError("now_ms is not set")
        return self.now_ms

    @property
    def asks_time(self) -> bool:
        return self.latest or bool(self.bounded_spans or self.months)

    @property
    def asks_resolution(self) -> bool:
        """Whether words of the question name a resolution, a scale or a level."""
        return self.level is not None or self.resolution != Resolution()

    @property
    def asks_kind(self) -> bool:
        return self.kind is not None and self.kind != "unknown"


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rows:
    """Several rows per candidate (its boxes, its spans): values (m, k) float64, sorted by owner.

    ``owners``: (u,) the candidates that have any; ``starts``: (u,) where each one's rows begin.
    """

    values: Floats
    owners: Integers
    starts: Integers
    count: int

    @classmethod
    def of(cls, values: Floats, lengths: Sequence[int]) -> Rows:
        """``lengths[i]`` rows belong to candidate i, in order."""
        per_candidate = np.asarray(lengths, dtype=np.int64)
        owners = np.flatnonzero(per_candidate)
        starts = (np.cumsum(per_candidate) - per_candidate)[owners]
        return cls(values, owners.astype(np.int64), starts.astype(np.int64), len(lengths))

    def best(self, scores: Floats) -> Floats:
        """The highest score (..., m) of each candidate's rows: (..., n), NaN if it has none."""
        return self._spread(np.maximum.reduceat(scores, self.starts, axis=-1) if len(self.starts) else None, scores)

    def least(self, distances: Floats) -> Floats:
        """The smallest distance (..., m) of each candidate's rows: (..., n), NaN if it has none."""
        nearest = np.minimum.reduceat(distances, self.starts, axis=-1) if len(self.starts) else None
        return self._spread(nearest, distances)

    def _spread(self, reduced: Floats | None, values: Floats) -> Floats:
        result = np.full((*values.shape[:-1], self.count), np.nan)
        if reduced is not None:
            result[..., self.owners] = reduced
        return result

    def of_candidate(self, index: int) -> Floats:
        """The rows of one candidate, (j, k); empty if it has none."""
        place = int(np.searchsorted(self.owners, index))
        if place == len(self.owners) or self.owners[place] != index:
            return self.values[:0]
        end = self.starts[place + 1] if place + 1 < len(self.starts) else len(self.values)
        return self.values[self.starts[place] : end]


def mean_of_measured(parts: Sequence[Floats]) -> Floats:
    """The mean (n,) of the values that are not NaN, over columns (n,); NaN if all are. At least one column."""
    stacked = np.stack(parts)
    measured = (~np.isnan(stacked)).sum(axis=0)
    mean: Floats = np.where(measured > 0, np.nansum(stacked, axis=0) / np.maximum(measured, 1), np.nan)
    return mean


def floats(values: Iterable[float | None]) -> Floats:
    """(n,) float64; None becomes NaN, "not stated"."""
    return np.array(list(values), dtype=np.float64)


def number(value: object) -> float:
    """A doc value, which may be text, as a number; None becomes NaN."""
    return math.nan if value is None else float(value)  # type: ignore[arg-type]


def rows_of(values: Sequence[tuple[float, ...]], width: int) -> Rows:
    """Rows of ``width`` numbers, each candidate's one after the other."""
    numbers = np.array(list(chain.from_iterable(values)), dtype=np.float64)
    return Rows.of(numbers.reshape(-1, width), [len(row) // width for row in values])


Fields = Mapping[str, Sequence[Any]]
"""The ``fields`` of an Elasticsearch hit: doc values, lists of values by field."""

DocValue = str | Mapping[str, str]
"""An entry of ``docvalue_fields``: a field, or a field with its format."""

Value = TypeVar("Value")
Gathered = TypeVar("Gathered")

DUPLICATE_FIELDS = ("source", "identity", "signature", "title_sort", "boxes", "spans")
_FAMILIES = ("series", "parent")
_NO_KEY = DuplicateKey("")


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
    duplicate_key: DuplicateKey = _NO_KEY
    families: tuple[Family, ...] = ()


def doc_values(columns: Iterable[AnyColumn]) -> list[DocValue]:
    """The doc values that ``fields_of`` needs, each once."""
    names = [value for column in columns for value in column.doc_values]
    unique = {str(value): value for value in [*names, *DUPLICATE_FIELDS, *_FAMILIES]}
    return list(unique.values())


def fields_of(fields: Fields, columns: Iterable[AnyColumn]) -> RankingFields:
    """From doc values as the index stores them. Raises ValueError for an unreadable value."""
    return RankingFields(
        values=tuple([column.read(fields) for column in columns]),
        duplicate_key=duplicate_key_of(fields),
        families=tuple((kind, name) for kind in _FAMILIES if (name := _text(fields, kind)) is not None),
    )


def duplicate_key_of(fields: Fields) -> DuplicateKey:
    """From the doc values of ``DUPLICATE_FIELDS``."""
    source, title = str(first(fields, "source")), _text(fields, "title_sort")
    start = (_text(fields, "spans") or "").partition("/")[0]
    twin = None if title is None else twin_key(source, title, tuple(fields.get("boxes", ())), start)
    return DuplicateKey(source, _text(fields, "identity"), _text(fields, "signature"), twin)


def first(fields: Fields, name: str) -> Any:
    """The only value of a field, None if there is none."""
    values = fields.get(name)
    return values[0] if values else None


def _text(fields: Fields, name: str) -> str | None:
    value = first(fields, name)
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Candidates:
    """n candidates by column; NaN means "not measured" or "not stated".

    ``arms``: (n,) raw scores of each arm that ran. ``candidates[COLUMN]``: the values of a column. ``tie``: (n,) the
    rank of each id among all ids, which breaks every tie. ``place_prominence``: (n,) how prominently a candidate names
    the place of the question: 1 in the title, .5 elsewhere, 0 nowhere. Only candidates without an extent need it.
    """

    ids: tuple[str, ...]
    arms: Mapping[SignalName, Floats]
    rows: Sequence[RankingFields]
    columns: Mapping[str, int]
    tie: Integers
    place_prominence: Floats
    _gathered: Json = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, column: Column[Value, Gathered]) -> Gathered:
        """Computed on first use. Raises KeyError for a column that was not read."""
        if column.name not in self._gathered:
            place = self.columns[column.name]
            self._gathered[column.name] = column.gather([fields.values[place] for fields in self.rows])
        return cast(Gathered, self._gathered[column.name])

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        arms: Mapping[SignalName, Sequence[float | None] | Floats],
        rows: Sequence[RankingFields],
        columns: Iterable[AnyColumn],
        *,
        place_prominence: Mapping[str, float] | None = None,
    ) -> Candidates:
        """From the values read by ``columns``, in the order of ``ids``.

        Raises ValueError for a duplicate id or different lengths.
        """
        if any(len(scores) != len(ids) for scores in (rows, *arms.values())):
            raise ValueError("ids, arms and fields differ in length")
        return cls(
            ids=tuple(ids),
            arms={name: np.asarray(arms[name], dtype=np.float64) for name in sorted(arms)},
            rows=rows,
            columns={column.name: place for place, column in enumerate(columns)},
            tie=_tie_order(tuple(ids)),
            place_prominence=_prominence(ids, place_prominence or {}),
        )


def _prominence(ids: Sequence[str], of_records: Mapping[str, float]) -> Floats:
    return floats([of_records.get(id, 0.0) for id in ids]) if of_records else np.zeros(len(ids))


def _tie_order(ids: tuple[str, ...]) -> Integers:
    if len(set(ids)) != len(ids):
        raise ValueError("an id is among the candidates twice")
    tie = np.empty(len(ids), dtype=np.int64)
    tie[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return tie
