"""Converts logits to meaningful probabilities: sigmoid(logit / temperature + offset), and measures the error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS, _SMALL = 50, 1e-9
_RIDGE = 1e-3  # keeps the slope finite if positives and negatives are perfectly separated


@dataclass(frozen=True, slots=True)
class Calibration:
    """As in ``core.ports.CrossEncoderCard``. ``error``: expected calibration error, 0 at best; ``before``: that of the
    plain sigmoid.
    """

    temperature: float
    offset: float
    error: float
    before: float


def calibrate(logits: Floats, right: NDArray[np.bool_]) -> Calibration:
    """Platt's two numbers by Newton's method on the log loss; (n,) each. Raises ValueError without both kinds."""
    if not right.any() or right.all():
        raise ValueError("calibration needs pairs that answer and pairs that do not")
    centre, spread = float(logits.mean()), float(logits.std()) or 1.0
    slope, shift = _fitted((logits - centre) / spread, right.astype(np.float64))
    temperature = spread / max(slope, _SMALL)
    offset = shift - slope * centre / spread
    after = expected_error(probability(logits, temperature, offset), right)
    return Calibration(temperature, offset, after, expected_error(probability(logits, 1.0, 0.0), right))


def calibrate_lists(lists: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> Calibration:
    """The two numbers from all lists (logits, right) together; ``error`` is cross-validated: each half of the lists is
    measured with the numbers of the other half. Raises ValueError as :func:`calibrate`.
    """
    whole = calibrate(*_joined(lists))
    halves = lists[::2], lists[1::2]
    try:
        errors = [_error_under(calibrate(*_joined(one)), other) for one, other in (halves, halves[::-1])]
    except ValueError:  # too few lists for two halves
        return whole
    sizes = [sum(len(logits) for logits, _ in half) for half in (halves[1], halves[0])]
    return replace(whole, error=float(np.average(errors, weights=sizes)))


def _error_under(found: Calibration, lists: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> float:
    logits, right = _joined(lists)
    return expected_error(probability(logits, found.temperature, found.offset), right)


def _joined(lists: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> tuple[Floats, NDArray[np.bool_]]:
    if not lists:
        raise ValueError("calibration needs lists")
    return np.concatenate([logits for logits, _ in lists]), np.concatenate([right for _, right in lists])


def probability(logits: Floats, temperature: float, offset: float) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh((logits / temperature + offset) / 2.0)), dtype=np.float64)


def expected_error(probabilities: Floats, right: NDArray[np.bool_], bins: int = 10) -> float:
    """|mean probability - share that is right| in equal bins of probability, weighted by size (Guo et al. 2017)."""
    at = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    total = 0.0
    for each in range(bins):
        held = at == each
        if held.any():
            total += held.sum() * abs(float(probabilities[held].mean()) - float(right[held].mean()))
    return total / len(probabilities)


def _fitted(scores: Floats, right: Floats) -> tuple[float, float]:
    """Slope and shift; the slope stays finite."""
    features = np.stack([scores, np.ones_like(scores)], axis=1)
    weights = np.array([1.0, 0.0])
    ridge = np.diag([_RIDGE, 0.0])
    for _ in range(_STEPS):
        found = probability(features @ weights, 1.0, 0.0)
        gradient = features.T @ (found - right) / len(right) + ridge @ weights
        curve = (features * (found * (1.0 - found))[:, None]).T @ features / len(right) + ridge
        step = np.linalg.solve(curve + _SMALL * np.eye(2), gradient)
        weights = weights - np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < _SMALL:
            break
    return float(weights[0]), float(weights[1])
