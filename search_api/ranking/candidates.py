"""What ranking chooses among, held by column so that numpy can judge all of it at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from core.hit import SignalName
from core.json_types import Json
from search_api.ranking.columns import Floats, Integers, floats
from search_api.ranking.fields import AnyColumn, Column, Gathered, RankingFields, Value


@dataclass(frozen=True, slots=True)
class Candidates:
    """n candidates by column; NaN is "not measured" or "does not say".

    ``arms``: (n,) raw scores of each arm that ran. ``candidates[COLUMN]``: the values of a column that was read of
    them. ``tie``: (n,) the rank of each id among them all, which settles every tie. ``named``: (n,) how prominently a
    candidate's words name the asked place, 1 in the title, .5 elsewhere, 0 nowhere: all there is to judge one without
    an extent by.
    """

    ids: tuple[str, ...]
    arms: Mapping[SignalName, Floats]
    values: Mapping[str, Sequence[Any]]
    tie: Integers
    named: Floats
    _gathered: Json = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, column: Column[Value, Gathered]) -> Gathered:
        """Gathered when a signal first asks for it. Raises KeyError for a column that was not read."""
        if column.name not in self._gathered:
            self._gathered[column.name] = column.gather(self.values[column.name])
        return cast(Gathered, self._gathered[column.name])

    @classmethod
    def of(
        cls,
        ids: Sequence[str],
        arms: Mapping[SignalName, Sequence[float | None]],
        read: Sequence[RankingFields],
        columns: Iterable[AnyColumn],
        *,
        named: Mapping[str, float] | None = None,
    ) -> Candidates:
        """From what was read of them by ``columns``, in the order of ``ids``.

        Raises ValueError where an id is there twice or the lengths differ.
        """
        if any(len(scores) != len(ids) for scores in (read, *arms.values())):
            raise ValueError("ids, arms and fields differ in length")
        return cls(
            ids=tuple(ids),
            arms={name: floats(arms[name]) for name in sorted(arms)},
            values={column.name: [one.values[place] for one in read] for place, column in enumerate(columns)},
            tie=_tie_order(tuple(ids)),
            named=floats((named or {}).get(id, 0.0) for id in ids),
        )


def _tie_order(ids: tuple[str, ...]) -> Integers:
    if len(set(ids)) != len(ids):
        raise ValueError("an id is among the candidates twice")
    tie = np.empty(len(ids), dtype=np.int64)
    tie[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return tie
