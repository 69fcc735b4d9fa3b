"""Long texts in chunks, with hand-computed token counts and vectors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from encoders.pooling import split_texts

CLS, SEP = 101, 102


def test_a_text_that_fits_is_one_chunk_and_keeps_its_vector_exactly() -> None:
    texts = [[CLS, 1, 2, SEP], [CLS, SEP]]
    split = split_texts(texts, 4)
    assert split.chunks == texts
    vectors = np.array([[0.1, 0.2], [0.3, 0.4]], dtype=np.float32)  # not of norm 1: a vector that changed would show
    np.testing.assert_array_equal(split.combine(vectors, 2), vectors)


def test_a_long_text_is_the_mean_of_its_chunks_by_length() -> None:
    """Two tokens at (1, 0) and one at (0, 1): (2, 1) / sqrt 5."""
    split = split_texts([[CLS, 9, SEP], [CLS, 1, 2, 3, SEP]], 4)
    assert split.chunks == [[CLS, 9, SEP], [CLS, 1, 2, SEP], [CLS, 3, SEP]]
    assert split.text_rows.tolist() == [0, 1, 1]
    vectors = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    np.testing.assert_allclose(split.combine(vectors, 2), [[0.6, 0.8], [2 / 5**0.5, 1 / 5**0.5]], atol=1e-6)


@given(lengths=st.lists(st.integers(0, 40), min_size=1, max_size=5), limit=st.integers(3, 12))
def test_every_token_is_in_one_chunk_in_order(lengths: list[int], limit: int) -> None:
    texts = [[CLS, *range(length), SEP] for length in lengths]
    split = split_texts(texts, limit)
    assert all(len(chunk) <= limit and (chunk[0], chunk[-1]) == (CLS, SEP) for chunk in split.chunks)
    for row, ids in enumerate(texts):
        chunks = [chunk for chunk, text_row in zip(split.chunks, split.text_rows, strict=True) if text_row == row]
        assert [token for chunk in chunks for token in chunk[1:-1]] == ids[1:-1]
