"""Combines the scores of models that read only the best candidates with the fused score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.hit import SignalName
from core.ports import CrossEncoderCard, Vectors
from core.token_bits import Bits, late_interaction
from search_api.search.ranking.candidates import Floats
from search_api.search.ranking.combiners.combiner import Term, total
from search_api.search.ranking.rank import Ranking
from search_api.search.ranking.signals.best_only import CrossEncoderReading, LateInteraction, counted


def calibrated(logits: Floats, card: CrossEncoderCard) -> Floats:
    """sigmoid(logit / temperature + offset): (n,) 0..1; the calibration is part of the model's card."""
    shifted = np.asarray(logits, dtype=np.float64) / card.temperature + card.offset
    sigmoid: Floats = 0.5 * (1.0 + np.tanh(shifted / 2.0))  # the sigmoid in a form that cannot overflow
    return sigmoid


def rerank(ranking: Ranking, logits: Sequence[float] | Floats, card: CrossEncoderCard) -> Ranking:
    """Scores the reranked block by (1 - lambda) x fused + lambda x calibrated; the rest follows in its order.

    lambda is the card's, else the configuration's. ``logits``: (k,) of the ranking's first k, in its order. Other hits
    get (1 - lambda) x fused; their fused score is at most the block's lowest, so scores decrease along the whole order.
    Ties by id. Raises ValueError for more logits than hits or one that is not finite.
    """
    read = np.asarray(logits, dtype=np.float64)
    if len(read) > len(ranking) or not np.isfinite(read).all():
        raise ValueError("logits: more than there are hits, or one is not a finite number")
    if len(read) == 0:
        return ranking
    block = ranking.order[: len(read)]
    raw = np.full(len(ranking.candidates), np.nan)
    raw[block] = calibrated(read, card)
    signal = ranking.ranker.find(CrossEncoderReading)
    if signal is None:
        return ranking
    share = signal.weight if card.weight is None else card.weight
    reread = with_share(ranking, signal.name, raw, np.nan_to_num(raw), share, len(read))
    return replace(reread, ordered_by="cross_encoder")


def with_share(ranking: Ranking, name: SignalName, raw: Floats, counted: Floats, share: float, best: int) -> Ranking:
    """Gives the signal ``share`` of the score, and the others the rest; only the ``best`` first change places.

    ``raw``, ``counted``: (n,) of all candidates.
    """
    block, rest = np.split(ranking.order, [best])
    terms = {each: replace(term, weight=term.weight * (1.0 - share)) for each, term in ranking.terms.items()}
    terms[name] = Term(raw, counted, share)
    score = total(terms, len(raw))
    block = block[np.lexsort((ranking.candidates.tie[block], -score[block]))]
    return replace(ranking, terms=terms, score=score, order=np.concatenate([block, rest]))


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
