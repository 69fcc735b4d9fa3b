"""What stewards decided about a question, on its ranking: sources that count more or less, and records put first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.hit import SignalName
from search_api.search.ranking.combiners.combiner import Term, total
from search_api.search.ranking.rank import Pinned, Ranking

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
    there = [pin for pin in pins if pin.record in place]
    if not there:
        return ranking
    first = np.array([place[pin.record] for pin in there], dtype=ranking.order.dtype)
    rest = ranking.order[~np.isin(ranking.order, first)]
    score = ranking.score.copy()
    score[first] = float(ranking.score.max()) + np.arange(len(there), 0, -1)
    return replace(ranking, score=score, order=np.concatenate([first, rest]), pins=tuple(there))
