"""Rate limits per address and key, and the longest address.

Flask-Limiter's fixed windows, counted in the broker or else in this process. Requests over a limit are refused before
key checks and Elasticsearch.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flask import Flask, Response, request
from flask_limiter import ApplicationLimit, Limiter
from limits.errors import StorageError
from redis import RedisError
from werkzeug.middleware.proxy_fix import ProxyFix

from search_api.http.problems import problem

MOST_COMPARED = 20
"""Documents in one comparison."""
MOST_QUESTIONS = 5
"""Questions in one comparison."""

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


def register(app: Flask, policy: LimitPolicy) -> None:
    """Counts every request except probes; 429 with Retry-After over the limit, RateLimit headers below it."""
    if policy.proxies:
        proxied = ProxyFix(app.wsgi_app, x_for=policy.proxies, x_proto=policy.proxies, x_host=0)
        app.wsgi_app = proxied  # type: ignore[method-assign]
    limits = _limits(policy)
    if not limits:
        return
    limiter = Limiter(
        _address,
        app=app,
        application_limits=[*limits],
        storage_uri=policy.storage,
        storage_options=dict(policy.storage_options),
        strategy="fixed-window",
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
        try:  # both query the broker, which may have failed since the request was counted
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
    return f"address:{request.remote_addr or 'unknown'}"


def _weight() -> int:
    """The cost of a request: one, plus one per 100 listed records, or per 20 as RDF; for answers, their number."""
    if not _asks_no_model():
        return _number_of_answers()
    text = request.args.get("limit", "")
    size = min(int(text[:6]), _MOST_LISTED) if text.isascii() and text.isdigit() else 0
    return 1 + size // (_RDF_RECORDS_A_REQUEST if request.path == "/dcat" else _RECORDS_A_REQUEST)


def _key() -> str:
    """A hash of the text sent, valid or not; the counter store never gets a key."""
    return f"key:{hashlib.sha256(request.headers.get('Authorization', '').encode()).hexdigest()[:32]}"


def _without_key() -> bool:
    return _is_uncounted() or "Authorization" not in request.headers


def _asks_no_granules() -> bool:
    """Whether no other host is asked. Counted by address, with a key or without: a text that is no key is no caller."""
    rule = request.url_rule
    return _is_uncounted() or rule is None or not rule.rule.endswith("/granules")


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
