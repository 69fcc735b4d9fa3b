"""Checks the links of records slowly, host by host, and reports the result as a separate kind of run.

A link run has the source ``links:{source}``: ``seen`` counts links, and ``refused`` counts and names the broken ones.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import structlog

from core.batched import batched
from core.errors import SondeError
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import Refusal, RunReport
from es_mappings.names import alias
from indexer.background import Background
from indexer.harvest.report import Tally
from indexer.sources.politeness import HostLimits, RequestPolicy
from indexer.store.ledger import scan
from indexer.store.runs import Runs
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of

log = structlog.get_logger(__name__)

GENTLE = RequestPolicy(per_second=1.0, concurrency=1, attempts=1)
_HOSTS_AT_ONCE = 4  # hosts that are checked at the same time
_BATCH = 16  # a slow host needs minutes for them
_NO_HEAD = frozenset({400, 403, 404, 405, 406, 500, 501, 503})  # some servers know GET only
_EXISTING_STATUSES = frozenset({401, 403, 407, 429, 451})  # the resource exists, but is not public


@dataclass(frozen=True, slots=True)
class LinkParts:
    """``policy`` applies to each host; ``host_limits`` may be shared with the harvests."""

    client: Elasticsearch
    prefix: str
    gate: Gate
    host_limits: HostLimits = field(default_factory=HostLimits)
    policy: RequestPolicy = GENTLE


def check_links(source: str, parts: LinkParts, *, seconds: float) -> RunReport:
    """Checks some of the source's links, each once in a run; the report is ``running`` if more are left.

    A new run starts where the last one ended. Raises core.errors.Unavailable if Elasticsearch does not answer.
    """
    started = time.monotonic()
    runs = Runs(parts.client, parts.prefix)
    run = runs.find_unfinished(links_source(source)) or _new_run(source)
    tally = Tally.of(run)
    links_to_check = in_order(_links(parts.client, parts.prefix, source), run.position)
    with Background(_HOSTS_AT_ONCE, "links") as pool:
        for batch in batched(links_to_check, _BATCH):
            if time.monotonic() - started > seconds:
                return _save_run(runs, run, tally, is_done=False)
            reasons = list(pool.map(lambda link: _check_link(parts, link.href), batch))
            _count(batch, reasons, tally)
            run = replace(run, position=batch[-1].place)
            _save_run(runs, run, tally, is_done=False)
    return _save_run(runs, run, tally, is_done=True)


@dataclass(frozen=True, slots=True)
class RecordLink:
    """A link with one of the records that contain it; ``place``: its position in the order of a run."""

    href: str
    record: str

    @property
    def place(self) -> str:
        return hashlib.sha256(self.href.encode()).hexdigest()


def in_order(links: Mapping[str, str], position: str | None) -> list[RecordLink]:
    """Links (address to record) after the position, ordered by hash, so that neighbours have different hosts."""
    links_found = (RecordLink(href, record) for href, record in links.items())
    return sorted(
        (link for link in links_found if position is None or link.place > position), key=lambda link: link.place
    )


def broken_reason(gate: Gate, href: str) -> str | None:
    """The reason why a link does not work for anybody; None if it works, or is not public."""
    try:
        status = _status(gate, "HEAD", href)
        if status in _NO_HEAD:
            status = _status(gate, "GET", href)
    except SondeError as error:
        return str(error)
    return None if status < 400 or status in _EXISTING_STATUSES else f"HTTP status {status}"


def _status(gate: Gate, method: str, href: str) -> int:
    """Reads only the beginning of the body."""
    with gate.stream(Outgoing(href, method)) as answer:
        return answer.status


def _check_link(parts: LinkParts, href: str) -> str | None:
    with parts.host_limits.turn(host_of(href), parts.policy):
        return broken_reason(parts.gate, href)


def _links(client: Elasticsearch, prefix: str, source: str) -> dict[str, str]:
    """Every web address in the source's records, with the first record that contains it."""
    query = {"bool": {"filter": [{"term": {"source": source}}, {"exists": {"field": "links.href"}}]}}
    record_by_address: dict[str, str] = {}
    for hit in scan(client, alias(prefix, "records"), query, ["id", "links.href"]):
        for link in hit["_source"].get("links", ()):
            href = str(link.get("href", "")).partition("#")[0]
            if href.startswith(("http://", "https://")):
                record_by_address.setdefault(href, hit["_source"]["id"])
    return record_by_address


def _new_run(source: str) -> RunReport:
    now = now_iso()
    return RunReport(
        f"links-{hashlib.sha256(f'{source} {now}'.encode()).hexdigest()[:24]}",
        links_source(source),
        "running",
        now,
        now,
        trigger="links",
    )


def _count(links: Sequence[RecordLink], reasons: Sequence[str | None], tally: Tally) -> None:
    for link, reason in zip(links, reasons, strict=True):
        tally.add("seen")
        if reason is None:
            tally.add("same")
        else:
            tally.refuse(Refusal(f"{link.href} ({link.record})", reason))


def _save_run(runs: Runs, run: RunReport, tally: Tally, *, is_done: bool) -> RunReport:
    now = now_iso()
    report = replace(run, heartbeat=now, **tally.parts())
    if is_done:
        report = replace(report, state="complete", finished=now)
    runs.save(report)
    if is_done:
        log.info("links.checked", source=run.source, seen=report.counts.seen, broken=report.counts.refused)
    return report


LINKS_OF = "links:"
"""The prefix of their ids."""


def links_source(source: str) -> str:
    return f"{LINKS_OF}{source}"


def latest_links(client: Elasticsearch, prefix: str, source: str) -> RunReport | None:
    """The newest complete check of the source's links; None if there was none."""
    complete_runs = [
        run for run in Runs(client, prefix).latest(links_source(source), size=5) if run.state == "complete"
    ]
    return complete_runs[0] if complete_runs else None
