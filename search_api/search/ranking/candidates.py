"""The candidates of a ranking, stored by column so that numpy can process all at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from core.hit import SignalName
from core.json_types import Json
from search_api.search.ranking.columns import Floats, Integers, floats
from search_api.search.ranking.fields import AnyColumn, Column, Gathered, RankingFields, Value


@dataclass(frozen=True, slots=True)
class Candidates:
    """n candidates by column; NaN means "not measured" or "not stated".

    ``arms``: (n,) raw scores of each arm that ran. ``candidates[COLUMN]``: the values of a column. ``tie``: (n,) the
    rank of each id among all of them, which breaks every tie. ``named``: (n,) how prominently the candidate names the
    place of the question, 1 in the title, .5 elsewhere, 0 nowhere: the only evidence for one without an extent.
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
        """Computed on first use. Raises KeyError for a column that was not read."""
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
        """From the values read by ``columns``, in the order of ``ids``.

        Raises ValueError for a duplicate id or different lengths.
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
