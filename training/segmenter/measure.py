"""Measures how well coherence finds the ends of sections. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.sections import sections
from indexer.documents.segment.passages import Coherence
from training.segmenter.sentence_boundaries import is_running, telling


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Sentences of a whole document; ``ends``: boundaries (from 0) at which a section ends."""

    sentences: tuple[str, ...]
    ends: frozenset[int]


@dataclass(frozen=True, slots=True)
class EndsFound:
    """``auc``: the probability that a joint inside a section coheres more than one between sections (.5 by chance);
    ``hits``: of the weakest boundaries, as many as there are ends, the share at or next to an end.
    """

    auc: float
    hits: float
    ends: int
    boundaries: int


def boundaries_of(document: ReadDocument) -> Boundaries:
    """Only running text, without headings, because they would reveal the ends."""
    found: list[str] = []
    ends: set[int] = set()
    for section in sections(document.blocks):
        own = telling(" ".join(block.text for block in section.blocks if is_running(block)))
        if own and found:
            ends.add(len(found) - 1)
        found.extend(own)
    return Boundaries(tuple(found), frozenset(ends))


def measured(given: Boundaries, coherence: Coherence) -> EndsFound | None:
    """None if there is no end to find, or only ends."""
    if not given.ends or len(given.ends) >= len(given.sentences) - 1:
        return None
    scores = np.array(coherence(given.sentences), dtype=np.float64)
    is_end = np.zeros(len(scores), dtype=bool)
    is_end[sorted(given.ends)] = True
    weakest = np.argsort(scores, kind="stable")[: len(given.ends)]
    near = given.ends | {end - 1 for end in given.ends} | {end + 1 for end in given.ends}
    hits = sum(int(at) in near for at in weakest) / len(given.ends)
    return EndsFound(auc(scores[~is_end], scores[is_end]), hits, len(given.ends), len(scores))


def auc(higher: NDArray[np.float64], lower: NDArray[np.float64]) -> float:
    """The share of pairs in which the first is higher; equal ones count half. By ranks (Mann and Whitney 1947)."""
    both = np.concatenate([higher, lower])
    _, place, count = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2.0)[place]
    n, m = len(higher), len(lower)
    return float((ranks[:n].sum() - n * (n + 1) / 2.0) / (n * m))
