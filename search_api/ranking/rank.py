"""Everything composed: arms, place, time, resolution and kind to one order.

A score is the sum over its terms of weight x counted value, the weights summing to 1, so it lies in 0..1 and every
point of it can be explained. A signal is a term only where the question asks for it: a question without place or
time is ranked as if those signals did not exist.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Literal

import numpy as np

from core.hit import Hit, Signal
from search_api.ranking.candidates import Candidates
from search_api.ranking.columns import Floats, Integers
from search_api.ranking.config import ArmWeights, RankingConfig
from search_api.ranking.fusion import normalise, shared_weights
from search_api.ranking.kind import kind_scores
from search_api.ranking.resolution import expected_scores, resolution_scores
from search_api.ranking.spatial import blend_scores, hausdorff_distances, sets_outside_back, wholly_outside
from search_api.ranking.target import Target
from search_api.ranking.temporal import temporal_scores

OrderedBy = Literal["fused", "cross_encoder", "hausdorff"]


@dataclass(frozen=True, slots=True)
class Term:
    """One signal's part in the scores: ``raw`` (n,) as measured, NaN where not; ``counted`` (n,) 0..1 without NaN."""

    raw: Floats
    counted: Floats
    weight: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in order. ``order``: (r,) their indexes, best first; ``score``: (n,), never rising along ``order``.

    ``distance_deg`` is set in the `hausdorff` mode only: (n,) degrees that the first ones are ordered by.
    """

    candidates: Candidates
    target: Target
    config: RankingConfig
    terms: Mapping[Signal, Term]
    score: Floats
    order: Integers
    ordered_by: OrderedBy = "fused"
    distance_deg: Floats | None = None

    def __len__(self) -> int:
        return len(self.order)

    def ids(self, first: int = 0, count: int | None = None) -> list[str]:
        """Ids, best first, from position ``first`` (0 is the best)."""
        return [self.candidates.ids[index] for index in self._window(first, count)]

    def hits(self, first: int = 0, count: int | None = None) -> list[Hit]:
        """Hits, best first. Made for the page that is shown: a thousand of them cost more than ranking them."""
        return [self._hit(index) for index in self._window(first, count)]

    def _window(self, first: int, count: int | None) -> list[int]:
        window: list[int] = self.order[first : None if count is None else first + count].tolist()
        return window

    def _hit(self, index: int) -> Hit:
        signals: dict[Signal, float | None] = {name: measured(term.raw[index]) for name, term in self.terms.items()}
        return Hit(self.candidates.ids[index], float(self.score[index]), signals)


def measured(value: float) -> float | None:
    """A number of a column, None where it is NaN."""
    return None if math.isnan(value) else float(value)


def rank(
    candidates: Candidates, target: Target, config: RankingConfig, minimum: Mapping[Signal, float] | None = None
) -> Ranking:
    """The best ``config.max_results`` by fused score, ties by id; the same candidates in any order rank the same.

    In the `blend` mode a record wholly outside the asked place stands above one with an extent that is not only where
    it is better by ``config.outside.tolerance`` in all but place, the text score weighing 1. Re-ranking keeps to that:
    all of it then weighs 1 - lambda.

    ``minimum``: the least score of an arm, where it is not the theory's.
    """
    terms = _weighed(_text_terms(candidates, config, minimum) | _asked_terms(candidates, target, config))
    score = total(terms, len(candidates))
    order = np.lexsort((candidates.tie, -score))[: config.max_results]
    return Ranking(candidates, target, config, terms, score, order)


def total(terms: Mapping[Signal, Term], count: int) -> Floats:
    """Sum of weight x counted, (n,), added in the order of the names, so that no order of arms can show in it."""
    score = np.zeros(count)
    for name in sorted(terms):
        score += terms[name].weight * terms[name].counted
    return score


def nearest_first(ranking: Ranking) -> Ranking:
    """In the `hausdorff` mode and with a place: the best ``hausdorff_window`` by distance, ascending; else unchanged.

    The last step, after any re-ranking, as in paper 000. Equal distances keep the order they had. Those in the window
    score 1 + 1 / (1 + distance) and so above all others, which keep their score.
    """
    config = ranking.config
    if config.spatial_mode != "hausdorff" or not ranking.target.boxes:
        return ranking
    distance = hausdorff_distances(ranking.candidates.boxes, ranking.target, config)
    window, rest = np.split(ranking.order, [min(config.hausdorff_window, len(ranking))])
    window = window[np.argsort(distance[window], kind="stable")]
    score = ranking.score.copy()
    score[window] = 1.0 + 1.0 / (1.0 + distance[window])
    return replace(
        ranking, score=score, order=np.concatenate([window, rest]), ordered_by="hausdorff", distance_deg=distance
    )


def _text_terms(
    candidates: Candidates, config: RankingConfig, minimum: Mapping[Signal, float] | None
) -> dict[Signal, Term]:
    """The arms, their weights summing to 1; an arm that was not counted is kept with weight 0, its signal shows."""
    weights = shared_weights(candidates.arms, _by_name(config.arms))
    terms: dict[Signal, Term] = {}
    for name, raw in candidates.arms.items():
        scaled = normalise(name, raw, candidates.tie, config.fusion, config.rrf_k, minimum)
        terms[name] = Term(raw, np.nan_to_num(scaled), weights.get(name, 0.0))
    return terms


@cache
def _by_name(weights: ArmWeights) -> dict[str, float]:
    return asdict(weights)


def _asked_terms(candidates: Candidates, target: Target, config: RankingConfig) -> dict[Signal, Term]:
    """What the question asks for beside its topic; records that do not say count as the neutral value."""
    signals, neutral = config.signals, config.neutral
    terms: dict[Signal, Term] = {}
    if target.boxes and config.spatial_mode == "blend":
        terms["spatial"] = _place_term(candidates, target, config)
    if target.asks_time:
        terms["temporal"] = _term(temporal_scores(candidates, target, config), signals.temporal, neutral.temporal)
    if target.asks_resolution:
        scores = resolution_scores(candidates, target)
        terms["resolution"] = _term(scores, signals.resolution, neutral.resolution)
    elif target.boxes and config.spatial_mode == "blend":
        expected = expected_scores(candidates, target, config.cells_across)
        terms["resolution"] = _term(expected, signals.expected_resolution, neutral.resolution)
    if target.kind is not None and target.asks_kind:
        terms["kind"] = _term(kind_scores(target.kind, candidates.kinds), signals.kind, neutral.kind)
    return terms


def _place_term(candidates: Candidates, target: Target, config: RankingConfig) -> Term:
    """How well a record lies, and a fixed part that all have but those wholly outside the asked place.

    Outside, the first counts no more than for a record without an extent. The fixed part is ``tolerance`` more than
    that, so a record outside that comes before one inside is better by ``tolerance`` in all else.
    """
    neutral, weight = config.neutral, config.signals.spatial
    raw = blend_scores(candidates.boxes, target, config)
    unplaced = neutral.spatial + max(neutral.named - neutral.spatial, 0.0) * candidates.named
    if not sets_outside_back(target, config):
        return _term(raw, weight, unplaced)
    lies = weight * np.where(np.isnan(raw), unplaced, raw)
    most_outside = weight * neutral.spatial
    fixed = most_outside + config.outside.tolerance
    outside = wholly_outside(candidates.boxes, target, config)
    counted = np.where(outside, np.minimum(lies, most_outside), lies + fixed)
    return Term(raw, counted / (weight + fixed), weight + fixed)


def _term(raw: Floats, weight: float, neutral: float | Floats) -> Term:
    return Term(raw, np.where(np.isnan(raw), neutral, raw), weight)


def _weighed(terms: Mapping[Signal, Term]) -> dict[Signal, Term]:
    """The weights brought to sum 1 (all the same where none weighs anything)."""
    everything = math.fsum(term.weight for term in terms.values())
    if everything == 0.0:
        return dict(terms)
    return {name: replace(term, weight=term.weight / everything) for name, term in terms.items()}
