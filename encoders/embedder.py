"""The embedder on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.batched import batched
from core.ports import EmbedderCard, TextKind, Vectors
from encoders.onnx_session import Compute, OnnxSession, Tokens
from encoders.parted import parted
from encoders.pooling import pooled
from encoders.recipe import Recipe
from encoders.tokenisers import open_tokeniser

# Token ids are in memory for at most this many texts at once.
_SLICE = 2048


class OnnxEmbedder:
    """core.ports.Embedder. A text's vector does not depend on the texts it is embedded with."""

    def __init__(self, graph: Path, recipe: Recipe, card: EmbedderCard, compute: Compute) -> None:
        """Raises ModelMissing if the graph cannot be opened."""
        self._card = card
        self._recipe = recipe
        self._tokens = open_tokeniser(graph.parent, recipe.max_tokens)
        self._session = OnnxSession(graph, compute)

    @property
    def card(self) -> EmbedderCard:
        return self._card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """vectors: (n, dims) float32, unit norm, in the order of ``texts``; a longer text is read in parts."""
        asked = with_instruction(texts, kind, self._card)
        slices = [self._embed(some) for some in batched(asked, _SLICE)]
        return np.concatenate(slices) if slices else np.empty((0, self._card.dims), dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens included."""
        return self._tokens.count(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        read = parted(self._tokens.whole(texts), self._recipe.max_tokens)
        tokens = [Tokens(ids) for ids in read.parts]
        vectors = self._session.map(tokens, lambda states, mask: pooled(states, mask, self._recipe.pooling))
        return read.joined(vectors, len(texts))


def with_instruction(texts: Sequence[str], kind: TextKind, card: EmbedderCard) -> list[str]:
    """Each text with the model's instruction for its kind before it."""
    instruction = card.instruction if kind == "query" else card.document_instruction
    return [f"{instruction}{text}" for text in texts]
