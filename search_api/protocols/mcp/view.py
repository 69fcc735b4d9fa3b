"""``/mcp``: the Model Context Protocol for agents, as streamable HTTP without sessions.

The tools call this app's own routes as the same caller, so keys, scopes, limits and the audit log are those of the API.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
from flask import Flask, Response, current_app, g, request
from flask_openapi import APIBlueprint, Tag

from core.errors import Unsupported
from search_api.http.openapi import text_answer
from search_api.http.problems import Problem, problem
from search_api.http.responses import JSON, HttpPolicy
from search_api.parts import Parts

if TYPE_CHECKING:
    from search_api.protocols.mcp.server import Exchange

LARGEST_BODY_BYTES = 256 * 1024
MOST_AT_ONCE = 32
"""Calls of agents in a process; further ones are refused, so that threads remain for everybody else."""

_LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))


def mcp_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("mcp", __name__, abp_tags=[Tag(name="agents", description="Model Context Protocol")])
    exchange = _LazyExchange(parts.version)
    places = threading.BoundedSemaphore(MOST_AT_ONCE)

    @api.post(
        "/mcp",
        summary="Model Context Protocol (streamable HTTP, answers in JSON, no sessions)",
        request_body={"required": True, "content": {JSON: {"schema": {"type": "object"}}}},
        responses={
            200: text_answer(JSON),
            202: {"description": "A notification was taken"},
            **{status: text_answer(JSON, "application/problem+json") for status in (400, 404, 406)},
            401: Problem,
            403: Problem,
            413: Problem,
            415: Problem,
            503: Problem,
        },
    )
    def mcp() -> Response:
        origin = request.headers.get("Origin")
        if origin is not None and not is_allowed(origin, parts.http):
            return problem(403, "Pages of this origin may not use /mcp; http.cors_origins names those that may.")
        if not request.is_json:
            raise Unsupported("A message to /mcp is JSON, and the body's Content-Type says so.")
        request.max_content_length = LARGEST_BODY_BYTES
        body = request.get_data()
        if not places.acquire(blocking=False):
            return problem(503, "Too many agents ask at once; try again in a moment.")
        try:
            app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
            with own_routes(app) as http:
                answer = exchange.get().answer(http, body, _protocol_headers())
        finally:
            places.release()
        return Response(answer.content, answer.status_code, content_type=answer.headers.get("Content-Type", JSON))

    return api


class _LazyExchange:
    """Imports the SDK and starts its event loop at the first request: a service without agents pays nothing."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._lock = threading.Lock()
        self._exchange: Exchange | None = None

    def get(self) -> Exchange:
        with self._lock:
            if self._exchange is None:
                from search_api.protocols.mcp.server import Exchange

                self._exchange = Exchange(self._version, LARGEST_BODY_BYTES)
            return self._exchange


def own_routes(app: Flask) -> httpx.Client:
    """A client of this app for the caller of the current request, without a socket."""
    headers = {"X-Request-Id": str(g.request_id)}
    if (key := request.headers.get("Authorization")) is not None:
        headers["Authorization"] = key
    transport = httpx.WSGITransport(app, remote_addr=request.remote_addr or "")
    return httpx.Client(transport=transport, base_url=request.host_url, headers=headers, trust_env=False)


def is_allowed(origin: str, policy: HttpPolicy) -> bool:
    """Whether a page of that origin may call: the service's own, a page of this machine, or one that is named.

    ``*`` does not count, and neither does the ``Host`` header: with a rebound name an attacker decides both.
    """
    public = urlsplit(policy.public_url) if policy.public_url else None
    if origin in policy.cors_origins or (public is not None and origin == f"{public.scheme}://{public.netloc}"):
        return origin != "*"
    try:
        host = urlsplit(origin).hostname
    except ValueError:
        return False
    return public is None and host in _LOCAL


def _protocol_headers() -> dict[str, str]:
    """The headers that the protocol reads; the key is not among them, because only the tools' calls need it."""
    return {
        name: value
        for name, value in request.headers.items()
        if name.lower() in ("accept", "content-type") or name.lower().startswith("mcp-")
    }
