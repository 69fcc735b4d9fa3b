"""The judged collections together: the figures of each, and their weighted mean, for the search and for each stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from core.json_types import Json
from evaluation.collection import JudgedCollection
from evaluation.evaluate import Evaluation, is_reached
from evaluation.metrics import HEADLINE

WEIGHTS: Mapping[str, float] = {
    "samples": 1.0,
    "samples_languages": 1.0,
    "keyword_questions": 1.0,
    "ncar": 0.5,
    "ncar_hand": 1.0,
    "cranfield": 1.0,
    "pira": 1.0,
    "pira_pt": 1.0,
    "climate_fever": 1.0,
    "pubmedqa": 1.0,
    "typed": 1.0,
}
"""Collection -> its weight in the mean, in the order of the table.

``ncar`` counts half: a rule over boxes and periods made its judgements, and the ranking weighs the same boxes and
periods, so the rule favours it. ``ncar_hand`` has the grades of a person, for fifty of these questions.
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """``success_at_1``: the share of questions with a right answer first."""

    ndcg_at_10: float
    success_at_1: float


@dataclass(frozen=True, slots=True)
class CollectionResult:
    """One collection measured; ``stages``: variant with one stage off, or a baseline -> its figures."""

    name: str
    weight: float
    documents: int
    questions: int
    figures: Figures
    degraded: Mapping[str, int]
    stages: Mapping[str, Figures]

    def as_dict(self) -> Json:
        return {
            "name": self.name,
            "weight": self.weight,
            "documents": self.documents,
            "questions": self.questions,
            **asdict(self.figures),
            "degraded": dict(self.degraded),
            "stages": [{"name": name, **asdict(figures)} for name, figures in self.stages.items()],
        }


@dataclass(frozen=True, slots=True)
class MissingCollection:
    """``why``: a sentence that says how to get it."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class StageMeans:
    """``gain``: how much nDCG@10 of the whole search is above this one's, in the mean; ``better`` and ``worse``:
    collections on which the whole search is better and worse."""

    name: str
    figures: Figures
    gain: float
    better: int
    worse: int


@dataclass(frozen=True, slots=True)
class AllResults:
    results: tuple[CollectionResult, ...] = ()
    missing: tuple[MissingCollection, ...] = ()

    def with_result(self, result: CollectionResult) -> AllResults:
        return replace(self, results=(*self.results, result))

    def with_missing(self, name: str, why: str) -> AllResults:
        return replace(self, missing=(*self.missing, MissingCollection(name, why)))

    def mean(self) -> Figures | None:
        """None if nothing was measured."""
        return mean_of([(result.weight, result.figures) for result in self.results]) if self.results else None

    def stages(self) -> list[StageMeans]:
        """Each stage over the collections that were measured without it."""
        names = dict.fromkeys(name for result in self.results for name in result.stages)
        return [_stage(name, [result for result in self.results if name in result.stages]) for name in names]

    def as_dict(self) -> Json:
        mean = self.mean()
        return {
            "mean": asdict(mean) if mean is not None else None,
            "collections": [entry.as_dict() for entry in self.results],
            "missing": [asdict(entry) for entry in self.missing],
            "stages": [
                {
                    "name": entry.name,
                    **asdict(entry.figures),
                    "gain": entry.gain,
                    "better": entry.better,
                    "worse": entry.worse,
                }
                for entry in self.stages()
            ],
        }


def _stage(name: str, results: Sequence[CollectionResult]) -> StageMeans:
    mean_without = mean_of([(result.weight, result.stages[name]) for result in results])
    complete = mean_of([(result.weight, result.figures) for result in results])
    gains = [result.figures.ndcg_at_10 - result.stages[name].ndcg_at_10 for result in results]
    return StageMeans(
        name=name,
        figures=mean_without,
        gain=complete.ndcg_at_10 - mean_without.ndcg_at_10,
        better=sum(gain > 0 for gain in gains),
        worse=sum(gain < 0 for gain in gains),
    )


def mean_of(figures_by_weight: Sequence[tuple[float, Figures]]) -> Figures:
    """Each figure's mean by weight."""
    total_weight = sum(weight for weight, _ in figures_by_weight)
    return Figures(
        sum(weight * figures.ndcg_at_10 for weight, figures in figures_by_weight) / total_weight,
        sum(weight * figures.success_at_1 for weight, figures in figures_by_weight) / total_weight,
    )


def figures_of(evaluation: Evaluation, collection: JudgedCollection) -> Figures:
    """Those of the table."""
    first = [is_reached(question, evaluation.run, collection, 1) for question in collection.questions]
    return Figures(evaluation.measures.means[HEADLINE], sum(first) / len(first))
