"""Long texts in parts, with hand-computed shares and vectors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from encoders.pooling import parted

CLS, SEP = 101, 102


def test_a_text_that_fits_is_one_part_and_keeps_its_vector_exactly() -> None:
    texts = [[CLS, 1, 2, SEP], [CLS, SEP]]
    read = parted(texts, 4)
    assert read.parts == texts
    vectors = np.array([[0.1, 0.2], [0.3, 0.4]], dtype=np.float32)  # of no norm, to see that nothing is done
    np.testing.assert_array_equal(read.joined(vectors, 2), vectors)


def test_a_long_text_is_the_mean_of_its_parts_by_length() -> None:
    """Two tokens at (1, 0) and one at (0, 1): (2, 1) / sqrt 5."""
    read = parted([[CLS, 9, SEP], [CLS, 1, 2, 3, SEP]], 4)
    assert read.parts == [[CLS, 9, SEP], [CLS, 1, 2, SEP], [CLS, 3, SEP]]
    assert read.owners.tolist() == [0, 1, 1]
    vectors = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    np.testing.assert_allclose(read.joined(vectors, 2), [[0.6, 0.8], [2 / 5**0.5, 1 / 5**0.5]], atol=1e-6)


@given(lengths=st.lists(st.integers(0, 40), min_size=1, max_size=5), most=st.integers(3, 12))
def test_every_token_is_in_one_part_in_order(lengths: list[int], most: int) -> None:
    texts = [[CLS, *range(length), SEP] for length in lengths]
    read = parted(texts, most)
    assert all(len(part) <= most and (part[0], part[-1]) == (CLS, SEP) for part in read.parts)
    for owner, ids in enumerate(texts):
        own = [part for part, of in zip(read.parts, read.owners, strict=True) if of == owner]
        assert [token for part in own for token in part[1:-1]] == ids[1:-1]
