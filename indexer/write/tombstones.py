"""Takes records that a source marks as deleted out of service at once; they can be restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from es_gateway.client import Elasticsearch
from es_mappings.codecs.ledger import entry_key
from indexer.plan.plan import Moment
from indexer.store import bulk
from indexer.store.ledger import Ledger, targets, tombstone, write_ledger


@dataclass(frozen=True, slots=True)
class Deletions:
    """The number of removed records, and the refused ones."""

    removed: int = 0
    failures: tuple[bulk.Failure, ...] = ()


def apply_deletions(
    client: Elasticsearch, prefix: str, source: str, native_ids: Sequence[str], moment: Moment
) -> Deletions:
    """Removes the known records among these ids; unknown or removed ids are ignored.

    Raises core.errors.Unavailable if Elasticsearch does not answer.
    """
    keys = [entry_key(source, id) for id in native_ids]
    entries = [entry for entry in Ledger(client, prefix).entries(keys).values() if entry.state != "removed"]
    records = [entry.held for entry in entries if entry.held is not None]
    deletions = [bulk.delete_operation(index, record) for record in records for index in targets(prefix, "records")]
    failures = bulk.write(client, deletions)
    kept = {failure.id for failure in failures}
    marks = [tombstone(entry, moment.now).seen(moment.run, moment.now) for entry in entries if entry.held not in kept]
    failures += write_ledger(client, prefix, marks)
    return Deletions(len(records) - len(kept), tuple(failures))
