"""The judged questions of an installation against its running index, and whether the answers became worse."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from core.errors import SondeError
from evaluation.collection import JudgedQuestion, Qrels
from evaluation.metrics import HEADLINE, measure
from evaluation.trec import Run
from evaluation.variants import Variant
from search_api.search.flow import SearchPipeline

_RECENT_RESULTS = 7


@dataclass(frozen=True, slots=True)
class LiveResult:
    """One measurement. ``at``: ISO 8601."""

    at: str
    questions: int
    ndcg_at_10: float
    recall_at_100: float


def ask_live(pipeline: SearchPipeline, questions: Sequence[JudgedQuestion], variant: Variant) -> Run:
    """The served order of records, by question. Raises what a search raises."""
    return {
        question.id: tuple(pipeline.rank_all(variant.request(question.text)).ids_with_scores())
        for question in questions
    }


def live_result(run: Run, qrels: Qrels, at: str) -> LiveResult:
    """Only judged questions count. Raises SondeError if there are none."""
    qrels_of_run = {question: grades for question, grades in qrels.items() if question in run}
    if not qrels_of_run:
        raise SondeError("No question is judged: the qrels name none of the queries.")
    means = measure(run, qrels_of_run).means
    return LiveResult(at, len(qrels_of_run), round(means[HEADLINE], 4), round(means["R@100"], 4))


def earlier_results(history: Path) -> list[LiveResult]:
    """Oldest first; empty without a file. Raises SondeError for a line in another format."""
    if not history.exists():
        return []
    try:
        return [LiveResult(**json.loads(line)) for line in history.read_text("utf-8").splitlines() if line]
    except (ValueError, TypeError) as error:
        raise SondeError(f"{history} is not a history of `sonde evaluate --live`: {error}") from None


def keep(history: Path, result: LiveResult) -> None:
    with history.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def fall(result: LiveResult, before: Sequence[LiveResult]) -> float:
    """How far nDCG@10 is below the median of the last seven; 0 without earlier ones."""
    if not before:
        return 0.0
    usual = median(result_before.ndcg_at_10 for result_before in before[-_RECENT_RESULTS:])
    return max(0.0, round(usual - result.ndcg_at_10, 4))
