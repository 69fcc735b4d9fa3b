"""Two TREC runs over the same judgements, measure by measure: ``python -m tests.quality.compare_runs QRELS RUN OTHER``.

``sonde evaluate --compare`` says how likely a gain of nDCG@10 is by chance; this says it of MAP, ``ap_over_k`` and
recall as well, which is what is asked of an adapted embedder. p: Fisher's paired randomisation, two-sided.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from evaluation.metrics import measure, paired_randomisation
from evaluation.trec import Run, read_qrels, read_run

SHOWN = ("AP@100", "ap_over_k@100", "nDCG@10", "R@1", "R@3", "R@5", "R@8", "R@32", "R@64")


def compared(qrels: Path, run: Path, other: Path) -> Iterator[str]:
    """A line for each measure: both means, the gain of the first, p, questions that it does better and worse."""
    grades = read_qrels(qrels)
    found, beside = (measure(_of(read_run(path), list(grades)), grades) for path in (run, other))
    for name in SHOWN:
        by_chance = paired_randomisation(found.column(name), beside.column(name))
        means = f"{found.means[name]:.4f}  {beside.means[name]:.4f}  {by_chance.difference:+.4f}"
        yield f"{name:<14} {means}  p {by_chance.p:.4f}  {by_chance.better:>4} {by_chance.worse:>4}"


def _of(run: Run, questions: list[str]) -> Run:
    """A question that found nothing is in no run's file, and counts."""
    return {question: run.get(question, ()) for question in questions}


if __name__ == "__main__":
    sys.stdout.writelines(line + "\n" for line in compared(*(Path(name) for name in sys.argv[1:4])))
