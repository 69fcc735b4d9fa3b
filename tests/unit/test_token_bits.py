"""Token vectors: made of states, kept as bits, compared with a question's."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ports import EmbedderCard, Encoded, TokenCard
from core.token_bits import late_interaction, pack, signs, unpack
from encoders.token_head import FILE, TokenHead, read_head
from es_mappings.codecs.vectors import bits_of, has_all, of_document, to_fields

DIMS = 16
CARD = TokenCard("made-for-tests", DIMS)


def _random(tokens: int, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(tokens, DIMS)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@given(st.integers(1, 40), st.integers(0, 9))
def test_bits_come_back_as_they_were_kept(tokens: int, seed: int) -> None:
    vectors = _random(tokens, seed)
    blob = pack(vectors)
    bits = unpack(blob, DIMS)
    assert bits is not None
    assert (signs(bits) > 0).tolist() == (vectors > 0).tolist()
    assert pack(signs(bits)) == blob


@pytest.mark.parametrize("damage", [b"", b"\x01", pack(_random(3))[:-1], pack(_random(3)) + b"x"])
def test_a_cut_blob_is_none(damage: bytes) -> None:
    assert unpack(damage, DIMS) is None
    assert unpack(pack(_random(3)), DIMS * 2) is None


def test_the_interaction_is_the_mean_of_each_tokens_best_match() -> None:
    question, texts = _random(5), [_random(tokens, tokens) for tokens in (1, 7, 3000)]
    expected = [(question @ np.where(text > 0, 1, -1).T).max(axis=1).mean() / np.sqrt(DIMS) for text in texts]
    bits = [unpack(pack(text), DIMS) for text in texts]
    assert late_interaction(question, [one for one in bits if one is not None]) == pytest.approx(expected, abs=1e-6)
    assert late_interaction(question, []).tolist() == []


def test_a_token_that_recurs_is_one_vector_of_a_document_and_punctuation_is_none() -> None:
    head = TokenHead(np.zeros(4, np.float32), np.eye(4, 2, dtype=np.float32), frozenset({0, 9}))
    states = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0], [9, 9, 9, 9], [0, 1, 0, 0]], np.float32)
    ids = [0, 5, 5, 9, 7]
    document = head.vectors(ids, states, "document")
    assert document == pytest.approx(np.array([[2**-0.5, 2**-0.5], [0, 1]]))
    assert len(head.vectors(ids, states, "query")) == 3
    assert len(head.vectors([0, 9], states[[0, 3]], "document")) == 2, "a text of punctuation alone keeps it"


def test_an_index_gets_only_the_kind_that_it_holds() -> None:
    encoded = Encoded(np.ones((1, 2), np.float32), [_random(4)])
    card = EmbedderCard("m", 2, 8, 0.0, tokens=CARD)
    (fields,) = to_fields(encoded, card, CARD)
    assert fields["tokens"]["by"] == CARD.code
    assert to_fields(encoded, card, None) == [{"vector": [1.0, 1.0]}]
    assert to_fields(encoded, card, TokenCard("other", DIMS)) == [{"vector": [1.0, 1.0]}]
    assert of_document({"title": "x", **fields}) == fields
    bits = bits_of(fields, CARD)
    assert bits is not None
    assert bits.shape == (4, DIMS // 8)


def test_another_encoders_are_none_and_damaged_ones_an_error() -> None:
    whole = base64.b64encode(pack(_random(3))).decode()
    assert bits_of({}, CARD) is None
    assert bits_of({"tokens": {"by": "other", "bits": whole}}, CARD) is None
    for bits in ("%%%", whole[:8], base64.b64encode(pack(_random(3))[:-2]).decode()):
        with pytest.raises(ValueError, match="16 bits a token"):
            bits_of({"tokens": {"by": CARD.code, "bits": bits}}, CARD)


def test_what_lacks_them_is_asked_for_only_where_the_index_holds_them() -> None:
    assert has_all(None) == {"bool": {"filter": [{"exists": {"field": "vector"}}]}}
    assert {"term": {"tokens.by": CARD.code}} in has_all(CARD)["bool"]["filter"]


def test_a_damaged_head_is_named(tmp_path: Path) -> None:
    from core.errors import ModelMissing

    assert read_head(tmp_path) is None
    (tmp_path / FILE).write_bytes(b"not a head")
    with pytest.raises(ModelMissing, match="is damaged"):
        read_head(tmp_path)
