"""Matches all saved searches over the records of one window (a night's), in batches that survive a cut.

Meaning is compared in memory: one matrix product of the questions of a page with the window's vectors. Words, filters,
places and rights are asked of Elasticsearch, 200 searches in one request over the window's records alone, so that a
match means what it means in a search. Equal questions with equal rights are asked once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np
import structlog
from numpy.typing import NDArray

from core.errors import InvalidInput
from core.json_types import Json, JsonMapping
from core.timespan import utc_now
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all, with_current_index
from es_mappings.names import alias
from search_api.http.access.visibility import visible_clause
from search_api.search.curation import blocked_clauses
from search_api.search.flow import SearchPipeline
from search_api.search.retrieval.clauses import Clause
from search_api.search.retrieval.serving import Serving
from search_api.stewards.alerts.notices import MOST_RECORDS_OF_NOTICE, MatchingRound, Notice, NoticeStore, RecordFound
from search_api.stewards.alerts.saved import (
    Channel,
    Compiled,
    Every,
    SavedSearch,
    compile_question,
    compiled_by,
    request_of,
)
from search_api.stewards.alerts.store import SavedSearchStore, SearchPage, StoredSearch

log = structlog.get_logger(__name__)

Floats = NDArray[np.float32]

SETTLED = timedelta(minutes=30)
"""The longest time from a record's ``harvest.written`` until it is searchable, since its batch is embedded between."""
FIRST_WINDOW = timedelta(days=1)
MOST_RECORDS = 100_000
"""Records in one window; more are matched in several windows."""
_PAGE = 2_000
_BATCH = 200
_NEAREST = 200
"""Nearest records in meaning that are considered for a search."""
_RECORDS_A_REQUEST = 1_000
_MONDAY = 0


@dataclass(frozen=True, slots=True)
class RecordWindow:
    """The records written from ``since`` (inclusive) until ``until`` (exclusive), ISO 8601. ``vectors``: (n, dims)
    float32, unit norm, in the order of ``ids``; a record without a vector is not among them.
    """

    since: str
    until: str
    ids: Sequence[str]
    vectors: Floats

    @property
    def clause(self) -> Clause:
        return {"range": {"harvest.written": {"gte": self.since, "lt": self.until}}}

    def near(self, questions: Floats, min_cosine: float) -> list[list[tuple[str, float]]]:
        """For each question the records with a cosine of at least ``min_cosine``, nearest first, at most 200."""
        if not len(self.ids) or not len(questions):
            return [[] for _ in questions]
        cosines = questions @ self.vectors.T
        return [self._best(row, min_cosine) for row in cosines]

    def _best(self, row: Floats, min_cosine: float) -> list[tuple[str, float]]:
        near_rows = np.flatnonzero(row >= min_cosine)
        if len(near_rows) > _NEAREST:
            near_rows = near_rows[np.argpartition(-row[near_rows], _NEAREST)[:_NEAREST]]
        best_first = near_rows[np.argsort(-row[near_rows], kind="stable")]
        return [(self.ids[place], float(row[place])) for place in best_first]


@dataclass(frozen=True, slots=True)
class SearchMatches:
    """``records``: at most 50, nearest in meaning first, then newest."""

    records: tuple[RecordFound, ...]
    total: int


Rights = Callable[[SavedSearch], frozenset[str] | None]


@dataclass(frozen=True)
class Matcher:
    """Methods raise Unavailable if Elasticsearch or the embedder does not answer; a later call continues."""

    client: Elasticsearch
    prefix: str
    pipeline: SearchPipeline
    searches: SavedSearchStore
    notices: NoticeStore
    rights: Callable[[], Rights]
    now: Callable[[], datetime] = field(default=utc_now)
    settled: timedelta = SETTLED

    def match(self, seconds: float) -> bool:
        """Continues the current round or begins the next one. Returns whether there is more to do.

        The state is written after the notices of each page. After a crash a page is repeated, with equal notices.
        """
        current = self._current()
        if current is None:
            return False
        start_s = time.monotonic()
        window, rights = self.window(current.since, current.until), self.rights()
        while not current.done:
            page_started = time.monotonic()
            page = self.searches.active(current.after, _PAGE)
            notices = self.page(page, window, rights)
            self.notices.write(notices)
            current = replace(
                current,
                after=page.after,
                done=page.after is None,
                searches=current.searches + len(page.searches),
                found=current.found + len(notices),
                took_s=current.took_s + time.monotonic() - page_started,
            )
            self.notices.put_round(current)
            if time.monotonic() - start_s >= seconds:
                break
        if current.done:
            self.notices.expire(self.now())
            log.info("alerts.matched", searches=current.searches, notices=current.found, took_s=round(current.took_s))
        return not current.done or self._is_behind(current)

    def page(self, page: SearchPage, window: RecordWindow, rights: Rights) -> list[Notice]:
        """Notices of these searches for the records of the window."""
        due = due_times(self.now())
        permitted = [
            (stored_search, groups)
            for stored_search in page.searches
            if (groups := rights(stored_search.saved)) is not None
        ]
        current = with_current_index(
            self.pipeline.parts.resolver, lambda serving: self._compile_again(permitted, serving)
        )
        matches = self.matches(current, window)
        return [
            notice
            for (stored_search, _), match in zip(current, matches, strict=True)
            for notice in _notices(stored_search.saved, match, window, due[stored_search.saved.every])
            if match.total
        ]

    def matches(
        self, searches: Sequence[tuple[StoredSearch, frozenset[str]]], window: RecordWindow
    ) -> list[SearchMatches]:
        """The matches of each search, in their order, for these groups."""
        near_records = self._nearest_records([stored_search.compiled for stored_search, _ in searches], window)
        place_of: dict[tuple[object, ...], int] = {}
        bodies: list[Json] = []
        scores: list[Mapping[str, float]] = []
        places = []
        for (stored_search, groups), nearest in zip(searches, near_records, strict=True):
            # A search reports only records written after it was saved.
            since = stored_search.saved.watched if stored_search.saved.watched > window.since else ""
            key = (
                stored_search.saved.question_key,
                groups,
                stored_search.compiled.by,
                stored_search.saved.changes,
                since,
            )
            if key not in place_of:
                place_of[key] = len(bodies)
                bodies.append(self._body(stored_search, groups, [id for id, _ in nearest], window))
                scores.append(dict(nearest))
            places.append(place_of[key])
        answers = self._run(bodies)
        matches = [_read_matches(answer, cosines, window) for answer, cosines in zip(answers, scores, strict=True)]
        return [matches[place] for place in places]

    def window(self, since: str, until: str) -> RecordWindow:
        """The window with its vectors."""
        ids: list[str] = []
        vectors: list[Sequence[float]] = []
        for hit in self._written_records(since, until):
            vector = hit["_source"].get("vector")
            if vector is not None:
                ids.append(hit["_id"])
                vectors.append(vector)
        matrix = np.array(vectors, dtype=np.float32) if vectors else np.zeros((0, 1), np.float32)
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        unit = (matrix / np.where(norms > 0.0, norms, 1.0)).astype(np.float32)
        return RecordWindow(since, until, ids, unit)

    def _current(self) -> MatchingRound | None:
        """The unfinished round, else the next one; None if no new window is complete."""
        last = self.notices.round()
        if last is not None and not last.done:
            return last
        now = self.now()
        until = (now - self.settled).isoformat()
        since = last.until if last is not None else (now - self.settled - FIRST_WINDOW).isoformat()
        if since >= until:
            return None
        began = MatchingRound(since, self._edge(since, until))
        self.notices.put_round(began)  # a repeated round has the same window, so its notices have the same ids
        return began

    def _is_behind(self, current: MatchingRound) -> bool:
        """Whether the window was cut because it held too many records."""
        return current.until < (self.now() - self.settled - timedelta(hours=1)).isoformat()

    def _edge(self, since: str, until: str) -> str:
        """``until``, or an earlier time that leaves at most about ``MOST_RECORDS`` in the window."""
        query = {"range": {"harvest.written": {"gte": since, "lt": until}}}
        index = alias(self.prefix, "records")
        count = int(self.client.count(index=index, query=query).body["count"])
        if count <= MOST_RECORDS:
            return until
        share = 100.0 * MOST_RECORDS / count
        aggs = {"edge": {"percentiles": {"field": "harvest.written", "percents": [share]}}}
        answer = self.client.search(index=index, query=query, size=0, aggs=aggs).body
        edge_ms = next(iter(answer["aggregations"]["edge"]["values"].values()))
        edge = datetime.fromtimestamp(edge_ms / 1000.0 + 0.001, UTC).isoformat()
        return edge if since < edge < until else until

    def _written_records(self, since: str, until: str) -> Iterable[JsonMapping]:
        query = {"range": {"harvest.written": {"gte": since, "lt": until}}}
        after: list[object] | None = None
        while True:
            more: Json = {} if after is None else {"search_after": after}
            hits = self.client.search(
                index=alias(self.prefix, "records"),
                query=query,
                size=_RECORDS_A_REQUEST,
                sort=[{"harvest.written": "asc"}, {"id": "asc"}],
                source={"includes": ["vector"]},
                track_total_hits=False,
                **more,
            ).body["hits"]["hits"]
            yield from hits
            if len(hits) < _RECORDS_A_REQUEST:
                return
            after = hits[-1]["sort"]

    def _compile_again(
        self, searches: Sequence[tuple[StoredSearch, frozenset[str]]], serving: Serving
    ) -> list[tuple[StoredSearch, frozenset[str]]]:
        """Compiles and stores questions again that were compiled for another model or schema."""
        by, changed_searches, current = compiled_by(serving), [], []
        for stored_search, groups in searches:
            if stored_search.compiled.by != by:
                try:
                    compiled_question = compile_question(
                        self.pipeline, request_of(stored_search.saved.parameters), serving
                    )
                except InvalidInput as error:
                    self.searches.pause(stored_search.saved.id, str(error))
                    continue
                stored_search = StoredSearch(stored_search.saved, compiled_question)
                changed_searches.append(stored_search)
            current.append((stored_search, groups))
        self.searches.put_compiled(changed_searches)
        return current

    def _nearest_records(
        self, compiled_questions: Sequence[Compiled], window: RecordWindow
    ) -> list[list[tuple[str, float]]]:
        """The nearest records of each question; empty without a vector of this model."""
        dims, min_cosine = window.vectors.shape[1], self._min_cosine()
        with_vector = [
            place
            for place, question in enumerate(compiled_questions)
            if question.vector is not None and len(question.vector) == dims
        ]
        nearest: list[list[tuple[str, float]]] = [[] for _ in compiled_questions]
        if with_vector and min_cosine is not None:
            questions = np.stack(
                [vector for place in with_vector if (vector := compiled_questions[place].vector) is not None]
            )
            for place, ids in zip(with_vector, window.near(questions, min_cosine), strict=True):
                nearest[place] = ids
        return nearest

    def _min_cosine(self) -> float | None:
        embedder = self.pipeline.parts.resolver.resolve().embedder
        return None if embedder is None else embedder.card.min_score

    def _body(
        self, stored_search: StoredSearch, groups: frozenset[str], nearest: Sequence[str], window: RecordWindow
    ) -> Json:
        saved_search, clauses = stored_search.saved, stored_search.compiled.clauses(nearest)
        block_clauses = blocked_clauses(
            self.pipeline.parts.curation().decide(str(saved_search.parameters.get("q", "")))
        )
        filters = [window.clause, visible_clause(groups), *clauses]
        if saved_search.watched > window.since:
            filters.append({"range": {"harvest.written": {"gte": saved_search.watched}}})
        if not saved_search.changes:
            filters.append({"range": {"harvest.first_seen": {"gte": window.since}}})
        hidden: Json = {"must_not": block_clauses} if block_clauses else {}
        return {
            "query": {"bool": {"filter": filters, **hidden}},
            "size": MOST_RECORDS_OF_NOTICE,
            "sort": [{"harvest.written": "desc"}, {"id": "asc"}],
            "_source": False,
            "docvalue_fields": [{"field": "harvest.first_seen", "format": "epoch_millis"}],
            "track_total_hits": True,
        }

    def _run(self, bodies: Sequence[Json]) -> list[Json]:
        header = {"index": alias(self.prefix, "records")}
        answers: list[Json] = []
        for start in range(0, len(bodies), _BATCH):
            batch = bodies[start : start + _BATCH]
            answers += search_all(self.client, [part for body in batch for part in (header, body)])
        return answers


def due_times(now: datetime) -> dict[Every, str]:
    """When a digest may be sent: at once, or on the next Monday (on a Monday at once)."""
    days_ahead = (_MONDAY - now.weekday()) % 7
    monday = (
        now
        if days_ahead == 0
        else (now + timedelta(days=days_ahead)).replace(hour=0, minute=0, second=0, microsecond=0)
    )
    return {"day": now.isoformat(), "week": monday.isoformat()}


def _read_matches(answer: JsonMapping, cosines: Mapping[str, float], window: RecordWindow) -> SearchMatches:
    since_ms = datetime.fromisoformat(window.since).timestamp() * 1000.0
    hits = sorted(answer["hits"]["hits"], key=lambda hit: -cosines.get(hit["_id"], -1.0))  # stable: then newest
    records = [
        RecordFound(hit["_id"], float(hit["fields"]["harvest.first_seen"][0]) >= since_ms)
        for hit in hits
        if "fields" in hit
    ]
    return SearchMatches(tuple(records), int(answer["hits"]["total"]["value"]))


def _notices(saved_search: SavedSearch, matches: SearchMatches, window: RecordWindow, due: str) -> list[Notice]:
    def notice(channel: Channel | Literal["feed"], target: str) -> Notice:
        owner_key, window_key = (saved_search.id, saved_search.owner), (window.since, window.until, due)
        return Notice(*owner_key, channel, target, *window_key, matches.records, matches.total)

    return [notice("feed", ""), *(notice(channel, target) for channel, target in saved_search.channels.items())]
