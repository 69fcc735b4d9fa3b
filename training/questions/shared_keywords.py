"""One keyword alone asks for every record that bears it: how a catalogue is searched by topic.

Paper 000 judges keyword queries so. A pair of keyword and record is an example; that the other records which bear it
are no negatives is known by their labels (``Candidate.labels``), so that dozens of them may stand in one batch.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence

from training.corpora import Document
from training.questions.asked import Asked

_FEWEST = 2  # a keyword of one record is asked for by the other ways
_COMMON = 0.15  # of the records: what more of them bear (*dataset*) parts nothing from nothing
_SHORTEST = 3


def by_shared_keywords(documents: Sequence[Document], each: int, seed: int = 0) -> Iterator[Asked]:
    """Up to ``each`` keywords of every document, the rarer the likelier: weights 1 / sqrt(records that bear it). Drawn
    by the seed and the document's id."""
    bearing = Counter(label for document in documents for label in document.labels)
    most = max(_FEWEST, _COMMON * len(documents))
    for document in documents:
        fit = [one for one in document.labels if len(one) >= _SHORTEST and _FEWEST <= bearing[one] <= most]
        chance = random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
        # The largest keys of u^(1/weight) are a weighted draw without replacement (Efraimidis and Spirakis, 2006).
        keys = {one: chance.random() ** math.sqrt(bearing[one]) for one in fit}
        for keyword in sorted(fit, key=lambda one: -keys[one])[:each]:
            yield Asked(keyword, document.whole, "shared keyword", document, shared=True)
