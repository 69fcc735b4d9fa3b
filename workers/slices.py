"""The work of the tasks, without Celery: one slice of a harvest under its lease, missing vectors, lapsed runs, and the
turns of the library's queue.

A message of that queue is a turn, not a document: the worker that takes it serves the user whose last turn is longest
ago. So two large files of one user delay no other user. The queue has as many turns as there are unread documents.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Literal

import redis
import structlog

from core.document import owner_routing
from core.errors import Unavailable
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import join_segments
from es_mappings.names import alias
from indexer.harvest.harvest import harvest, open_run
from indexer.parts import HarvestParts, Options, RunTaken
from indexer.remove.tombstones import purge, remove_source
from indexer.sources.protocols import PROTOCOLS
from indexer.store.runs import Runs, start_of_request
from indexer.write.embed import embed_missing
from workers.broker import broker_errors
from workers.config import WorkerConfig, WorkerParts
from workers.lease import Lease, Leases
from workers.source_config import SourceConfig, known_sources

log = structlog.get_logger(__name__)

REQUEUE_AGAIN_S = 60
"""The message that continues a lapsed run is sent again after this time, because the broker may lose it. A second
message does no harm: only one worker gets the lease, and the other does nothing.
"""

Ending = Literal["ended", "continues", "busy", "finished_before", "unknown_source", "taken"]


def since_of(runs: Runs, source: SourceConfig) -> str | None:
    """The next run of a source requests changes since this moment; None: it requests everything."""
    if source.type == "folder" or not PROTOCOLS[source.type].incremental:
        return None
    full, last = runs.last_complete(source.id, full=True), runs.last_complete(source.id, full=False)
    return start_of_request(full, last, source.full_every_span, datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class SliceResult:
    """``run`` is the run to continue (``continues``) or the run that ended.

    ``missing_vectors``: some records still have no vector.
    """

    ending: Ending
    run: str | None = None
    missing_vectors: bool = False


@dataclass(frozen=True, slots=True)
class Worker:
    """The parts of one worker process."""

    config: WorkerConfig
    parts: WorkerParts
    leases: Leases

    @classmethod
    def of(cls, config: WorkerConfig, parts: WorkerParts) -> Worker:
        leases = Leases.connect(config.broker_url, config.prefix, config.lease_s, config.heartbeat_s)
        return cls(config, parts, leases)

    @property
    def runs(self) -> Runs:
        return Runs(self.parts.client, self.config.prefix)

    def harvest_slice(
        self, source_id: str, run_id: str | None, message_id: str, queued_s: float | None = None
    ) -> SliceResult:
        """Harvests one slice of a run. A late message (the run has ended, or a live worker has it) does nothing.

        Without ``run_id`` this continues the source's unfinished run, or begins a new one, unless one has begun since
        the message was queued (``queued_s``, since 1970): beat queues one for each time of the schedule, also while no
        worker runs. The new run is named after the message, so that a message delivered twice begins one run only.
        Raises core.errors.Unavailable if trying later may help.
        """
        source = self._source(source_id)
        if source is None:
            return SliceResult("unknown_source")
        with self.leases.hold(source_id) as lease:
            if lease is None:
                log.info("harvest.busy", source=source_id, run=run_id)
                return SliceResult("busy")
            if run_id is None and queued_s is not None and self._has_begun_since(source_id, queued_s, message_id):
                return SliceResult("busy")
            return self._harvest(source, run_id, message_id, lease)

    def fill_vectors(self, source_id: str) -> bool:
        """Whether records still lack a vector. Raises core.errors.Unavailable if there is no embedder."""
        with self.leases.hold(f"embed:{source_id}") as lease:
            if lease is None:
                return False
            try:
                result = embed_missing(source_id, self._harvest_parts(), self._options(None, lease))
            except RunTaken:
                return False
        return result.remaining > 0 and result.embedded > 0

    def remove_source(self, source_id: str) -> None:
        """Removes everything that is stored of a source without an entry; again after an interruption.

        Raises Unavailable while the source has an entry, or is being harvested.
        """
        with self.leases.hold(source_id) as lease:
            if lease is None or source_id in known_sources(self.config.sources):
                raise Unavailable(f"{source_id} has an entry in {self.config.sources}, or is being harvested.")
            remove_source(self.parts.client, self.config.prefix, source_id, self.parts.remove_document)

    def purge_removed(self) -> int:
        """Deletes records that were removed more than 30 days ago; returns their number.

        Then joins the segments that the day's documents left: no other task runs once a day.
        """
        number = purge(self.parts.client, self.config.prefix)
        join_segments(self.parts.client, alias(self.config.prefix, "passages"))
        return number

    def lapsed_runs(self) -> list[RunReport]:
        """Runs whose worker died, each named once until a worker continues it."""
        silent = timedelta(seconds=self.config.lease_s)
        sources = known_sources(self.config.sources)
        return [run for run in self.runs.lapsed_runs(silent) if run.source in sources and self._is_ours_to_requeue(run)]

    def _has_begun_since(self, source_id: str, queued_s: float, message_id: str) -> bool:
        """Whether a complete run does what the message asks for: it began after the message was queued."""
        last = self.runs.last_complete(source_id, full=False)
        if last is None or last.id == message_id:
            return False
        return queued_s <= datetime.fromisoformat(last.started).timestamp() <= time.time()

    def _harvest(self, source: SourceConfig, run_id: str | None, message_id: str, lease: Lease) -> SliceResult:
        stored_run = self.runs.load(run_id or message_id)
        if (
            run_id is None
            and stored_run is None
            and (unfinished_run := self.runs.find_unfinished(source.id)) is not None
        ):
            return SliceResult("continues", unfinished_run.id)
        if (stored_run is None and run_id is not None) or (stored_run is not None and not stored_run.unfinished):
            log.info("harvest.finished_before", source=source.id, run=run_id or message_id)
            return SliceResult("finished_before", run_id)
        options = self._options(source, lease)
        stored_run = stored_run or open_run(
            source.id, replace(options, since=since_of(self.runs, source)), id=message_id
        )
        self.leases.clear_requeued(stored_run.id)
        try:
            report = harvest(
                source.id, self.parts.open_source(source, stored_run.since), self._harvest_parts(), options, stored_run
            )
        except RunTaken:
            return SliceResult("taken", stored_run.id)
        return SliceResult(
            "continues" if report.state == "running" else "ended", report.id, report.counts.without_vector > 0
        )

    def _source(self, source_id: str) -> SourceConfig | None:
        source = known_sources(self.config.sources).get(source_id)
        if source is None:
            log.warning("harvest.unknown_source", source=source_id)
        return source

    def _is_ours_to_requeue(self, run: RunReport) -> bool:
        if self.leases.is_held(run.source):
            return False
        return self.leases.mark_requeued(run.id, REQUEUE_AGAIN_S)

    def _harvest_parts(self) -> HarvestParts:
        return HarvestParts(
            self.parts.client, self.config.prefix, self.parts.embedder, name_lists=self.parts.name_lists
        )

    def _options(self, source: SourceConfig | None, lease: Lease) -> Options:
        share = source.max_removal_share if source is not None else None
        return Options(
            batch=self.config.batch,
            seconds=self.config.slice_s,
            max_removal_share=self.config.max_removal_share if share is None else share,
            trigger="worker",
            worker=f"{socket.gethostname()}:{os.getpid()}",
            guard=partial(Lease.guard, lease),
        )


_TURNS_KEPT_S = 86_400


@dataclass(frozen=True, slots=True)
class UserTurns:
    """When each user was served last, as numbers that all workers count up together in Redis."""

    client: redis.Redis
    prefix: str

    def in_order(self, owners: Iterable[str]) -> list[str]:
        """The user whose last turn is longest ago first; then by name."""
        by_name = sorted(owners)
        if not by_name:
            return []
        with broker_errors():
            last_turns = self.client.zmscore(self._key, [owner_routing(owner) for owner in by_name])
        return [owner for _, owner in sorted(zip((last_turn or 0.0 for last_turn in last_turns), by_name, strict=True))]

    def take(self, owner: str) -> None:
        with broker_errors():
            number = int(self.client.incr(f"{self._key}:count"))
            self.client.zadd(self._key, {owner_routing(owner): number})
            self.client.expire(self._key, _TURNS_KEPT_S)

    def waiting_count(self) -> int:
        """The turns in the queue."""
        with broker_errors():
            return int(self.client.llen(f"{self.prefix}:library"))

    @property
    def _key(self) -> str:
        return f"{self.prefix}:turns"


def read_turn(worker: Worker) -> str | None:
    """Reads a slice of one document; returns a document to name in the next turn, None if enough turns wait.

    A lease keeps two workers from the same document.
    """
    library = worker.parts.library
    if library is None:
        return None
    turns_of_users = UserTurns(worker.leases.client, worker.config.prefix)
    unread = library.unread()
    in_order = turns_of_users.in_order(unread)
    for owner, document in ((name, document) for name in in_order for document in unread[name]):
        with worker.leases.hold(_lease(document)) as lease:
            if lease is None:
                continue
            turns_of_users.take(owner)
            worker.leases.clear_requeued(_lease(document))
            library.read(document, worker.config.library_slice_s)
            break
    remaining = [document for documents in library.unread().values() for document in documents]
    return remaining[0] if remaining and turns_of_users.waiting_count() < len(remaining) else None


def repair_library(worker: Worker, queue: Callable[[str], object]) -> None:
    """Repairs the library after a crash or a dead worker. Queues a document at most once until a worker takes it."""
    if worker.parts.library is None:
        return

    def requeue(document: str) -> bool:
        if not worker.leases.mark_requeued(_lease(document), worker.config.visibility_timeout_s):
            return False
        queue(document)
        return True

    worker.parts.library.repair_library(lambda document: worker.leases.is_held(_lease(document)), requeue)


def _lease(document: str) -> str:
    return f"document:{document}"
