"""The ingest flow of a source: fetch, plan, embed, commit, batch after batch; then the sweep and the report.

After a harvest that changed records, the names of places are read from the titles of all public records.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from uuid import uuid4

import structlog

from core.errors import SondeError, Unavailable
from core.geo import BBox
from core.json_types import Json
from core.timespan import now_iso
from es_gateway.client import Elasticsearch, retrying
from es_gateway.errors import ElasticsearchError
from es_mappings.codecs.runs import Refusal, RunReport, RunState
from es_mappings.codecs.title_places import DOCUMENT, to_document
from es_mappings.indices import join_segments
from es_mappings.meta import IndexMeta
from es_mappings.names import alias
from indexer.background import Background
from indexer.harvest.report import Tally, count, count_failure, count_lost, lost_by_a_crash
from indexer.parts import HarvestParts, Options, RunTaken
from indexer.plan.parsed_record import Item, RejectedItem
from indexer.plan.plan import STAYS_RESTRICTED, RunMoment
from indexer.plan.planner import Planner
from indexer.plan.readers import Readers
from indexer.raw import RawPage, Source
from indexer.reindex.finish import finish_if_possible
from indexer.remove.sweep import SweepResult, sweep
from indexer.store.file_versions import FileVersions
from indexer.store.ledger import Ledger, scan
from indexer.store.runs import Runs
from indexer.write.commit import Deletions, apply_deletions, commit
from indexer.write.embed import EmbeddedTexts, Embedding
from reading.title_names import TitledBox, title_places

log = structlog.get_logger(__name__)

MOST_RECORDS = 200_000
_FIELDS = ("title", "abstract", "boxes")
_PUBLIC: Json = {"bool": {"must_not": {"exists": {"field": "access_groups"}}}}


def refresh_title_places(client: Elasticsearch, prefix: str) -> int:
    """Replaces the stored places and returns their number. Raises the errors of the gateway."""
    client.indices.refresh(index=alias(prefix, "records"))
    places = title_places(read_titles(client, prefix))
    document = to_document(places, uuid.uuid4().hex, now_iso())
    client.index(index=alias(prefix, "vocabulary"), id=DOCUMENT, document=document, require_alias=True)
    return len(places)


def try_refresh(client: Elasticsearch, prefix: str) -> None:
    """The same, but only logs a failure: the records are written, and the next harvest tries again."""
    try:
        log.info("title_places.stored", places=refresh_title_places(client, prefix))
    except (ElasticsearchError, SondeError) as error:
        log.warning("title_places.failed", error=type(error).__name__)


def read_titles(client: Elasticsearch, prefix: str) -> Iterator[TitledBox]:
    """Of the first ``MOST_RECORDS``; a name of a restricted record's title would show that it exists."""
    for hit in islice(scan(client, alias(prefix, "records"), _PUBLIC, _FIELDS), MOST_RECORDS):
        source = hit["_source"]
        title, abstract = source.get("title") or "", source.get("abstract") or ""
        boxes = [BBox(*map(float, box.split(","))) for box in source.get("boxes", ())]
        yield TitledBox(title, f"{title}. {abstract}", boxes)


BATCH_BYTES = 32 << 20


def batches(pages: Iterable[RawPage], size: int, limit_bytes: int = BATCH_BYTES) -> Iterator[RawPage]:
    """Whole pages joined until they hold ``size`` members or ``limit_bytes``; each resumes after its last page.

    If the source fails, the pages before the failure are returned first, then the error is raised.
    """
    pending: list[RawPage] = []
    stream = iter(pages)
    while True:
        try:
            page = next(stream, None)
        except SondeError:
            if pending:
                yield joined_page(pending)
            raise
        if page is not None:
            pending.append(page)
        if pending and (page is None or _is_full(pending, size, limit_bytes)):
            yield joined_page(pending)
            pending = []
        if page is None:
            return


def joined_page(pages: list[RawPage]) -> RawPage:
    last = pages[-1]
    records = tuple(record for page in pages for record in page.records)
    return RawPage(
        records,
        last.position,
        next((page.total for page in reversed(pages) if page.total is not None), None),
        tuple(skipped_member for page in pages for skipped_member in page.skipped),
        tuple(id for page in pages for id in page.deleted),
        last.matched,
        tuple(id for page in pages for id in page.unchanged),
        tuple(visit for page in pages for visit in page.visits),
        tuple(passed_over for page in pages for passed_over in page.passed_over),
    )


def _is_full(pages: list[RawPage], size: int, limit_bytes: int) -> bool:
    return (
        sum(len(page.records) + len(page.unchanged) + len(page.passed_over) for page in pages) >= size
        or sum(len(record.content) for page in pages for record in page.records) >= limit_bytes
    )


_DEFAULT = Options()


def open_run(source_id: str, options: Options, *, id: str | None = None) -> RunReport:
    """A run that has not started; store it with ``Runs.save`` so that others can find it."""
    now = now_iso()
    run = RunReport(id or uuid4().hex, source_id, "running", now, now, trigger=options.trigger, worker=options.worker)
    return replace(run, since=options.since)


def harvest(
    source_id: str, source: Source, parts: HarvestParts, options: Options = _DEFAULT, run: RunReport | None = None
) -> RunReport:
    """Runs one slice (the whole run if there is no budget), from the position in ``run``; returns its report.

    State ``running``: the budget is used up and the run continues from ``position``. ``complete``: all was seen and
    vanished records were removed (a run with ``since`` removes nothing); ``refused_removal``: all was seen, but too
    many records would vanish, and none was removed. ``failed``: the source failed, or gave fewer records than it claims
    to have; earlier records stay. Errors are stored, then raised: Unavailable and an interrupt as ``interrupted`` (can
    be resumed), any other error as ``failed``. RunTaken stores nothing. Raises NotFound and IndexMismatch if the
    indices cannot hold the records.
    """
    parts = replace(parts, client=retrying(parts.client))
    recipe = parts.recipe()
    finish_if_possible(parts)
    run = run if run is not None else open_run(source_id, options)
    started_run = replace(run, state="running", slices=run.slices + 1, worker=options.worker, message=None)
    with Background(1, "commit") as background:
        return _Slice(parts, options, started_run, recipe, background).process(source)


@dataclass(frozen=True, slots=True)
class _WriteResult:
    """The result of one batch."""

    failures: list[RejectedItem]
    deletions: Deletions


@dataclass(slots=True)
class _Slice:
    """The state of one slice: while a batch is written in the background, the next one is read and embedded."""

    parts: HarvestParts
    options: Options
    run: RunReport
    recipe: IndexMeta
    background: Background
    started: float = field(default_factory=time.monotonic)
    handled_count: int = 0
    tally: Tally = field(init=False)
    embedding: Embedding = field(init=False)
    planner: Planner = field(init=False)
    matched: int | None = None  # the number of distinct records that the source claims, from its last page
    _is_counted: bool = False
    _pending_write: tuple[RawPage, Future[_WriteResult]] | None = None

    def __post_init__(self) -> None:
        self.tally = Tally.of(self.run)
        self.embedding = Embedding(self.parts, self.recipe)
        readers = Readers(self.run.source, self.parts.name_lists(), self.parts.readers)
        self.planner = Planner(self.parts.client, self.parts.prefix, self.run.source, readers)

    def process(self, source: Source) -> RunReport:
        self._save("running")
        log.info("harvest.started", source=self.run.source, run=self.run.id, slice=self.run.slices)
        try:
            complete = self._batches(source)
            return self._finish() if complete else self._save("running")
        except RunTaken:
            raise
        except Unavailable as error:
            self._save_if_possible("interrupted", str(error))
            raise
        except (KeyboardInterrupt, SystemExit):
            self._save_if_possible("interrupted", "It was interrupted.")
            raise
        except SondeError as error:
            return self._save("failed", str(error))
        except BaseException as error:
            self._save_if_possible("failed", f"{type(error).__name__}: {error}")
            raise

    def _batches(self, source: Source) -> bool:
        """Whether the source ended; False if the budget did."""
        with self._time("plan"):
            self.planner.begin()
        stream = batches(source.pages(self.run.position), self.options.batch)
        try:
            while (batch := self._fetch(stream)) is not None:
                self._handle(batch)
                if self._budget_is_used() and batch.position is not None:
                    return False
        finally:
            self.planner.readers.close()
            self._await_write()
        return True

    def _fetch(self, stream: Iterator[RawPage]) -> RawPage | None:
        with self._time("fetch"):
            return next(stream, None)

    def _handle(self, batch: RawPage) -> None:
        self._follow_the_model()
        moment = RunMoment(self.run.id, now_iso(), self.recipe.embedding_model)
        with self._time("plan"):
            items = self.planner.plan(batch, moment)
        for origin in self.planner.still_restricted:
            self.tally.warn(origin, STAYS_RESTRICTED)
        with self._time("embed"):
            embedded = self._embedded(items)
        self._await_write()
        if embedded.fields and self._follow_the_model():  # the alias moved while this batch was embedded
            moment = replace(moment, model=self.recipe.embedding_model)
            embedded = self._embedded(items)
        items = self._with_vectors(items, embedded)
        self.planner.readers.start_if_large()
        self.options.guard()
        count(items, batch, self.tally)
        if self.run.slices > 1 and not self._is_counted:  # only the batch after the stored position can be a repetition
            count_lost([item for item in items if lost_by_a_crash(item, self.run)], self.tally)
        self._is_counted = True
        self.matched = batch.matched
        job = self.background.submit(self._commit, items, batch, moment)
        self._pending_write = (batch, job)

    def _follow_the_model(self) -> bool:
        """Whether a reindex has changed the serving model since the last call; new vectors must use the new model."""
        recipe = self.parts.recipe()
        is_new = recipe != self.recipe
        if is_new:
            self.recipe, self.embedding = recipe, Embedding(self.parts, recipe)
        return is_new

    def _embedded(self, items: Sequence[Item]) -> EmbeddedTexts:
        return self.embedding.embed(
            [
                item.parsed.record.embedding_text
                for item in items
                if item.decision.vector == "embed" and item.parsed is not None
            ]
        )

    def _with_vectors(self, items: list[Item], embedded: EmbeddedTexts) -> list[Item]:
        to_embed = [index for index, item in enumerate(items) if item.decision.vector == "embed"]
        for index, fields in zip(to_embed, embedded.fields, strict=True):
            items[index] = replace(items[index], vectors=fields)
        self.tally.tokens = (
            self.tally.tokens.with_texts(embedded.reads, embedded.lengths) if embedded.lengths else self.tally.tokens
        )
        missing_count = sum(fields is None for fields in embedded.fields)
        self.tally.add("embedded", len(to_embed) - missing_count)
        self.tally.add("without_vector", missing_count)
        return items

    def _commit(self, items: list[Item], batch: RawPage, moment: RunMoment) -> _WriteResult:
        client, prefix, source = self.parts.client, self.parts.prefix, self.run.source
        with self._time("commit"):
            failures = commit(client, prefix, items, moment)
            if batch.visits:
                FileVersions(client, prefix).save(source, batch.visits, moment.now)
            return _WriteResult(failures, apply_deletions(client, prefix, source, batch.deleted, moment))

    def _await_write(self) -> None:
        """Waits for the current write, then stores the position after it: never ahead of the ledger."""
        if self._pending_write is None:
            return
        (batch, job), self._pending_write = self._pending_write, None
        with self._time("wait"):
            result = job.result()
        for failure in result.failures:
            count_failure(failure, self.tally)
        self._count_removed(result.deletions)
        self.handled_count += _size(batch)
        self.run = replace(self.run, position=batch.position, total=batch.total or self.run.total)
        self._save("running")
        self.parts.progress("batch", seen=self.tally.counts["seen"], total=self.run.total or 0)

    def _budget_is_used(self) -> bool:
        seconds, records = self.options.seconds, self.options.records
        pending = _size(self._pending_write[0]) if self._pending_write is not None else 0
        return (seconds is not None and time.monotonic() - self.started >= seconds) or (
            records is not None and self.handled_count + pending >= records
        )

    def _finish(self) -> RunReport:
        self.options.guard()
        self._count_each_once()
        self._save("running")
        if (short_message := self._shortfall()) is not None:
            return self._save("failed", short_message)
        if self.run.since is not None:
            return self._save("complete")
        with self._time("sweep"):
            sweep_result = sweep(self.parts.client, self.parts.prefix, self.run, self.options, now_iso())
        self._count_removed(sweep_result)
        for warning in sweep_result.warnings:
            self.tally.warn(self.run.source, warning)
        return self._save("complete" if sweep_result.refusal is None else "refused_removal", sweep_result.refusal)

    def _count_each_once(self) -> None:
        """A listing that was walked again in another slice gave some documents twice: they count once."""
        if self.run.slices > 1:
            distinct_count = Ledger(self.parts.client, self.parts.prefix).count_seen(self.run.source, self.run.id)
            self.tally.uncount(self.tally.counts["seen"] - distinct_count)

    def _shortfall(self) -> str | None:
        """A message about missing records if the source gave fewer than it claims to have."""
        if self.matched is None:
            return None
        seen_count = Ledger(self.parts.client, self.parts.prefix).count_seen(self.run.source, self.run.id)
        if seen_count >= self.matched:
            return None
        return (
            f"The source says it has {self.matched} records and gave {seen_count} different ones; nothing was removed."
        )

    def _count_removed(self, removal: SweepResult | Deletions) -> None:
        self.tally.add("removed", removal.removed)
        for failure in removal.failures:
            self.tally.fail(Refusal(failure.id, failure.reason, kept=True))

    def _save(self, state: RunState, message: str | None = None) -> RunReport:
        self.options.guard()
        now = now_iso()
        self.run = replace(
            self.run,
            state=state,
            heartbeat=now,
            finished=None if state in ("running", "interrupted") else now,
            message=message or self._missing_vectors(),
            **self.tally.parts(),
        )
        Runs(self.parts.client, self.parts.prefix).save(self.run)
        if state in ("complete", "refused_removal") and self.tally.has_changes:
            try_refresh(self.parts.client, self.parts.prefix)
            join_segments(self.parts.client, alias(self.parts.prefix, "records"))
        if state != "running":
            log.info("harvest.ended", source=self.run.source, run=self.run.id, state=state)
        return self.run

    def _save_if_possible(self, state: RunState, message: str) -> None:
        """Stores the state while an error is raised; a run that cannot be stored counts as lapsed, and is resumed."""
        try:
            self._save(state, message)
        except SondeError as error:
            log.warning("harvest.not_stored", run=self.run.id, reason=str(error))

    def _missing_vectors(self) -> str | None:
        missing_count, reason = self.tally.counts["without_vector"], self.embedding.absence
        return f"{missing_count} records have no vector yet: {reason}" if missing_count and reason else None

    @contextmanager
    def _time(self, stage: str) -> Iterator[None]:
        started_s = time.perf_counter()
        try:
            yield
        finally:
            self.tally.add_time(stage, time.perf_counter() - started_s)


def _size(batch: RawPage) -> int:
    return len(batch.records) + len(batch.unchanged)
