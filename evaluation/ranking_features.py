"""What the ranking knows of each question's candidates, without its weights: from it, any weights give their nDCG@10.

The values are those that the pipeline measured, so that the shipped weights give the figures of the pipeline itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import SondeError
from core.hit import SignalName
from evaluation.collection import JudgedCollection, JudgedQuestion
from evaluation.variants import Variant
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.candidates import Flags, Floats, Integers
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.diversity import Family
from search_api.search.ranking.rank import Ranking
from search_api.search.ranking.signals.arms import LateInteraction
from search_api.search.ranking.signals.signal import RankingInput
from search_api.search.ranking.signals.spatial import BOXES, Spatial, wholly_outside
from search_api.search.state import SearchState

K = 10
SIGNALS: tuple[SignalName, ...] = (
    "bm25",
    "companion",
    "dense",
    "kind",
    "names",
    "passage_bm25",
    "passage_dense",
    "resolution",
    "spatial",
    "temporal",
    "usage",
)
"""In the order in which the ranking adds them."""
_FAMILIES = ("series", "parent")
_NO_FAMILY = -1


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """The n candidates of one question, by id, and so in the order of ties.

    ``counted``: (signals, n) 0..1. ``scale``: (signals,) by which the question multiplies a signal's weight; 0: not
    asked for. ``demotes_outside``: whether candidates outside the asked place stand back, and ``outside`` which ones.
    ``interaction``: (n,) late interaction, NaN without token vectors. ``topic_words``: how many the topic has.
    ``families``: (2, n) series and parent as numbers. ``ideal``: the DCG@10 of the best order.
    """

    counted: Floats
    scale: Floats
    outside: Flags
    demotes_outside: bool
    interaction: Floats
    topic_words: int
    families: Integers
    grades: Floats
    ideal: float


@dataclass(frozen=True, slots=True)
class CollectionFeatures:
    """The questions of one collection, padded to the most candidates: q questions, n candidates.

    ``counts``: (q,) how many candidates are real. The others as in ``QuestionFeatures``, the signals first.
    """

    counts: Integers
    counted: Floats
    scale: Floats
    outside: Flags
    demotes_outside: Flags
    interaction: Floats
    topic_words: Integers
    families: Integers
    grades: Floats
    ideal: Floats

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def of(cls, questions: Sequence[QuestionFeatures]) -> CollectionFeatures:
        longest = max(len(question.grades) for question in questions)
        return cls(
            counts=np.array([len(question.grades) for question in questions]),
            counted=np.stack([_padded(question.counted, longest, 0.0) for question in questions], axis=1),
            scale=np.stack([question.scale for question in questions], axis=1),
            outside=np.stack([_padded(question.outside, longest, False) for question in questions]),
            demotes_outside=np.array([question.demotes_outside for question in questions]),
            interaction=np.stack([_padded(question.interaction, longest, math.nan) for question in questions]),
            topic_words=np.array([question.topic_words for question in questions]),
            families=np.stack([_padded(question.families, longest, _NO_FAMILY) for question in questions], axis=1),
            grades=np.stack([_padded(question.grades, longest, 0.0) for question in questions]),
            ideal=np.array([question.ideal for question in questions]),
        )

    def families_of(self, question: int, candidates: Integers) -> list[list[Family]]:
        """Of these candidates, as the ranking spreads them."""
        rows = self.families[:, question, candidates].T.tolist()
        return [
            [(kind, number) for kind, number in zip(_FAMILIES, row, strict=True) if number != _NO_FAMILY]
            for row in rows
        ]


def _padded(values: NDArray[np.generic], longest: int, fill: float) -> NDArray[np.generic]:
    gap = [(0, 0)] * (values.ndim - 1) + [(0, longest - values.shape[-1])]
    return np.pad(values, gap, constant_values=fill)


def reading_all(config: RankingConfig) -> RankingConfig:
    """The same, with late interaction measured for every candidate: other weights have other candidates among the
    best.
    """
    late = config.records.find(LateInteraction)
    if late is None:
        return config
    deep = replace(late, depth=config.records.max_results)
    return replace(config, records=config.records.with_signals(deep))


def collect_features(pipeline: SearchPipeline, collection: JudgedCollection, *, threads: int = 4) -> CollectionFeatures:
    """Asks each question once. ``pipeline`` must rank with a configuration of ``reading_all``."""

    def ask(question: JudgedQuestion) -> QuestionFeatures:
        state = pipeline.rank_all(Variant().request(question.text))
        return _question_features(state, collection.qrels[question.id], collection.documents)

    with ThreadPoolExecutor(threads, thread_name_prefix="ask") as executor:
        return CollectionFeatures.of(list(executor.map(ask, collection.questions)))


def _question_features(state: SearchState, grades: Mapping[str, int], documents: Mapping[str, str]) -> QuestionFeatures:
    ranking = state.ranking
    candidates = ranking.candidates
    by_id = np.argsort(candidates.tie)
    counted, scale = np.zeros((len(SIGNALS), len(candidates))), np.zeros(len(SIGNALS))
    for row, name in enumerate(SIGNALS):
        counted[row], scale[row] = _signal(ranking, name)
    late = ranking.terms.get(LateInteraction.name)
    interaction = late.raw if late is not None else np.full(len(candidates), np.nan)
    grade_of = [float(max(grades.get(documents[id], 0), 0)) for id in candidates.ids]
    families = _family_numbers([state.candidates.fields[id].families for id in candidates.ids])
    outside, demotes_outside = _candidates_outside(ranking)
    return QuestionFeatures(
        counted=counted[:, by_id],
        scale=scale,
        outside=outside[by_id],
        demotes_outside=demotes_outside,
        interaction=interaction[by_id],
        topic_words=state.interpretation.topic_words,
        families=families[:, by_id],
        grades=np.array(grade_of, dtype=np.float64)[by_id],
        ideal=dcg(np.array(sorted((float(max(grade, 0)) for grade in grades.values()), reverse=True)[:K])),
    )


def dcg(grades: Floats) -> float:
    """Of grades in order, as trec_eval counts it."""
    return float((grades / np.log2(np.arange(2, len(grades) + 2))).sum())


def _signal(ranking: Ranking, name: SignalName) -> tuple[Floats, float]:
    """Its values and its scale; for a place, the plain match: how outside ones stand back depends on the weight."""
    signal, term = ranking.ranker.signals.get(name), ranking.terms.get(name)
    if signal is None or term is None:
        return np.zeros(len(ranking.candidates)), 0.0
    if isinstance(signal, Spatial):
        return _plain_match(signal, ranking.inputs), 1.0
    measured = signal.measure(ranking.inputs)
    if measured is None or (measured.counted is None and np.isnan(measured.raw).all()):
        return np.zeros(len(ranking.candidates)), 0.0
    weight = float(getattr(signal, "weight", 0.0))
    return term.counted, measured.weight / weight if weight > 0.0 else 0.0


def _plain_match(signal: Spatial, inputs: RankingInput) -> Floats:
    level = replace(signal, place=replace(signal.place, outside=replace(signal.place.outside, tolerance=0.0)))
    measured = level.measure(inputs)
    if measured is None or measured.counted is None:
        raise ValueError("the place was ranked, but is not measured")
    return measured.counted


def _candidates_outside(ranking: Ranking) -> tuple[Flags, bool]:
    spatial, target = ranking.ranker.find(Spatial), ranking.inputs.target
    if spatial is None or target.spatial != "blend" or not spatial.sets_outside_back(target):
        return np.zeros(len(ranking.candidates), dtype=np.bool_), False
    return wholly_outside(ranking.candidates[BOXES], target, spatial.place), True


def _family_numbers(families: Sequence[Sequence[Family]]) -> Integers:
    numbers: dict[Family, int] = {}
    result = np.full((len(_FAMILIES), len(families)), _NO_FAMILY, dtype=np.int64)
    for place, row in enumerate(families):
        for family in row:
            result[_FAMILIES.index(family[0]), place] = numbers.setdefault(family, len(numbers))
    return result


def write_features(path: Path, features: Mapping[str, CollectionFeatures]) -> None:
    """All collections in one file, replaced as a whole."""
    arrays = {
        f"{name}/{entry.name}": getattr(collection, entry.name)
        for name, collection in features.items()
        for entry in fields(collection)
    }
    partial_path = path.with_name(f"{path.name}.half")
    with partial_path.open("wb") as file:
        np.savez(file, **arrays)
    partial_path.replace(path)


def read_features(path: Path) -> dict[str, CollectionFeatures]:
    """In the order in which they were written. Raises SondeError for another kind of file."""
    names = [entry.name for entry in fields(CollectionFeatures)]
    try:
        with np.load(path, allow_pickle=False) as arrays:
            collections = dict.fromkeys(key.rpartition("/")[0] for key in arrays.files)
            return {name: CollectionFeatures(**{key: arrays[f"{name}/{key}"] for key in names}) for name in collections}
    except (KeyError, ValueError, OSError) as error:
        raise SondeError(f"{path} does not hold the features of `sonde evaluate --leave-one-out`: {error}") from None
