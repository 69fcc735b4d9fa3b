"""Measures one variant on one collection, by kind of question and beyond relevance too, and compares others with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from core.geo import BBox, box_array, hausdorff_deg_many
from core.json_types import Json
from core.record import ProvenanceKind, Record
from evaluation.collection import JudgedCollection, JudgedQuestion
from evaluation.metrics import HEADLINE, RunComparison, RunMeasures, measure, paired_randomisation
from evaluation.trec import Run
from evaluation.variants import Progress, QuestionResult, Variant, ask_all, run_of
from search_api.search.flow import SearchPipeline

K = 10
_FIRST = 10


@dataclass(frozen=True, slots=True)
class Evaluation:
    """``took_ms``: stage -> (median, 95th percentile). ``degraded``: signal -> questions ranked without it."""

    variant: Variant
    run: Run
    measures: RunMeasures
    beyond: BeyondTopic
    took_ms: Mapping[str, tuple[float, float]]
    degraded: Mapping[str, int]

    def as_dict(self) -> Json:
        return {
            "variant": self.variant.as_dict(),
            "metrics": dict(self.measures.means),
            "beyond_topic": asdict(self.beyond),
            "took_ms": {stage: {"p50": p50, "p95": p95} for stage, (p50, p95) in self.took_ms.items()},
            "degraded": dict(self.degraded),
        }


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """Another run besides the evaluated one; ``comparison`` is of (evaluated - other) in ``measure``."""

    name: str
    measures: RunMeasures
    comparison: RunComparison
    beyond: BeyondTopic | None = None
    measure: str = HEADLINE

    def as_dict(self) -> Json:
        return {
            "name": self.name,
            "metrics": dict(self.measures.means),
            "measure": self.measure,
            **asdict(self.comparison),
            "beyond_topic": asdict(self.beyond) if self.beyond is not None else None,
        }


def evaluate(
    pipeline: SearchPipeline,
    collection: JudgedCollection,
    variant: Variant,
    *,
    threads: int = 4,
    progress: Progress | None = None,
) -> Evaluation:
    """Raises what a search raises."""
    answers = ask_all(pipeline, collection, variant, threads=threads, progress=progress)
    run = run_of(answers)
    records = {collection.documents[record.id]: record for record in collection.records}
    return Evaluation(
        variant=variant,
        run=run,
        measures=measure(run, collection.qrels),
        beyond=beyond_topic(answers, records),
        took_ms=_stages(answers),
        degraded=Counter(name for answer in answers for name in answer.degraded),
    )


def against(evaluation: Evaluation, other: Evaluation) -> ComparedRun:
    """Another variant on the same questions."""
    return ComparedRun(
        other.variant.name, other.measures, _compare(evaluation.measures, other.measures), other.beyond, HEADLINE
    )


def against_run(evaluation: Evaluation, name: str, run: Run, collection: JudgedCollection) -> ComparedRun:
    """An external run; unanswered questions count 0."""
    run_measures = measure(run, collection.qrels)
    return ComparedRun(name, run_measures, _compare(evaluation.measures, run_measures))


def worst_losses(measures: RunMeasures, other: RunMeasures | None, count: int) -> list[tuple[str, float, float]]:
    """(question, its value, the other's value), largest loss first; compared with the maximum if there is no other."""
    values = measures.column(HEADLINE)
    other_values = other.column(HEADLINE) if other is not None else dict.fromkeys(values, 1.0)
    order = sorted(values, key=lambda question: (values[question] - other_values[question], question))
    return [(question, values[question], other_values[question]) for question in order[:count]]


def _compare(a: RunMeasures, b: RunMeasures) -> RunComparison:
    return paired_randomisation(a.column(HEADLINE), b.column(HEADLINE))


def _stages(answers: Sequence[QuestionResult]) -> dict[str, tuple[float, float]]:
    stages = sorted({stage for answer in answers for stage in answer.took_ms})
    columns = {stage: [answer.took_ms[stage] for answer in answers if stage in answer.took_ms] for stage in stages}
    columns["total"] = [sum(answer.took_ms.values()) for answer in answers]
    return {stage: (float(np.percentile(took, 50)), float(np.percentile(took, 95))) for stage, took in columns.items()}


@dataclass(frozen=True, slots=True)
class KindResult:
    """``success_at_10``: share with a right answer (or a goal, where a question has goals) among the first ten.

    ``first``: share with one at the top. ``empty``: questions without any answer.
    """

    kind: str
    questions: int
    success_at_10: float
    first: float
    ndcg_at_10: float
    empty: int


def by_kind(run: Run, collection: JudgedCollection, measures: RunMeasures) -> list[KindResult]:
    """Each kind in the order of the questions, then ``all``; empty where no question has a kind."""
    kinds = list(dict.fromkeys(question.kind for question in collection.questions if question.kind))
    rows = [(kind, [question for question in collection.questions if question.kind == kind]) for kind in kinds]
    rows += [("all", list(collection.questions))] if kinds else []
    return [_row(kind, questions, run, collection, measures) for kind, questions in rows]


def _row(
    kind: str, questions: Sequence[JudgedQuestion], run: Run, collection: JudgedCollection, measures: RunMeasures
) -> KindResult:
    count = len(questions)
    return KindResult(
        kind=kind,
        questions=count,
        success_at_10=sum(is_reached(question, run, collection, K) for question in questions) / count,
        first=sum(is_reached(question, run, collection, 1) for question in questions) / count,
        ndcg_at_10=sum(measures.by_question[question.id][HEADLINE] for question in questions) / count,
        empty=sum(not run.get(question.id) for question in questions),
    )


def is_reached(question: JudgedQuestion, run: Run, collection: JudgedCollection, k: int) -> bool:
    """Whether one of its goals, or where it has none any right document, is among the first ``k``."""
    right = question.goals or {name for name, grade in collection.qrels[question.id].items() if grade > 0}
    return any(document in right for document, _ in run.get(question.id, ())[:k])


@dataclass(frozen=True, slots=True)
class BeyondTopic:
    """Means over the questions concerned, None if there are none.

    ``hausdorff_deg``: see :func:`mean_hausdorff_deg`. ``unplaced``: share of the first ten without an extent, and so
    without a distance. ``derived``, ``not_observed``: for questions for observations, the shares of the first ten that
    are derived products, and that are known not to be observations.
    """

    questions_with_place: int
    hausdorff_deg: float | None
    unplaced: float | None
    questions_for_observations: int
    derived: float | None
    not_observed: float | None


def beyond_topic(answers: Sequence[QuestionResult], records: Mapping[str, Record]) -> BeyondTopic:
    """``records`` by document id. The place is the one annotated by a person, else the one read."""
    with_place = [(answer.question.areas or answer.areas, _first(answer, records)) for answer in answers]
    with_place = [(areas, first) for areas, first in with_place if areas and first]
    distances = [mean for areas, first in with_place if (mean := mean_hausdorff_deg(areas, first)) is not None]
    observing = [first for answer in answers if answer.kind == "observation" and (first := _first(answer, records))]
    return BeyondTopic(
        questions_with_place=len(with_place),
        hausdorff_deg=_mean(distances),
        unplaced=_mean([_share([not record.extents for record in first]) for _, first in with_place]),
        questions_for_observations=len(observing),
        derived=_mean([_share([record.provenance.kind == "derived" for record in first]) for first in observing]),
        not_observed=_mean([_share([_is_other(record.provenance.kind) for record in first]) for first in observing]),
    )


def mean_hausdorff_deg(areas: Sequence[BBox], first: Sequence[Record]) -> float | None:
    """Mean plain-degree distance of the records with an extent: nearest box, mean over the asked areas."""
    boxes_of_records = [box_array(record.extents) for record in first if record.extents]
    distances_deg = [
        float(np.mean([hausdorff_deg_many(area, boxes).min() for area in areas])) for boxes in boxes_of_records
    ]
    return _mean(distances_deg)


def _first(answer: QuestionResult, records: Mapping[str, Record]) -> list[Record]:
    return [records[document] for document, _ in answer.hits[:_FIRST]]


def _is_other(kind: ProvenanceKind) -> bool:
    return kind not in ("observation", "unknown")


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
