"""The candidates of judged questions with their token states: what a token head learns from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.ports import CrossEncoder
from encoders.catalogue import load_cross_encoder
from encoders.late_interaction import write_calibration
from encoders.locate import locate
from encoders.specs import CrossEncoderSpec
from evaluation.collection import JudgedCollection
from evaluation.variants import Variant
from search_api.search.state import SearchState
from sonde.settings import Settings
from sonde.wiring.evaluating import bench
from training.calibration import Calibration, ScoredExample, calibrate_lists, spread
from training.examples import Example, TrainingError
from training.provenance import utc_now
from training.tokens.head import JudgedList
from training.tokens.learn_layers import StateReader

_FUSED_ONLY = Variant(rerank=False)


@dataclass(frozen=True, slots=True)
class Depth:
    """How many candidates of a question are taken, best first; at most ``right`` of them are right ones."""

    candidates: int = 40
    right: int = 10


@dataclass(frozen=True, slots=True)
class JudgedCandidates:
    """A question as it was understood, with its candidates: ids, fused scores and grades, each (k,)."""

    text: str
    ids: list[str]
    fused: NDArray[np.float32]
    grades: NDArray[np.float32]


def judged_lists(
    settings: Settings, collection: JudgedCollection, reader: StateReader, report: Callable[[str], None]
) -> list[JudgedList]:
    """Of each question whose candidates hold a right answer: the best right and wrong ones by the fused score."""
    candidates = judged_candidates(settings, collection, Depth())
    texts = texts_of(collection, candidates)
    report(f"{collection.name}: {len(candidates)} questions with {len(texts)} candidates are read.")
    states = dict(
        zip(
            texts,
            (vectors.astype(np.float16) for vectors in reader.read(list(texts.values()), "document")),
            strict=True,
        )
    )
    questions = list(reader.read([candidate_list.text for candidate_list in candidates], "query"))
    return [
        JudgedList(question, [states[id] for id in candidate_list.ids], candidate_list.fused, candidate_list.grades)
        for question, candidate_list in zip(questions, candidates, strict=True)
    ]


def texts_of(collection: JudgedCollection, questions: Sequence[JudgedCandidates]) -> dict[str, str]:
    """What the embedder reads of each candidate, by its id."""
    wanted_ids = {id for question in questions for id in question.ids}
    return {record.id: record.embedding_text for record in collection.records if record.id in wanted_ids}


def judged_candidates(settings: Settings, collection: JudgedCollection, depth: Depth) -> list[JudgedCandidates]:
    """The questions whose candidates hold a right answer and a wrong one."""
    with bench(settings, collection) as evaluation_bench:
        candidates = [
            _candidates(
                evaluation_bench.pipeline.rank_all(_FUSED_ONLY.request(question.text)), collection, question.id, depth
            )
            for question in collection.questions
        ]
    return [candidate_list for candidate_list in candidates if candidate_list is not None]


def _candidates(
    state: SearchState, collection: JudgedCollection, question: str, depth: Depth
) -> JudgedCandidates | None:
    ranking, qrels = state.ranking, collection.qrels.get(question, {})
    ids = ranking.ids()
    grades = np.array([qrels.get(collection.documents[id], 0) for id in ids], dtype=np.float32)
    right_rows = np.flatnonzero(grades > 0)[: depth.right]
    wrong_rows = np.flatnonzero(grades <= 0)[: depth.candidates - len(right_rows)]
    text = state.interpretation.text
    if len(right_rows) == 0 or len(wrong_rows) == 0 or not text:
        return None
    selected_rows = np.concatenate([right_rows, wrong_rows])
    fused_scores = ranking.score[ranking.order[selected_rows]].astype(np.float32)
    return JudgedCandidates(text, [ids[row] for row in selected_rows], fused_scores, grades[selected_rows])


def calibrated_on(
    model: CrossEncoder,
    examples: Sequence[Example],
    count: int,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[Calibration, list[ScoredExample]]:
    """Of up to ``count`` examples, each an answer and its hard negatives.

    Raises TrainingError where no example has a negative.
    """
    examples_used = spread(examples, count)
    if not examples_used:
        raise TrainingError("No question has a text that does not answer it: there is nothing to calibrate on.")
    scored_examples = []
    for number, example in enumerate(examples_used, 1):
        scored_examples.append(ScoredExample.of(example, model))
        progress(number, len(examples_used))
    return calibrate_lists([(row.logits, row.right) for row in scored_examples]), scored_examples


def keep_calibration(settings: Settings, name: str, calibration: Calibration, note: str) -> Path:
    """Stores it where every process that loads this model looks. Raises TrainingError where the disk refuses."""
    model_location = locate(name, settings.models.folder)
    facts = {"model": name, **asdict(calibration), "made": utc_now(), "note": note}
    try:
        return write_calibration(settings.models.folder, model_location.digest, facts)
    except OSError as error:
        raise TrainingError(f"The calibration cannot be written: {error.strerror}. Nothing was changed.") from error


def reranker_named(settings: Settings, name: str) -> CrossEncoder:
    """Raises ModelMissing."""
    models = settings.models
    return load_cross_encoder(CrossEncoderSpec(name, models.folder, allow_hub=models.allow_hub))
