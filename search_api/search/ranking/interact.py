"""Adds the late interaction of the best candidates to their fused scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.ports import Vectors
from core.token_bits import Bits, late_interaction
from search_api.search.ranking.columns import Floats
from search_api.search.ranking.rank import Ranking
from search_api.search.ranking.rerank import with_share
from search_api.search.ranking.signals.late_interaction import LateInteraction, counted


def interact(ranking: Ranking, scores: Floats) -> Ranking:
    """Scores the best block by (1 - weight) x fused + weight x its late interaction; the rest follows in its order.

    ``scores``: (k,) of the ranking's first k, in its order, -1..1, NaN for a text without token vectors. Unchanged if
    none has any.
    """
    signal = ranking.ranker.find(LateInteraction)
    if signal is None or len(scores) == 0 or np.isnan(scores).all():
        return ranking
    block = ranking.order[: len(scores)]
    raw, value = np.full(len(ranking.candidates), np.nan), np.zeros(len(ranking.candidates))
    raw[block] = scores
    value[block] = counted(scores)
    return with_share(ranking, signal.name, raw, value, signal.weight, len(scores))


def interactions(question: Vectors, texts: Sequence[Bits | None]) -> Floats:
    """(n,) -1..1 of each text with the question's token vectors (tokens, dims); NaN for a text without."""
    scores = np.full(len(texts), np.nan)
    there = [place for place, text in enumerate(texts) if text is not None]
    scores[there] = late_interaction(question, [text for text in texts if text is not None])
    return scores
