"""Rate limits per address and key, in fixed windows, counted in the broker or else in this process.

Requests over the limit are refused first, before key checks and Elasticsearch.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import Flask, Response, g, request
from werkzeug.exceptions import TooManyRequests
from werkzeug.middleware.proxy_fix import ProxyFix

from search_api.rate_windows import Counted, OwnWindows, Rate, SharedWindows, Windows

OWN = "memory://"
"""Counted in this process."""
_MOST_LISTED = 1000
_LISTED_RECORDS = 100
_RDF_RECORDS = 20
_UNCOUNTED = frozenset(("/healthz", "/readyz", "/metrics"))


@dataclass(frozen=True, slots=True)
class LimitPolicy:
    """``per_address`` and ``per_key`` such as ``1200/minute`` (or ``second``, ``hour``), None for no limit.

    ``proxies``: the number of our reverse proxies. So many values of X-Forwarded-For (client) and X-Forwarded-Proto
    (https) are trusted; X-Forwarded-Host never is. ``storage`` is a Redis address; while it is down, each process
    counts alone.
    """

    per_address: str | None = None
    per_key: str | None = None
    storage: str = OWN
    storage_options: Mapping[str, str | int] = field(default_factory=dict)
    prefix: str = "sonde"
    proxies: int = 0


NO_LIMITS = LimitPolicy()


def register(app: Flask, policy: LimitPolicy) -> None:
    """Counts every request except probes; 429 with Retry-After over the limit, RateLimit headers below it."""
    if policy.proxies:
        believed = ProxyFix(app.wsgi_app, x_for=policy.proxies, x_proto=policy.proxies, x_host=0)
        app.wsgi_app = believed  # type: ignore[method-assign]
    per_address, per_key = (None if one is None else Rate.of(one) for one in (policy.per_address, policy.per_key))
    if per_address is None and per_key is None:
        return
    shared = policy.storage != OWN
    windows: Windows = (
        SharedWindows(policy.storage, f"{policy.prefix}:limits", policy.storage_options) if shared else OwnWindows()
    )

    @app.before_request
    def count() -> None:
        keys = {} if _uncounted() else _keys(per_address, per_key)
        if not keys:
            return
        g.counted = nearest = min(windows.count(keys, _weight()), key=lambda one: (not one.is_over, one.remaining))
        if nearest.is_over:
            raise TooManyRequests(str(nearest.rate))

    app.after_request(_told)


def _told(response: Response) -> Response:
    """Adds headers for the limit nearest to exhaustion, named as in the IETF draft; reset in seconds from now."""
    nearest: Counted | None = g.get("counted")
    if nearest is None:
        return response
    wait = str(max(1, math.ceil(nearest.left_s)))
    response.headers["RateLimit-Limit"] = str(nearest.rate.amount)
    response.headers["RateLimit-Remaining"] = str(nearest.remaining)
    response.headers["RateLimit-Reset"] = wait
    if response.status_code == 429:
        response.headers["Retry-After"] = wait
    return response


def _keys(per_address: Rate | None, per_key: Rate | None) -> dict[str, Rate]:
    keys = {} if per_address is None else {_address(): per_address}
    if per_key is not None and "Authorization" in request.headers:
        keys[_key()] = per_key
    return keys


def _address() -> str:
    return f"address:{request.remote_addr or 'unknown'}"


def _weight() -> int:
    """The cost of a request: one, plus one per 100 listed records, or per 20 as RDF."""
    asked = request.args.get("limit", "")
    size = min(int(asked[:6]), _MOST_LISTED) if asked.isascii() and asked.isdigit() else 0
    return 1 + size // (_RDF_RECORDS if request.path == "/dcat" else _LISTED_RECORDS)


def _key() -> str:
    """A hash of the text sent, valid or not; the counter store never gets a key."""
    return f"key:{hashlib.sha256(request.headers.get('Authorization', '').encode()).hexdigest()[:32]}"


def _uncounted() -> bool:
    return request.endpoint is None or request.path in _UNCOUNTED or request.method == "OPTIONS"
