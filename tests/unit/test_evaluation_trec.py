"""TREC's files and BEIR's qrels, there and back, and what is wrong with them named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SondeError
from evaluation.collection import BadCollection
from evaluation.trec import read_qrels, read_run, strictly_decreasing, write_qrels, write_run


def test_a_run_is_read_back_in_its_order(tmp_path: Path) -> None:
    run = {"1": [("b", 0.5), ("a", 0.5), ("c", 0.25)], "2": [("a", 2.0)]}
    write_run(tmp_path / "x.trec", run, "tag")
    assert (tmp_path / "x.trec").read_text().splitlines()[0] == "1 Q0 b 1 0.5 tag"
    back = read_run(tmp_path / "x.trec")
    assert {name: [document for document, _ in found] for name, found in back.items()} == {
        "1": ["b", "a", "c"],
        "2": ["a"],
    }


@given(st.lists(st.floats(0, 1e6, width=32), max_size=40))
def test_written_scores_always_fall_also_as_trec_eval_reads_them(scores: list[float]) -> None:
    lowered = strictly_decreasing(sorted(scores, reverse=True))
    read = np.array([float(f"{score:.9g}") for score in lowered], dtype=np.float32)
    assert (np.diff(read) < 0).all()


def test_ties_of_a_foreign_run_break_as_trec_eval_breaks_them(tmp_path: Path) -> None:
    (tmp_path / "x.trec").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.5 t\n1 Q0 c 3 0.9 t\n")
    assert read_run(tmp_path / "x.trec")["1"] == [("c", 0.9), ("b", 0.5), ("a", 0.5)]


def test_an_id_with_white_space_cannot_stand_in_a_run(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match="Global warming:1"):
        write_run(tmp_path / "x.trec", {"1": [("Global warming:1", 1.0)]}, "tag")


def test_faults_of_a_run_are_named_by_line(tmp_path: Path) -> None:
    (tmp_path / "x.trec").write_text("1 Q0 a 1 0.5 t\n1 Q0 a 2 0.4 t\n\n1 Q0 b\n1 Q0 c 3 high t\n")
    with pytest.raises(BadCollection) as caught:
        read_run(tmp_path / "x.trec")
    assert caught.value.faults == (
        "line 2: names 'a' twice for question '1'",
        "line 4: has 3 fields, not 6",
        "line 5: the score 'high' is no number",
    )


@pytest.mark.parametrize(
    "text",
    ["query-id\tcorpus-id\tscore\nq 1\td 1\t2\n", "q 1\td 1\t2\n", "q 1\t0\td 1\t2\n"],
    ids=["BEIR", "BEIR without its header", "TREC with tabs"],
)
def test_qrels_of_all_layouts(tmp_path: Path, text: str) -> None:
    (tmp_path / "qrels").write_text(text)
    assert read_qrels(tmp_path / "qrels") == {"q 1": {"d 1": 2}}


def test_qrels_by_spaces(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 184 2\n1 0 29 -1\n")
    assert read_qrels(tmp_path / "qrels") == {"1": {"184": 2, "29": -1}}


def test_faults_of_qrels_are_named_by_line(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q\td\t2\nq\td\t1\nq\td\t2\nq\te\tgood\nq\n")
    with pytest.raises(BadCollection) as caught:
        read_qrels(tmp_path / "qrels")
    assert caught.value.faults == (
        "line 2: grades 'd' for question 'q' as 1, earlier as 2",
        "line 4: the grade 'good' is no whole number",
        "line 5: has 1 fields, not 3 (BEIR) or 4 (TREC)",
    )


def test_qrels_are_written_sorted_and_read_back(tmp_path: Path) -> None:
    qrels = {"b": {"z": 1, "a": 0}, "a": {"m": 3}}
    write_qrels(tmp_path / "q.tsv", qrels)
    assert (tmp_path / "q.tsv").read_text() == "query-id\tcorpus-id\tscore\na\tm\t3\nb\ta\t0\nb\tz\t1\n"
    assert read_qrels(tmp_path / "q.tsv") == qrels
    with pytest.raises(SondeError, match="a tab or a line break"):
        write_qrels(tmp_path / "q.tsv", {"a\tb": {"d": 1}})


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"1 Q0 \xff\xfe 1 1 t\n")
    with pytest.raises(SondeError, match="is not UTF-8 text"):
        read_run(tmp_path / "x")
    with pytest.raises(SondeError, match="cannot be read"):
        read_run(tmp_path / "absent")
