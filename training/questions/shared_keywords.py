"""One keyword alone as a question for every record with it: how people search a catalogue by topic.

Paper 000 judges keyword queries this way. A pair of keyword and record is an example. The labels
(``Candidate.labels``) show that other records with the keyword are not negatives, so a batch can have dozens of them.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence

from training.corpora import Document
from training.questions.asked import Asked

_FEWEST = 2  # other ways make questions from a keyword of only one record
_COMMON = 0.15  # share of the records: a keyword in more of them (*dataset*) does not distinguish anything
_SHORTEST = 3


def by_shared_keywords(documents: Sequence[Document], each: int, seed: int = 0) -> Iterator[Asked]:
    """Up to ``each`` keywords of every document, rare ones more likely: weights 1 / sqrt(number of records with it).
    Drawn by the seed and the document's id.
    """
    bearing = Counter(label for document in documents for label in document.labels)
    most = max(_FEWEST, _COMMON * len(documents))
    for document in documents:
        fit = [one for one in document.labels if len(one) >= _SHORTEST and _FEWEST <= bearing[one] <= most]
        chance = random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
        # The largest keys of u^(1/weight) are a weighted draw without replacement (Efraimidis and Spirakis, 2006).
        keys = {one: chance.random() ** math.sqrt(bearing[one]) for one in fit}
        for keyword in sorted(fit, key=lambda one: -keys[one])[:each]:
            yield Asked(keyword, document.whole, "shared keyword", document, shared=True)
