"""What token layers learn from, as token ids: questions with their candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = Sequence[int]
"""Of one part of a text, special tokens included."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A question and the places of its candidates' texts, (k,); of a judged one, best first by the fused score, with
    these scores and the grades, of which one at least is above 0. ``taught``: a teacher's scores, if there is one.
    """

    question: int
    texts: NDArray[np.intp]
    fused: NDArray[np.float32] | None = None
    grades: NDArray[np.float32] | None = None
    taught: NDArray[np.float32] | None = None

    def taken(self, places: NDArray[np.intp]) -> Listed:
        """With these candidates only."""
        kept = [None if each is None else each[places] for each in (self.fused, self.grades, self.taught)]
        return Listed(self.question, self.texts[places], *kept)


@dataclass(frozen=True, slots=True)
class Lesson:
    """``questions``: ids of each; ``texts``: the parts of each; ``judged`` by collection; ``made``: questions that were
    made from the texts, the answer first. ``silent``: token ids that say nothing (special ones, punctuation).
    """

    questions: Sequence[Ids]
    texts: Sequence[Sequence[Ids]]
    judged: Mapping[str, Sequence[Listed]]
    made: Sequence[Listed]
    silent: frozenset[int]


@dataclass(frozen=True, slots=True)
class Rows:
    """Ids with 0 as padding and their mask, (n, longest); ``loud``: the tokens that count, all of them in a row without
    any. ``places``: (n, longest) the vector that a token is joined to, ``count`` for a token that does not count.
    """

    ids: NDArray[np.int64]
    mask: NDArray[np.bool_]
    loud: NDArray[np.bool_]
    places: NDArray[np.int64]
    count: int


def rows(parts: Sequence[Ids], silent: frozenset[int]) -> Rows:
    """Equal tokens of a part get one place, as in ``encoders.token_head``."""
    shape = (len(parts), max(len(part) for part in parts))
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    for row, part in enumerate(parts):
        ids[row, : len(part)], mask[row, : len(part)] = part, True
    loud = mask & ~np.isin(ids, np.fromiter(silent, dtype=np.int64, count=len(silent)))
    empty = ~loud.any(axis=1)
    loud[empty] = mask[empty]
    places = np.zeros(shape, dtype=np.int64)
    count = 0
    for row in range(shape[0]):
        own = np.unique(ids[row][loud[row]], return_inverse=True)[1]
        places[row, loud[row]] = own
        count = max(count, int(own.max()) + 1)
    places[~loud] = count
    return Rows(ids, mask, loud, places, count)
