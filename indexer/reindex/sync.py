"""Makes one index equal to another: copies what is missing or different.

Repeating it is cheap if nothing differs, so one function copies, verifies, and catches up with writes during the copy.
After a crash the next round does the rest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.batched import batched
from core.json_types import Json, JsonMapping
from core.ports import TokenCard
from es_gateway.client import Elasticsearch
from es_mappings.codecs import vectors
from es_mappings.codecs.vectors import has_all
from indexer.store import bulk
from indexer.store.scan import scan

BATCH = 500
EVERYTHING: JsonMapping = {"match_all": {}}


@dataclass(frozen=True, slots=True)
class Copying:
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
    def settled(self) -> bool:
        return self.copied == 0 and self.deleted == 0 and not self.failures


def sync(client: Elasticsearch, source: str, target: str, copying: Copying) -> Round:
    """Makes ``target``, to which only the reindex writes, equal to ``source``.

    Reads both in full, without vectors; memory holds one digest for each document. For vectors it only checks whether
    they exist: one that is added later changes nothing else of its document.
    Raises core.errors.Unavailable if Elasticsearch does not answer.
    """
    client.indices.refresh(index=f"{source},{target}")
    there = {hit["_id"]: _digest(hit["_source"]) for hit in scan(client, target, EVERYTHING)}
    filled = _filled(client, source, target, copying.tokens) if copying.vectors is None else set()
    same = copied = seen = 0
    failures: list[bulk.Failure] = []
    for hits in batched(scan(client, source, EVERYTHING), BATCH):
        seen += len(hits)
        wanted = [(hit, copying.transform(hit["_source"])) for hit in hits]
        taken = [
            (hit, new) for hit, new in wanted if there.pop(hit["_id"], None) != _digest(new) or hit["_id"] in filled
        ]
        same += len(hits) - len(taken)
        failures += bulk.write(
            client,
            (
                bulk.index_operation(target, hit["_id"], document, hit.get("_routing"))
                for hit, document in with_vectors(client, source, taken, copying)
            ),
        )
        copied += len(taken)
        copying.progress(seen)
    deleted = _delete(client, target, there)
    return Round(same, copied, deleted, tuple(failures))


def _filled(client: Elasticsearch, source: str, target: str, tokens: TokenCard | None) -> set[str]:
    """Ids of documents that have their vectors in ``source`` and not in ``target``."""
    found: set[str] = set()
    for hits in batched(scan(client, target, {"bool": {"must_not": [has_all(tokens)]}}, []), BATCH):
        query = {"bool": {"filter": [{"ids": {"values": [hit["_id"] for hit in hits]}}, has_all(tokens)]}}
        answer = client.search(index=source, query=query, source=False, size=BATCH)
        found |= {hit["_id"] for hit in answer["hits"]["hits"]}
    return found


def differing(client: Elasticsearch, source: str, target: str, tokens: TokenCard | None) -> Iterator[Json]:
    """Hits of ``source`` that ``target`` lacks, holds differently, or without the vectors that ``source`` has."""
    client.indices.refresh(index=f"{source},{target}")
    there = {hit["_id"]: _digest(hit["_source"]) for hit in scan(client, target, EVERYTHING)}
    filled = _filled(client, source, target, tokens)
    for hit in scan(client, source, EVERYTHING):
        if there.get(hit["_id"]) != _digest(hit["_source"]) or hit["_id"] in filled:
            yield hit


def with_vectors(
    client: Elasticsearch, source: str, pairs: Sequence[tuple[Json, Json]], copying: Copying
) -> Iterator[tuple[Json, Json]]:
    """Hits of ``source`` with their complete documents for the target."""
    if not pairs:
        return
    made = (
        copying.vectors([new for _, new in pairs])
        if copying.vectors is not None
        else _stored_vectors(client, source, [hit for hit, _ in pairs])
    )
    for (hit, new), fields in zip(pairs, made, strict=True):
        yield hit, {**new, **fields}


def _stored_vectors(client: Elasticsearch, index: str, hits: Sequence[Json]) -> list[Json]:
    """The vectors' fields in the index, in full precision; empty for a document without any."""
    query = {"ids": {"values": [hit["_id"] for hit in hits]}}
    wanted = {"exclude_vectors": False, "includes": list(vectors.FIELDS)}
    found = client.search(index=index, query=query, source=wanted, size=len(hits))
    stored = {hit["_id"]: vectors.of_document(hit["_source"]) for hit in found["hits"]["hits"]}
    return [stored.get(hit["_id"], {}) for hit in hits]


def _delete(client: Elasticsearch, target: str, only_there: Iterable[str]) -> int:
    deleted = 0
    for batch in batched(only_there, BATCH):
        query = {"ids": {"values": batch}}
        found = client.search(index=target, query=query, source=False, size=BATCH)["hits"]["hits"]
        failed = bulk.write(client, (bulk.delete_operation(target, hit["_id"], hit.get("_routing")) for hit in found))
        deleted += len(found) - len(failed)
    return deleted


def _digest(document: Json) -> bytes:
    """A hash of 16 bytes of the document without its vectors."""
    plain = {name: value for name, value in document.items() if name not in vectors.FIELDS}
    return hashlib.blake2b(json.dumps(plain, sort_keys=True).encode(), digest_size=16).digest()
