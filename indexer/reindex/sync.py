"""Makes one index equal to another: copies what is missing or different.

Repeating it is cheap if nothing differs, so one function copies, verifies, and catches up with writes during the copy.
After a crash the next round does the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.batched import batched
from core.json_types import Json, JsonMapping
from core.ports import Embedder, TokenCard
from es_gateway.client import Elasticsearch
from es_mappings.codecs import passages, vectors
from es_mappings.codecs.records import from_document, to_document
from es_mappings.codecs.vectors import has_all, to_fields
from es_mappings.names import alias
from indexer.documents.segment.passages import embedding_text
from indexer.store import bulk
from indexer.store.ledger import scan

BATCH = 500
MATCH_ALL: JsonMapping = {"match_all": {}}


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """How to copy a document.

    ``transform`` converts a stored document (without vectors) to this version's form. ``vectors`` gives each batch the
    fields of its vectors; None to keep the stored ones, which ``tokens`` describes.
    """

    transform: Callable[[Json], Json]
    vectors: Callable[[Sequence[Json]], Sequence[Json]] | None = None
    tokens: TokenCard | None = None
    progress: Callable[[int], None] = lambda _seen: None


@dataclass(frozen=True, slots=True)
class Round:
    """One pass: equal, copied and deleted (only in the target) documents, and the refused ones."""

    same: int = 0
    copied: int = 0
    deleted: int = 0
    failures: tuple[bulk.Failure, ...] = ()

    @property
    def is_settled(self) -> bool:
        return self.copied == 0 and self.deleted == 0 and not self.failures


def sync(client: Elasticsearch, source: str, target: str, copy_options: CopyOptions) -> Round:
    """Makes ``target``, to which only the reindex writes, equal to ``source``.

    Reads both in full, without vectors; memory holds one digest for each document. For vectors it only checks whether
    they exist: one that is added later changes nothing else of its document.
    Raises core.errors.Unavailable if Elasticsearch does not answer.
    """
    client.indices.refresh(index=f"{source},{target}")
    target_digests = {hit["_id"]: _digest(hit["_source"]) for hit in scan(client, target, MATCH_ALL)}
    filled_ids = _filled_ids(client, source, target, copy_options.tokens) if copy_options.vectors is None else set()
    same_count = copied_count = seen_count = 0
    failures: list[bulk.Failure] = []
    for hits in batched(scan(client, source, MATCH_ALL), BATCH):
        seen_count += len(hits)
        hits_and_documents = [(hit, copy_options.transform(hit["_source"])) for hit in hits]
        hits_to_copy = [
            (hit, new)
            for hit, new in hits_and_documents
            if target_digests.pop(hit["_id"], None) != _digest(new) or hit["_id"] in filled_ids
        ]
        same_count += len(hits) - len(hits_to_copy)
        failures += bulk.write(
            client,
            (
                bulk.index_operation(target, hit["_id"], document, hit.get("_routing"))
                for hit, document in with_vectors(client, source, hits_to_copy, copy_options)
            ),
        )
        copied_count += len(hits_to_copy)
        copy_options.progress(seen_count)
    deleted_count = _delete(client, target, target_digests)
    return Round(same_count, copied_count, deleted_count, tuple(failures))


def _filled_ids(client: Elasticsearch, source: str, target: str, tokens: TokenCard | None) -> set[str]:
    """Ids of documents that have their vectors in ``source`` and not in ``target``."""
    ids: set[str] = set()
    for hits in batched(scan(client, target, {"bool": {"must_not": [has_all(tokens)]}}, []), BATCH):
        query = {"bool": {"filter": [{"ids": {"values": [hit["_id"] for hit in hits]}}, has_all(tokens)]}}
        answer = client.search(index=source, query=query, source=False, size=BATCH)
        ids |= {hit["_id"] for hit in answer["hits"]["hits"]}
    return ids


def differing_hits(client: Elasticsearch, source: str, target: str, tokens: TokenCard | None) -> Iterator[Json]:
    """Hits of ``source`` that ``target`` lacks, holds differently, or without the vectors that ``source`` has."""
    client.indices.refresh(index=f"{source},{target}")
    target_digests = {hit["_id"]: _digest(hit["_source"]) for hit in scan(client, target, MATCH_ALL)}
    filled_ids = _filled_ids(client, source, target, tokens)
    for hit in scan(client, source, MATCH_ALL):
        if target_digests.get(hit["_id"]) != _digest(hit["_source"]) or hit["_id"] in filled_ids:
            yield hit


def with_vectors(
    client: Elasticsearch, source: str, pairs: Sequence[tuple[Json, Json]], copy_options: CopyOptions
) -> Iterator[tuple[Json, Json]]:
    """Hits of ``source`` with their complete documents for the target."""
    if not pairs:
        return
    vector_fields = (
        copy_options.vectors([new for _, new in pairs])
        if copy_options.vectors is not None
        else _stored_vectors(client, source, [hit for hit, _ in pairs])
    )
    for (hit, new), fields in zip(pairs, vector_fields, strict=True):
        yield hit, {**new, **fields}


def _stored_vectors(client: Elasticsearch, index: str, hits: Sequence[Json]) -> list[Json]:
    """The vectors' fields in the index, in full precision; empty for a document without any."""
    query = {"ids": {"values": [hit["_id"] for hit in hits]}}
    source_filter = {"exclude_vectors": False, "includes": list(vectors.FIELDS)}
    answer = client.search(index=index, query=query, source=source_filter, size=len(hits))
    vectors_by_id = {hit["_id"]: vectors.of_document(hit["_source"]) for hit in answer["hits"]["hits"]}
    return [vectors_by_id.get(hit["_id"], {}) for hit in hits]


def _delete(client: Elasticsearch, target: str, surplus_ids: Iterable[str]) -> int:
    deleted_count = 0
    for batch in batched(surplus_ids, BATCH):
        query = {"ids": {"values": batch}}
        hits = client.search(index=target, query=query, source=False, size=BATCH)["hits"]["hits"]
        failures = bulk.write(client, (bulk.delete_operation(target, hit["_id"], hit.get("_routing")) for hit in hits))
        deleted_count += len(hits) - len(failures)
    return deleted_count


def _digest(document: Json) -> bytes:
    """A hash of 16 bytes of the document without its vectors."""
    without_vectors = {name: value for name, value in document.items() if name not in vectors.FIELDS}
    return hashlib.blake2b(json.dumps(without_vectors, sort_keys=True).encode(), digest_size=16).digest()


_OF_THE_RECORD = ("native", "harvest", "family")  # what the harvest adds to the output of to_document


def _ignore_progress(_count_seen: int) -> None:
    """Ignores progress."""


def copy_options_of(
    kind: ReindexedKind,
    tokens: TokenCard | None,
    embedder: Embedder | None,
    progress: Callable[[int], None] = _ignore_progress,
) -> CopyOptions:
    """How to copy documents of that kind to an index with these token vectors; without ``embedder`` they keep their
    vectors.
    """
    transform = _renewed_record if kind == "records" else dict
    if embedder is None:
        return CopyOptions(transform, None, tokens, progress)
    text = _record_text if kind == "records" else _passage_text

    def embed_documents(documents: Sequence[Json]) -> Sequence[Json]:
        encoded_texts = embedder.encode([text(document, embedder) for document in documents], "document")
        return to_fields(encoded_texts, embedder.card, tokens)

    return CopyOptions(transform, embed_documents, tokens, progress)


def _renewed_record(source: Json) -> Json:
    """The record in this version's form, with its harvest notes."""
    document = to_document(from_document(source))
    record_fields = {name: source[name] for name in _OF_THE_RECORD if name in source}
    return {**document, **record_fields}


def _record_text(document: Json, _embedder: Embedder) -> str:
    return from_document(document).embedding_text


def _passage_text(document: Json, embedder: Embedder) -> str:
    passage, title = passages.from_document("", document)
    return embedding_text(passage, title, embedder, embedder.card.max_tokens)


ReindexedKind = Literal["records", "passages", "library"]
REINDEXED_KINDS: tuple[ReindexedKind, ...] = ("records", "passages", "library")

_NOTE = "left_behind"


@dataclass(frozen=True, slots=True)
class Handover:
    """``new`` serves, or soon will, and may lack the last writes to ``old``.

    Sequence numbers, one for each shard: everything up to ``seen`` in ``old`` was compared; everything up to ``copied``
    in ``new`` is from the reindex, and later writes are from others, who already used it.
    """

    kind: ReindexedKind
    old: str
    new: str
    seen: Sequence[int]
    copied: Sequence[int]


def unfinished_handovers(client: Elasticsearch, prefix: str) -> list[Handover]:
    """Of the serving indices, records first; usually empty. One request."""
    aliases = {alias(prefix, kind): kind for kind in REINDEXED_KINDS}
    indices = client.indices.get(index=list(aliases), features=["aliases", "mappings"], ignore_unavailable=True).body
    notes = []
    for index, body in indices.items():
        note = body["mappings"].get("_meta", {}).get(_NOTE)
        kind = next((kind for name, kind in aliases.items() if name in body["aliases"]), None)
        if note is not None and kind is not None:
            notes.append(Handover(kind, note["old"], index, _numbers_of(note["seen"]), _numbers_of(note["copied"])))
    return sorted(notes, key=lambda handover: REINDEXED_KINDS.index(handover.kind))


def _numbers_of(noted: int | list[int]) -> list[int]:
    """An earlier Sonde noted the number of an index with one shard."""
    return noted if isinstance(noted, list) else [noted]


def record_handover(client: Elasticsearch, handover: Handover) -> None:
    """Writes the note; call this before the alias moves."""
    _put_meta(client, handover.new, {"old": handover.old, "seen": handover.seen, "copied": handover.copied})


def clear(client: Elasticsearch, index: str) -> None:
    _put_meta(client, index, None)


def visible_sequence_numbers(client: Elasticsearch, index: str) -> list[int]:
    """Of each shard: writes up to this number are visible after a refresh; higher ones may be in progress."""
    return _numbers(client, index, "local_checkpoint")


def highest(client: Elasticsearch, index: str) -> list[int]:
    """The highest sequence number of each shard so far; -1 in an empty one."""
    return _numbers(client, index, "max_seq_no")


def _numbers(client: Elasticsearch, index: str, name: str) -> list[int]:
    """Of each shard's primary, in the order of the shards: each counts its own writes."""
    shards = client.indices.stats(index=index, metric="docs", level="shards").body["indices"][index]["shards"]
    copies = (copy for number in sorted(shards, key=int) for copy in shards[number])
    return [int(copy["seq_no"][name]) for copy in copies if copy["routing"]["primary"]]


def _put_meta(client: Elasticsearch, index: str, note: Json | None) -> None:
    """Elasticsearch replaces ``_meta`` as a whole, so the other entries are sent again."""
    mappings = client.indices.get_mapping(index=index).body[index]["mappings"]
    other_entries = {name: value for name, value in mappings.get("_meta", {}).items() if name != _NOTE}
    meta = other_entries if note is None else {**other_entries, _NOTE: note}
    client.indices.put_mapping(index=index, meta=meta)
