"""BM25 in memory over the training's own texts: no index is needed for texts that are read once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
K1, B = 1.2, 0.75


class Bm25Index:
    """Robertson's weights as in Lucene: idf = ln(1 + (n - df + .5) / (df + .5))."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(words(text)) for text in texts]
        length = np.array([sum(count.values()) for count in counts], dtype=np.float64)
        self._norm = K1 * (1.0 - B + B * length / max(1.0, length.mean() if len(length) else 1.0))
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for row, count in enumerate(counts):
            for word, times in count.items():
                rows, often = postings.setdefault(word, ([], []))
                rows.append(row)
                often.append(times)
        self._postings = {
            word: (np.array(rows, dtype=np.int32), np.array(often, dtype=np.float32))
            for word, (rows, often) in postings.items()
        }

    def scores(self, question: str) -> NDArray[np.float64]:
        """(n,) of every text; 0 without a shared word."""
        total = np.zeros(len(self._norm))
        for word in sorted(set(words(question)) & self._postings.keys()):
            rows, often = self._postings[word]
            idf = math.log1p((len(total) - len(rows) + 0.5) / (len(rows) + 0.5))
            total[rows] += idf * often * (K1 + 1.0) / (often + self._norm[rows])
        return total

    def best(self, question: str, count: int) -> list[int]:
        """Texts that share a word, best first, ties by position."""
        scores = self.scores(question)
        order = np.argsort(-scores, kind="stable")[:count]
        return [int(at) for at in order if scores[at] > 0.0]


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
