"""Reference results of a model on our sample, stored in its card, which it must reproduce on any machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.json_types import Json, JsonMapping
from core.ports import CrossEncoder, Embedder
from encoders.quantise import sample_texts

_TEXTS = 2
_PAIRS = 8
_DIGITS = 4
SAME_COSINE = 0.999
"""Least cosine of a vector to the reference vector. Rounding and another order of sums give more."""
SAME_LOGIT = 0.05
"""Tolerance as a share of the reference logits' range: int8 products overflow on processors without VNNI."""
SAME_COHERENCE = 0.005
"""Tolerance of a probability: fp32 graphs reproduce four digits."""


def record_embedder(embedder: Embedder) -> Json:
    """Vectors of the sample's first documents, to four digits."""
    vectors = embedder.embed(sample_texts()[:_TEXTS], "document")
    return {"vectors": [[round(float(value), _DIGITS) for value in row] for row in vectors]}


def record_segmenter(coherence: Callable[[Sequence[str]], list[float]]) -> Json:
    """How well each of the sample's first documents continues the previous one."""
    return {"coherence": [round(value, _DIGITS) for value in coherence(sample_texts()[:_PAIRS])]}


def record_cross_encoder(model: CrossEncoder) -> Json:
    """Logits of the sample's first documents for its last text, a question."""
    return {"logits": [round(float(value), _DIGITS) for value in _logits(model)]}


def segmenter_gap(coherence: Callable[[Sequence[str]], list[float]], reference: JsonMapping) -> float:
    """The largest difference to a reference probability."""
    reference_probabilities = np.asarray(reference["coherence"], dtype=np.float64)
    probabilities = np.asarray(coherence(sample_texts()[: len(reference_probabilities) + 1]), dtype=np.float64)
    return float(np.abs(probabilities - reference_probabilities).max())


def embedder_agreement(embedder: Embedder, reference: JsonMapping) -> float:
    """The smallest cosine to the reference vectors; 0 for a different size."""
    reference_vectors = np.asarray(reference["vectors"], dtype=np.float32)
    vectors = embedder.embed(sample_texts()[: len(reference_vectors)], "document")
    if vectors.shape != reference_vectors.shape:
        return 0.0
    norms = np.linalg.norm(reference_vectors, axis=1)
    return float((np.einsum("ij,ij->i", vectors, reference_vectors) / norms).min())


def cross_encoder_gap(model: CrossEncoder, reference: JsonMapping) -> float:
    """The largest difference to a reference logit, as a share of their range."""
    reference_logits = np.asarray(reference["logits"], dtype=np.float64)
    span = max(float(reference_logits.max() - reference_logits.min()), 1e-9)
    return float(np.abs(_logits(model) - reference_logits).max()) / span


def _logits(model: CrossEncoder) -> Any:
    texts = sample_texts()
    return model.score(texts[-1], texts[:_PAIRS])
