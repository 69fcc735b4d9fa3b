"""What one process of a run makes, the others read."""

from __future__ import annotations

import uuid

import pytest

from tests.once import once_in_the_run


def test_it_is_made_once_and_read_afterwards(tmp_path_factory: pytest.TempPathFactory) -> None:
    name, made = uuid.uuid4().hex, []

    def make() -> list[int]:
        made.append(1)
        return [1, 2, 3]

    assert [once_in_the_run(tmp_path_factory, name, make) for _ in range(3)] == [[1, 2, 3]] * 3
    assert made == [1]


def test_what_fails_is_tried_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    name = uuid.uuid4().hex

    def fails() -> int:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        once_in_the_run(tmp_path_factory, name, fails)
    assert once_in_the_run(tmp_path_factory, name, lambda: 7) == 7
