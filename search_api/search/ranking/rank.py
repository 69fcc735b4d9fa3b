"""Orders candidates: by all signals, by models that read only the best, and by what stewards decided.

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
from core.ports import PLAIN_COSINES, CosineScale, CrossEncoderCard, Vectors
from core.token_bits import Bits, late_interaction
from search_api.search.ranking.candidates import Candidates, Floats, Integers, Target
from search_api.search.ranking.combiners.combiner import Term, total
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.signals.arms import CrossEncoderReading, LateInteraction, best_scores
from search_api.search.ranking.signals.signal import RankingInput, Reason
from search_api.search.ranking.signals.spatial import Spatial


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
        values = {"rule": self.rule, "words": self.words, "reason": self.reason, "until": until}
        return {name: value for name, value in values.items() if value is not None}


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
        return [ids[index] for index in self.order[first : None if count is None else first + count].tolist()]

    def hits(self, first: int = 0, count: int | None = None) -> list[Hit]:
        """Hits, best first. Make them only for the page: a thousand of them cost more than ranking them."""
        return self.hits_at(range(len(self))[first : None if count is None else first + count])

    def hits_at(self, positions: Sequence[int]) -> list[Hit]:
        """The hits at these positions."""
        ids, indexes = self.inputs.candidates.ids, self.order[list(positions)]
        scores = self.score[indexes].tolist()
        raw = {name: _as_measured(term.raw[indexes]) for name, term in self.terms.items()}
        values_of_hits = list(zip(*raw.values(), strict=True)) or [()] * len(indexes)
        return [
            Hit(ids[index], scores[place], dict(zip(raw, values, strict=True)))
            for place, (index, values) in enumerate(zip(indexes, values_of_hits, strict=True))
        ]


def _as_measured(column: Floats) -> list[float | None]:
    """The numbers of a column, None for NaN."""
    return [None if math.isnan(value) else value for value in column.tolist()]


def rank(
    candidates: Candidates,
    target: Target,
    ranker: Ranker,
    cosines: CosineScale = PLAIN_COSINES,
    words_share: float = 1.0,
) -> Ranking:
    """Best first, at most ``max_results``; ties by id. ``cosines`` and ``words_share`` as in ``RankingInput``."""
    inputs = RankingInput(candidates, target, cosines, words_share)
    measured = {name: signal.measure(inputs) for name, signal in ranker.signals.items()}
    terms = ranker.combiner.combine({name: signal for name, signal in measured.items() if signal is not None}, inputs)
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
    window, remainder = np.split(ranking.order, [min(spatial.hausdorff_window, len(ranking))])
    window = window[np.argsort(distance[window], kind="stable")]
    score = ranking.score.copy()
    score[window] = 1.0 + 1.0 / (1.0 + distance[window])
    return replace(
        ranking, score=score, order=np.concatenate([window, remainder]), ordered_by="hausdorff", distance_deg=distance
    )


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
    logit_values = np.asarray(logits, dtype=np.float64)
    if len(logit_values) > len(ranking) or not np.isfinite(logit_values).all():
        raise ValueError("logits: more than there are hits, or one is not a finite number")
    if len(logit_values) == 0:
        return ranking
    block = ranking.order[: len(logit_values)]
    raw = np.full(len(ranking.candidates), np.nan)
    raw[block] = calibrated(logit_values, card)
    signal = ranking.ranker.find(CrossEncoderReading)
    if signal is None:
        return ranking
    share = signal.weight if card.weight is None else card.weight
    reread = with_share(ranking, signal.name, raw, np.nan_to_num(raw), share, len(logit_values))
    return replace(reread, ordered_by="cross_encoder")


def with_share(ranking: Ranking, name: SignalName, raw: Floats, counted: Floats, share: float, best: int) -> Ranking:
    """Gives the signal ``share`` of the score, and the others the rest; only the ``best`` first change places.

    ``raw``, ``counted``: (n,) of all candidates.
    """
    block, remainder = np.split(ranking.order, [best])
    terms = {signal: replace(term, weight=term.weight * (1.0 - share)) for signal, term in ranking.terms.items()}
    terms[name] = Term(raw, counted, share)
    score = total(terms, len(raw))
    block = block[np.lexsort((ranking.candidates.tie[block], -score[block]))]
    return replace(ranking, terms=terms, score=score, order=np.concatenate([block, remainder]))


def interact(ranking: Ranking, scores: Floats, topic_words: int) -> Ranking:
    """Scores the best block by (1 - share) x fused + share x its late interaction; the rest follows in its order.

    ``scores``: (k,) of the ranking's first k, in its order, -1..1, NaN for a text without token vectors. Unchanged if
    none has any. ``topic_words``: how many the question's topic has.
    """
    signal = ranking.ranker.find(LateInteraction)
    if signal is None or len(scores) == 0 or np.isnan(scores).all():
        return ranking
    block = ranking.order[: len(scores)]
    raw, value = np.full(len(ranking.candidates), np.nan), np.zeros(len(ranking.candidates))
    raw[block] = scores
    value[block] = best_scores(scores)
    return with_share(ranking, signal.name, raw, value, signal.share(topic_words), len(scores))


def interactions(question: Vectors, texts: Sequence[Bits | None]) -> Floats:
    """(n,) -1..1 of each text with the question's token vectors (tokens, dims); NaN for a text without."""
    scores = np.full(len(texts), np.nan)
    present = [place for place, text in enumerate(texts) if text is not None]
    scores[present] = late_interaction(question, [text for text in texts if text is not None])
    return scores


BOOST: SignalName = "source_boost"


def with_boosts(ranking: Ranking, boosts: Mapping[str, float]) -> Ranking:
    """Adds each source's boost to the scores of its records, as one more term; no score falls below 0."""
    if not boosts:
        return ranking
    sources = [id.partition(":")[0] for id in ranking.candidates.ids]
    if not boosts.keys() & set(sources):
        return ranking
    raw = np.array([boosts.get(source, np.nan) for source in sources])
    counted = np.maximum(np.nan_to_num(raw), -ranking.score)
    terms = {**ranking.terms, BOOST: Term(raw, counted, 1.0)}
    score = total(terms, len(raw))
    order = ranking.order[np.lexsort((ranking.candidates.tie[ranking.order], -score[ranking.order]))]
    return replace(ranking, terms=terms, score=score, order=order)


def with_pins(ranking: Ranking, pins: Sequence[Pinned]) -> Ranking:
    """These records first, in this order; the others keep theirs. The last step of a ranking.

    A pinned record scores at least 1 more than every other hit. Pins whose record is not a candidate have no effect.
    """
    if not pins:
        return ranking
    ids = ranking.candidates.ids
    place = {ids[index]: index for index in ranking.order.tolist()}
    ranked_pins = [pin for pin in pins if pin.record in place]
    if not ranked_pins:
        return ranking
    first = np.array([place[pin.record] for pin in ranked_pins], dtype=ranking.order.dtype)
    remainder = ranking.order[~np.isin(ranking.order, first)]
    score = ranking.score.copy()
    score[first] = float(ranking.score.max()) + np.arange(len(ranked_pins), 0, -1)
    return replace(ranking, score=score, order=np.concatenate([first, remainder]), pins=tuple(ranked_pins))


_BASE_VALUE = Reason("what the score starts from", "base")
_SOURCE_BOOST = Reason("a steward raised or lowered the source", "source_boost")


def explain(ranking: Ranking, position: int) -> Json:
    """The hit at ``position`` (0 is the best): its score and each signal's part in it, largest first.

    The contributions (weight x counted) add up to the score, except where the `hausdorff` mode decided the order, by
    ``distance_deg``, or a steward did, by a ``pin``. Raises IndexError past the end.
    """
    index = int(ranking.order[position])
    parts = [_part(ranking, name, index) for name in ranking.terms]
    explanation: Json = {
        "id": ranking.candidates.ids[index],
        "rank": position + 1,
        "score": float(ranking.score[index]),
        "ordered_by": _ordered_by(ranking, position),
        "signals": sorted(parts, key=lambda part: (-part["contribution"], part["signal"])),
    }
    if ranking.distance_deg is not None:
        explanation["distance_deg"] = float(ranking.distance_deg[index])
    if position < len(ranking.pins):
        explanation["pin"] = ranking.pins[position].as_json()
    return explanation


def _ordered_by(ranking: Ranking, position: int) -> str:
    """What decided this position: beyond a window, the order of the previous stage applies."""
    if position < len(ranking.pins):
        return "pin"
    if ranking.ordered_by == "hausdorff" and position - len(ranking.pins) < _hausdorff_window(ranking):
        return "hausdorff"
    reader = ranking.terms.get(CrossEncoderReading.name)
    was_read = reader is not None and not np.isnan(reader.raw[ranking.order[position]])
    return "cross_encoder" if was_read else "fused"


def _hausdorff_window(ranking: Ranking) -> int:
    spatial = ranking.ranker.find(Spatial)
    return spatial.hausdorff_window if spatial is not None else 0


def _part(ranking: Ranking, name: SignalName, index: int) -> Json:
    term = ranking.terms[name]
    (raw,), counted = _as_measured(term.raw[[index]]), float(term.counted[index])
    reasons = _reasons(ranking, name, index)
    return {
        "signal": name,
        "raw": raw,
        "normalised": counted,
        "weight": term.weight,
        "contribution": term.weight * counted,
        "reason": "; ".join(reason.text for reason in reasons),
        "reasons": [{"code": reason.code, **reason.values} for reason in reasons],
    }


def _reasons(ranking: Ranking, name: SignalName, index: int) -> tuple[Reason, ...]:
    term, signal = ranking.terms[name], ranking.ranker.signals.get(name)
    if signal is None:
        return (_SOURCE_BOOST if name == BOOST else _BASE_VALUE,)
    if np.isnan(term.raw[index]):
        return (signal.silence(float(term.counted[index])),)
    return signal.reasons(ranking.inputs, term.raw, index)
