"""Where a request may go: only http and https, without credentials; and where a redirect leads, with what."""

from __future__ import annotations

import httpcore
import httpx

from net.errors import Refused

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SENT_TO_ANOTHER_ORIGIN = frozenset({"accept", "accept-encoding", "accept-language", "user-agent", "range"})


def parse_target(text: str) -> httpx.URL:
    """A URL that may be fetched. Raises Refused for another scheme, no host, or a user name or password in it."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError, ValueError):
        raise Refused("the address to fetch is not a URL") from None
    if url.scheme not in ("http", "https"):
        raise Refused(f"only http and https are fetched, not {url.scheme[:20]!r}")
    if not url.host:
        raise Refused("the address to fetch names no host")
    if url.port is not None and not 0 < url.port < 65536:
        raise Refused(f"{url.host}: {url.port} is not a port")
    if url.userinfo:
        raise Refused(f"{url.host}: credentials do not belong in a URL; set them as a header")
    return url


def address_of(text: str) -> str:
    """``https://host/path`` for messages: without the query and credentials, which may be secret."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError, ValueError):
        return "the address"
    return str(url.copy_with(userinfo=b"", query=None, fragment=None)) if url.host else "the address"


def host_of(text: str) -> str:
    """``host`` or ``host:port`` for messages: never the path, the query or credentials."""
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError, ValueError):
        return "the address"
    return f"{url.host}:{url.port}" if url.port else url.host or "the address"


def is_redirect(response: httpcore.Response) -> bool:
    return response.status in _REDIRECTS and _location(response) is not None


def next_request(request: httpx.Request, response: httpcore.Response) -> httpx.Request:
    """The next request. To another origin, only harmless headers are sent, and no body.

    Raises Refused for a forbidden target, for https to http, and for a body sent to another origin.
    """
    target = _target(request, response)
    is_same_origin = _origin(target) == _origin(request.url)
    body = request.read() if response.status in (307, 308) or request.method in ("GET", "HEAD") else b""
    if body and not is_same_origin:
        raise Refused(f"{request.url.host} redirects a request with content to {target.host}")
    method = request.method if body or request.method == "HEAD" or response.status in (307, 308) else "GET"
    return httpx.Request(
        method, target, headers=_headers(request, is_same_origin=is_same_origin, body=bool(body)), content=body or None
    )


def _target(request: httpx.Request, response: httpcore.Response) -> httpx.URL:
    host = host_of(str(request.url))
    try:
        address = request.url.join(_location(response) or "")
    except (httpx.InvalidURL, ValueError):
        raise Refused(f"{host} redirects to something that is not a URL") from None
    target = parse_target(str(address))
    if request.url.scheme == "https" and target.scheme == "http":
        raise Refused(f"{host} redirects from https to http")
    return target


def _headers(request: httpx.Request, *, is_same_origin: bool, body: bool) -> dict[str, str]:
    dropped_headers = {"host", "content-length", "transfer-encoding"} | (set() if body else {"content-type"})
    headers = {name: value for name, value in request.headers.items() if name not in dropped_headers}
    return (
        headers
        if is_same_origin
        else {name: value for name, value in headers.items() if name in _SENT_TO_ANOTHER_ORIGIN}
    )


def _location(response: httpcore.Response) -> str | None:
    for name, value in response.headers:
        if name.lower() == b"location":
            return value.decode("latin-1")
    return None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
