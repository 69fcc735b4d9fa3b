"""Which documents people are asked to judge: the first k of each of several runs, put together."""

from __future__ import annotations

import random
from collections.abc import Sequence

from evaluation.trec import Run


def pool(runs: Sequence[Run], depth: int) -> dict[str, list[str]]:
    """Question -> the documents among the first ``depth`` of any run, in no order that tells of rank or run.

    Questions sorted by id. The order of documents is shuffled by the question's own id, so it is the same for everyone
    who judges and for whoever resumes, and does not change with the order of the runs.
    The method is that of Sparck Jones and van Rijsbergen, 1975.
    """
    if depth < 1:
        raise ValueError("the depth is at least 1")
    pooled: dict[str, set[str]] = {}
    for run in runs:
        for question, found in run.items():
            pooled.setdefault(question, set()).update(document for document, _ in found[:depth])
    return {question: _shuffled(question, pooled[question]) for question in sorted(pooled)}


def _shuffled(question: str, documents: set[str]) -> list[str]:
    order = sorted(documents)
    random.Random(question).shuffle(order)  # noqa: S311  # nosec B311 - an order without meaning, not a secret
    return order
