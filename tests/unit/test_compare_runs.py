"""Two runs beside each other, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.quality.compare_runs import compared


def test_means_and_gains_are_told_and_a_question_that_found_nothing_counts(tmp_path: Path) -> None:
    """q1: right first against right second; q2: right second against nothing. AP (1 + .5) / 2 against (.5 + 0) / 2."""
    qrels, run, other = (tmp_path / name for name in ("qrels.tsv", "a.trec", "b.trec"))
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\tx\t1\nq2\ty\t1\n")
    run.write_text("q1 Q0 x 1 2 a\nq1 Q0 z 2 1 a\nq2 Q0 z 1 2 a\nq2 Q0 y 2 1 a\n")
    other.write_text("q1 Q0 z 1 2 b\nq1 Q0 x 2 1 b\n")
    told = {line.split()[0]: line.split()[1:] for line in compared(qrels, run, other)}
    assert told["AP@100"][:3] == ["0.7500", "0.2500", "+0.5000"]
    assert told["R@1"][:3] == ["0.5000", "0.0000", "+0.5000"]
    assert told["R@3"][-2:] == ["1", "0"]  # better on q2 alone
    # Of the four ways to turn two gains of .5 two give as large a sum: p about one half.
    assert float(told["AP@100"][4]) == pytest.approx(0.5, abs=0.03)
