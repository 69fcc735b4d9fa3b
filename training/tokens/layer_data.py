"""The data for training token layers: questions with their candidates as token ids, and the scores of teachers.

A teacher is a larger embedder that scores by late interaction over all dimensions, without signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.ports import TextKind, Vectors
from encoders.onnx_session import Compute
from encoders.pooling import unit
from encoders.token_head import content_states, token_states

Ids = Sequence[int]
"""Token ids of one chunk of a text, special tokens included."""
_REPORT_EVERY = 5000  # texts


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A question and the rows of its candidates' texts, (k,).

    A judged question has its candidates best first, with their fused scores and grades; at least one grade is above 0.
    ``teacher_scores`` if there is a teacher.
    """

    question: int
    texts: NDArray[np.intp]
    fused: NDArray[np.float32] | None = None
    grades: NDArray[np.float32] | None = None
    teacher_scores: NDArray[np.float32] | None = None

    def only(self, rows: NDArray[np.intp]) -> CandidateList:
        """With these candidates only."""
        values = (self.fused, self.grades, self.teacher_scores)
        return CandidateList(
            self.question, self.texts[rows], *(None if value is None else value[rows] for value in values)
        )


@dataclass(frozen=True, slots=True)
class LayerData:
    """``questions``: ids of each; ``texts``: the chunks of each; ``judged_lists`` by collection;
    ``generated_lists``: questions generated from the texts, with the answer first. ``ignored``: ids of tokens without
    meaning (special, punctuation).
    """

    questions: Sequence[Ids]
    texts: Sequence[Sequence[Ids]]
    judged_lists: Mapping[str, Sequence[CandidateList]]
    generated_lists: Sequence[CandidateList]
    ignored: frozenset[int]


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Ids with 0 as padding and their mask, (n, longest). ``content``: tokens with meaning, or all of a row without
    any. ``places``: (n, longest) the number of the vector that a token is added to, ``count`` for one without meaning.
    """

    ids: NDArray[np.int64]
    mask: NDArray[np.bool_]
    content: NDArray[np.bool_]
    places: NDArray[np.int64]
    count: int


def token_rows(chunks: Sequence[Ids], ignored: frozenset[int]) -> TokenRows:
    """Equal tokens of a chunk get one place, as in ``encoders.token_head``."""
    shape = (len(chunks), max(len(chunk) for chunk in chunks))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    for row, chunk in enumerate(chunks):
        ids[row, : len(chunk)], mask[row, : len(chunk)] = chunk, True
    content = mask & ~np.isin(ids, np.fromiter(ignored, dtype=np.int64, count=len(ignored)))
    empty = ~content.any(axis=1)
    content[empty] = mask[empty]
    places = np.zeros(shape, dtype=np.int64)
    count = 0
    for row in range(shape[0]):
        row_places = np.unique(ids[row][content[row]], return_inverse=True)[1]
        places[row, content[row]] = row_places
        count = max(count, int(row_places.max()) + 1)
    places[~content] = count
    return TokenRows(ids, mask, content, places, count)


@dataclass(frozen=True, slots=True)
class StateReader:
    """Reads states with ``graph`` of the prepared embedder in ``folder``, without the ``ignored`` tokens."""

    folder: Path
    graph: str
    ignored: frozenset[int]
    compute: Compute

    def read(self, texts: Sequence[str], kind: TextKind) -> Iterator[Vectors]:
        """Of each text, the states of all its chunks in order: (tokens, states), unit norm."""
        for chunks in token_states(self.folder, texts, self.compute, self.graph):
            yield np.concatenate([content_states(ids, states, kind, self.ignored) for ids, states in chunks])


@dataclass(frozen=True, slots=True)
class TokenTeacher:
    """Reads a prepared embedder's states; ``share`` of the teachers' score."""

    reader: StateReader
    share: float


def teacher_scores(
    teachers: Sequence[TokenTeacher],
    questions: Sequence[str],
    texts: Sequence[str],
    lists: Sequence[CandidateList],
    report: Callable[[str], None],
) -> list[NDArray[np.float32]]:
    """Of each list the weighted mean of the teachers' scores, (k,) -1..1.

    A teacher's tokens are centred: states of one model have a large part in common, which has no meaning. All texts'
    states are in memory in half precision, 80 KB for 100 tokens.
    """
    scores = [np.zeros(len(candidates.texts), dtype=np.float32) for candidates in lists]
    for teacher in teachers:
        report(f"{teacher.reader.folder.name} reads {len(texts)} texts and {len(questions)} questions.")
        text_states = list(_states(teacher.reader, texts, "document", report))
        question_states = list(_states(teacher.reader, questions, "query", report))
        centre = np.mean([states.mean(axis=0) for states in text_states], axis=0, dtype=np.float32)
        text_states = [unit(states - centre).astype(np.float16) for states in text_states]
        for candidates, score in zip(lists, scores, strict=True):
            question = unit(question_states[candidates.question] - centre)
            score += teacher.share * _interaction(question, [text_states[row] for row in candidates.texts])
    return scores


def _interaction(question: NDArray[np.float32], texts: Sequence[NDArray[np.float16]]) -> NDArray[np.float32]:
    similarities = np.concatenate(texts).astype(np.float32) @ question.T
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])[:-1]])
    best: NDArray[np.float32] = np.maximum.reduceat(similarities, starts, axis=0).mean(axis=1)
    return best


def _states(
    reader: StateReader, texts: Sequence[str], kind: TextKind, report: Callable[[str], None]
) -> Iterator[NDArray[np.float16]]:
    for count, states in enumerate(reader.read(texts, kind), start=1):
        if count % _REPORT_EVERY == 0:
            report(f"  {count} of {len(texts)}")
        yield states.astype(np.float16)
