"""Teachers of token layers: late interaction of whole embedders, over all dimensions and without signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ports import TextKind
from encoders.pooling import unit
from training.tokens.lesson import Listed
from training.tokens.reader import Reader

_TOLD_EACH = 5000  # texts


@dataclass(frozen=True, slots=True)
class Teacher:
    """Reads a prepared embedder's states; ``share`` of the teachers' score."""

    reader: Reader
    share: float


def taught(
    teachers: Sequence[Teacher],
    questions: Sequence[str],
    texts: Sequence[str],
    lists: Sequence[Listed],
    said: Callable[[str], None],
) -> list[NDArray[np.float32]]:
    """Of each list the weighted mean of the teachers' scores, (k,) -1..1.

    A teacher's tokens are centred: states of one model have a large part in common, which says nothing. All texts'
    states are in memory in half precision, 80 KB for 100 tokens.
    """
    scores = [np.zeros(len(one.texts), dtype=np.float32) for one in lists]
    for teacher in teachers:
        said(f"{teacher.reader.folder.name} reads {len(texts)} texts and {len(questions)} questions.")
        read = list(_states(teacher.reader, texts, "document", said))
        asked = list(_states(teacher.reader, questions, "query", said))
        centre = np.mean([one.mean(axis=0) for one in read], axis=0, dtype=np.float32)
        read = [unit(one - centre).astype(np.float16) for one in read]
        for one, score in zip(lists, scores, strict=True):
            score += teacher.share * _interaction(unit(asked[one.question] - centre), [read[at] for at in one.texts])
    return scores


def _interaction(question: NDArray[np.float32], texts: Sequence[NDArray[np.float16]]) -> NDArray[np.float32]:
    similar = np.concatenate(texts).astype(np.float32) @ question.T
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])[:-1]])
    best: NDArray[np.float32] = np.maximum.reduceat(similar, starts, axis=0).mean(axis=1)
    return best


def _states(
    reader: Reader, texts: Sequence[str], kind: TextKind, said: Callable[[str], None]
) -> Iterator[NDArray[np.float16]]:
    for at, states in enumerate(reader.read(texts, kind), start=1):
        if at % _TOLD_EACH == 0:
            said(f"  {at} of {len(texts)}")
        yield states.astype(np.float16)
