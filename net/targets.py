"""Checks addresses: only http and https, without credentials."""

from __future__ import annotations

import httpx

from net.errors import Refused


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
