"""What an index remembers of how it was filled, and whether these settings can serve it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from core.errors import IndexMismatch
from core.ports import EmbedderCard

SCHEMA_VERSION = 1
"""Raised with every change of a mapping that an existing index does not have; older ones need ``sonde reindex``."""


@dataclass(frozen=True, slots=True)
class IndexMeta:
    """The embedding recipe and the schema, kept in the mapping's ``_meta``."""

    schema_version: int
    embedding_model: str
    dims: int
    similarity: str
    instruction: str

    @classmethod
    def of(cls, card: EmbedderCard) -> IndexMeta:
        return cls(SCHEMA_VERSION, card.model, card.dims, "cosine", card.instruction)

    @classmethod
    def read(cls, index: str, meta: Mapping[str, Any] | None) -> IndexMeta:
        """Raises IndexMismatch where the index carries no ``_meta`` of ours."""
        try:
            return cls(**{name: (meta or {})[name] for name in cls.__dataclass_fields__})
        except KeyError as error:
            raise IndexMismatch(
                f"The index {index} carries no {error} in its _meta, so it was not made by Sonde. "
                "Choose another index.prefix, or delete the index and harvest again."
            ) from error

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def refuse_unknown_schema(index: str, meta: IndexMeta) -> None:
    """Raises IndexMismatch, with what to do, where this version does not know the schema of ``index``."""
    if meta.schema_version == SCHEMA_VERSION:
        return
    remedy = (
        "Run `sonde reindex` to build it anew beside the old one."
        if meta.schema_version < SCHEMA_VERSION
        else "It was written by a newer Sonde: upgrade this one."
    )
    raise IndexMismatch(
        f"The index {index} has schema {meta.schema_version}; this version of Sonde knows schema {SCHEMA_VERSION}. "
        + remedy
    )


def refuse_other_dimensions(index: str, meta: IndexMeta, card: EmbedderCard) -> None:
    """Raises IndexMismatch where ``card`` (the model that ``_meta`` names, as installed) has other dimensions."""
    if meta.dims != card.dims:
        raise IndexMismatch(
            f"The index {index} holds vectors of {meta.dims} dimensions by {meta.embedding_model}, but the model "
            f"of that name that is installed gives {card.dims}. Install the one that filled the index, or run "
            "`sonde reindex`."
        )


def needs_reindex(meta: IndexMeta, configured_model: str) -> str | None:
    """The sentence for ``/readyz`` where the settings name another model than the one that serves, else None."""
    if meta.embedding_model == configured_model:
        return None
    return (
        f"The settings name the embedder {configured_model}, the index was filled by {meta.embedding_model}, which "
        "goes on serving. Run `sonde reindex` to put the new one in service."
    )
