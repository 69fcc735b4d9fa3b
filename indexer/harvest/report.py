"""Adds up the counts of a run's report, and logs documents that are not in service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import structlog

from core.json_types import Json
from es_mappings.codecs.ledger import LedgerEntry
from es_mappings.codecs.runs import Counts, Refusal, RunReport, TokenCounts, WarningKind
from indexer.plan.parsed_record import Item, RejectedItem
from indexer.raw import RawPage

_MAX_NAMED = 1000  # refusals and failures in the report; the ledger and the log have all of them
_EXAMPLES = 3
_QUOTED_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"|‘[^’]*’|“[^”]*”")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,:/-]\d+)*")


def warning_kind(text: str) -> str:
    """A warning without its names and numbers, for grouping."""
    return _NUMBER.sub("#", _QUOTED_TEXT.sub("…", text))


@dataclass(slots=True)
class Tally:
    """The counts of a run; starts with the stored report of an earlier slice."""

    counts: dict[str, int]
    took_ms: dict[str, float]
    tokens: TokenCounts
    refusals: list[Refusal]
    failures: list[Refusal]
    warnings: dict[str, WarningKind]
    _first: dict[str, str] = field(default_factory=dict)  # an example text for each kind

    def __post_init__(self) -> None:
        self._first = {warning_kind(text): text for text in self.warnings}

    @classmethod
    def of(cls, report: RunReport) -> Tally:
        return cls(
            asdict(report.counts),
            dict(report.took_ms),
            report.tokens,
            list(report.refusals),
            list(report.failures),
            dict(report.warnings),
        )

    @property
    def has_changes(self) -> bool:
        return any(self.counts[name] for name in ("new", "changed", "removed"))

    def add(self, name: str, number: int = 1) -> None:
        self.counts[name] += number

    def uncount(self, number: int) -> None:
        """Takes back documents that were counted twice: the second time they were the same."""
        number = min(number, self.counts["same"])
        if number > 0:
            self.add("seen", -number)
            self.add("same", -number)

    def add_time(self, stage: str, seconds: float) -> None:
        self.took_ms[stage] = self.took_ms.get(stage, 0.0) + 1000.0 * seconds

    def refuse(self, refusal: Refusal) -> None:
        self.add("refused")
        if len(self.refusals) < _MAX_NAMED:
            self.refusals.append(refusal)

    def fail(self, failure: Refusal) -> None:
        self.add("failed")
        if len(self.failures) < _MAX_NAMED:
            self.failures.append(failure)

    def pass_over(self, origin: str, reason: str, count: int) -> None:
        self.add("passed_over", count)
        self.warn(origin, f"passed over: {reason}", count)

    def warn(self, origin: str, text: str, count: int = 1) -> None:
        kind = self._first.setdefault(warning_kind(text), text)
        earlier_kind = self.warnings.get(kind, WarningKind(0, ()))
        examples = earlier_kind.examples
        if len(examples) < _EXAMPLES:
            examples = (*examples, f"{origin}: {text}")
        self.warnings[kind] = WarningKind(earlier_kind.count + count, examples)

    def parts(self) -> Json:
        """The fields of a RunReport that this counts."""
        return {
            "counts": Counts(**self.counts),
            "tokens": self.tokens,
            "took_ms": {stage: round(spent_ms) for stage, spent_ms in self.took_ms.items()},
            "refusals": tuple(self.refusals),
            "failures": tuple(self.failures),
            "warnings": dict(self.warnings),
        }


log = structlog.get_logger(__name__)


def count(items: Sequence[Item], batch: RawPage, tally: Tally) -> None:
    """Every item has one outcome; ``seen`` is their sum, skipped members included; what is passed over is beside it."""
    tally.add("seen", sum(not item.is_repeat for item in items))
    for item in items:
        if item.is_repeat:
            warning = f"identifier: {item.raw.native_id!r} came again with other content; the later document is kept"
            tally.warn(item.decision.entry.origin, warning)
            continue
        _COUNT_BY_OUTCOME.get(item.decision.outcome, _count_committed)(item, tally)
    unread = {item.raw.native_id for item in items}
    for passed_over in [
        passed_over_member for passed_over_member in batch.passed_over if passed_over_member.native_id not in unread
    ]:
        tally.pass_over(passed_over.origin, passed_over.reason, passed_over.count)
    if batch.skipped:
        log.warning("harvest.skipped", members=len(batch.skipped), first=batch.skipped[0].origin)


def lost_by_a_crash(item: Item, run: RunReport) -> bool:
    """Whether this run already wrote the record, in a batch that a crash kept out of its report."""
    stored_entry = item.stored
    if stored_entry is None or item.decision.outcome != "same" or stored_entry.last_seen_run != run.id:
        return False
    return stored_entry.first_seen is not None and stored_entry.first_seen >= run.started


def count_lost(items: Sequence[Item], tally: Tally) -> None:
    """Counts records that the lost batch wrote as what they were: new, with their vector or without."""
    for item in items:
        tally.add("same", -1)
        tally.add("new")
        tally.add("without_vector" if item.decision.entry.embedding_model is None else "embedded")


def count_failure(failure: RejectedItem, tally: Tally) -> None:
    """An item that Elasticsearch refused: ``kept`` if an earlier version stays in service."""
    entry, stored_entry = failure.item.decision.entry, failure.item.stored
    reason = f"Elasticsearch did not take it: {failure.reason}"
    tally.fail(Refusal(f"{entry.origin} ({entry.record or entry.key})", reason, kept=_has_record(stored_entry)))
    log.error("harvest.failed", source=entry.source, origin=entry.origin, reason=failure.reason)


def _count_refused(item: Item, tally: Tally) -> None:
    entry = item.decision.entry
    tally.refuse(Refusal(entry.origin, entry.reason or "", kept=_has_record(entry)))
    log.warning("harvest.refused", source=entry.source, origin=entry.origin, reason=entry.reason)


def _count_duplicate(item: Item, tally: Tally) -> None:
    entry = item.decision.entry
    tally.add("duplicates")
    tally.warn(entry.origin, f"duplicate: {entry.reason}")
    log.warning("harvest.duplicate", source=entry.source, origin=entry.origin, record=entry.record)


def _count_committed(item: Item, tally: Tally) -> None:
    decision = item.decision
    tally.add(decision.outcome)
    if decision.entry.claims is not None and decision.entry.reason is not None:
        tally.warn(decision.entry.origin, f"identifier: {decision.entry.reason}")
    tally.add("reused", int(decision.vector == "keep"))
    tally.add("warned", int(decision.entry.warnings > 0))
    for warning in item.parsed.record.warnings if item.parsed is not None else ():
        tally.warn(decision.entry.origin, warning)


_COUNT_BY_OUTCOME = {"refused": _count_refused, "duplicate": _count_duplicate}


def _has_record(entry: LedgerEntry | None) -> bool:
    return entry is not None and entry.record_in_index is not None
