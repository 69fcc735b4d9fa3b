"""The records that ranking chooses among, held by column so that numpy can judge them all at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from core.extent import BBox
from core.geo import box_array
from core.hit import Signal
from core.record import ProvenanceKind, Resolution
from core.time_overlap import duration_s, span_array
from core.timespan import TimeSpan
from search_api.ranking.columns import Floats, Integers, Rows

# Tobler (1987): the finest detail on a map is half a millimetre wide.
METRES_PER_SCALE_DENOMINATOR = 0.0005


@dataclass(frozen=True, slots=True)
class Candidate:
    """One record by row: its id, what each arm measured (None or absent: not measured) and what ranking looks at."""

    id: str
    arms: Mapping[Signal, float | None] = field(default_factory=dict)
    boxes: tuple[BBox, ...] = ()
    spans: tuple[TimeSpan, ...] = ()
    resolution: Resolution = field(default_factory=Resolution)
    kind: ProvenanceKind = "unknown"
    modified_ms: int | None = None
    named: float = 0.0


@dataclass(frozen=True, slots=True)
class FieldNames:
    """How the index names what ranking reads as doc values.

    ``boxes`` hold ``"west,south,east,north"``, ``spans`` ``"start_ms/end_ms"`` with nothing for an open end;
    ``modified_ms`` is asked for as ``epoch_millis``, which come as text.
    """

    boxes: str = "boxes"
    spans: str = "spans"
    resolution_m: str = "resolution.metres"
    scale_denominator: str = "resolution.scale_denominator"
    time_step: str = "resolution.time_step"
    kind: str = "provenance.kind"
    modified_ms: str = "dates.modified"


@dataclass(frozen=True, slots=True)
class Candidates:
    """n records by column; NaN is "not measured" or "does not say".

    ``arms``: (n,) raw scores of each arm that ran. ``boxes``: rows west, south, east (unrolled), north in degrees;
    ``spans``: rows start, end in ms. ``resolution_m``, ``step_s``, ``modified_ms``: (n,). ``tie``: (n,) the rank of
    each id among them all, which settles every tie. ``named``: (n,) how prominently a record's words name the asked
    place, 1 in the title, .5 elsewhere, 0 nowhere: all there is to judge a record without an extent by.
    """

    ids: tuple[str, ...]
    arms: Mapping[Signal, Floats]
    boxes: Rows
    spans: Rows
    resolution_m: Floats
    step_s: Floats
    kinds: tuple[ProvenanceKind, ...]
    modified_ms: Floats
    tie: Integers
    named: Floats

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, rows: Sequence[Candidate]) -> Candidates:
        """From values. Raises ValueError where an id is there twice."""
        ids = tuple(row.id for row in rows)
        names = sorted({name for row in rows for name in row.arms})
        return cls(
            ids=ids,
            arms={name: _floats(row.arms.get(name) for row in rows) for name in names},
            boxes=Rows.of(box_array(box for row in rows for box in row.boxes), [len(row.boxes) for row in rows]),
            spans=Rows.of(span_array(span for row in rows for span in row.spans), [len(row.spans) for row in rows]),
            resolution_m=_floats(resolution_metres(row.resolution) for row in rows),
            step_s=_floats(step_seconds(row.resolution.time_step) for row in rows),
            kinds=tuple(row.kind for row in rows),
            modified_ms=_floats(row.modified_ms for row in rows),
            tie=_tie_order(ids),
            named=_floats(row.named for row in rows),
        )

    @classmethod
    def from_fields(
        cls,
        ids: Sequence[str],
        arms: Mapping[Signal, Sequence[float | None]],
        fields: Sequence[Mapping[str, Sequence[Any]]],
        names: FieldNames | None = None,
        *,
        named: Mapping[str, float] | None = None,
    ) -> Candidates:
        """From the ``fields`` of Elasticsearch hits (doc values, lists of values), in the order of ``ids``.

        Raises ValueError where an id is there twice, the lengths differ or a value cannot be read.
        """
        if any(len(column) != len(ids) for column in (fields, *arms.values())):
            raise ValueError("ids, arms and fields differ in length")
        names = names or FieldNames()
        boxes = [row.get(names.boxes, ()) for row in fields]
        spans = [row.get(names.spans, ()) for row in fields]
        return cls(
            ids=tuple(ids),
            arms={name: _floats(arms[name]) for name in sorted(arms)},
            boxes=Rows.of(_boxes_of([text for texts in boxes for text in texts]), [len(texts) for texts in boxes]),
            spans=Rows.of(_spans_of([text for texts in spans for text in texts]), [len(texts) for texts in spans]),
            resolution_m=_metres_of(fields, names),
            step_s=_floats(step_seconds(text) for text in _column(fields, names.time_step)),
            kinds=tuple(cast(ProvenanceKind, kind or "unknown") for kind in _column(fields, names.kind)),
            modified_ms=_floats(_column(fields, names.modified_ms)),
            tie=_tie_order(tuple(ids)),
            named=_floats((named or {}).get(record, 0.0) for record in ids),
        )


def resolution_metres(resolution: Resolution) -> float | None:
    """Ground resolution in metres, said or from the map scale (half a millimetre on the map); None for neither."""
    if resolution.metres is not None:
        return resolution.metres
    if resolution.scale_denominator is not None:
        return resolution.scale_denominator * METRES_PER_SCALE_DENOMINATOR
    return None


def step_seconds(time_step: str | None) -> float | None:
    return None if time_step is None else duration_s(time_step)


def _metres_of(fields: Sequence[Mapping[str, Sequence[Any]]], names: FieldNames) -> Floats:
    said = _floats(_column(fields, names.resolution_m))
    from_scale = _floats(_column(fields, names.scale_denominator)) * METRES_PER_SCALE_DENOMINATOR
    return np.where(np.isnan(said), from_scale, said)


def _column(fields: Sequence[Mapping[str, Sequence[Any]]], name: str) -> list[Any]:
    """The first value of a field in each row, None where a row has none."""
    return [values[0] if (values := row.get(name)) else None for row in fields]


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array(list(values), dtype=np.float64)  # numpy reads None as NaN and "12" as 12


def _boxes_of(texts: Sequence[str]) -> Floats:
    """One split and one conversion for all of them: hundreds of boxes arrive with every question."""
    numbers = np.array(list(map(float, ",".join(texts).split(","))) if texts else [], dtype=np.float64)
    if len(numbers) != 4 * len(texts):
        raise ValueError("a stored box is not west,south,east,north")
    boxes = numbers.reshape(-1, 4)
    boxes[:, 2] += np.where(boxes[:, 0] > boxes[:, 2], 360.0, 0.0)
    return boxes


def _spans_of(texts: Sequence[str]) -> Floats:
    ends = [text.split("/") for text in texts]
    return np.array(
        [(float(start) if start else -math.inf, float(end) if end else math.inf) for start, end in ends],
        dtype=np.float64,
    ).reshape(-1, 2)


def _tie_order(ids: tuple[str, ...]) -> Integers:
    if len(set(ids)) != len(ids):
        raise ValueError("an id is among the candidates twice")
    tie = np.empty(len(ids), dtype=np.int64)
    tie[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return tie
