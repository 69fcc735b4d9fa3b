"""Measures one variant on one collection, and compares others with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from core.json_types import Json
from evaluation.asking import Asked, Progress, ask_all, run_of
from evaluation.beyond_topic import BeyondTopic, beyond_topic
from evaluation.collection import Collection
from evaluation.metrics import HEADLINE, Measured, measure
from evaluation.significance import Comparison, paired_randomisation
from evaluation.trec import Run
from evaluation.variants import Variant
from search_api.search.pipeline import SearchPipeline


@dataclass(frozen=True, slots=True)
class Evaluation:
    """``took_ms``: stage -> (median, 95th percentile). ``degraded``: signal -> questions ranked without it."""

    variant: Variant
    run: Run
    measured: Measured
    beyond: BeyondTopic
    took_ms: Mapping[str, tuple[float, float]]
    degraded: Mapping[str, int]

    def as_dict(self) -> Json:
        return {
            "variant": self.variant.as_dict(),
            "metrics": dict(self.measured.means),
            "beyond_topic": asdict(self.beyond),
            "took_ms": {stage: {"p50": p50, "p95": p95} for stage, (p50, p95) in self.took_ms.items()},
            "degraded": dict(self.degraded),
        }


@dataclass(frozen=True, slots=True)
class Against:
    """Another run besides the evaluated one; ``comparison`` is of (evaluated - other) in ``measure``."""

    name: str
    measured: Measured
    comparison: Comparison
    beyond: BeyondTopic | None = None
    measure: str = HEADLINE

    def as_dict(self) -> Json:
        return {
            "name": self.name,
            "metrics": dict(self.measured.means),
            "measure": self.measure,
            **asdict(self.comparison),
            "beyond_topic": asdict(self.beyond) if self.beyond is not None else None,
        }


def evaluate(
    pipeline: SearchPipeline,
    collection: Collection,
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
        measured=measure(run, collection.qrels),
        beyond=beyond_topic(answers, records),
        took_ms=_stages(answers),
        degraded=Counter(name for one in answers for name in one.degraded),
    )


def against(evaluated: Evaluation, other: Evaluation) -> Against:
    """Another variant on the same questions."""
    return Against(
        other.variant.name, other.measured, _compared(evaluated.measured, other.measured), other.beyond, HEADLINE
    )


def against_run(evaluated: Evaluation, name: str, run: Run, collection: Collection) -> Against:
    """An external run; unanswered questions count 0."""
    measured = measure(run, collection.qrels)
    return Against(name, measured, _compared(evaluated.measured, measured))


def worst_losses(evaluated: Measured, other: Measured | None, count: int) -> list[tuple[str, float, float]]:
    """(question, its value, the other's value), largest loss first; compared with the maximum if there is no other."""
    own = evaluated.column(HEADLINE)
    theirs = other.column(HEADLINE) if other is not None else dict.fromkeys(own, 1.0)
    order = sorted(own, key=lambda question: (own[question] - theirs[question], question))
    return [(question, own[question], theirs[question]) for question in order[:count]]


def _compared(a: Measured, b: Measured) -> Comparison:
    return paired_randomisation(a.column(HEADLINE), b.column(HEADLINE))


def _stages(answers: Sequence[Asked]) -> dict[str, tuple[float, float]]:
    stages = sorted({stage for one in answers for stage in one.took_ms})
    columns = {stage: [one.took_ms[stage] for one in answers if stage in one.took_ms] for stage in stages}
    columns["total"] = [sum(one.took_ms.values()) for one in answers]
    return {stage: (float(np.percentile(took, 50)), float(np.percentile(took, 95))) for stage, took in columns.items()}
