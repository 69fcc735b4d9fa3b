"""What token layers learn from: questions with their candidates as token ids, and the scores of teachers, which are
larger embedders by late interaction over all dimensions and without signs.
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
"""Of one part of a text, special tokens included."""
_REPORT_EVERY = 5000  # texts


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A question and the places of its candidates' texts, (k,); of a judged one, best first by the fused score, with
    these scores and the grades, of which one at least is above 0. ``teacher_scores`` if there is a teacher.
    """

    question: int
    texts: NDArray[np.intp]
    fused: NDArray[np.float32] | None = None
    grades: NDArray[np.float32] | None = None
    teacher_scores: NDArray[np.float32] | None = None

    def chosen(self, places: NDArray[np.intp]) -> CandidateList:
        """With these candidates only."""
        values = (self.fused, self.grades, self.teacher_scores)
        return CandidateList(
            self.question, self.texts[places], *(None if each is None else each[places] for each in values)
        )


@dataclass(frozen=True, slots=True)
class LayerData:
    """``questions``: ids of each; ``texts``: the parts of each; ``judged`` by collection; ``made``: questions that were
    made from the texts, the answer first. ``ignored``: ids of tokens without meaning (special ones, punctuation).
    """

    questions: Sequence[Ids]
    texts: Sequence[Sequence[Ids]]
    judged: Mapping[str, Sequence[CandidateList]]
    made: Sequence[CandidateList]
    ignored: frozenset[int]


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Ids with 0 as padding and their mask, (n, longest); ``content``: the tokens that count, or all of a row that
    has none. ``places``: (n, longest) the vector that a token is joined to, ``count`` for a token that does not count.
    """

    ids: NDArray[np.int64]
    mask: NDArray[np.bool_]
    content: NDArray[np.bool_]
    places: NDArray[np.int64]
    count: int


def rows(parts: Sequence[Ids], ignored: frozenset[int]) -> TokenRows:
    """Equal tokens of a part get one place, as in ``encoders.token_head``."""
    shape = (len(parts), max(len(part) for part in parts))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    for row, part in enumerate(parts):
        ids[row, : len(part)], mask[row, : len(part)] = part, True
    content = mask & ~np.isin(ids, np.fromiter(ignored, dtype=np.int64, count=len(ignored)))
    empty = ~content.any(axis=1)
    content[empty] = mask[empty]
    places = np.zeros(shape, dtype=np.int64)
    count = 0
    for row in range(shape[0]):
        own = np.unique(ids[row][content[row]], return_inverse=True)[1]
        places[row, content[row]] = own
        count = max(count, int(own.max()) + 1)
    places[~content] = count
    return TokenRows(ids, mask, content, places, count)


@dataclass(frozen=True, slots=True)
class StateReader:
    """``graph`` of the prepared embedder in ``folder``, without the ``ignored`` tokens."""

    folder: Path
    graph: str
    ignored: frozenset[int]
    compute: Compute

    def read(self, texts: Sequence[str], kind: TextKind) -> Iterator[Vectors]:
        """Each text whole, the states of its parts after each other: (tokens, states), unit norm."""
        for parts in token_states(self.folder, texts, self.compute, self.graph):
            yield np.concatenate([content_states(ids, states, kind, self.ignored) for ids, states in parts])


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
        of_texts = list(_states(teacher.reader, texts, "document", report))
        of_questions = list(_states(teacher.reader, questions, "query", report))
        centre = np.mean([states.mean(axis=0) for states in of_texts], axis=0, dtype=np.float32)
        of_texts = [unit(states - centre).astype(np.float16) for states in of_texts]
        for candidates, score in zip(lists, scores, strict=True):
            question = unit(of_questions[candidates.question] - centre)
            score += teacher.share * _interaction(question, [of_texts[at] for at in candidates.texts])
    return scores


def _interaction(question: NDArray[np.float32], texts: Sequence[NDArray[np.float16]]) -> NDArray[np.float32]:
    similar = np.concatenate(texts).astype(np.float32) @ question.T
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])[:-1]])
    best: NDArray[np.float32] = np.maximum.reduceat(similar, starts, axis=0).mean(axis=1)
    return best


def _states(
    reader: StateReader, texts: Sequence[str], kind: TextKind, report: Callable[[str], None]
) -> Iterator[NDArray[np.float16]]:
    for at, states in enumerate(reader.read(texts, kind), start=1):
        if at % _REPORT_EVERY == 0:
            report(f"  {at} of {len(texts)}")
        yield states.astype(np.float16)
