"""Weights of the ranking, their nDCG@10 by the features of judged collections, and a search for the best of a grid.

Leave one collection out: the weights are fitted on the others, so a collection's own figure shows what carries over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from core.json_types import Json
from evaluation.all_collections import WEIGHTS
from evaluation.ranking_features import SIGNALS, CollectionFeatures, K, dcg
from search_api.search.ranking.candidates import Floats, Integers
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.diversity import diversify
from search_api.search.ranking.signals.arms import Bm25, Dense, LateInteraction, best_scores
from search_api.search.ranking.signals.record import NamesSignal
from search_api.search.ranking.signals.spatial import Spatial
from search_api.search.ranking.signals.temporal import Temporal

_LEAST_GAIN = 1e-4
"""A smaller gain of the mean does not move a weight away from the shipped one."""
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Weights:
    """``words``: the share of the arm of words, meaning has the rest. ``late``: late interaction's share of the score,
    and ``late_long`` its share for a topic of ``long_words`` words or more.
    """

    words: float
    names: float
    place: float
    time: float
    late: float
    late_long: float
    long_words: float

    @classmethod
    def of(cls, ranker: Ranker) -> Weights:
        """The ranking's own."""
        late = ranker[LateInteraction]
        return cls(
            words=ranker[Bm25].weight / (ranker[Bm25].weight + ranker[Dense].weight),
            names=ranker[NamesSignal].weight,
            place=ranker[Spatial].weight,
            time=ranker[Temporal].weight,
            late=late.weight,
            late_long=late.long_weight,
            long_words=late.long_words,
        )


GRID: Mapping[str, Sequence[float]] = {
    "late": (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    "words": (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5),
    "names": (0.5, 1.0, 1.5, 2.0, 3.0),
    "place": (0.2, 0.3, 0.4, 0.5, 0.6, 0.8),
    "time": (0.1, 0.2, 0.3, 0.4, 0.5),
    "late_long": (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4),
    "long_words": (3, 4, 5, 6, 7, 9),
}
"""The values that are tried, in this order; all other numbers of the ranking stay."""


@dataclass(frozen=True)
class OfflineRanking:
    """Ranks the candidates of a collection as the pipeline does. ``ranker``: every number that is not fitted."""

    features: CollectionFeatures
    ranker: Ranker

    @cached_property
    def _is_padding(self) -> np.ndarray:
        return np.arange(self.features.grades.shape[1]) >= self.features.counts[:, None]

    def ndcg(self, weights: Weights) -> Floats:
        """(q,) nDCG@10 of each question."""
        features = self.features
        order, score = self._ranked(weights)
        first = [self._first(row, order[row], score[row]) for row in range(len(features))]
        gains = np.array([dcg(features.grades[row, best]) for row, best in enumerate(first)])
        values: Floats = np.divide(gains, features.ideal, out=np.zeros(len(features)), where=features.ideal > 0.0)
        return values

    def _ranked(self, weights: Weights) -> tuple[Integers, Floats]:
        """(q, n) each: candidates best first, and their scores by candidate."""
        features = self.features
        counted, scale = self._terms(weights)
        share = np.where(features.topic_words >= weights.long_words, weights.late_long, weights.late)
        measured = ~np.isnan(features.interaction)
        share = np.where(measured.any(axis=1), share, 0.0)
        score = _total(counted, scale)
        score[self._is_padding] = -np.inf
        order = np.argsort(-score, axis=1, kind="stable")
        late = self._late(order)
        score = _total(counted, scale * (1.0 - share), late * share[:, None])
        score[self._is_padding] = -np.inf
        depth = self.ranker[LateInteraction].depth
        block = order[:, :depth]
        block = np.sort(block, axis=1)  # by id, as ties are broken
        best = np.argsort(-np.take_along_axis(score, block, axis=1), axis=1, kind="stable")
        return np.concatenate([np.take_along_axis(block, best, axis=1), order[:, depth:]], axis=1), score

    def _late(self, order: Integers) -> Floats:
        """(q, n) late interaction as it counts: of the best block only."""
        features, depth = self.features, self.ranker[LateInteraction].depth
        result = np.zeros(features.interaction.shape)
        for row, count in enumerate(features.counts.tolist()):
            block = order[row, : min(depth, count)]
            scores = features.interaction[row, block]
            if not np.isnan(scores).all():
                result[row, block] = best_scores(scores)
        return result

    def _terms(self, weights: Weights) -> tuple[Floats, Floats]:
        """(signals, q, n) values and (signals, q) weights that sum to 1 for a question."""
        features, counted = self.features, self.features.counted
        scale = features.scale * self._base(weights)[:, None]
        arms = [row for row, name in enumerate(SIGNALS) if name in _ARMS]
        of_arms = scale[arms].sum(axis=0)
        scale[arms] = np.divide(scale[arms], of_arms, out=np.zeros_like(scale[arms]), where=of_arms > 0.0)
        place = SIGNALS.index("spatial")
        numbers = self.ranker[Spatial]
        most_outside = weights.place * numbers.neutral
        fixed = most_outside + numbers.place.outside.tolerance
        lies = weights.place * counted[place]
        spread = np.where(features.outside, np.minimum(lies, most_outside), lies + fixed) / (weights.place + fixed)
        back = features.demotes_outside & (features.scale[place] > 0.0)
        scale[place] = np.where(back, weights.place + fixed, scale[place])
        counted = counted.copy()
        counted[place] = np.where(back[:, None], spread, counted[place])
        total = scale.sum(axis=0)
        return counted, np.divide(scale, total, out=scale, where=total > 0.0)

    def _base(self, weights: Weights) -> Floats:
        signals = self.ranker.signals
        text = self.ranker[Bm25].weight + self.ranker[Dense].weight
        fitted = {
            "bm25": text * weights.words,
            "dense": text * (1.0 - weights.words),
            "names": weights.names,
            "spatial": weights.place,
            "temporal": weights.time,
        }
        return np.array([fitted.get(name, getattr(signals.get(name), "weight", 0.0)) for name in SIGNALS])

    def _first(self, row: int, order: Integers, score: Floats) -> Integers:
        """The first ten, siblings spread."""
        order = order[: self.features.counts[row]]
        rule = self.ranker.diversity
        if rule is None or not (self.features.families[:, row, order[:K]] >= 0).any():
            return order[:K]
        places = diversify(self.features.families_of(row, order), score[order].tolist(), rule, first=K)
        return order[places[:K]]


_ARMS = frozenset(("bm25", "dense", "passage_bm25", "passage_dense"))


def _total(counted: Floats, scale: Floats, further: Floats | None = None) -> Floats:
    """(q, n), added in the order of the names: late interaction comes after ``kind``."""
    result = np.zeros(counted.shape[1:])
    for row, name in enumerate(SIGNALS):
        result += scale[row][:, None] * counted[row]
        if name == "kind" and further is not None:
            result += further
    return result


Objective = Callable[[Weights], float]


@dataclass(frozen=True)
class RankedCollections:
    """Those that were measured; each is ranked once for the same weights."""

    rankings: Mapping[str, OfflineRanking]
    _means: dict[tuple[str, Weights], float] = field(default_factory=dict)

    def mean_of(self, name: str, weights: Weights) -> float:
        """The collection's nDCG@10."""
        key = (name, weights)
        if key not in self._means:
            self._means[key] = float(self.rankings[name].ndcg(weights).mean())
        return self._means[key]

    def mean(self, names: Sequence[str], weights: Weights) -> float:
        """By the collections' weights in the table."""
        total = sum(WEIGHTS.get(name, 1.0) for name in names)
        return sum(WEIGHTS.get(name, 1.0) * self.mean_of(name, weights) for name in names) / total

    def leave_one_out(self, shipped: Weights, numbers: Sequence[str] = tuple(GRID)) -> LeftOutTable:
        """Each collection with the weights that are best for the others."""
        names = list(self.rankings)
        rows = []
        for name in names:
            other_names = [other for other in names if other != name]
            weights = fit(partial(self.mean, other_names), shipped, numbers)
            rows.append(LeftOut(name, self.mean_of(name, shipped), self.mean_of(name, weights), weights))
        best = fit(partial(self.mean, names), shipped, numbers)
        return LeftOutTable(tuple(rows), shipped, best, self.mean(names, best))


def fit(objective: Objective, start: Weights, numbers: Sequence[str] = tuple(GRID)) -> Weights:
    """The best of the grid along one number after another, until none moves."""
    best, value = start, objective(start)
    for _ in range(_ROUNDS):
        before = best
        for name in numbers:
            candidate_weights = [replace(best, **{name: number}) for number in GRID[name]]
            scored = [(objective(weights), weights) for weights in candidate_weights]
            highest, weights = max(scored, key=lambda entry: entry[0])
            if highest > value + _LEAST_GAIN:
                best, value = weights, highest
        if best == before:
            break
    return best


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One collection: its nDCG@10 with the shipped weights and with those fitted on the others."""

    name: str
    shipped: float
    fitted: float
    weights: Weights

    @property
    def difference(self) -> float:
        return self.fitted - self.shipped


@dataclass(frozen=True, slots=True)
class LeftOutTable:
    """``best``: fitted on all collections, ``best_mean`` its mean there, which is no measure of what carries over."""

    rows: tuple[LeftOut, ...]
    shipped: Weights
    best: Weights
    best_mean: float

    def means(self) -> tuple[float, float]:
        """Shipped and fitted on the others, by the collections' weights."""
        total = sum(WEIGHTS.get(row.name, 1.0) for row in self.rows)
        return (
            sum(WEIGHTS.get(row.name, 1.0) * row.shipped for row in self.rows) / total,
            sum(WEIGHTS.get(row.name, 1.0) * row.fitted for row in self.rows) / total,
        )

    def as_dict(self) -> Json:
        shipped, fitted = self.means()
        return {
            "mean": {"shipped": shipped, "fitted": fitted, "difference": fitted - shipped},
            "collections": [{**asdict(row), "difference": row.difference} for row in self.rows],
            "weights": asdict(self.shipped),
            "fitted_on_all": {**asdict(self.best), "mean": self.best_mean},
            "grid": {name: list(values) for name, values in GRID.items()},
        }
