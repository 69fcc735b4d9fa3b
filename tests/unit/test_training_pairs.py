"""Pairs of a file, their three parts, and the area under the curve by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.collection import BadCollection
from training.calibration import area_under_curve
from training.examples import (
    CandidateText,
    Example,
    LabelledPair,
    TrainingError,
    pairs_of_examples,
    read_pairs,
    split_pairs,
)


def line(**values: object) -> str:
    return json.dumps({"question": "How deep?", "passage": "12 m", "label": 1, **values}) + "\n"


def test_pairs_of_a_file_keep_source_and_group(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl.gz"
    path.write_bytes(gzip.compress((line(source="wells", group="w1", why="x") + line(label=0)).encode()))
    assert read_pairs(path) == [
        LabelledPair("How deep?", "12 m", True, "w1", "given", "wells"),
        LabelledPair("How deep?", "12 m", False, "12 m", "given", "mine"),
    ]


def test_invalid_lines_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line() + line(label=2) + line(passage=""))
    with pytest.raises(BadCollection, match=r"(?s)line 2: label.*line 3: passage"):
        read_pairs(path)


def test_examples_give_their_answer_and_the_first_negatives() -> None:
    negatives = (CandidateText("n1", "ice", why="bm25"), CandidateText("n2", "firn", 1), CandidateText("n3", "rain"))
    pairs = list(pairs_of_examples([Example("e", "snow", CandidateText("a", "snow depth", 1), negatives, "title")], 2))
    assert [(pair.text, pair.answers, pair.origin, pair.group) for pair in pairs] == [
        ("snow depth", True, "title", "a"),
        ("ice", False, "bm25", "a"),
        ("firn", True, "title", "a"),
    ]


def test_no_group_and_no_text_is_in_two_parts() -> None:
    pairs = [
        LabelledPair(f"q{n} {right}", f"t{n}", right, f"g{n}", "given") for n in range(200) for right in (True, False)
    ]
    shared = [LabelledPair(f"q{n}", f"t{n + 1}", False, f"g{n}", "dense") for n in range(199)]
    split = split_pairs([*pairs, *shared], 0.3)
    groups = [{pair.group for pair in part} for part in (split.train, split.stop, split.left_out)]
    assert sum(map(len, groups)) == len(set.union(*groups)) == 200
    right_texts = {pair.text for pair in (*split.stop, *split.left_out) if pair.answers}
    assert not right_texts & {pair.text for pair in split.train}
    assert 20 < len(groups[2]) < 45


def test_too_few_groups_are_refused() -> None:
    with pytest.raises(TrainingError, match="1 groups are too few"):
        split_pairs([LabelledPair("q", "t", True, "g", "given")], 0.2)


def test_the_area_under_the_curve_by_hand() -> None:
    """Two that answer (3, 1) and two that do not (2, 1): 3 wins twice, 1 loses once and is equal once."""
    scores, right = np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False])
    assert area_under_curve(scores, right) == pytest.approx((1 + 1 + 0 + 0.5) / 4)
