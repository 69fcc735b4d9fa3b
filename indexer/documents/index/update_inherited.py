"""Updates what documents and their passages have from their record, after a harvest changed it.

Nothing is embedded again, because the passages' own text did not change. The harvest itself updates access to
passages at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import structlog

from core.document import PUBLIC, record_of_document
from core.errors import Unavailable
from core.json_types import Json
from core.record import Record
from es_gateway.client import Elasticsearch, retrying
from es_mappings.codecs import passages
from es_mappings.codecs.passages import INHERITED, inherited
from es_mappings.names import IndexKind, alias
from indexer.documents.index.store import DocumentStore, distinct_keys, put_record
from indexer.parts import HarvestParts
from indexer.store.ledger import scan

log = structlog.get_logger(__name__)

_KINDS: tuple[IndexKind, ...] = ("passages", "library")
_PAGE = 200
_SET_FIELDS = "for (name in params.fields) { ctx._source.remove(name) } ctx._source.putAll(params.values)"


@dataclass(frozen=True, slots=True)
class InheritanceUpdate:
    """The number of records whose passages were checked, and of passages that were updated."""

    records: int = 0
    passages: int = 0


def update_inherited(client: Elasticsearch, prefix: str, source: str) -> InheritanceUpdate:
    """Updates the passages and the documents of one source's records. Idempotent.

    Passages of a deleted record are unchanged, because it may be restored. Raises core.errors.Unavailable.
    """
    client = retrying(client)
    store = DocumentStore(client, prefix)
    records = passages = 0
    for kind in _KINDS:
        index = alias(prefix, kind)
        if not client.indices.exists_alias(name=index):
            continue
        for record in _records_with_passages(client, index, source):
            records += 1
            stored_record = store.record(record)
            if stored_record is None:
                continue
            updated = _update_passages(client, index, record, inherited(stored_record))
            passages += updated
            if updated and kind == "passages":
                _update_records(store, stored_record)
    if passages:
        log.info("passages.inherited_again", source=source, records=records, passages=passages)
    return InheritanceUpdate(records, passages)


def _update_records(store: DocumentStore, record: Record) -> None:
    """The place, time and licence of the record's public documents in the search. Their texts stay, so no vector
    changes.
    """
    explaining_documents: Json = {"bool": {"filter": [{"term": {"record": record.id}}, {"term": {"owner": PUBLIC}}]}}
    for hit in list(scan(store.client, alias(store.prefix, "documents"), explaining_documents)):
        entry = passages.entry_from_document(hit["_id"], hit["_source"])
        own_record = store.record(record_of_document(entry.id))
        if own_record is not None:
            put_record(HarvestParts(store.client, store.prefix), entry, own_record.abstract, record)


def _records_with_passages(client: Elasticsearch, index: str, source: str) -> Iterator[str]:
    """Ids of records. Their source is the prefix of their id, even if the passages hold an old one."""
    for keys in distinct_keys(client, index, ("record",), _PAGE, {"prefix": {"record": f"{source}:"}}):
        yield from (str(key["record"]) for key in keys)


def _update_passages(client: Elasticsearch, index: str, record: str, fields: Json) -> int:
    """The number of passages written: all of the record's, if one of them differs."""
    inherited = {name: fields[name] for name in INHERITED if name in fields}
    query: Json = {"bool": {"filter": [{"term": {"record": record}}]}}
    if all(hit["_source"] == inherited for hit in scan(client, index, query, INHERITED)):
        return 0
    script = {"source": _SET_FIELDS, "params": {"fields": list(INHERITED), "values": inherited}}
    answer = client.update_by_query(index=index, query=query, script=script, refresh=True, conflicts="proceed").body
    if answer["failures"] or answer["version_conflicts"]:
        raise Unavailable("Not all passages of a record could be updated; Sonde tries again.")
    return int(answer["updated"])
