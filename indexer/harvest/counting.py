"""Adds a batch's decisions to the report, and logs documents that are not in service."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.codecs.runs import Refusal, RunReport
from indexer.harvest.report import Tally
from indexer.plan.items import Item, RejectedItem
from indexer.raw import Page

log = structlog.get_logger(__name__)


def count(items: Sequence[Item], batch: Page, tally: Tally) -> None:
    """Every item has one outcome; ``seen`` is their sum, skipped members included; what is passed over is beside it."""
    tally.add("seen", sum(not item.again for item in items))
    for item in items:
        if item.again:
            told = f"identifier: {item.raw.native_id!r} came again with other content; the later document is kept"
            tally.warn(item.decision.entry.origin, told)
            continue
        _COUNTED.get(item.decision.outcome, _count_taken)(item, tally)
    unread = {item.raw.native_id for item in items}
    for passed in [one for one in batch.passed_over if one.native_id not in unread]:
        tally.pass_over(passed.origin, passed.reason, passed.count)
    if batch.skipped:
        log.warning("harvest.skipped", members=len(batch.skipped), first=batch.skipped[0].origin)


def lost_by_a_crash(item: Item, run: RunReport) -> bool:
    """Whether this run wrote the record anew before, in a batch that it could not add to its report any more."""
    stored = item.stored
    if stored is None or item.decision.outcome != "same" or stored.last_seen_run != run.id:
        return False
    return stored.first_seen is not None and stored.first_seen >= run.started


def count_lost(items: Sequence[Item], tally: Tally) -> None:
    """Counts records that the lost batch wrote as what they were: new, with their vector or without."""
    for item in items:
        tally.add("same", -1)
        tally.add("new")
        tally.add("without_vector" if item.decision.entry.embedding_model is None else "embedded")


def count_failure(failed: RejectedItem, tally: Tally) -> None:
    """An item that Elasticsearch refused: ``kept`` if an earlier version stays in service."""
    entry, stored = failed.item.decision.entry, failed.item.stored
    reason = f"Elasticsearch did not take it: {failed.reason}"
    tally.fail(Refusal(f"{entry.origin} ({entry.record or entry.key})", reason, kept=_was_held(stored)))
    log.error("harvest.failed", source=entry.source, origin=entry.origin, reason=failed.reason)


def _count_refused(item: Item, tally: Tally) -> None:
    entry = item.decision.entry
    tally.refuse(Refusal(entry.origin, entry.reason or "", kept=_was_held(entry)))
    log.warning("harvest.refused", source=entry.source, origin=entry.origin, reason=entry.reason)


def _count_duplicate(item: Item, tally: Tally) -> None:
    entry = item.decision.entry
    tally.add("duplicates")
    tally.warn(entry.origin, f"duplicate: {entry.reason}")
    log.warning("harvest.duplicate", source=entry.source, origin=entry.origin, record=entry.record)


def _count_taken(item: Item, tally: Tally) -> None:
    decision = item.decision
    tally.add(decision.outcome)
    if decision.entry.claims is not None and decision.entry.reason is not None:
        tally.warn(decision.entry.origin, f"identifier: {decision.entry.reason}")
    tally.add("reused", int(decision.vector == "keep"))
    tally.add("warned", int(decision.entry.warnings > 0))
    for warning in item.digest.record.warnings if item.digest is not None else ():
        tally.warn(decision.entry.origin, warning)


_COUNTED = {"refused": _count_refused, "duplicate": _count_duplicate}


def _was_held(entry: LedgerEntry | None) -> bool:
    return entry is not None and entry.held is not None
