"""Losses against arithmetic."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from training.losses import info_nce, margin_mse, matryoshka

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def vectors(*rows: list[float]) -> Tensor:
    return torch.tensor(rows)


def none(rows: int, columns: int) -> Tensor:
    return torch.zeros((rows, columns), dtype=torch.bool)


def test_info_nce_is_minus_log_of_the_answers_share() -> None:
    """Cosines 1 and 0 at temperature .5: e^2 / (e^2 + e^0)."""
    found = info_nce(vectors(EAST), vectors(EAST, NORTH), torch.tensor([0]), none(1, 2), 0.5)
    assert float(found) == pytest.approx(-math.log(math.e**2 / (math.e**2 + 1)))


def test_a_document_that_answers_besides_is_no_negative() -> None:
    also = none(1, 3)
    also[0, 2] = True
    found = info_nce(vectors(EAST), vectors(EAST, NORTH, EAST), torch.tensor([0]), also, 1.0)
    assert float(found) == pytest.approx(-math.log(math.e / (math.e + 1)))


def test_margin_mse_is_the_squared_gap_to_the_teachers_margin() -> None:
    """Margins 10 x (1 - 0) and 10 x (0 - 1) against 8 and -10: (2^2 + 0^2) / 2."""
    found = margin_mse(
        vectors(EAST, NORTH), vectors(EAST, EAST), vectors(NORTH, NORTH), torch.tensor([8.0, -10.0]), scale=10.0
    )
    assert float(found) == pytest.approx(2.0)


def test_matryoshka_is_the_mean_over_shortened_vectors_of_norm_one() -> None:
    """(.6, .8) whole has cosine .6 with east; its first number alone has cosine 1."""
    given = vectors([0.6, 0.8])
    found = matryoshka(lambda short: (short(given) * short(vectors(EAST))).sum(), [2, 1])
    assert float(found) == pytest.approx((0.6 + 1.0) / 2)
