"""Counts tokens without a model: what a document costs shall not depend on the one that is installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.ports import EmbedderCard, Encoded, TextKind, Vectors

_CHARACTERS = 4


class WordPieces:
    """A token for each four characters of a word, two special ones around; all vectors are alike."""

    card = EmbedderCard("lab/word-pieces", 4, 512, 0.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:  # noqa: ARG002
        return np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(texts), 1))

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        return Encoded(self.embed(texts, kind))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [sum(len(word) // _CHARACTERS + 1 for word in text.split()) + 2 for text in texts]
