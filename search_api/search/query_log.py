"""The query log: collects questions in memory and writes them in batches by a thread. A full queue drops questions."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Literal

import structlog
from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer
from prometheus_client import Counter

from core.errors import NotFound
from core.json_types import Json
from core.timespan import utc_now
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError, IndexGone
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from reading.vocabulary import term_key
from search_api.search.answer import Answer
from search_api.search.caches import Ticker
from search_api.search.understanding.interpretation import Interpretation

log = structlog.get_logger(__name__)

_QUESTIONS = Counter("sonde_query_log_total", "Questions and openings for the query log", ["outcome"])

MOST_WAITING = 2_000
WRITE_EVERY_S = 2.0
_BATCH = 500
_EXPIRE_EVERY = timedelta(hours=1)
_LINK_DAYS = 1
_ADD_OPENING = """
if (ctx._source.opened == null) { ctx._source.opened = new ArrayList(); }
if (ctx._source.opened.contains(params.record) || ctx._source.opened.size() >= 50) { ctx.op = 'none'; }
else { ctx._source.opened.add(params.record); }
"""


@dataclass(frozen=True, slots=True)
class LogPolicy:
    """``detail``: what to store; ``days``: for how long. ``secret`` signs links and hashes owners of keys."""

    detail: LogDetail = "off"
    days: int = 90
    secret: bytes = b""


@dataclass(frozen=True, slots=True)
class Opening:
    """A hit that was opened; ``question_id``: the question that showed it."""

    question_id: str
    record: str


@dataclass
class QueryLog:
    """Thread-safe. Only ``tick`` waits for Elasticsearch; the log's own thread calls it."""

    client: Elasticsearch
    prefix: str
    policy: LogPolicy
    now: Callable[[], datetime] = field(default=utc_now)
    every_s: float = WRITE_EVERY_S
    _queue: deque[LoggedQuestion | Opening] = field(default_factory=deque, init=False)
    _writing: threading.Lock = field(default_factory=threading.Lock, init=False)
    _expired: datetime | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._ticker = Ticker(self, self.every_s, "query-log")
        self._links = URLSafeTimedSerializer(self.policy.secret or b"off", salt="opened")

    @property
    def is_on(self) -> bool:
        return self.policy.detail != "off"

    def add_question(self, id: str, question: str, algorithm: str, answer: Answer, requester: Requester) -> None:
        """Notes a question; returns at once."""
        detail, secret = self.policy.detail, self.policy.secret
        self._note(log_entry(id, detail, secret, question, algorithm, answer, requester, self.now()))

    def link_id(self, asked_id: str, record: str) -> str:
        """The signed id of a link to a hit of this question."""
        return str(self._links.dumps([asked_id, record]))

    def add_opening(self, link_id: str) -> str:
        """Notes that the link was followed; returns its record. Raises NotFound for an id that was not signed here."""
        try:
            asked_id, record = self._links.loads(link_id)
        except BadData:
            raise NotFound("This link was not made here.") from None
        if self.is_on and self._is_fresh(link_id):
            self._note(Opening(str(asked_id), str(record)))
        return str(record)

    def _is_fresh(self, link_id: str) -> bool:
        try:
            self._links.loads(link_id, max_age=_LINK_DAYS * 86_400)
        except SignatureExpired:
            return False
        return True

    def tick(self) -> None:
        """Writes the queue; once an hour it also deletes questions that are too old."""
        with self._writing:
            while batch := self._next_batch():
                self._write(batch)
            if self._expired is None or self.now() - self._expired >= _EXPIRE_EVERY:
                self._expired = self.now()
                self._expire()

    def _note(self, note: LoggedQuestion | Opening) -> None:
        self._ticker.start()
        if len(self._queue) >= MOST_WAITING:
            _QUESTIONS.labels("dropped").inc()
            return
        self._queue.append(note)

    def _next_batch(self) -> list[LoggedQuestion | Opening]:
        return [self._queue.popleft() for _ in range(min(_BATCH, len(self._queue)))]

    def _write(self, batch: list[LoggedQuestion | Opening]) -> None:
        """Tries once; a failed batch is dropped, so that the queue does not grow."""
        try:
            ensure_without_vectors(self.client, self.prefix, ("queries",))
            lines = [line for note in batch for line in _operations(note)]
            answer = self.client.bulk(index=alias(self.prefix, "queries"), operations=lines, require_alias=True).body
        except ElasticsearchError as error:
            _QUESTIONS.labels("failed").inc(len(batch))
            log.warning("queries.not_written", count=len(batch), error=type(error).__name__)
            return
        failed = sum(next(iter(item.values()))["status"] >= 400 for item in answer["items"])
        _QUESTIONS.labels("failed").inc(failed)
        _QUESTIONS.labels("written").inc(len(batch) - failed)

    def _expire(self) -> None:
        oldest = (self.now() - timedelta(days=self.policy.days)).isoformat()
        self.delete({"range": {"at": {"lt": oldest}}})

    def delete(self, query: Json) -> int:
        """Returns the number of deleted questions. Call ``tick`` first, so that queued questions are deleted too."""
        index = alias(self.prefix, "queries")
        try:
            answer = self.client.delete_by_query(
                index=index, query=query, conflicts="proceed", refresh=True, ignore_unavailable=True
            )
        except IndexGone:
            return 0
        return int(answer.body["deleted"])


def _operations(note: LoggedQuestion | Opening) -> Iterable[Json]:
    if isinstance(note, LoggedQuestion):
        return ({"create": {"_id": note.id}}, note.document)
    script = {"source": _ADD_OPENING, "params": {"record": note.record}}
    return ({"update": {"_id": note.question_id, "retry_on_conflict": 3}}, {"script": script})


LogDetail = Literal["off", "counts", "full"]

LONGEST_QUESTION = 300
MOST_SHOWN = 10
_MOST_PLACES = 5
_MOST_DECADES = 30
_YEARS = 10
_YEAR_MS = 365.2425 * 86_400_000
_GROUPS = 4096
OF_A_KEY = "k"
"""First letter of the hash of a key's owner; the hash of a group begins with another letter."""


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asks. ``address`` is not stored; it only chooses one of 4,096 groups for an anonymous requester."""

    subject: str | None
    address: str


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """``document`` is stored under ``id``, a random id."""

    id: str
    document: Json


def new_id() -> str:
    return secrets.token_urlsafe(9)


def normal_question(question: str) -> str:
    """Lower case and single spaces, so that equal questions are counted together."""
    return " ".join(question.casefold().split())[:LONGEST_QUESTION]


def person_hash(secret: bytes, question: str, requester: Requester) -> str:
    """A pseudonym that tells people apart.

    The owner of a key: a keyed hash, by which their questions can be found and deleted. Anybody else: one of 4,096
    groups, chosen anew for each question (in any spelling). That suffices to count five people, but not to find an
    address or to follow a person.
    """
    if requester.subject is not None:
        return subject_hash(secret, requester.subject)
    digest = _digest(secret, f"address\0{term_key(question) or question}\0{_network(requester.address)}")
    return f"g{int.from_bytes(digest[:4]) % _GROUPS}"


def _network(address: str) -> str:
    """An IPv6 user can change addresses freely within one /64 network; so the network counts."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((ip, 64), strict=False)) if ip.version == 6 else address


def subject_hash(secret: bytes, subject: str) -> str:
    return OF_A_KEY + _digest(secret, f"subject\0{subject}").hex()[:32]


def log_entry(
    id: str,
    detail: LogDetail,
    secret: bytes,
    question: str,
    algorithm: str,
    answer: Answer,
    requester: Requester,
    at: datetime,
) -> LoggedQuestion:
    """``counts`` keeps neither the question, nor its interpretation, nor who asked."""
    interpretation, text = answer.interpretation, normal_question(question)
    document: Json = {
        "at": at.isoformat(),
        "language": interpretation.language,
        "algorithm": algorithm,
        "matched": answer.matched,
        "took_ms": round(sum(answer.took_ms.values()), 1),
        "degraded": list(answer.degraded),
    }
    if detail == "full":
        document |= {
            "question": text,
            "who": person_hash(secret, text, requester),
            "places": [place.name for place in interpretation.places][:_MOST_PLACES],
            "terms": [term.mention.text.casefold() for term in interpretation.terms][:_MOST_PLACES],
            "decades": decades(interpretation),
            "shown": [hit.record.id for hit in answer.hits][:MOST_SHOWN],
        }
    return LoggedQuestion(id, {name: value for name, value in document.items() if value not in (None, [], "")})


def decades(interpretation: Interpretation) -> Sequence[int]:
    """The decades that the asked period touches (1990, 2000); none for an open one."""
    if interpretation.span is None or interpretation.span.start_ms is None or interpretation.span.end_ms is None:
        return []
    first, last = (
        int(1970 + edge / _YEAR_MS) // _YEARS * _YEARS
        for edge in (interpretation.span.start_ms, interpretation.span.end_ms)
    )
    return list(range(first, last + 1, _YEARS)[:_MOST_DECADES])


def _digest(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), hashlib.sha256)
