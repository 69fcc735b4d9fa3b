"""Vectors for records that were written without one, when the embedder was not at hand."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import structlog

from core.errors import Unavailable
from es_mappings.documents import from_document
from es_mappings.names import alias
from indexer import bulk
from indexer.commit import targets, write_ledger
from indexer.embed import Embedding
from indexer.ledger import Ledger
from indexer.parts import Options, Parts
from indexer.patience import patient_client, patiently
from indexer.scan import scan

log = structlog.get_logger(__name__)

_CHANGED_OR_GONE = ("409", "404")


@dataclass(frozen=True, slots=True)
class Filled:
    """How many vectors were written, how many are still missing, and the items that were not taken."""

    embedded: int
    remaining: int
    failures: tuple[bulk.Failure, ...] = ()


def embed_missing(source_id: str, parts: Parts, options: Options) -> Filled:
    """Fills vectors until none is missing or ``options.seconds`` are used; to repeat it does no harm.

    A record that changes meanwhile is left to the next time. Raises Unavailable where the embedder is not to be had.
    """
    parts = replace(parts, client=patient_client(parts.client))
    embedding = Embedding(parts, parts.model())
    started, embedded, failures = time.monotonic(), 0, []
    for hits in _batches(_missing(parts, source_id), options.batch):
        options.guard()
        refused = _fill(parts, source_id, hits, embedding)
        embedded += len(hits) - len(refused)
        failures += [failure for failure in refused if not failure.reason.startswith(_CHANGED_OR_GONE)]
        parts.progress("embedded", seen=embedded, total=0)
        if options.seconds is not None and time.monotonic() - started >= options.seconds:
            break
    remaining = count_missing(source_id, parts)
    log.info("embed.filled", source=source_id, embedded=embedded, remaining=remaining, failed=len(failures))
    return Filled(embedded, remaining, tuple(failures))


def count_missing(source_id: str, parts: Parts) -> int:
    """Records of the source that have no vector."""
    index, query = alias(parts.prefix, "records"), _without_vector(source_id)
    patiently(lambda: parts.client.indices.refresh(index=index))
    return int(patiently(lambda: parts.client.count(index=index, query=query))["count"])


def _fill(parts: Parts, source_id: str, hits: Sequence[dict[str, Any]], embedding: Embedding) -> list[bulk.Failure]:
    """Writes the vectors of these hits, then notes the model in the ledger."""
    made = embedding.embed([from_document(hit["_source"]).embedding_text for hit in hits])
    if embedding.absence is not None:
        raise Unavailable(f"Vectors cannot be made: {embedding.absence}")
    pairs = zip(hits, made.vectors, strict=True)
    refused = bulk.write(parts.client, (operation for pair in pairs for operation in _operations(parts.prefix, *pair)))
    done = sorted({hit["_id"] for hit in hits} - {failure.id for failure in refused})
    ledger = Ledger(parts.client, parts.prefix)
    entries = [replace(entry, embedding_model=embedding.model) for entry in ledger.holders(source_id, done).values()]
    return refused + write_ledger(parts.client, parts.prefix, entries)


def _operations(prefix: str, hit: dict[str, Any], vector: list[float] | None) -> Iterator[bulk.Operation]:
    unchanged = {"if_seq_no": hit["_seq_no"], "if_primary_term": hit["_primary_term"]}
    for index in targets(prefix, "records"):
        yield bulk.update_operation(index, hit["_id"], {"doc": {"vector": vector}}, unchanged)


def _missing(parts: Parts, source_id: str) -> Iterator[dict[str, Any]]:
    index = alias(parts.prefix, "records")
    both = f"{index},{alias(parts.prefix, 'ledger')}"
    patiently(lambda: parts.client.indices.refresh(index=both))
    return scan(parts.client, index, _without_vector(source_id))


def _without_vector(source_id: str) -> dict[str, Any]:
    filters = [{"term": {"source": source_id}}]
    return {"bool": {"filter": filters, "must_not": [{"exists": {"field": "vector"}}]}}


def _batches(hits: Iterator[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(hits, size)):
        yield batch
