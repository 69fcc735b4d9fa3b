"""The usual text size and line distance of one document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from indexer.documents.page import Line


@dataclass(frozen=True, slots=True)
class Measures:
    """In points. ``leading`` is the usual distance of two baselines of running text."""

    size: float
    leading: float


def measure(pages: Iterable[list[Line]]) -> Measures:
    """Measures the lines of all pages, in order; a document without text gets default values."""
    letters: Counter[float] = Counter()
    distances: list[float] = []
    for lines in pages:
        for line in lines:
            if line.share("mono") < 0.5:
                letters[round(line.size * 2.0) / 2.0] += len(line.text)
        distances += [
            later.baseline - earlier.baseline
            for earlier, later in pairwise(lines)
            if 0.0 < later.baseline - earlier.baseline < 3.5 * earlier.size and len(earlier.words) > 5
        ]
    size = letters.most_common(1)[0][0] if letters else 10.0
    return Measures(max(size, 1.0), median(distances) if distances else 1.2 * size)
