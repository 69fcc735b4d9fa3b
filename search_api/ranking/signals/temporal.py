"""The asked time against the record's."""

from __future__ import annotations

import numpy as np

from core.time_overlap import Overlap, age_ms, overlap
from search_api.ranking.candidates import Candidates
from search_api.ranking.columns import Floats, mean_of_measured
from search_api.ranking.config import RankingConfig
from search_api.ranking.target import Target

_DAY_MS = 86_400_000.0


def temporal_scores(candidates: Candidates, target: Target, config: RankingConfig) -> Floats:
    """scores: (n,) 0..1, NaN where a record says nothing of its time; the mean of span and recency if both are asked.

    The best of a record's spans counts.
    """
    asked, parts = target.bounded_span, []
    if asked is not None:
        shares = overlap(asked, candidates.spans.values, target.moment_ms)
        parts.append(candidates.spans.best(span_score(shares, config.inside_share)))
    if target.latest:
        parts.append(recency(candidates, target.moment_ms, config.recency_half_life_days))
    return mean_of_measured(parts)


def span_score(shares: Overlap, inside_share: float) -> Floats:
    """How well spans serve an asked one, (n,) 0..1.

    The share of the asked time that is covered; what it does not cover is made up to ``inside_share`` by how much of
    the span lies inside, so that one campaign of 2003 is an answer to "since 1990", though a lesser one. Whoever
    covers all is 1 however long it lasts, whoever covers nothing 0. An endless question ("before 1950") has no share
    to cover: there the share of the span that lies inside is the score.
    """
    if shares.asked_share is None:
        return shares.span_share
    return shares.asked_share + inside_share * (1.0 - shares.asked_share) * shares.span_share


def recency(candidates: Candidates, now_ms: int, half_life_days: float) -> Floats:
    """2^(-age / half life) since the last time a record covers, else since it was modified: (n,) 0..1."""
    covered = candidates.spans.least(age_ms(candidates.spans.values, now_ms))
    since_change = np.maximum(now_ms - candidates.modified_ms, 0.0)
    ages = np.where(np.isnan(covered), since_change, covered)
    halved: Floats = np.exp2(-ages / (half_life_days * _DAY_MS))
    return halved
