"""Chooses the documents to judge: the first k of each of several runs, combined."""

from __future__ import annotations

import random
from collections.abc import Sequence

from evaluation.trec import Run


def pool(runs: Sequence[Run], depth: int) -> dict[str, list[str]]:
    """Question -> the documents among the first ``depth`` of any run, in an order that hides rank and run.

    Questions are sorted by id. Documents are shuffled by the question's id, so the order is the same for every judge
    and session, and does not depend on the order of the runs. The method of Sparck Jones and van Rijsbergen, 1975.
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
