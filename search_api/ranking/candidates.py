"""The records that ranking chooses among, held by column so that numpy can judge them all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from core.extent import BBox
from core.geo import box_array
from core.hit import Signal
from core.record import ProvenanceKind, Resolution
from core.time_overlap import span_array
from core.timespan import TimeSpan
from search_api.ranking.columns import Floats, Integers, Rows
from search_api.ranking.facts import Facts, resolution_metres, step_seconds


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
    def from_facts(
        cls,
        ids: Sequence[str],
        arms: Mapping[Signal, Sequence[float | None]],
        facts: Sequence[Facts],
        *,
        named: Mapping[str, float] | None = None,
    ) -> Candidates:
        """From what was read of them, in the order of ``ids``.

        Raises ValueError where an id is there twice or the lengths differ.
        """
        if any(len(column) != len(ids) for column in (facts, *arms.values())):
            raise ValueError("ids, arms and facts differ in length")
        return cls(
            ids=tuple(ids),
            arms={name: _floats(arms[name]) for name in sorted(arms)},
            boxes=_rows([one.boxes for one in facts], 4),
            spans=_rows([one.spans for one in facts], 2),
            resolution_m=_floats(one.metres for one in facts),
            step_s=_floats(one.step_s for one in facts),
            kinds=tuple(one.kind for one in facts),
            modified_ms=_floats(one.modified_ms for one in facts),
            tie=_tie_order(tuple(ids)),
            named=_floats((named or {}).get(record, 0.0) for record in ids),
        )


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array(list(values), dtype=np.float64)  # numpy reads None as NaN and "12" as 12


def _rows(values: Sequence[tuple[float, ...]], width: int) -> Rows:
    """Rows of ``width`` numbers, each candidate's one after the other."""
    numbers = np.array(list(chain.from_iterable(values)), dtype=np.float64)
    return Rows.of(numbers.reshape(-1, width), [len(one) // width for one in values])


def _tie_order(ids: tuple[str, ...]) -> Integers:
    if len(set(ids)) != len(ids):
        raise ValueError("an id is among the candidates twice")
    tie = np.empty(len(ids), dtype=np.int64)
    tie[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return tie
