"""What was opened, as evidence: from the questions of the log to one value for a question and a record.

A hit at the top is looked at more often than one below, so an opening counts by the inverse of the chance that its
position is looked at (inverse propensity: Joachims, Swaminathan and Schnabel, WSDM 2017). People count, not clicks:
each person once for a question and a record, whatever a script does.
"""

from __future__ import annotations

import math
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import structlog

from core.errors import SondeError
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.errors import IndexGone
from es_mappings.names import alias
from reading.vocabulary import term_key
from search_api.search.caches import Ticker
from search_api.search.query_log import OF_A_KEY
from search_api.search.ranking.signals.record import Evidence

Values = Mapping[str, float]
"""Of a question: 0..1 by record, in steps; a record that is absent was not measured."""

_NONE: Values = {}


@dataclass(frozen=True, slots=True)
class LoggedSearch:
    """A search in the log. ``shown``: its first hits, best first; ``day``: ISO 8601."""

    question: str
    who: str
    day: str
    shown: tuple[str, ...]
    opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UsageTable:
    """Values by the key of a question: case, accents and plurals do not matter, the order of the words does."""

    by_question: Mapping[str, Values] = field(default_factory=dict)

    def of(self, question: str) -> Values:
        return self.by_question.get(term_key(question), _NONE) if self.by_question else _NONE

    def __len__(self) -> int:
        return len(self.by_question)


NO_USAGE = UsageTable()


def usage_of(log: Iterable[LoggedSearch], evidence: Evidence) -> UsageTable:
    """Empty until the log has enough openings. The result does not tell who opened what."""
    by_question = _enough_by_question(log, evidence)
    values_by_key = {key: _values(rows, evidence) for key, rows in by_question.items()}
    return UsageTable({key: values for key, values in values_by_key.items() if values})


def _enough_by_question(log: Iterable[LoggedSearch], evidence: Evidence) -> Mapping[str, Sequence[LoggedSearch]]:
    """Searches by the key of their question; empty until the log has enough openings."""
    rows = _by_people(list(log), evidence.most_a_day)
    if sum(len(row.opened) for row in rows) < evidence.openings:
        return {}
    by_question: defaultdict[str, list[LoggedSearch]] = defaultdict(list)
    for row in rows:
        by_question[term_key(row.question)].append(row)
    return {
        key: question_rows
        for key, question_rows in by_question.items()
        if key and _has_agreement([row for row in question_rows if row.opened], evidence.people, evidence.days)
    }


def _by_people(rows: Sequence[LoggedSearch], most_a_day: int) -> list[LoggedSearch]:
    """Drops days on which one person opened more than ``most_a_day`` hits, as a script does."""
    openings: Counter[tuple[str, str]] = Counter()
    for row in rows:
        openings[_person(row), row.day] += len(row.opened)
    return [row for row in rows if openings[_person(row), row.day] <= most_a_day]


def _person(row: LoggedSearch) -> str:
    """Without a key a person is known within one question only."""
    return row.who if row.who.startswith(OF_A_KEY) else f"{row.who} {term_key(row.question)}"


def _has_agreement(rows: Sequence[LoggedSearch], people: int, days: int) -> bool:
    return len({row.who for row in rows}) >= people and len({row.day for row in rows}) >= days


def _values(rows: Sequence[LoggedSearch], evidence: Evidence) -> Values:
    """``rows``: the searches of one question."""
    records = sorted(set(chain.from_iterable(row.shown for row in rows)))
    values = {record: _value(record, [row for row in rows if record in row.shown], evidence) for record in records}
    return {record: value for record, value in values.items() if value is not None}


def _value(record: str, rows: Sequence[LoggedSearch], evidence: Evidence) -> float | None:
    """``rows``: the searches that showed the record. None if too few people looked at it to say.

    The share of the people who opened it, each by the inverse of the chance that its best position was looked at.
    """
    position = _best_positions(record, rows)
    chances = {
        person: max(place**-evidence.examination, 1.0 / evidence.longest_odds) for person, place in position.items()
    }
    opening = [row for row in rows if record in row.opened]
    weighted_openings = 0.0
    if _has_agreement(opening, evidence.openers, evidence.days):
        weighted_openings = math.fsum(1.0 / chances[person] for person in {row.who for row in opening})
    elif math.fsum(chances.values()) < evidence.openers:  # exact: the order of the log must not decide
        return None
    share = min(weighted_openings / (len(position) + evidence.non_openers), 1.0)
    return round(share * evidence.bins) / evidence.bins


def _best_positions(record: str, rows: Iterable[LoggedSearch]) -> dict[str, int]:
    """The best rank of the record for each person, from 1."""
    best: dict[str, int] = {}
    for row in rows:
        position = row.shown.index(record) + 1
        best[row.who] = min(position, best.get(row.who, position))
    return best


log = structlog.get_logger(__name__)

READ_EVERY_S = 3600.0
"""Usage changes within days; a deleted question counts at most this long."""

_MOST_QUESTIONS = 2_000
_MOST_SEARCHES = 100_000
_PAGE = 2_000
_KEEP_ALIVE = "2m"
_FIELDS = ("question", "who", "at", "shown", "opened")


def no_usage() -> UsageTable:
    """For installations, evaluations and tests that rank without usage."""
    return NO_USAGE


@dataclass(frozen=True, slots=True)
class OpeningsReader:
    """Reads all searches of the questions whose hits were opened most often. A missing index is empty."""

    client: Elasticsearch
    prefix: str

    def searches(self) -> Iterator[LoggedSearch]:
        """Newest first, at most 100,000. Raises the gateway's errors."""
        try:
            questions = self._questions()
            if questions:
                yield from self._of(questions)
        except IndexGone:
            return

    def _questions(self) -> list[str]:
        with_openings: Json = {"exists": {"field": "opened"}}
        by_question: Json = {"terms": {"field": "question", "size": _MOST_QUESTIONS}}
        index = alias(self.prefix, "queries")
        answer = self.client.search(
            index=index, query=with_openings, aggs={"questions": by_question}, size=0, ignore_unavailable=True
        )
        buckets = answer.body.get("aggregations", {}).get("questions", {}).get("buckets", [])
        return [str(bucket["key"]) for bucket in buckets]

    def _of(self, questions: list[str]) -> Iterator[LoggedSearch]:
        pit = self.client.open_point_in_time(index=alias(self.prefix, "queries"), keep_alive=_KEEP_ALIVE)["id"]
        search_after: list[str | float | bool | None] | None = None
        try:
            for _ in range(_MOST_SEARCHES // _PAGE):
                hits = self.client.search(
                    pit={"id": pit, "keep_alive": _KEEP_ALIVE},
                    query={"terms": {"question": questions}},
                    source={"includes": list(_FIELDS)},
                    sort=[{"at": "desc"}],
                    search_after=search_after,
                    size=_PAGE,
                    track_total_hits=False,
                )["hits"]["hits"]
                yield from (logged_search(hit["_source"]) for hit in hits)
                if len(hits) < _PAGE:
                    return
                search_after = hits[-1]["sort"]
        finally:
            self.client.options(ignore_status=404).close_point_in_time(id=pit)


def logged_search(document: JsonMapping) -> LoggedSearch:
    """From a document of the query log that was kept in full."""
    return LoggedSearch(
        question=document["question"],
        who=document["who"],
        day=str(document["at"])[:10],
        shown=tuple(document.get("shown", ())),
        opened=tuple(document.get("opened", ())),
    )


class LiveUsage:
    """Call it for the current values. Thread-safe; keeps the last values if reading fails."""

    def __init__(self, reader: OpeningsReader, evidence: Evidence, every_s: float = READ_EVERY_S) -> None:
        self._reader = reader
        self._evidence = evidence
        self._lock = threading.Lock()
        self._table = NO_USAGE
        self._ticker = Ticker(self, every_s, "usage")

    def __call__(self) -> UsageTable:
        self._ticker.start()
        return self._table

    def tick(self) -> None:
        with self._lock:
            self._table = usage_of(self._reader.searches(), self._evidence)
            log.info("usage.read", questions=len(self._table))

    def try_tick(self) -> None:
        """Like ``tick``, but only logs a failure."""
        try:
            self.tick()
        except SondeError as error:
            log.warning("usage.read_failed", error=type(error).__name__)
