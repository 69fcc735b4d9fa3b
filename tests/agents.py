"""An agent for the tests: the SDK's own client, over streamable HTTP or over standard input and output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import anyio
import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

T = TypeVar("T")


@dataclass(frozen=True)
class Told:
    """One answer of a tool: its text, and the JSON in it unless it is an error."""

    text: str
    is_error: bool

    @property
    def own(self) -> dict[str, Any]:
        """What Sonde says itself."""
        return {name: value for name, value in self.json.items() if name != "from_catalogues"}

    @property
    def quoted(self) -> Any:
        return self.json["from_catalogues"]

    @property
    def json(self) -> dict[str, Any]:
        assert not self.is_error, self.text
        body: dict[str, Any] = json.loads(self.text)
        return body


async def told(client: Client, tool: str, arguments: dict[str, Any]) -> Told:
    result = await client.call_tool(tool, arguments)
    (block,) = result.content  # type: ignore[union-attr]
    return Told(block.text, bool(result.is_error))  # type: ignore[union-attr]


def apart(work: Callable[[], T]) -> T:
    """In a thread of its own: where a browser is driven, this one has an event loop already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()


def over_http(address: str, work: Callable[[Client], Awaitable[T]], *, key: str | None = None, mode: str = "auto") -> T:
    """The result of ``work`` with a client of ``/mcp``; the protocol's age by ``mode``."""

    async def run() -> T:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await work(client)

    return apart(partial(anyio.run, run))


def over_stdio(address: str, work: Callable[[Client], Awaitable[T]]) -> T:
    """The same with a process of ``sonde mcp``."""
    arguments = ["-m", "sonde", "mcp", "--url", address]
    started = StdioServerParameters(
        command=sys.executable, args=arguments, env={**os.environ, "HTTP_PROXY": "http://127.0.0.1:1"}
    )

    async def run() -> T:
        async with Client(stdio_client(started)) as client:
            return await work(client)

    return apart(partial(anyio.run, run))
