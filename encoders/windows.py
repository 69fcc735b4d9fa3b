"""Chooses the part of a long text that a model with a limit of 128 tokens should read for a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def wanted(ids: Iterable[int], weights: Iterable[float]) -> dict[int, float]:
    """The distinct tokens of a question with their weights; a repeated token gets the larger weight."""
    worth: dict[int, float] = {}
    for token, weight in zip(ids, weights, strict=True):
        worth[token] = max(worth.get(token, 0.0), float(weight))
    return worth


def best_window(ids: Sequence[int], worth: Mapping[int, float], room: int) -> Sequence[int]:
    """The window of at most ``room`` tokens with most of ``worth``; of equal ones the first. O(tokens).

    Windows begin every half ``room``; without any token of the question, the beginning of the text is the best choice.
    """
    step = max(1, room // 2)
    starts = range(0, max(1, len(ids) - room + step), step)
    best, found = 0, -1.0
    for start in starts:
        here = sum(worth[token] for token in set(ids[start : start + room]) if token in worth)
        if here > found:
            best, found = start, here
    return ids[best : best + room]


def windowed(ids: Sequence[int], worth: Mapping[int, float], most: int) -> list[int]:
    """A whole text's ids, special tokens first and last, in at most ``most`` tokens, special ones included."""
    return [ids[0], *best_window(ids[1:-1], worth, most - 2), ids[-1]]
