"""Variants of the pipeline: complete, or with one stage switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace

from core.geo import BBox
from core.json_types import Json
from core.record import ProvenanceKind
from evaluation.collection import JudgedCollection, JudgedQuestion
from evaluation.trec import Run
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.candidates import SpatialMode
from search_api.search.request import ALL_PARTS, Algorithm, Filters, Part, SearchRequest
from search_api.search.state import SearchState

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Variant:
    """The search settings that evaluation varies; ``inside`` filters by the first place in the question."""

    name: str = "full"
    algorithm: Algorithm = "hybrid"
    rerank: bool = True
    spatial: SpatialMode = "blend"
    temporal: bool = True
    interpret: frozenset[Part] = ALL_PARTS
    inside: bool = False
    diversity: bool = True

    def request(self, text: str) -> SearchRequest:
        return SearchRequest(
            q=text,
            algorithm=self.algorithm,
            rerank=self.rerank,
            spatial=self.spatial,
            temporal=self.temporal,
            interpret=self.interpret,
            diversity=self.diversity,
            group="none",  # folded records are judged too, so nothing is folded
        )

    def inside_request(self, text: str, area: BBox) -> SearchRequest:
        """The same, limited to the records that intersect ``area``."""
        return replace(self.request(text), filters=Filters(area=area))

    def as_dict(self) -> Json:
        return {**asdict(self), "interpret": sorted(self.interpret)}


def ablations(full: Variant) -> tuple[Variant, ...]:
    """``full`` with each stage switched off in turn, and baselines for questions of place and time."""
    text_alone = replace(full, spatial="off", temporal=False)
    variants = (
        replace(full, name="bm25 alone", algorithm="bm25", rerank=False),
        replace(full, name="dense alone", algorithm="dense", rerank=False),
        replace(full, name="no late interaction", rerank=False),
        replace(full, name="no place", spatial="off"),
        replace(full, name="no time", temporal=False),
        replace(full, name="no scale, no kind", interpret=full.interpret - {"scale", "kind"}),
        replace(full, name="no understanding", interpret=frozenset()),
        replace(full, name="no diversity", diversity=False),
        replace(full, name="hausdorff", spatial="hausdorff"),
        replace(text_alone, name="text alone"),
        replace(text_alone, name="text, filtered by the box read", inside=True),
    )
    return tuple(variant for variant in variants if replace(variant, name=full.name) != full)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question's answer: (document id, score) best first, the whole window.

    ``areas``: the places read from it; ``kind``: the kind of product.
    """

    question: JudgedQuestion
    hits: tuple[tuple[str, float], ...]
    areas: tuple[BBox, ...]
    kind: ProvenanceKind | None
    degraded: tuple[str, ...]
    took_ms: Mapping[str, float]


def ask_all(
    pipeline: SearchPipeline,
    collection: JudgedCollection,
    variant: Variant,
    *,
    threads: int = 4,
    progress: Progress | None = None,
) -> list[QuestionResult]:
    """Answers in the order of the questions. The first failure is raised; waiting questions are dropped."""
    # The first question runs alone, so that what it loads is ready for all threads.
    answers = [ask(pipeline, collection, question, variant) for question in collection.questions[:1]]
    if progress is not None:
        progress(len(answers), len(collection.questions))
    executor = ThreadPoolExecutor(threads, thread_name_prefix="ask")
    try:
        futures: list[Future[QuestionResult]] = [
            executor.submit(ask, pipeline, collection, question, variant) for question in collection.questions[1:]
        ]
        for count, future in enumerate(futures, len(answers) + 1):
            answers.append(future.result())
            if progress is not None:
                progress(count, len(collection.questions))
        return answers
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def ask(
    pipeline: SearchPipeline, collection: JudgedCollection, question: JudgedQuestion, variant: Variant
) -> QuestionResult:
    """Asks one question with one variant."""
    answer = pipeline.rank_all(variant.request(question.text))
    if variant.inside and answer.interpretation.areas:
        answer = pipeline.rank_all(variant.inside_request(question.text, answer.interpretation.areas[0]))
    return result_of(question, answer, collection.documents)


def result_of(question: JudgedQuestion, answer: SearchState, documents: Mapping[str, str]) -> QuestionResult:
    """The answer with the collection's ids, in the served order."""
    interpretation = answer.interpretation
    return QuestionResult(
        question=question,
        hits=tuple((documents[id], score) for id, score in answer.ids_with_scores()),
        areas=interpretation.areas,
        kind=interpretation.kinds[0].kind if interpretation.kinds else None,
        degraded=answer.degraded,
        took_ms=dict(answer.took_ms),
    )


def run_of(answers: list[QuestionResult]) -> Run:
    return {answer.question.id: answer.hits for answer in answers}
