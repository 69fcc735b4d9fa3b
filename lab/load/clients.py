"""Clients that ask as fast as they are answered, and what their replies come to: rates, percentiles, shares of time."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import urlencode

import httpcore
import orjson

from lab.measures import Spread

_HEADERS: dict[bytes | str, bytes | str] = {"Accept": "application/json"}
_TIMEOUTS = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), 60.0)}
_FAILURES = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException)
_LONGEST_PAUSE_S = 60.0
_BUSY = frozenset((HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS))
NO_ANSWER = 0
_ELASTICSEARCH = frozenset(("names", "retrieve", "fetch"))
_ENCODERS = frozenset(("embed", "rerank"))


@dataclass(frozen=True, slots=True)
class SearchMode:
    """One way to ask, by the parameters of ``/search``."""

    name: str
    parameters: Mapping[str, str]


SEARCH_MODES = (
    SearchMode("bm25, plain", {"algorithm": "bm25", "interpret": "none", "rerank": "false"}),
    SearchMode("bm25", {"algorithm": "bm25", "rerank": "false"}),
    SearchMode("dense", {"algorithm": "dense", "rerank": "false"}),
    SearchMode("hybrid", {"algorithm": "hybrid", "rerank": "false"}),
    SearchMode("hybrid, rerank", {"algorithm": "hybrid", "rerank": "true"}),
)


@dataclass(frozen=True, slots=True)
class SearchReply:
    """``status``: of HTTP, 0 without an answer; ``refused``: 503 or 429 with Retry-After.

    ``took_ms``: how long the client waited; ``stages``: milliseconds that the service names.
    """

    took_ms: float
    status: int
    refused: bool = False
    degraded: bool = False
    stages: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApiConnection:
    """The API under load, by a client that costs little: it shares the cores with what it measures.

    One connection for each client: a pool looks at all its connections before each request, so that with 300 of them
    the clients would be slower than the server.
    """

    url: str
    connections: httpcore.ConnectionPool

    @classmethod
    def at(cls, url: str, source: str | None = None) -> ApiConnection:
        """``source``: the address to ask from."""
        return cls(url, httpcore.ConnectionPool(max_connections=1, local_address=source))

    def close(self) -> None:
        self.connections.close()

    def reply_to(self, parameters: Mapping[str, str]) -> tuple[SearchReply, float]:
        """The reply, and how many seconds to wait before the next question."""
        target = f"{self.url}/search?{urlencode(parameters)}"
        started_s = time.perf_counter()
        try:
            answer = self.connections.request("GET", target, headers=_HEADERS, extensions=_TIMEOUTS)
        except _FAILURES:
            return SearchReply((time.perf_counter() - started_s) * 1000.0, NO_ANSWER), 0.0
        took_ms = (time.perf_counter() - started_s) * 1000.0
        if answer.status == HTTPStatus.OK:
            body = orjson.loads(answer.content)
            stages, degraded = body["sonde:took_ms"], bool(body.get("sonde:degraded"))
            return SearchReply(took_ms, answer.status, degraded=degraded, stages=stages), 0.0
        pause = next((value.decode() for name, value in answer.headers if name.lower() == b"retry-after"), None)
        is_refused = answer.status in _BUSY and pause is not None
        return SearchReply(took_ms, answer.status, refused=is_refused), _pause_s(pause) if is_refused else 0.0


def ask(
    url: str, mode: SearchMode, questions: Sequence[str], clients: int, seconds: float
) -> tuple[list[SearchReply], float]:
    """All replies, and the seconds until the last of them.

    Each client begins at another question and repeats all of them. After a refusal it waits as long as Retry-After
    says.
    """
    stop = threading.Event()
    with ExitStack() as resources:
        pool = resources.enter_context(ThreadPoolExecutor(clients, thread_name_prefix="load"))
        resources.callback(stop.set)  # by Ctrl-C: each ends after the question it asked
        started_s = time.perf_counter()
        searchers = [
            pool.submit(_run_client, url, mode, _beginning_at(questions, number, clients), started_s + seconds, stop)
            for number in range(clients)
        ]
        replies = [reply for client in searchers for reply in client.result()]
        return replies, time.perf_counter() - started_s


def _beginning_at(questions: Sequence[str], number: int, clients: int) -> Iterator[str]:
    place = number * len(questions) // clients
    return itertools.cycle([*questions[place:], *questions[:place]])


def _run_client(
    url: str, mode: SearchMode, questions: Iterator[str], ends: float, stop: threading.Event
) -> list[SearchReply]:
    """At least one question, and none begun after the end."""
    replies: list[SearchReply] = []
    with closing(ApiConnection.at(url)) as server:
        for question in questions:
            reply, pause_s = server.reply_to({**mode.parameters, "q": question})
            replies.append(reply)
            left_s = ends - time.perf_counter()
            stop.wait(max(0.0, min(pause_s, left_s)))
            if pause_s >= left_s or stop.is_set():
                break
    return replies


def _pause_s(text: str | None) -> float:
    """Of ``Retry-After`` in seconds, as we send it; anything else counts as one second."""
    return min(float(text), _LONGEST_PAUSE_S) if text is not None and text.isdigit() else 1.0


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the time that clients waited for answers, 0..1, together 1.

    ``elasticsearch``: the stages that ask it, with making the requests and reading what comes; ``encoder``: embedding
    and re-ranking; ``ours``: the other stages (understanding, ranking); ``around``: outside of any stage, so
    HTTP, JSON and waiting for a thread or a core.
    """

    elasticsearch: float
    encoder: float
    ours: float
    around: float

    @classmethod
    def of(cls, replies: Sequence[SearchReply]) -> Shares | None:
        """None if nothing was answered."""
        total_ms = sum(reply.took_ms for reply in replies)
        if not total_ms:
            return None
        spent_ms = {"elasticsearch": 0.0, "encoder": 0.0, "ours": 0.0}
        for reply in replies:
            for stage, took_ms in reply.stages.items():
                spent_ms[_share_name(stage)] += took_ms
        parts = {name: took_ms / total_ms for name, took_ms in spent_ms.items()}
        return cls(**parts, around=1.0 - sum(parts.values()))


def _share_name(stage: str) -> str:
    if stage in _ELASTICSEARCH:
        return "elasticsearch"
    return "encoder" if stage in _ENCODERS else "ours"


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """One course (the name of a search mode) at one number of clients.

    ``answered`` are 200; ``failed`` are neither that nor refused.
    ``per_second``, ``latency_ms`` and ``shares`` are of the answered ones; ``refusal_ms``: how long a refusal took.
    """

    course: str
    clients: int
    seconds: float
    answered: int
    refused: int
    failed: int
    degraded: int
    per_second: float
    latency_ms: Spread | None
    shares: Shares | None
    refusal_ms: Spread | None = None

    @classmethod
    def of(cls, course: str, clients: int, replies: Sequence[SearchReply], seconds: float) -> LoadSummary:
        good_replies = [reply for reply in replies if reply.status == 200]
        refusals = [reply for reply in replies if reply.refused]
        return cls(
            course,
            clients,
            seconds,
            len(good_replies),
            len(refusals),
            len(replies) - len(good_replies) - len(refusals),
            sum(reply.degraded for reply in good_replies),
            len(good_replies) / seconds,
            _spread(good_replies),
            Shares.of(good_replies),
            _spread(refusals),
        )


def _spread(replies: Sequence[SearchReply]) -> Spread | None:
    return Spread.of([reply.took_ms for reply in replies]) if replies else None
