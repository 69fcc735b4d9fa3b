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
from training.tokens.layer_data import StateReader

_FUSED = Variant(rerank=False)


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
    settings: Settings, collection: JudgedCollection, reader: StateReader, said: Callable[[str], None]
) -> list[JudgedList]:
    """Of each question whose candidates hold a right answer: the best right and wrong ones by the fused score."""
    found = judged_candidates(settings, collection, Depth())
    texts = texts_of(collection, found)
    said(f"{collection.name}: {len(found)} questions with {len(texts)} candidates are read.")
    states = dict(
        zip(texts, (each.astype(np.float16) for each in reader.read(list(texts.values()), "document")), strict=True)
    )
    questions = list(reader.read([one.text for one in found], "query"))
    return [
        JudgedList(question, [states[id] for id in one.ids], one.fused, one.grades)
        for question, one in zip(questions, found, strict=True)
    ]


def texts_of(collection: JudgedCollection, questions: Sequence[JudgedCandidates]) -> dict[str, str]:
    """What the embedder reads of each candidate, by its id."""
    wanted = {id for question in questions for id in question.ids}
    return {record.id: record.embedding_text for record in collection.records if record.id in wanted}


def judged_candidates(settings: Settings, collection: JudgedCollection, depth: Depth) -> list[JudgedCandidates]:
    """The questions whose candidates hold a right answer and a wrong one."""
    with bench(settings, collection) as ready:
        found = [
            _candidates(ready.pipeline.ordered(_FUSED.request(question.text)), collection, question.id, depth)
            for question in collection.questions
        ]
    return [one for one in found if one is not None]


def _candidates(
    ordered: SearchState, collection: JudgedCollection, question: str, depth: Depth
) -> JudgedCandidates | None:
    ranking, qrels = ordered.ranking, collection.qrels.get(question, {})
    ids = ranking.ids()
    grades = np.array([qrels.get(collection.documents[id], 0) for id in ids], dtype=np.float32)
    right = np.flatnonzero(grades > 0)[: depth.right]
    wrong = np.flatnonzero(grades <= 0)[: depth.candidates - len(right)]
    text = ordered.interpretation.text
    if len(right) == 0 or len(wrong) == 0 or not text:
        return None
    taken = np.concatenate([right, wrong])
    fused = ranking.score[ranking.order[taken]].astype(np.float32)
    return JudgedCandidates(text, [ids[at] for at in taken], fused, grades[taken])


def calibrated_on(
    model: CrossEncoder,
    examples: Sequence[Example],
    count: int,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[Calibration, list[ScoredExample]]:
    """Of up to ``count`` examples, each an answer and its hard negatives.

    Raises TrainingError where no example has a negative.
    """
    chosen = spread(examples, count)
    if not chosen:
        raise TrainingError("No question has a text that does not answer it: there is nothing to calibrate on.")
    scored = []
    for at, example in enumerate(chosen, 1):
        scored.append(ScoredExample.of(example, model))
        progress(at, len(chosen))
    return calibrate_lists([(row.logits, row.right) for row in scored]), scored


def keep_calibration(settings: Settings, name: str, calibration: Calibration, note: str) -> Path:
    """Stores it where every process that loads this model looks. Raises TrainingError where the disk refuses."""
    located = locate(name, settings.models.folder)
    facts = {"model": name, **asdict(calibration), "made": utc_now(), "note": note}
    try:
        return write_calibration(settings.models.folder, located.digest, facts)
    except OSError as error:
        raise TrainingError(f"The calibration cannot be written: {error.strerror}. Nothing was changed.") from error


def reranker_named(settings: Settings, name: str) -> CrossEncoder:
    """Raises ModelMissing."""
    models = settings.models
    return load_cross_encoder(CrossEncoderSpec(name, models.folder, allow_hub=models.allow_hub))
