"""Measures of a run against qrels, through ir-measures; AP_k of Wetzel and Mäs; and whether one run is better than
another by more than chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
from ir_measures import AP, RR, P, R, nDCG

from evaluation.collection import Qrels
from evaluation.trec import Run

MEASURES: tuple[ir_measures.Measure, ...] = (
    nDCG @ 5,
    nDCG @ 10,
    nDCG @ 100,
    AP,
    AP @ 100,
    RR,
    *(P @ k for k in (1, 3, 5, 10)),
    *(R @ k for k in (1, 3, 5, 8, 10, 32, 64, 100)),
)
AP_OVER_K = "ap_over_k@100"
HEADLINE = "nDCG@10"

_K = 100
PERMUTATIONS = 10_000
_SEED = 20_04  # any number; fixed, so that a figure can be computed again
_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class RunMeasures:
    """``means``: measure -> mean over all judged questions; ``by_question``: question -> measure -> value.

    A judged question without an answer in the run counts 0.
    """

    means: Mapping[str, float]
    by_question: Mapping[str, Mapping[str, float]]

    def column(self, measure: str) -> dict[str, float]:
        """One measure by question."""
        return {question: values[measure] for question, values in self.by_question.items()}


def measure(run: Run, qrels: Qrels) -> RunMeasures:
    """Every measure of a run; only the order counts, not the scores (ranks are passed on, so that ties stay broken)."""
    scores_by_question = {
        question: {document: float(-rank) for rank, (document, _) in enumerate(hits)} for question, hits in run.items()
    }
    grades_by_question = {question: dict(grades) for question, grades in qrels.items()}
    by_question: dict[str, dict[str, float]] = {question: {} for question in grades_by_question}
    for value in ir_measures.iter_calc(list(MEASURES), grades_by_question, scores_by_question):
        by_question[value.query_id][str(value.measure)] = float(value.value)
    for question, grades in grades_by_question.items():
        relevant = {document for document, grade in grades.items() if grade > 0}
        is_relevant = [document in relevant for document, _ in run.get(question, ())]
        by_question[question][AP_OVER_K] = ap_over_k(is_relevant, _K)
    return RunMeasures(means(by_question.values()), by_question)


def means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each name over the rows that have it."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in columns.items()}


def ap_over_k(relevant: Sequence[bool], k: int) -> float:
    """AP_k: the sum over ranks 1..k of (precision at the rank x relevant there), divided by k; 0..1.

    Equation 3 of Wetzel and Mäs (doi:10.3390/ijgi13110380) with n = k, as in their Table 3. Not the usual
    average precision, which divides by the number of relevant documents: with few of them this one is small by
    construction.
    """
    if k < 1:
        raise ValueError("k is at least 1")
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant[:k], 1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / k


@dataclass(frozen=True, slots=True)
class RunComparison:
    """``difference`` is the mean of (a - b); ``p`` the share of random sign changes that give as large a one."""

    difference: float
    p: float
    better: int
    worse: int
    same: int


def paired_randomisation(
    a: Mapping[str, float], b: Mapping[str, float], *, permutations: int = PERMUTATIONS, seed: int = _SEED
) -> RunComparison:
    """Fisher's paired randomisation test, two-sided, over the questions of both.

    Under "no difference" each question's two values are exchangeable. p = (as large + 1) / (permutations + 1), so it is
    never 0. Smucker, Allan and Carterette, CIKM 2007.
    Raises ValueError if the two do not have the same questions.
    """
    if a.keys() != b.keys() or not a:
        raise ValueError("the two runs were not measured on the same questions")
    gaps = np.array([a[question] - b[question] for question in sorted(a)])
    observed, generator, extreme = abs(gaps.sum()), np.random.default_rng(seed), 0
    for start in range(0, permutations, _BLOCK):
        signs = generator.choice((-1.0, 1.0), size=(min(_BLOCK, permutations - start), len(gaps)))
        extreme += int((np.abs(signs @ gaps) >= observed - 1e-12).sum())
    return RunComparison(
        difference=float(gaps.mean()),
        p=(extreme + 1) / (permutations + 1),
        better=int((gaps > 0).sum()),
        worse=int((gaps < 0).sum()),
        same=int((gaps == 0).sum()),
    )
