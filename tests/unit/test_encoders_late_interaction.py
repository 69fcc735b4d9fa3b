"""Late interaction: the arithmetic of a score, and the graph behind the port of a cross-encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelMissing
from encoders.late_interaction import LateRecipe, similarity


def _states(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


def test_a_score_by_hand() -> None:
    """[CLS] . [CLS] = .6 with weight 1; a word of weight 3 whose best match is 1; [SEP] counts nothing."""
    question = _states((1.0, 0.0, 1.0), (0.0, 1.0, 3.0), (1.0, 0.0, 9.0))
    text = _states((0.6, 0.8, 1.0), (0.0, 1.0, 1.0), (0.8, 0.6, 1.0), (1.0, 0.0, 1.0))
    assert similarity(question, text) == pytest.approx((1 * 0.6 + 3 * 1.0) / 4)


def test_a_text_without_words_matches_no_word() -> None:
    question = _states((1.0, 0.0, 1.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0))
    empty = _states((1.0, 0.0, 1.0), (1.0, 0.0, 1.0))
    assert similarity(question, empty) == pytest.approx((1.0 - 1.0) / 2)


@given(st.integers(0, 2**31), st.integers(3, 8), st.integers(3, 8))
def test_more_words_never_lower_a_score_and_it_stays_in_range(seed: int, asked: int, found: int) -> None:
    chance = np.random.default_rng(seed)

    def states(count: int) -> np.ndarray:
        vectors = chance.normal(size=(count, 4)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.concatenate([vectors, chance.uniform(0.1, 3.0, (count, 1)).astype(np.float32)], axis=1)

    question, text = states(asked), states(found)
    longer = np.concatenate([text[:-1], states(2), text[-1:]])
    assert -1.001 <= similarity(question, text) <= similarity(question, longer) + 1e-6 <= 1.001


def test_a_card_without_its_numbers_is_refused() -> None:
    assert LateRecipe.of({"temperature": 1.0}) is None
    with pytest.raises(ModelMissing, match="lacks max_tokens"):
        LateRecipe.of({"scoring": "late-interaction", "max_tokens": 128})
