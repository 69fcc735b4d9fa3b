"""Answers MCP's streamable HTTP in a WSGI process: the SDK's own stateless JSON mode, on an event loop of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Receive, Scope, Send

from search_api.protocols.mcp.api import Api
from search_api.protocols.mcp.asking import CALLER
from search_api.protocols.mcp.server import mcp_server

_CHECKED_BEFORE = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""The view has checked ``Origin``; ``Host`` is whatever names the service has."""


class Exchange:
    """One server and one event loop of a process, started at the first request. Thread-safe; keeps no session."""

    def __init__(self, version: str, largest_body_bytes: int) -> None:
        self._server = mcp_server(version)
        self._app = self._server.streamable_http_app(
            json_response=True,
            stateless_http=True,
            max_request_body_size=largest_body_bytes,
            transport_security=_CHECKED_BEFORE,
        )
        self._lock = threading.Lock()
        self._held = ExitStack()

    def answer(self, http: httpx.Client, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """The answer to one POST; the tools call the API by ``http``, which holds the caller's key."""
        with self._lock:
            portal = self._portal
        return portal.call(self._ask, Api(http), body, headers)

    @cached_property
    def _portal(self) -> BlockingPortal:
        portal = self._held.enter_context(start_blocking_portal())
        self._held.enter_context(portal.wrap_async_context_manager(self._server.session_manager.run()))
        return portal

    async def _ask(self, api: Api, body: bytes, headers: Mapping[str, str]) -> httpx.Response:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await self._app({**scope, CALLER: api}, receive, send)

        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), trust_env=False) as client:
            return await client.post("http://sonde/mcp", content=body, headers=headers)
