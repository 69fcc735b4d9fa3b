"""The candidates of judged questions with their token states: what a token head learns from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.ports import TextKind, Vectors
from encoders.onnx_session import Compute
from encoders.token_head import TokenHead
from encoders.token_states import token_states
from evaluation.collection import Collection
from evaluation.variants import Variant
from search_api.pipeline import Ordered
from sonde.settings import Settings
from sonde.wiring.evaluation.searching import bench
from training.tokens.learn import JudgedList

_CANDIDATES = 40
_RIGHT = 10  # at most so many of them; the others are wrong ones
_FUSED = Variant(rerank=False)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads texts to the states that ``head`` projects, long texts whole, by a graph of a prepared embedder."""

    folder: Path
    graph: str
    head: TokenHead
    compute: Compute

    def read(self, texts: Sequence[str], kind: TextKind) -> list[Vectors]:
        return [
            np.concatenate([self.head.kept(ids, states, kind) for ids, states in parts])
            for parts in token_states(self.folder, texts, self.compute, self.graph)
        ]


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    ids: list[str]
    fused: NDArray[np.float32]
    grades: NDArray[np.float32]


def judged_lists(
    settings: Settings, collection: Collection, reader: Reader, said: Callable[[str], None]
) -> list[JudgedList]:
    """Of each question whose candidates hold a right answer: the best right and wrong ones by the fused score."""
    asked = _asked(settings, collection)
    wanted = {id for one in asked for id in one.ids}
    texts = {record.id: record.embedding_text for record in collection.records if record.id in wanted}
    said(f"{collection.name}: {len(asked)} questions with {len(texts)} candidates are read.")
    states = dict(
        zip(texts, (each.astype(np.float16) for each in reader.read(list(texts.values()), "document")), strict=True)
    )
    questions = reader.read([one.text for one in asked], "query")
    return [
        JudgedList(question, [states[id] for id in one.ids], one.fused, one.grades)
        for question, one in zip(questions, asked, strict=True)
    ]


def _asked(settings: Settings, collection: Collection) -> list[_Asked]:
    with bench(settings, collection) as ready:
        found = [
            _candidates(ready.pipeline.ordered(_FUSED.request(question.text)), collection, question.id)
            for question in collection.questions
        ]
    return [one for one in found if one is not None]


def _candidates(ordered: Ordered, collection: Collection, question: str) -> _Asked | None:
    ranking, qrels = ordered.ranking, collection.qrels.get(question, {})
    ids = ranking.ids()
    grades = np.array([qrels.get(collection.documents[id], 0) for id in ids], dtype=np.float32)
    right = np.flatnonzero(grades > 0)[:_RIGHT]
    wrong = np.flatnonzero(grades <= 0)[: _CANDIDATES - len(right)]
    text = ordered.interpretation.text
    if len(right) == 0 or len(wrong) == 0 or not text:
        return None
    taken = np.concatenate([right, wrong])
    fused = ranking.score[ranking.order[taken]].astype(np.float32)
    return _Asked(text, [ids[at] for at in taken], fused, grades[taken])
