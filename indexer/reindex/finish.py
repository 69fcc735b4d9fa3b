"""The last round of a reindex: copies what was written to the old index while the alias moved.

The reindex runs it; if that was interrupted, the next `sonde reindex` or the next harvest does. It is safe to run
twice, late, or in two processes at once: each write is conditional on no other write since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import structlog

from core.batched import batched
from core.errors import ModelMissing, SondeError
from core.json_types import Json, JsonMapping
from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.indices import index_named
from es_mappings.meta import IndexMeta
from es_mappings.names import alias
from indexer.parts import HarvestParts
from indexer.reindex.sync import (
    BATCH,
    MATCH_ALL,
    CopyOptions,
    Handover,
    ReindexedKind,
    clear,
    copy_options_of,
    unfinished_handovers,
    with_vectors,
)
from indexer.store import bulk
from indexer.store.ledger import Ledger, scan

log = structlog.get_logger(__name__)

_MOST_ROUNDS = 8
_CONFLICT = "409"


def finish(client: Elasticsearch, prefix: str, embedder: Callable[[str], Embedder]) -> list[Handover]:
    """Finishes a reindex whose alias has moved; returns what was unfinished, empty if there was nothing.

    ``embedder`` loads the model with that name if the two indices have different ones. Raises what it raises,
    Unavailable if Elasticsearch does not answer, and SondeError, naming the first, if documents are refused: the note
    then stays, and the next attempt continues.
    """
    handovers = unfinished_handovers(client, prefix)
    for handover in handovers:
        _catch_up(client, prefix, handover, embedder)
    for handover in handovers:
        if handover.kind == "records":
            note_model(client, prefix, _meta(client, handover.new).embedding_model)
    for handover in handovers:
        clear(client, handover.new)
        log.info("reindex.finished", kind=handover.kind, old=handover.old, new=handover.new)
    return handovers


def finish_if_possible(parts: HarvestParts) -> None:
    """Runs before a harvest. If it cannot finish now, for example without the model, the harvest still runs."""
    try:
        finish(parts.client, parts.prefix, parts.embedder or _no_embedder)
    except SondeError as error:
        log.warning("reindex.not_finished", reason=str(error))


def note_model(client: Elasticsearch, prefix: str, model: str) -> None:
    """Stores the current model in the ledger; without this, the next harvest would embed everything again."""
    client.update_by_query(
        index=alias(prefix, "ledger"),
        query={"bool": {"filter": [{"exists": {"field": "embedding_model"}}]}},
        script={"source": "ctx._source.embedding_model = params.model", "params": {"model": model}},
        conflicts="proceed",
        refresh=True,
    )


def _no_embedder(model: str) -> Embedder:
    raise ModelMissing(f"This harvest is without an embedder; {model} is needed.")


def _catch_up(client: Elasticsearch, prefix: str, handover: Handover, embedder: Callable[[str], Embedder]) -> None:
    """Repeats rounds until one finds nothing: a write that was in progress when the alias moved may come later."""
    if not client.indices.exists(index=handover.old):
        log.warning("reindex.old_is_gone", old=handover.old, new=handover.new)
        return
    copy_options = copy_options_of(
        handover.kind, _meta(client, handover.new).tokens, _embedder(client, handover, embedder)
    )
    for _ in range(_MOST_ROUNDS):
        client.indices.refresh(index=f"{handover.old},{handover.new}")
        if _copy_late_writes(client, prefix, handover, copy_options) + _take_out(client, handover) == 0:
            return


def _embedder(client: Elasticsearch, handover: Handover, embedder: Callable[[str], Embedder]) -> Embedder | None:
    """The new index's embedder, if the vectors of the old one do not fit it."""
    old, new = _meta(client, handover.old), _meta(client, handover.new)
    return None if new.keeps_vectors_of(old) else embedder(new.embedding_model)


def _meta(client: Elasticsearch, index: str) -> IndexMeta:
    return index_named(client, index).meta


def _copy_late_writes(client: Elasticsearch, prefix: str, handover: Handover, copy_options: CopyOptions) -> int:
    """Copies late writes of the old index, unless newer writes or removals exist; returns the number of writes."""
    copied_count = 0
    late_hits = (
        hit
        for shard, seen in enumerate(handover.seen)
        for hit in scan(client, handover.old, {"range": {"_seq_no": {"gt": seen}}}, shard=shard)
    )
    for hits in batched(late_hits, BATCH):
        ids = {"ids": {"values": [hit["_id"] for hit in hits]}}
        conditions = {copy["_id"]: _if_unchanged(copy) for copy in _own_copies(client, handover, ids)}
        present_ids = {hit["_id"] for hit in scan(client, handover.new, ids, [])}
        absent_hits = [hit for hit in hits if hit["_id"] not in present_ids]
        removed_ids = _removed_ids(client, prefix, handover.kind, absent_hits)
        hits_to_copy = [
            (hit, copy_options.transform(hit["_source"]))
            for hit in hits
            if hit["_id"] not in removed_ids and (hit["_id"] in conditions or hit["_id"] not in present_ids)
        ]
        operations = [
            bulk.replace_operation(handover.new, hit["_id"], document, hit.get("_routing"), conditions.get(hit["_id"]))
            for hit, document in with_vectors(client, handover.old, hits_to_copy, copy_options)
        ]
        copied_count += _write_operations(client, handover, operations)
    return copied_count


def _own_copies(client: Elasticsearch, handover: Handover, query: JsonMapping) -> Iterator[Json]:
    """Hits of the new index that nobody has written since the reindex copied them."""
    for shard, copied in enumerate(handover.copied):
        unchanged_query = {"bool": {"filter": [query, {"range": {"_seq_no": {"lte": copied}}}]}}
        yield from scan(client, handover.new, unchanged_query, [], shard=shard)


def _take_out(client: Elasticsearch, handover: Handover) -> int:
    """Deletes the reindex's copies of records that were removed late from the old index; returns their number."""
    old_ids = {hit["_id"] for hit in scan(client, handover.old, MATCH_ALL, [])}
    own_copies = _own_copies(client, handover, MATCH_ALL)
    return sum(
        _write_operations(
            client,
            handover,
            [bulk.delete_operation(handover.new, hit["_id"], hit.get("_routing"), _if_unchanged(hit)) for hit in hits],
        )
        for hits in batched((hit for hit in own_copies if hit["_id"] not in old_ids), BATCH)
    )


def _if_unchanged(document: Json) -> dict[str, int]:
    return {"if_seq_no": document["_seq_no"], "if_primary_term": document["_primary_term"]}


def _removed_ids(client: Elasticsearch, prefix: str, kind: ReindexedKind, hits: Sequence[Json]) -> set[str]:
    """Ids of records removed since: they must not come back."""
    if not hits:
        return set()
    if kind == "records":
        ledger = Ledger(client, prefix)
        ledger.refresh()
        entries = list(ledger.find({"terms": {"record": [hit["_id"] for hit in hits]}}))
        removed_records = {entry.record for entry in entries if entry.state == "removed" and entry.record is not None}
        return removed_records - {entry.record_in_index for entry in entries}
    document_ids = sorted({hit["_source"]["document"] for hit in hits})
    answer = client.mget(index=alias(prefix, "documents"), ids=document_ids, source=False)
    existing_documents = {document["_id"] for document in answer["docs"] if document.get("found", False)}
    return {hit["_id"] for hit in hits if hit["_source"]["document"] not in existing_documents}


def _write_operations(client: Elasticsearch, handover: Handover, operations: Sequence[bulk.Operation]) -> int:
    """The number of accepted writes; a conflict with a newer write is ignored. Raises SondeError for any other
    failure.
    """
    failures = bulk.write(client, operations)
    real_failures = [failure for failure in failures if not failure.reason.startswith(_CONFLICT)]
    if real_failures:
        raise SondeError(
            f"{handover.new} serves, but did not take {len(real_failures)} documents of {handover.old}, the first "
            f"{real_failures[0].id}: {real_failures[0].reason}"
        )
    return len(operations) - len(failures)
