"""Losses against arithmetic."""

from __future__ import annotations

import math

import pytest

from tests.lazy_module import LazyModule
from training.embedder.encoder import EmbedderTrainingSettings
from training.embedder.learner import info_nce, loss_of

torch = LazyModule("torch")

EAST, NORTH = [1.0, 0.0], [0.0, 1.0]


def given() -> torch.nn.Module:
    """Its features are the vectors."""

    class Given(torch.nn.Module):
        def get_embedding_dimension(self) -> int:
            return 2

        def forward(self, features: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
            return {"sentence_embedding": features["vectors"]}

    return Given()


def vectors(*rows: list[float]) -> dict[str, torch.Tensor]:
    return {"vectors": torch.tensor(rows)}


def labels(columns: int, *also: int) -> tuple[torch.Tensor, torch.Tensor]:
    mask = torch.zeros((1, columns), dtype=torch.bool)
    mask[0, list(also)] = True
    return torch.tensor([0]), mask


def test_info_nce_is_minus_log_of_the_answers_share() -> None:
    """Cosines 1 and 0 at temperature .5: e^2 / (e^2 + e^0)."""
    loss = info_nce(given(), 0.5)([vectors(EAST), vectors(EAST, NORTH)], labels(2))
    assert float(loss) == pytest.approx(-math.log(math.e**2 / (math.e**2 + 1)))


def test_a_document_that_answers_besides_is_no_negative() -> None:
    loss = info_nce(given(), 1.0)([vectors(EAST), vectors(EAST, NORTH, EAST)], labels(3, 2))
    assert float(loss) == pytest.approx(-math.log(math.e / (math.e + 1)))


def test_margin_mse_is_the_squared_gap_to_the_teachers_margin() -> None:
    """Margins 10 x (1 - 0) and 10 x (0 - 1) against 8 and -10: (2^2 + 0^2) / 2."""
    loss = loss_of(given(), EmbedderTrainingSettings(loss="margin_mse", margin_scale=10.0))
    columns = [vectors(EAST, NORTH), vectors(EAST, EAST), vectors(NORTH, NORTH)]
    assert float(loss(columns, torch.tensor([8.0, -10.0]))) == pytest.approx(2.0)


def test_matryoshka_is_the_mean_over_shortened_vectors_of_norm_one() -> None:
    """(.6, .8) whole has cosine .6 with east and .8 with north; its first number alone has cosine 1 and 0."""
    loss = loss_of(given(), EmbedderTrainingSettings(matryoshka=(2, 1), temperature=1.0))
    whole = -math.log(math.exp(0.6) / (math.exp(0.6) + math.exp(0.8)))
    short = -math.log(math.e / (math.e + 1))
    found = loss([vectors([0.6, 0.8]), vectors(EAST, NORTH)], labels(2))
    assert float(found) == pytest.approx((whole + short) / 2)
