"""Overload: requests wait in a fair queue before a few slots; 503 only if the wait would be too long.

Each kind of work has its own slots, so that slow or costly calls do not block searches. A request that waits for a
language model holds a slot for waiting instead of its slot for computing. One address never has all slots of a kind,
and work ends when its caller disconnects. Requests that need no records (probes, pages, the API description) do not
wait.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal

import structlog
from flask import Flask, Response, g, request
from prometheus_client import Counter, Histogram

from core.deadlines import CallerGone, abandoned_when, giving_way, in_a_hurry, leave_if_gone, within
from core.errors import Unavailable
from search_api.http.access.guard import scope_of
from search_api.http.fair_queue import FairQueue, QueueFull, QueueSize, QueueTurn
from search_api.http.problems import problem

log = structlog.get_logger(__name__)

_WAITED = Histogram("sonde_request_wait_seconds", "Time in the queue before a request is worked on", ["work"])
_REFUSED = Counter("sonde_requests_refused_total", "Requests answered 503 because too many joined_at at once")

Work = Literal["search", "answer", "library", "costly", "picture", "model"]

_SPARE_THREADS = 16
"""Threads that neither work nor wait: for probes, pages and refusals."""
_MOST_CALLERS = 4096
_LARGE_PAGE = 200
"""A listing of more records than this takes a second or more of one processor."""
_MODELS_PART = 0.25
"""of the slots for waiting for a language model: what one address may have"""
_LIBRARY_DEADLINES = 4.0
"""How many times as long as a search a call of the library may take: what it deletes is gone when it answers."""
_READING = frozenset(("GET", "HEAD", "OPTIONS"))
_UNQUEUED = frozenset(("/metrics", "/mcp"))
"""An agent's tools call the API by themselves, and each of these calls waits for its turn."""


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """The limits of one process. ``at_once`` searches run (0: no limit); ``waiting`` requests may wait.

    None waits longer than ``longest_wait_s``. If the expected or actual wait is more than ``hurry_after_s``, the
    reranker is left out. ``deadline_s`` limits one request's calls to Elasticsearch; answers have it for each stage.
    ``models`` requests wait for the language model at once.
    """

    at_once: int = 0
    waiting: int = 0
    models: int = 16
    longest_wait_s: float = 2.0
    hurry_after_s: float = 1.0
    deadline_s: float | None = None

    def of_threads(self, threads: int) -> AdmissionLimits:
        """As many slots and places as fit the threads. With fewer than four threads there is no limit."""
        if threads < 4:
            return replace(self, at_once=0, waiting=0)
        at_once, models = min(self.at_once, threads // 2), max(1, min(self.models, threads // 8))
        free = threads - 4 * at_once - 2 * models - _SPARE_THREADS
        return replace(self, at_once=at_once, models=models, waiting=max(threads // 4, free))

    def sizes(self) -> dict[Work, QueueSize]:
        """Slots and places of each kind of work; searches get half of the places."""

        def size(slots: int, eighths: int) -> QueueSize:
            return QueueSize(max(1, slots), self.waiting * eighths // 8, self.longest_wait_s, self.hurry_after_s)

        return {
            "search": size(self.at_once, 4),
            "answer": size(self.at_once // 2, 1),
            "library": size(self.at_once // 2, 1),
            "costly": size(self.at_once // 4, 1),
            "picture": size(self.at_once, 1),
            "model": QueueSize(self.models, self.models, self.longest_wait_s, part=_MODELS_PART),
        }


def register(app: Flask, limits: AdmissionLimits) -> None:
    """Runs before all other work of a request, so that a refusal costs almost nothing."""
    queues = {work: FairQueue(size) for work, size in limits.sizes().items()} if limits.at_once else {}

    @app.before_request
    def admit() -> Response | None:
        work = _work()
        if work is None:
            return None
        g.admitted = held = ExitStack()
        gone = request.environ.get("waitress.client_disconnected")  # not every server knows
        if gone is not None:
            held.enter_context(abandoned_when(gone))
        try:
            if work in queues:
                _take_turn(held, work, queues)
        except QueueFull as crowded:
            return _busy(crowded.retry_s)
        if limits.deadline_s is not None and work != "answer":
            held.enter_context(within(limits.deadline_s * (_LIBRARY_DEADLINES if work == "library" else 1.0)))
        return None

    @app.errorhandler(CallerGone)
    def abandoned(_error: CallerGone) -> Response:
        """Nobody reads this."""
        log.info("request.abandoned", path=request.path)
        return _busy(0.0)

    @app.teardown_request
    def leave(_error: BaseException | None) -> None:
        held: ExitStack | None = g.pop("admitted", None)
        if held is not None:
            held.close()


def _take_turn(held: ExitStack, work: Work, queues: Mapping[Work, FairQueue]) -> None:
    """Waits for a slot, which ``held`` gives back. Raises QueueFull, CallerGone."""
    caller = _caller(request.remote_addr or "")
    turn = held.enter_context(queues[work].turn(caller))
    _WAITED.labels(work).observe(turn.waited_s)
    leave_if_gone()
    if turn.in_hurry:
        held.enter_context(in_a_hurry())
    held.enter_context(giving_way(partial(_at_the_model, turn, queues["model"], caller)))


@contextmanager
def _at_the_model(turn: QueueTurn, models: FairQueue, caller: str) -> Iterator[None]:
    """A slot for waiting instead of the one for computing. Raises Unavailable if there is none for this caller."""
    with turn.outside(), ExitStack() as held:
        try:
            held.enter_context(models.turn(caller))
        except QueueFull:
            raise Unavailable("Too many questions wait for the language model.") from None
        yield


def _work() -> Work | None:
    """The kind of work of the request; None if it neither reads a record nor computes anything."""
    rule = request.url_rule.rule if request.url_rule is not None else None
    if rule is None or scope_of(rule, request.method) is None or rule in _UNQUEUED:
        return None
    if rule.startswith("/ask"):
        return "answer"
    if rule.startswith("/library"):
        return "library"
    if rule.endswith("/preview"):
        return "picture"
    return "costly" if _is_costly(rule) else "search"


def _is_costly(rule: str) -> bool:
    if rule in ("/embeddings", "/dcat", "/sitemap.xml", "/collections/<catalogue>/fair"):
        return True
    if request.method not in _READING and rule.startswith(("/collections", "/harvest")):
        return True
    size = request.args.get("limit", "")
    return size.isdecimal() and int(size[:9]) > _LARGE_PAGE


@lru_cache(_MOST_CALLERS)
def _caller(text: str) -> str:
    """The address for sharing slots; for IPv6 the /64 network, which belongs to one customer."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    return text if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))


def _busy(retry_s: float) -> Response:
    _REFUSED.inc()
    response = problem(503, "Too many requests at once; try again in a moment.")
    response.headers["Retry-After"] = str(max(1, math.ceil(retry_s)))
    return response
