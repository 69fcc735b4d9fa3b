"""The query log: notes questions in memory, and writes them in batches beside the requests. If full, it drops them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer
from prometheus_client import Counter

from core.clock import utc_now
from core.errors import NotFound
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError, IndexGone
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.http.ticking import Ticker
from search_api.search.answer import Answer
from search_api.search.usage.entry import Asked, Asker, Keeping, asked

log = structlog.get_logger(__name__)

_NOTED = Counter("sonde_query_log_total", "Questions and openings for the query log", ["outcome"])

MOST_WAITING = 2_000
WRITE_EVERY_S = 2.0
_BATCH = 500
_EXPIRE_EVERY = timedelta(hours=1)
_LINK_DAYS = 1
_OPENED = """
if (ctx._source.opened == null) { ctx._source.opened = new ArrayList(); }
if (ctx._source.opened.contains(params.record) || ctx._source.opened.size() >= 50) { ctx.op = 'none'; }
else { ctx._source.opened.add(params.record); }
"""


@dataclass(frozen=True, slots=True)
class LogPolicy:
    """What is kept, and for how many days. ``secret`` signs links and hashes the owners of keys."""

    keeping: Keeping = "off"
    days: int = 90
    secret: bytes = b""


@dataclass(frozen=True, slots=True)
class Opened:
    """A hit that somebody opened, by the id of the question that showed it."""

    asked: str
    record: str


@dataclass
class QueryLog:
    """Thread-safe. Nothing here waits for Elasticsearch but ``tick``, which a thread of its own calls."""

    client: Elasticsearch
    prefix: str
    policy: LogPolicy
    now: Callable[[], datetime] = field(default=utc_now)
    every_s: float = WRITE_EVERY_S
    _waiting: deque[Asked | Opened] = field(default_factory=deque, init=False)
    _writing: threading.Lock = field(default_factory=threading.Lock, init=False)
    _expired: datetime | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._ticker = Ticker(self, self.every_s, "query-log")
        self._links = URLSafeTimedSerializer(self.policy.secret or b"off", salt="opened")

    @property
    def is_on(self) -> bool:
        return self.policy.keeping != "off"

    def asked(self, id: str, question: str, algorithm: str, answer: Answer, asker: Asker) -> None:
        """Notes a question; returns at once."""
        keeping, secret = self.policy.keeping, self.policy.secret
        self._note(asked(id, keeping, secret, question, algorithm, answer, asker, self.now()))

    def link_id(self, asked_id: str, record: str) -> str:
        """The signed id of a link to a hit of this question."""
        return str(self._links.dumps([asked_id, record]))

    def opened(self, link_id: str) -> str:
        """Notes that the link was followed; returns its record. Raises NotFound for an id that was not signed here."""
        try:
            asked_id, record = self._links.loads(link_id)
        except BadData:
            raise NotFound("This link was not made here.") from None
        if self.is_on and self._is_fresh(link_id):
            self._note(Opened(str(asked_id), str(record)))
        return str(record)

    def _is_fresh(self, link_id: str) -> bool:
        try:
            self._links.loads(link_id, max_age=_LINK_DAYS * 86_400)
        except SignatureExpired:
            return False
        return True

    def tick(self) -> None:
        """Writes what waits, and deletes what is too old once an hour."""
        with self._writing:
            while batch := self._taken():
                self._write(batch)
            if self._expired is None or self.now() - self._expired >= _EXPIRE_EVERY:
                self._expired = self.now()
                self._expire()

    def _note(self, one: Asked | Opened) -> None:
        self._ticker.start()
        if len(self._waiting) >= MOST_WAITING:
            _NOTED.labels("dropped").inc()
            return
        self._waiting.append(one)

    def _taken(self) -> list[Asked | Opened]:
        return [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]

    def _write(self, batch: list[Asked | Opened]) -> None:
        """One attempt: a log that cannot be written now must not grow until it can."""
        try:
            ensure_without_vectors(self.client, self.prefix, ("queries",))
            lines = [line for one in batch for line in _operations(one)]
            answer = self.client.bulk(index=alias(self.prefix, "queries"), operations=lines, require_alias=True).body
        except ElasticsearchError as error:
            _NOTED.labels("failed").inc(len(batch))
            log.warning("queries.not_written", count=len(batch), error=type(error).__name__)
            return
        failed = sum(next(iter(item.values()))["status"] >= 400 for item in answer["items"])
        _NOTED.labels("failed").inc(failed)
        _NOTED.labels("written").inc(len(batch) - failed)

    def _expire(self) -> None:
        before = (self.now() - timedelta(days=self.policy.days)).isoformat()
        self.delete({"range": {"at": {"lt": before}}})

    def delete(self, query: Json) -> int:
        """The number of questions deleted; those that wait are written first by the caller."""
        index = alias(self.prefix, "queries")
        try:
            answer = self.client.delete_by_query(
                index=index, query=query, conflicts="proceed", refresh=True, ignore_unavailable=True
            )
        except IndexGone:
            return 0
        return int(answer.body["deleted"])


def _operations(one: Asked | Opened) -> Iterable[Json]:
    if isinstance(one, Asked):
        return ({"create": {"_id": one.id}}, one.document)
    script = {"source": _OPENED, "params": {"record": one.record}}
    return ({"update": {"_id": one.asked, "retry_on_conflict": 3}}, {"script": script})
