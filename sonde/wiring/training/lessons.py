"""What token layers learn from: the train halves of judged collections, and examples that were made before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from encoders.pooling import parted
from encoders.recipe import read_recipe
from encoders.token_states import ignored_tokens
from encoders.tokens import open_tokeniser
from evaluation.collection import JudgedCollection
from sonde.settings import Settings
from sonde.wiring.training.judged_lists import Depth, judged_candidates, texts_of
from training.examples import Example
from training.tokens.layer_data import CandidateList, Ids, LayerData, TokenTeacher, teacher_scores

_QUESTION_TOKENS = 64


def lesson(
    settings: Settings,
    collections: Mapping[str, JudgedCollection],
    examples: Sequence[Example],
    teachers: Sequence[TokenTeacher],
    folder: Path,
    candidates: int,
    said: Callable[[str], None],
) -> LayerData:
    """``folder`` is the prepared embedder that learns; ``settings`` those with which candidates are found, at most
    ``candidates`` of a judged question.
    """
    texts, questions = _Numbered(), _Numbered()
    judged: dict[str, list[CandidateList]] = {}
    for name, collection in collections.items():
        found = judged_candidates(settings, collection, Depth(candidates))
        own = texts_of(collection, found)
        judged[name] = [
            CandidateList(questions.place(one.text), texts.places([own[id] for id in one.ids]), one.fused, one.grades)
            for one in found
        ]
    made = [
        CandidateList(questions.place(one.question), texts.places([each.text for each in one.candidates]))
        for one in examples
    ]
    counts = ", ".join(f"{len(own)} of {name}" for name, own in judged.items())
    said(f"{counts or 'No'} judged questions and {len(made)} examples, with {len(texts.known)} texts.")
    every = [one for own in judged.values() for one in own] + made
    scores = iter(teacher_scores(teachers, list(questions.known), list(texts.known), every, said) if teachers else ())
    return LayerData(
        [parts[0][:_QUESTION_TOKENS] for parts in _read(folder, list(questions.known))],
        _read(folder, list(texts.known)),
        {name: [replace(one, teacher_scores=next(scores, None)) for one in own] for name, own in judged.items()},
        [replace(one, teacher_scores=next(scores, None)) for one in made],
        frozenset(ignored_tokens(folder)),
    )


@dataclass(frozen=True, slots=True)
class _Numbered:
    """Each text once, by its place."""

    known: dict[str, int] = field(default_factory=dict)

    def place(self, text: str) -> int:
        return self.known.setdefault(text, len(self.known))

    def places(self, texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        return np.array([self.place(text) for text in texts], dtype=np.intp)


def _read(folder: Path, texts: Sequence[str]) -> list[list[Ids]]:
    limit = read_recipe(folder).max_tokens
    read = parted(open_tokeniser(folder, limit).whole(texts), limit)
    found: list[list[Ids]] = [[] for _ in texts]
    for owner, ids in zip(read.owners.tolist(), read.parts, strict=True):
        found[owner].append(ids)
    return found
