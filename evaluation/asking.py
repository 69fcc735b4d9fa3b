"""Runs a collection's questions through the pipeline, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from core.extent import BBox
from core.record import ProvenanceKind
from evaluation.collection import Collection, Question
from evaluation.trec import Run
from evaluation.variants import Variant
from search_api.search.pipeline import Ordered, SearchPipeline

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's answer: (document id, score) best first, the whole window.

    ``areas``: the places read from it; ``kind``: the kind of product.
    """

    question: Question
    found: tuple[tuple[str, float], ...]
    areas: tuple[BBox, ...]
    kind: ProvenanceKind | None
    degraded: tuple[str, ...]
    took_ms: Mapping[str, float]


def ask_all(
    pipeline: SearchPipeline,
    collection: Collection,
    variant: Variant,
    *,
    threads: int = 4,
    progress: Progress | None = None,
) -> list[Asked]:
    """Answers in the order of the questions. The first failure is raised; waiting questions are dropped."""
    # The first question runs alone, so that what it loads is ready for all threads.
    answers = [ask(pipeline, collection, question, variant) for question in collection.questions[:1]]
    if progress is not None:
        progress(len(answers), len(collection.questions))
    executor = ThreadPoolExecutor(threads, thread_name_prefix="ask")
    try:
        waiting: list[Future[Asked]] = [
            executor.submit(ask, pipeline, collection, question, variant) for question in collection.questions[1:]
        ]
        for count, one in enumerate(waiting, len(answers) + 1):
            answers.append(one.result())
            if progress is not None:
                progress(count, len(collection.questions))
        return answers
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def ask(pipeline: SearchPipeline, collection: Collection, question: Question, variant: Variant) -> Asked:
    """Asks one question with one variant."""
    answer = pipeline.ordered(variant.request(question.text))
    if variant.inside and answer.interpretation.areas:
        answer = pipeline.ordered(variant.inside_request(question.text, answer.interpretation.areas[0]))
    return asked(question, answer, collection.documents)


def asked(question: Question, answer: Ordered, documents: Mapping[str, str]) -> Asked:
    """The answer with the collection's ids, in the served order."""
    read = answer.interpretation
    return Asked(
        question=question,
        found=tuple((documents[id], score) for id, score in answer.served()),
        areas=read.areas,
        kind=read.kinds[0].kind if read.kinds else None,
        degraded=answer.degraded,
        took_ms=dict(answer.took_ms),
    )


def run_of(answers: list[Asked]) -> Run:
    return {one.question.id: one.found for one in answers}
