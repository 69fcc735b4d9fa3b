"""A token head is fitted and then learns from judged questions."""

from __future__ import annotations

import numpy as np

from core.ports import Vectors
from encoders.token_head import TokenHead
from training.tokens.head import JudgedList, LearnSettings, trained_head

_STATES, _DIMS = 16, 8


def _unit(rows: np.ndarray) -> Vectors:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _lists(count: int) -> list[JudgedList]:
    """The right text matches in the last eight numbers only, which the fitted head does not look at."""
    random = np.random.default_rng(1)
    made = []
    for _ in range(count):
        question = _unit(random.normal(size=(3, _STATES)))
        texts = [_unit(random.normal(size=(6, _STATES))) for _ in range(8)]
        texts[0][:3, _DIMS:] = question[:, _DIMS:]
        grades = np.eye(1, 8, dtype=np.float32)[0]
        made.append(
            JudgedList(question, [text.astype(np.float16) for text in texts], np.full(8, 0.5, np.float32), grades)
        )
    return made


def _head() -> TokenHead:
    return TokenHead(np.zeros(_STATES, np.float32), np.eye(_STATES, _DIMS, dtype=np.float32), frozenset())


def test_it_learns_where_to_look_and_again_the_same() -> None:
    settings = LearnSettings(epochs=12, rate=0.02, stay=0.0)
    losses: list[float] = []
    learnt = trained_head(_head(), _lists(24), settings, lambda _epoch, loss: losses.append(loss))
    assert losses[-1] < losses[0] - 0.2
    assert np.abs(learnt.projection[_DIMS:]).mean() > 0.05
    again = trained_head(_head(), _lists(24), settings, lambda _epoch, _loss: None)
    assert np.array_equal(again.projection, learnt.projection)


def test_what_stays_costs_nothing_and_leaving_does() -> None:
    held = LearnSettings(epochs=3, rate=0.02, stay=1e3)
    learnt = trained_head(_head(), _lists(8), held, lambda _epoch, _loss: None)
    free = trained_head(_head(), _lists(8), LearnSettings(epochs=3, rate=0.02, stay=0.0), lambda _epoch, _loss: None)
    away = [np.linalg.norm(one.projection - _head().projection) for one in (learnt, free)]
    assert away[0] < away[1] / 2
