"""The metadata of an index about how it was filled, and whether these settings fit it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from core.errors import IndexMismatch
from core.json_types import Json, JsonMapping
from core.ports import EmbedderCard, TokenCard

SCHEMA_VERSION = 3
"""The current schema version of the mappings. Every release that changes a mapping increases it by one (ADR 0023):

1. Sonde 0.1.0
2. editions of records, claims in the ledger, coverage and progress of documents
3. names of records: short names, platforms, instruments, variables, projects, processing level, and as written;
   token vectors of records and passages; all words of a record in one field; what a steward corrected in a record;
   the boxes of a passage's words, and its table; what the owner of a document edited;
   the cells and years of a record; in place, without a reindex: the container of an unreadable member, members passed
   over in a run, the address of a feed that was ended, the area that a record's title names, the sections that a
   passage joins
"""

NAMES_SINCE = 3
"""The first schema whose records have keys of their names."""

WORDS_SINCE = 3
"""The first schema whose records have all their words in one field, weighed by how often they stand there."""

CELLS_SINCE = 3
"""The first schema whose records have the cells of their extents and the years of their periods."""

OLDEST_SCHEMA = 1
"""The oldest schema that this version reads. Increased only if an older index would give wrong answers."""


@dataclass(frozen=True, slots=True)
class IndexMeta:
    """The embedding recipe and the schema, stored in the mapping's ``_meta``.

    ``tokens``: the code and dimensions of its token vectors; None for an index without.
    """

    schema_version: int
    embedding_model: str
    dims: int
    similarity: str
    instruction: str
    tokens: TokenCard | None = None

    @classmethod
    def of(cls, card: EmbedderCard) -> IndexMeta:
        return cls(SCHEMA_VERSION, card.model, card.dims, "cosine", card.instruction, card.tokens)

    @classmethod
    def read(cls, index: str, meta: JsonMapping | None) -> IndexMeta:
        """Raises IndexMismatch if the index has no ``_meta`` of ours."""
        stored_meta = meta or {}
        tokens = TokenCard(**stored_meta["tokens"]) if stored_meta.get("tokens") else None
        try:
            return cls(
                **{name: stored_meta[name] for name in cls.__dataclass_fields__ if name != "tokens"}, tokens=tokens
            )
        except KeyError as error:
            raise IndexMismatch(
                f"The index {index} carries no {error} in its _meta, so it was not made by Sonde. "
                "Choose another index.prefix, or delete the index and harvest again."
            ) from error

    def as_dict(self) -> Json:
        return asdict(self)

    def keeps_vectors_of(self, other: IndexMeta) -> bool:
        """Whether vectors and token vectors of the other index are those of this one."""
        return (self.embedding_model, self.dims, self.tokens) == (other.embedding_model, other.dims, other.tokens)


def refuse_unknown_schema(index: str, meta: IndexMeta) -> None:
    """Raises IndexMismatch, with what to do, if this version cannot read the schema of ``index``."""
    refuse_newer_schema(index, meta)
    if meta.schema_version < OLDEST_SCHEMA:
        raise _unreadable(index, meta, "Run `sonde reindex` to build it anew beside the old one.")


def refuse_newer_schema(index: str, meta: IndexMeta) -> None:
    """Raises IndexMismatch, with what to do, if a newer Sonde wrote ``index``."""
    if meta.schema_version > SCHEMA_VERSION:
        raise _unreadable(index, meta, "It was written by a newer Sonde: upgrade this one.")


def _unreadable(index: str, meta: IndexMeta, remedy: str) -> IndexMismatch:
    return IndexMismatch(
        f"The index {index} has schema {meta.schema_version}; this version of Sonde reads schema {OLDEST_SCHEMA} to "
        f"{SCHEMA_VERSION}. {remedy}"
    )


def refuse_other_dimensions(index: str, meta: IndexMeta, card: EmbedderCard) -> None:
    """Raises IndexMismatch if ``card`` (the model in ``_meta``, as installed) has other dimensions."""
    if meta.dims != card.dims:
        raise IndexMismatch(
            f"The index {index} holds vectors of {meta.dims} dimensions by {meta.embedding_model}, but the model "
            f"of that name that is installed gives {card.dims}. Install the one that filled the index, or run "
            "`sonde reindex`."
        )


def reindex_reasons(meta: IndexMeta, configured_model: str, embedder: EmbedderCard | None = None) -> list[str]:
    """Sentences for ``/readyz`` and ``sonde doctor``: why a reindex would help. The index still answers.

    ``embedder``: the one that filled the index, as installed; None if it cannot be loaded.
    """
    reasons = []
    if meta.embedding_model != configured_model:
        reasons.append(
            f"The settings name the embedder {configured_model}, but {meta.embedding_model} filled the index and still "
            "answers. Run `sonde reindex` to put the new one in service."
        )
    elif embedder is not None and embedder.tokens != meta.tokens and embedder.tokens is not None:
        present = "no token vectors" if meta.tokens is None else f"token vectors made as {meta.tokens.code}"
        reasons.append(
            f"The index has {present}; the embedder makes them as {embedder.tokens.code}. It still answers, ranked "
            "without them. Run `sonde reindex` to make them."
        )
    if meta.schema_version < SCHEMA_VERSION:
        reasons.append(
            f"The index has schema {meta.schema_version}, made by an earlier Sonde; this one writes schema "
            f"{SCHEMA_VERSION}. It still answers. Run `sonde reindex` to bring every record up to date."
        )
    return reasons
