"""Embeds texts only if necessary, and counts texts that are longer than the model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from core.errors import IndexMismatch, ModelMissing, Unavailable
from core.ports import Embedder
from indexer.parts import Parts

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Embedded:
    """``vectors``: one per text, None if no embedder was available; ``lengths``: tokens before truncation."""

    vectors: Sequence[list[float] | None]
    lengths: list[int] = field(default_factory=list)
    reads: int = 0


@dataclass(slots=True)
class Embedding:
    """The embedder of one run: loaded at the first text, disabled at the first failure (which is logged once)."""

    parts: Parts
    model: str
    absence: str | None = None
    _embedder: Embedder | None = None

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Raises IndexMismatch if the embedder is not the one that filled the index."""
        embedder = self._loaded() if texts else None
        if embedder is None:
            return Embedded([None] * len(texts))
        try:
            vectors = embedder.embed(texts, "document")
            lengths = embedder.count_tokens(texts)
        except Unavailable as error:
            self._give_up(str(error))
            return Embedded([None] * len(texts))
        return Embedded([vector.tolist() for vector in vectors], lengths, embedder.card.max_tokens)

    def vectors(self, texts: Sequence[str]) -> Sequence[list[float] | None]:
        """Only the vectors, for texts whose lengths were already counted. Raises as ``embed`` does."""
        embedder = self._loaded() if texts else None
        if embedder is None:
            return [None] * len(texts)
        try:
            return [vector.tolist() for vector in embedder.embed(texts, "document")]
        except Unavailable as error:
            self._give_up(str(error))
            return [None] * len(texts)

    def _loaded(self) -> Embedder | None:
        if self._embedder is None and self.absence is None:
            self._load()
        return self._embedder if self.absence is None else None

    def _load(self) -> None:
        if self.parts.embedder is None:
            self._give_up("no embedder was asked for")
            return
        try:
            self._embedder = self.parts.embedder(self.model)
        except (ModelMissing, Unavailable) as error:
            self._give_up(str(error))
            return
        if self._embedder.card.model != self.model:
            raise IndexMismatch(
                f"The index holds vectors by {self.model}; the embedder given is {self._embedder.card.model}."
            )

    def _give_up(self, why: str) -> None:
        self.absence = why
        log.warning("embed.unavailable", model=self.model, reason=why)
