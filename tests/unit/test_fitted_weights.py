"""Weights that are fitted offline: the pipeline's own order, the grid, and a collection left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import SondeError
from evaluation.fitted_weights import GRID, OfflineRanking, RankedCollections, Weights, fit
from evaluation.ranking_features import SIGNALS, CollectionFeatures, QuestionFeatures, read_features, write_features
from search_api.search.ranking.candidates import Target
from search_api.search.ranking.config import default_config
from search_api.search.ranking.rank import interact, rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.arms import LateInteraction

RANKER = default_config().records
SHIPPED = Weights.of(RANKER)


def _question(
    words: list[float], meaning: list[float], interaction: list[float], right: int, topic_words: int = 2
) -> QuestionFeatures:
    count = len(words)
    counted, scale = np.zeros((len(SIGNALS), count)), np.zeros(len(SIGNALS))
    for name, values in (("bm25", words), ("dense", meaning)):
        counted[SIGNALS.index(name)], scale[SIGNALS.index(name)] = values, 1.0
    grades = np.zeros(count)
    grades[right] = 1.0
    return QuestionFeatures(
        counted=counted,
        scale=scale,
        outside=np.zeros(count, dtype=np.bool_),
        demotes_outside=False,
        interaction=np.array(interaction),
        topic_words=topic_words,
        families=np.full((2, count), -1),
        grades=grades,
        ideal=1.0,
    )


def _ranking(*questions: QuestionFeatures) -> OfflineRanking:
    return OfflineRanking(CollectionFeatures.of(questions), RANKER)


_BY_WORDS = ([1.0, 0.0], [0.6, 1.0], [0.5, 0.5], 0)
_BY_CONTEXT = ([1.0, 0.9], [1.0, 1.0], [0.4, 0.6], 1)


def test_the_order_is_the_rankings_own() -> None:
    scores = np.random.default_rng(4).random((2, 40))
    interaction = np.random.default_rng(5).random(40)
    rows = [
        Candidate(f"{place:03}", {"bm25": float(scores[0, place]) * 9.0, "dense": float(scores[1, place])})
        for place in range(40)
    ]
    fused = rank(candidates_of(rows), Target(), RANKER)
    for topic_words in (2, RANKER[LateInteraction].long_words):
        ranked = interact(fused, interaction[fused.order], topic_words)
        best = int(ranked.order[0])
        question = _question(
            fused.terms["bm25"].counted.tolist(),
            fused.terms["dense"].counted.tolist(),
            interaction.tolist(),
            best,
            topic_words,
        )
        assert _ranking(question).ndcg(SHIPPED).tolist() == [1.0]
        second = replace(question, grades=np.roll(question.grades, int(ranked.order[1]) - best))
        assert _ranking(second).ndcg(SHIPPED).tolist() == pytest.approx([1.0 / np.log2(3)])


def test_a_long_topic_has_the_share_of_long_ones() -> None:
    weights = replace(SHIPPED, late=0.0, late_long=0.4, long_words=5)
    short, long = _question(*_BY_CONTEXT, topic_words=4), _question(*_BY_CONTEXT, topic_words=5)
    assert _ranking(short, long).ndcg(weights).tolist() == pytest.approx([1.0 / np.log2(3), 1.0])
    late = replace(RANKER[LateInteraction], weight=0.1, long_weight=0.3, long_words=5)
    assert (late.share(4), late.share(5)) == (0.1, 0.3)


def test_a_weight_moves_only_where_the_mean_gains() -> None:
    weights = fit(lambda weights: weights.words - (1.0 if weights.names != SHIPPED.names else 0.0), SHIPPED)
    assert (weights.words, weights.names) == (max(GRID["words"]), SHIPPED.names)
    assert fit(lambda _: 0.5, SHIPPED) == SHIPPED


def test_a_collection_is_judged_by_weights_of_the_others() -> None:
    by_words, by_context = _ranking(_question(*_BY_WORDS)), _ranking(_question(*_BY_CONTEXT))
    start = replace(SHIPPED, late=0.0)
    table = RankedCollections({"words": by_words, "context": by_context}).leave_one_out(start, ("late", "words"))
    first, second = table.rows
    assert first.weights.late > 0.0
    assert first.weights.words == start.words
    assert second.weights.late == 0.0
    assert second.weights.words > start.words
    assert second.fitted == second.shipped < 1.0
    shipped, fitted = table.means()
    assert table.as_dict()["mean"] == {"shipped": shipped, "fitted": fitted, "difference": fitted - shipped}


def test_features_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "features.npz"
    features = CollectionFeatures.of([_question(*_BY_WORDS), _question([1.0], [1.0], [float("nan")], 0)])
    write_features(path, {"samples": features})
    (name, read), *others = read_features(path).items()
    assert (name, others) == ("samples", [])
    assert read.counts.tolist() == [2, 1]
    assert (
        OfflineRanking(read, RANKER).ndcg(SHIPPED).tolist() == OfflineRanking(features, RANKER).ndcg(SHIPPED).tolist()
    )


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "features.npz"
    path.write_text("no features")
    with pytest.raises(SondeError, match="does not hold the features"):
        read_features(path)
