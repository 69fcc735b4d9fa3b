"""Combines everything: measures each signal, sums the combiner's terms, sorts.

A signal is a term only if the question asks for it: a question without place or time is ranked as if those signals
did not exist. The score is the sum of weight x counted over the terms, so every point of it can be explained.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import numpy as np

from core.hit import Hit, SignalName
from core.json_types import Json
from search_api.search.ranking.candidates import Candidates, Floats, Integers
from search_api.search.ranking.combiners.combiner import Term, total
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.signals.signal import RankingInput
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.target import Target


@dataclass(frozen=True, slots=True)
class Pinned:
    """The decision of a steward for one question, as the explanation of the hit says it."""

    rule: str
    record: str
    words: str
    reason: str | None = None
    until: date | None = None

    def as_json(self) -> Json:
        until = None if self.until is None else self.until.isoformat()
        said = {"rule": self.rule, "words": self.words, "reason": self.reason, "until": until}
        return {name: value for name, value in said.items() if value is not None}


OrderedBy = Literal["fused", "cross_encoder", "hausdorff"]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order. ``order``: (r,) their indexes, best first; ``score``: (n,), never increasing along
    ``order``.

    ``distance_deg`` is set only in the `hausdorff` mode: (n,) degrees, which order the first ones.
    """

    inputs: RankingInput
    ranker: Ranker
    terms: Mapping[SignalName, Term]
    score: Floats
    order: Integers
    ordered_by: OrderedBy = "fused"
    distance_deg: Floats | None = None
    pins: tuple[Pinned, ...] = ()
    """Of the first ones, in order: a steward put them there."""

    @property
    def candidates(self) -> Candidates:
        return self.inputs.candidates

    def __len__(self) -> int:
        return len(self.order)

    def ids(self, first: int = 0, count: int | None = None) -> list[str]:
        """Ids, best first, from position ``first`` (0 is the best)."""
        ids = self.inputs.candidates.ids
        return [ids[index] for index in self._indexes(first, count)]

    def hits(self, first: int = 0, count: int | None = None) -> list[Hit]:
        """Hits, best first. Make them only for the page: a thousand of them cost more than ranking them."""
        return self._hits(self._indexes(first, count))

    def hits_at(self, positions: Sequence[int]) -> list[Hit]:
        """The hits at these positions."""
        return self._hits(self.order[list(positions)].tolist())

    def _indexes(self, first: int, count: int | None) -> list[int]:
        window: list[int] = self.order[first : None if count is None else first + count].tolist()
        return window

    def _hits(self, indexes: Sequence[int]) -> list[Hit]:
        ids = self.inputs.candidates.ids
        scores = self.score[list(indexes)].tolist()
        raw = {name: term.raw[list(indexes)].tolist() for name, term in self.terms.items()}
        return [
            Hit(ids[index], scores[place], {name: measured(values[place]) for name, values in raw.items()})
            for place, index in enumerate(indexes)
        ]


def measured(value: float) -> float | None:
    """A number of a column, None for NaN."""
    return None if math.isnan(value) else float(value)


def rank(
    candidates: Candidates, target: Target, ranker: Ranker, cosine_floor: float = -1.0, words_share: float = 1.0
) -> Ranking:
    """Best first, at most ``max_results``; ties by id. ``cosine_floor`` and ``words_share`` as in ``RankingInput``."""
    inputs = RankingInput(candidates, target, cosine_floor, words_share)
    each = {name: signal.measure(inputs) for name, signal in ranker.signals.items()}
    terms = ranker.combiner.combine({name: one for name, one in each.items() if one is not None}, inputs)
    score = total(terms, len(candidates))
    order = np.lexsort((candidates.tie, -score))[: ranker.max_results]
    return Ranking(inputs, ranker, terms, score, order)


def nearest_first(ranking: Ranking) -> Ranking:
    """In the `hausdorff` mode with a place: the best ``hausdorff_window`` by distance, ascending; else unchanged.

    The last step, after any re-ranking. Equal distances keep their order. Hits in the window score
    1 + 1 / (1 + distance), which is above all others, whose scores are unchanged.
    """
    spatial = ranking.ranker.find(Spatial)
    distance = spatial.distances_deg(ranking.inputs) if spatial is not None else None
    if spatial is None or distance is None:
        return ranking
    window, rest = np.split(ranking.order, [min(spatial.hausdorff_window, len(ranking))])
    window = window[np.argsort(distance[window], kind="stable")]
    score = ranking.score.copy()
    score[window] = 1.0 + 1.0 / (1.0 + distance[window])
    return replace(
        ranking, score=score, order=np.concatenate([window, rest]), ordered_by="hausdorff", distance_deg=distance
    )
