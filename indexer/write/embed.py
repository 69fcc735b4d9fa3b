"""Embeds texts only if necessary, and counts texts that are longer than the model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog

from core.errors import IndexMismatch, ModelMissing, Unavailable
from core.json_types import Json
from core.ports import Embedder
from es_mappings.codecs.vectors import to_fields
from es_mappings.meta import IndexMeta
from indexer.parts import Parts

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Embedded:
    """``fields``: those of each text with its vectors, None if no embedder was available; ``lengths``: tokens before
    truncation.
    """

    fields: Sequence[Json | None]
    lengths: list[int] = field(default_factory=list)
    reads: int = 0


@dataclass(slots=True)
class Embedding:
    """The embedder of one run: loaded at the first text, disabled at the first failure (which is logged once)."""

    parts: Parts
    recipe: IndexMeta
    absence: str | None = None
    _embedder: Embedder | None = None

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Raises IndexMismatch if the embedder is not the one that filled the index."""
        embedder = self._loaded() if texts else None
        if embedder is None:
            return Embedded([None] * len(texts))
        try:
            fields = self._fields(embedder, texts)
            lengths = embedder.count_tokens(texts)
        except Unavailable as error:
            self._give_up(str(error))
            return Embedded([None] * len(texts))
        return Embedded(fields, lengths, embedder.card.max_tokens)

    def fields(self, texts: Sequence[str]) -> Sequence[Json | None]:
        """Only the fields, for texts whose lengths were already counted. Raises as ``embed`` does."""
        embedder = self._loaded() if texts else None
        if embedder is None:
            return [None] * len(texts)
        try:
            return self._fields(embedder, texts)
        except Unavailable as error:
            self._give_up(str(error))
            return [None] * len(texts)

    def _fields(self, embedder: Embedder, texts: Sequence[str]) -> list[Json]:
        return to_fields(embedder.encode(texts, "document"), embedder.card, self.recipe.tokens)

    def _loaded(self) -> Embedder | None:
        if self._embedder is None and self.absence is None:
            self._load()
        return self._embedder if self.absence is None else None

    def _load(self) -> None:
        if self.parts.embedder is None:
            self._give_up("no embedder was asked for")
            return
        try:
            self._embedder = self.parts.embedder(self.recipe.embedding_model)
        except (ModelMissing, Unavailable) as error:
            self._give_up(str(error))
            return
        if self._embedder.card.model != self.recipe.embedding_model:
            raise IndexMismatch(
                f"The index holds vectors by {self.recipe.embedding_model}; the embedder given is "
                f"{self._embedder.card.model}."
            )

    def _give_up(self, why: str) -> None:
        self.absence = why
        log.warning("embed.unavailable", model=self.recipe.embedding_model, reason=why)
