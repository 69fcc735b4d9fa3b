"""Rate limits per address and key: Flask-Limiter's fixed windows, counted in the broker or else in this process.

Requests over the limit are refused first, before key checks and Elasticsearch.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import Flask, Response, request
from flask_limiter import ApplicationLimit, Limiter
from limits.errors import StorageError
from redis import RedisError
from werkzeug.middleware.proxy_fix import ProxyFix

from search_api.search.passages.values import MOST_COMPARED, MOST_QUESTIONS

_MOST_LISTED = 1000
_LISTED_RECORDS = 100
_RDF_RECORDS = 20
_ANSWERS = "/ask"
_COMPARED = "/ask/compare"
_UNCOUNTED = frozenset(("/healthz", "/readyz", "/metrics"))


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """``per_address`` and ``per_key`` in Flask-Limiter's notation (``1200/minute``), None for no limit.
    ``granules``: of one address, beside these, because each such request makes us ask another host. ``model``: calls of
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
        believed = ProxyFix(app.wsgi_app, x_for=policy.proxies, x_proto=policy.proxies, x_host=0)
        app.wsgi_app = believed  # type: ignore[method-assign]
    limits = []
    if policy.per_address is not None:
        limits.append(ApplicationLimit(policy.per_address, _address, _weight, scope="address", exempt_when=_uncounted))
    if policy.per_key is not None:
        limits.append(ApplicationLimit(policy.per_key, _key, _weight, scope="key", exempt_when=_without_key))
    if policy.granules is not None:
        limits.append(ApplicationLimit(policy.granules, _address, scope="granules", exempt_when=_without_granules))
    if policy.model is not None:
        limits.append(ApplicationLimit(policy.model, _asking, _answers, scope="model", exempt_when=_without_answers))
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
    _tell(app, limiter)


def _tell(app: Flask, limiter: Limiter) -> None:
    @app.after_request
    def told(response: Response) -> Response:
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


def _address() -> str:
    return f"address:{request.remote_addr or 'unknown'}"


def _weight() -> int:
    """The cost of a request: one, plus one per 100 listed records, or per 20 as RDF; for answers, their number."""
    if not _without_answers():
        return _answers()
    asked = request.args.get("limit", "")
    size = min(int(asked[:6]), _MOST_LISTED) if asked.isascii() and asked.isdigit() else 0
    return 1 + size // (_RDF_RECORDS if request.path == "/dcat" else _LISTED_RECORDS)


def _key() -> str:
    """A hash of the text sent, valid or not; the counter store never gets a key."""
    return f"key:{hashlib.sha256(request.headers.get('Authorization', '').encode()).hexdigest()[:32]}"


def _without_key() -> bool:
    return _uncounted() or "Authorization" not in request.headers


def _without_granules() -> bool:
    """Whether no other host is asked. Counted by address, with a key or without: a text that is no key is no caller."""
    rule = request.url_rule
    return _uncounted() or rule is None or not rule.rule.endswith("/granules")


def _uncounted() -> bool:
    return request.path in _UNCOUNTED or request.method == "OPTIONS"


def _asking() -> str:
    """A text that is no key is refused before a model is called, so it gives nobody another limit."""
    return _address() if "Authorization" not in request.headers else _key()


def _without_answers() -> bool:
    rule = request.url_rule
    return _uncounted() or rule is None or not rule.rule.startswith(_ANSWERS) or request.method != "POST"


def _answers() -> int:
    """How many answers are asked for: of a comparison, each question for each document.

    A collection counts as the most documents that are compared, because what is in it is not read yet.
    """
    asked = request.get_json(silent=True) if request.path.rstrip("/") == _COMPARED else None
    if not isinstance(asked, dict):
        return 1
    documents = _length(asked.get("documents")) or MOST_COMPARED
    return max(1, min(documents, MOST_COMPARED) * min(_length(asked.get("questions")), MOST_QUESTIONS))


def _length(given: object) -> int:
    return len(given) if isinstance(given, list) else 0
