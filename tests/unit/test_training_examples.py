"""Examples on disk, and who sees what."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SondeError
from training.examples import (
    CandidateText,
    Example,
    TrainingError,
    is_held_out,
    read_examples,
    split_by_group,
    write_examples,
)


def _example(number: int, group: str = "", negatives: tuple[CandidateText, ...] = ()) -> Example:
    positive = CandidateText(f"d{number}", f"text {number}", grade=2, teacher=1.5)
    return Example(f"q{number}", f"question {number}", positive, negatives, "title", "samples", group)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    wanted = [_example(1, negatives=(CandidateText("d9", "Regen in Köln\u2028", 0, -0.25, "place"),)), _example(2)]
    assert write_examples(tmp_path / "new" / "e.jsonl", wanted) == 2
    assert read_examples(tmp_path / "new" / "e.jsonl") == wanted


def test_every_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"id": "1", "question": "", "positive": {"id": "a", "text": "b"}}\nno\n', encoding="utf-8")
    with pytest.raises(SondeError, match=r"line 1: question.*line 2: is not JSON"):
        read_examples(path)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    write_examples(path, [_example(1)])
    (tmp_path / ".e.jsonl.draft").mkdir()  # what stands in the way cannot be opened as a file
    with pytest.raises(TrainingError, match="cannot be written"):
        write_examples(path, [_example(2)])
    assert read_examples(path) == [_example(1)]


def test_a_held_out_answer_is_no_negative_of_what_is_trained_on() -> None:
    held = next(name for name in map(str, range(100)) if is_held_out(name, 0.3))
    trained = next(name for name in map(str, range(100)) if not is_held_out(name, 0.3))
    mine = _example(1, trained, (CandidateText("d2", "text 2"), CandidateText("d3", "text 3")))
    found = split_by_group([mine, _example(2, held)], 0.3)
    assert [one.id for one in found.held_out] == ["q2"]
    assert [one.text for one in found.train[0].negatives] == ["text 3"]


def test_too_few_groups_are_said() -> None:
    with pytest.raises(TrainingError, match="1 groups are too few"):
        split_by_group([_example(1, "a"), _example(2, "a")], 0.1)


@given(st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=40), st.integers(0, 3))
def test_no_group_lies_on_both_sides(groups: list[str], seed: int) -> None:
    examples = [_example(number, group) for number, group in enumerate(groups)]
    try:
        found = split_by_group(examples, 0.5, seed)
    except TrainingError:
        return
    assert {one.group for one in found.train}.isdisjoint(one.group for one in found.held_out)
    assert len(found.train) + len(found.held_out) == len(examples)
