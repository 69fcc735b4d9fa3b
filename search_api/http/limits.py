"""Limits: how many requests a caller may send, and how many requests run at a time.

Flask-Limiter's fixed windows, counted in the broker or else in this process. Requests over a limit are refused before
key checks and Elasticsearch.

Each kind of work has its own slots, so that slow or costly calls do not block searches. A request that waits for a
language model holds a slot for waiting instead of its slot for computing. One address never has all slots of a kind,
and work ends when its caller disconnects. Requests that need no records (probes, pages, the API description) do not
wait.
"""

from __future__ import annotations

import hashlib
import ipaddress
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Literal

import structlog
from cachetools import LRUCache
from flask import Flask, Response, g, request
from flask_limiter import ApplicationLimit, Limiter
from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import StorageTypes
from limits.strategies import STRATEGIES, FixedWindowRateLimiter
from limits.util import WindowStats
from prometheus_client import Counter, Histogram
from redis import RedisError
from werkzeug.middleware.proxy_fix import ProxyFix

from core.deadlines import CallerGone, in_a_hurry, raise_if_caller_gone, releasing_slot, watching_caller, within
from core.errors import Unavailable
from search_api.http.access.guard import scope_of
from search_api.http.fair_queue import FairQueue, QueueFull, QueueSize, QueueTurn
from search_api.http.problems import problem

MOST_COMPARED = 20
"""Documents in one comparison."""
MOST_QUESTIONS = 5
"""Questions in one comparison."""

_MOST_CALLERS = 4096
_SHARES = 100
_MOST_LISTED = 1000
_RECORDS_A_REQUEST = 100
_RDF_RECORDS_A_REQUEST = 20
_ANSWERS = "/ask"
_COMPARED = "/ask/compare"
_UNCOUNTED = frozenset(("/healthz", "/readyz", "/metrics"))

LONGEST_ADDRESS_BYTES = 32 * 1024
"""Space for a filter of the maximum length (8,000 characters) with every character escaped."""


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """``per_address`` and ``per_key`` in Flask-Limiter's notation (``1200/minute``), None for no limit.
    ``granules``: for one address, in addition, because each such request calls another host. ``model``: calls of
    the language model for one key, or one address without a key; None also where there is no such model.

    ``proxies``: the number of our reverse proxies. So many values of X-Forwarded-For (client) and X-Forwarded-Proto
    (https) are trusted; X-Forwarded-Host never is. ``storage`` is a Redis address; while it is down, each process
    counts alone.
    """

    per_address: str | None = None
    per_key: str | None = None
    granules: str | None = None
    model: str | None = None
    storage: str = "memory://"
    storage_options: Mapping[str, str | int] = field(default_factory=dict)
    prefix: str = "sonde"
    proxies: int = 0


NO_LIMITS = LimitPolicy()
_STRATEGY = "fixed-window-in-one-trip"


@dataclass(slots=True)
class _Window:
    """A caller's window. ``count``: of the storage, as last seen; ``spare``: counted there, and not used yet."""

    end_s: float
    count: int
    spare: int = 0


class OneTripWindow(FixedWindowRateLimiter):
    """A fixed window that is counted in few round trips, and whose state for the headers is known from counting.

    A process counts a hundredth of what is left ahead, and gives it to the next requests without asking. So no caller
    gets more than the limit, and one may get up to a hundredth less for each other process. A window that is used up
    needs no question until it ends.
    """

    def __init__(self, storage: StorageTypes) -> None:
        super().__init__(storage)
        self._windows: LRUCache[str, _Window] = LRUCache(_MOST_CALLERS)
        self._lock = threading.Lock()

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        key = item.key_for(*identifiers)
        with self._lock:
            window = self._windows.get(key)
            if window is not None and window.end_s <= time.time():
                window = None
            count = None if window is None else _count_known(window, item.amount, cost)
        if count is None:
            count = self._count(item, key, cost, window)
        g.setdefault("limit_counts", {})[key] = count
        return count <= item.amount

    def _count(self, item: RateLimitItem, key: str, cost: int, window: _Window | None) -> int:
        """Counts in the storage: ``cost``, and what the process will probably need."""
        ahead = cost if window is None else max(cost, (item.amount - window.count) // _SHARES)
        count = self.storage.incr(key, item.get_expiry(), amount=ahead)
        used = count - ahead + cost
        spare = max(0, min(count, item.amount) - used)
        if window is None or count <= ahead:  # the first of its window
            window = _Window(self.storage.get_expiry(key), count)
        with self._lock:
            window.count = max(window.count, count)
            window.spare += spare
            self._windows[key] = window
        return used

    def get_window_stats(self, item: RateLimitItem, *identifiers: str) -> WindowStats:
        key = item.key_for(*identifiers)
        count = g.get("limit_counts", {}).get(key)
        with self._lock:
            window = self._windows.get(key)
        if count is None or window is None:
            return super().get_window_stats(item, *identifiers)
        return WindowStats(window.end_s, max(0, item.amount - count))


def _count_known(window: _Window, amount: int, cost: int) -> int | None:
    """The count with this request if the process knows it; None if the storage has to say."""
    if window.spare >= cost:
        window.spare -= cost
        return min(window.count, amount) - window.spare
    return window.count + cost if window.count >= amount and not window.spare else None


STRATEGIES[_STRATEGY] = OneTripWindow


def register_rate_limits(app: Flask, policy: LimitPolicy) -> None:
    """Counts every request except probes; 429 with Retry-After over the limit, RateLimit headers below it."""
    if policy.proxies:
        proxy_fix = ProxyFix(app.wsgi_app, x_for=policy.proxies, x_proto=policy.proxies, x_host=0)
        app.wsgi_app = proxy_fix  # type: ignore[method-assign]
    limits = _limits(policy)
    if not limits:
        return
    limiter = Limiter(
        _address,
        app=app,
        application_limits=[*limits],
        storage_uri=policy.storage,
        storage_options=dict(policy.storage_options),
        strategy=_STRATEGY,
        key_prefix=f"{policy.prefix}:limits",
        in_memory_fallback_enabled=True,
        swallow_errors=True,  # without this, all but the first request during a broker failure would be 500
    )

    @app.after_request
    def add_headers(response: Response) -> Response:
        """Adds headers for the limit nearest to exhaustion, named as in the IETF draft; reset in seconds from now."""
        nearest = limiter.current_limit
        if nearest is None:
            return response
        try:  # may ask the broker, which may have failed since the request was counted
            wait, remaining = max(0, int(nearest.reset_at - time.time())), max(0, nearest.remaining)
        except (RedisError, StorageError):
            return response
        response.headers["RateLimit-Limit"] = str(nearest.limit.amount)
        response.headers["RateLimit-Remaining"] = str(remaining)
        response.headers["RateLimit-Reset"] = str(wait)
        if response.status_code == 429:
            response.headers["Retry-After"] = str(max(1, wait))
        return response


def _limits(policy: LimitPolicy) -> list[ApplicationLimit]:
    """Each with whose requests it counts, what one of them costs, and which it does not count."""
    rules: tuple[tuple[str | None, str, Callable[[], str], Callable[[], int] | int, Callable[[], bool]], ...] = (
        (policy.per_address, "address", _address, _weight, _is_uncounted),
        (policy.per_key, "key", _key, _weight, _without_key),
        (policy.granules, "granules", _address, 1, _asks_no_granules),
        (policy.model, "model", _key_or_address, _number_of_answers, _asks_no_model),
    )
    return [
        ApplicationLimit(rate, key, cost, scope=scope, exempt_when=exempt)
        for rate, scope, key, cost, exempt in rules
        if rate is not None
    ]


def _address() -> str:
    return f"address:{_caller(request.remote_addr or 'unknown')}"


def _weight() -> int:
    """The cost of a request: one, plus one per 100 listed records, or per 20 as RDF; for answers, their number."""
    if not _asks_no_model():
        return _number_of_answers()
    size = min(_asked_size(), _MOST_LISTED)
    return 1 + size // (_RDF_RECORDS_A_REQUEST if request.path == "/dcat" else _RECORDS_A_REQUEST)


def _key() -> str:
    """A hash of the text sent, valid or not; the counter store never gets a key."""
    return f"key:{hashlib.sha256(request.headers.get('Authorization', '').encode()).hexdigest()[:32]}"


def _without_key() -> bool:
    return _is_uncounted() or "Authorization" not in request.headers


def _asks_no_granules() -> bool:
    """Whether no other host is asked. Counted by address, with a key or without: a text that is no key is no caller."""
    rule = request.url_rule
    return _is_uncounted() or rule is None or not rule.rule.endswith(("/granules", "/rows", "/picture"))


def _is_uncounted() -> bool:
    return request.path in _UNCOUNTED or request.method == "OPTIONS"


def _key_or_address() -> str:
    """An invalid key is refused before a model is called, so inventing keys does not raise the limit."""
    return _address() if "Authorization" not in request.headers else _key()


def _asks_no_model() -> bool:
    rule = request.url_rule
    return _is_uncounted() or rule is None or not rule.rule.startswith(_ANSWERS) or request.method != "POST"


def _number_of_answers() -> int:
    """How many answers are asked for: of a comparison, each question for each document.

    A collection counts as the most documents that are compared, because what is in it is not read yet.
    """
    body = request.get_json(silent=True) if request.path.rstrip("/") == _COMPARED else None
    if not isinstance(body, dict):
        return 1
    documents = _length(body.get("documents")) or MOST_COMPARED
    return max(1, min(documents, MOST_COMPARED) * min(_length(body.get("questions")), MOST_QUESTIONS))


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def refuse_long_addresses(app: Flask) -> None:
    @app.before_request
    def refuse() -> Response | None:
        if len(request.environ.get("QUERY_STRING", "")) + len(request.path) <= LONGEST_ADDRESS_BYTES:
            return None
        return problem(
            414, f"The address is longer than {LONGEST_ADDRESS_BYTES} bytes; POST /search takes long questions."
        )


log = structlog.get_logger(__name__)

_WAITED = Histogram("sonde_request_wait_seconds", "Time in the queue before a request is worked on", ["work"])
_REFUSED = Counter("sonde_requests_refused_total", "Requests answered 503 because too many arrived at once")

Work = Literal["search", "answer", "library", "costly", "picture", "model"]

_SPARE_THREADS = 16
"""Threads that neither work nor wait: for probes, pages and refusals."""
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


def register_admission(app: Flask, limits: AdmissionLimits) -> None:
    """Runs before all other work of a request, so that a refusal costs almost nothing."""
    queues = {work: FairQueue(size) for work, size in limits.sizes().items()} if limits.at_once else {}

    @app.before_request
    def admit() -> Response | None:
        work = _work()
        if work is None:
            return None
        g.admitted = slots = ExitStack()
        is_disconnected = request.environ.get("waitress.client_disconnected")  # not every server knows
        if is_disconnected is not None:
            slots.enter_context(watching_caller(is_disconnected))
        try:
            if work in queues:
                _take_turn(slots, work, queues)
        except QueueFull as crowded:
            return _busy(crowded.retry_s)
        if limits.deadline_s is not None and work != "answer":
            slots.enter_context(within(limits.deadline_s * (_LIBRARY_DEADLINES if work == "library" else 1.0)))
        return None

    @app.errorhandler(CallerGone)
    def abandoned(_error: CallerGone) -> Response:
        """Nobody reads this."""
        log.info("request.abandoned", path=request.path)
        return _busy(0.0)

    @app.teardown_request
    def leave(_error: BaseException | None) -> None:
        slots: ExitStack | None = g.pop("admitted", None)
        if slots is not None:
            slots.close()


def _take_turn(slots: ExitStack, work: Work, queues: Mapping[Work, FairQueue]) -> None:
    """Waits for a slot, which ``slots`` gives back. Raises QueueFull, CallerGone."""
    caller = _caller(request.remote_addr or "")
    turn = slots.enter_context(queues[work].turn(caller))
    _WAITED.labels(work).observe(turn.waited_s)
    raise_if_caller_gone()
    if turn.in_hurry:
        slots.enter_context(in_a_hurry())
    slots.enter_context(releasing_slot(partial(_at_the_model, turn, queues["model"], caller)))


@contextmanager
def _at_the_model(turn: QueueTurn, models: FairQueue, caller: str) -> Iterator[None]:
    """A slot for waiting instead of the one for computing. Raises Unavailable if there is none for this caller."""
    with turn.outside(), ExitStack() as slots:
        try:
            slots.enter_context(models.turn(caller))
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
    return _asked_size() > _LARGE_PAGE


def _asked_size() -> int:
    """How many records are to be listed; 0 if that is not said. STAC's search by POST says it in its body."""
    by_post = request.path == "/stac/search" and request.method == "POST"
    said = request.get_json(silent=True) if by_post else request.args
    text = str(said.get("limit", "")) if isinstance(said, Mapping) else ""
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


@lru_cache(_MOST_CALLERS)
def _caller(text: str) -> str:
    """The address for limits and slots; for IPv6 the /64 network, which belongs to one customer.

    An IPv4 address in the form of IPv6 (``::ffff:192.0.2.1``) is that IPv4 address.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv4Address):
        return text
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))


def _busy(retry_s: float) -> Response:
    _REFUSED.inc()
    response = problem(503, "Too many requests at once; try again in a moment.")
    response.headers["Retry-After"] = str(max(1, math.ceil(retry_s)))
    return response
