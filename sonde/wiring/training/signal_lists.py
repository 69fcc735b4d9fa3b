"""The candidates of judged questions with their signals, from the pipeline that serves: what a combiner learns from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from evaluation.collection import Collection
from evaluation.variants import Variant
from search_api.search.pipeline import Ordered, SearchPipeline
from search_api.search.ranking.combiners.tm2c2 import tm2c2
from search_api.search.ranking.rank import Ranking
from search_api.search.ranking.signals.late_interaction import LateInteraction
from search_api.search.ranking.signals.signal import Measured
from training.combiner.lists import SignalList, Values

_SERVED = Variant()
_WITHOUT_TOKENS = Variant(rerank=False)
"""The head of the token vectors learnt on these very train halves: there it seems better than it is."""


def of_collection(pipeline: SearchPipeline, collection: Collection) -> list[SignalList]:
    """Asks every question of the collection, without late interaction, which a combiner does not weigh."""
    found = []
    for question in collection.questions:
        ordered = pipeline.ordered(_WITHOUT_TOKENS.request(question.text))
        grades = collection.qrels.get(question.id, {})
        by_record = {record: grades.get(document, 0) for record, document in collection.documents.items()}
        found.append(signal_list(ordered, collection.name, question.id, by_record, grades.values()))
    return [one for one in found if one is not None]


def of_installation(pipeline: SearchPipeline, name: str, judged: Mapping[str, Mapping[str, float]]) -> list[SignalList]:
    """``judged``: the grades of records by question, as it is asked."""
    asked = {text: pipeline.ordered(_SERVED.request(text)) for text in judged}
    found = [signal_list(one, name, text, judged[text], judged[text].values()) for text, one in asked.items()]
    return [one for one in found if one is not None]


def signal_list(
    ordered: Ordered, collection: str, question: str, grades: Mapping[str, float], ideal: Iterable[float]
) -> SignalList | None:
    """None if nothing was found."""
    ranking = ordered.ranking
    if len(ranking) == 0:
        return None
    order = ranking.order
    each = {name: signal.measure(ranking.asked) for name, signal in ranking.ranker.signals.items()}
    measured = {name: one for name, one in each.items() if one is not None}
    late, share = _late(ranking)
    return SignalList(
        question=question,
        collection=collection,
        scaled={name: _scaled(one)[order] for name, one in measured.items()},
        weights={name: one.weight for name, one in measured.items()},
        arms=frozenset(name for name, one in measured.items() if one.counted is None),
        grades=np.array([grades.get(record, 0.0) for record in ranking.ids()], dtype=np.float32),
        ideal=list(ideal),
        late=late[order],
        late_share=share,
    )


def _scaled(one: Measured) -> Values:
    counted = np.nan_to_num(tm2c2(one.raw, one.least)) if one.counted is None else one.counted
    return counted.astype(np.float32)


def _late(ranking: Ranking) -> tuple[Values, float]:
    """What late interaction counts (n,), and its share; zeros where it was not measured."""
    term = ranking.terms.get(LateInteraction.name)
    if term is None:
        return np.zeros(len(ranking.candidates), dtype=np.float32), 0.0
    return term.counted.astype(np.float32), term.weight
