"""Follows redirects, and decides what may be sent to the new place."""

from __future__ import annotations

import httpcore
import httpx

from net.errors import Refused
from net.targets import host_of, parse_target

_STATUSES = frozenset({301, 302, 303, 307, 308})
_TRAVELS = frozenset({"accept", "accept-encoding", "accept-language", "user-agent", "range"})


def is_redirect(response: httpcore.Response) -> bool:
    return response.status in _STATUSES and _location(response) is not None


def next_request(request: httpx.Request, response: httpcore.Response) -> httpx.Request:
    """The next request. To another origin, only harmless headers are sent, and no body.

    Raises Refused for a forbidden target, for https to http, and for a body sent to another origin.
    """
    target = _target(request, response)
    same = _origin(target) == _origin(request.url)
    body = request.read() if response.status in (307, 308) or request.method in ("GET", "HEAD") else b""
    if body and not same:
        raise Refused(f"{request.url.host} redirects a request with content to {target.host}")
    method = request.method if body or request.method == "HEAD" or response.status in (307, 308) else "GET"
    return httpx.Request(method, target, headers=_headers(request, same=same, body=bool(body)), content=body or None)


def _target(request: httpx.Request, response: httpcore.Response) -> httpx.URL:
    here = host_of(str(request.url))
    try:
        joined = request.url.join(_location(response) or "")
    except (httpx.InvalidURL, ValueError):
        raise Refused(f"{here} redirects to something that is not a URL") from None
    target = parse_target(str(joined))
    if request.url.scheme == "https" and target.scheme == "http":
        raise Refused(f"{here} redirects from https to http")
    return target


def _headers(request: httpx.Request, *, same: bool, body: bool) -> dict[str, str]:
    dropped = {"host", "content-length", "transfer-encoding"} | (set() if body else {"content-type"})
    kept = {name: value for name, value in request.headers.items() if name not in dropped}
    return kept if same else {name: value for name, value in kept.items() if name in _TRAVELS}


def _location(response: httpcore.Response) -> str | None:
    for name, value in response.headers:
        if name.lower() == b"location":
            return value.decode("latin-1")
    return None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
