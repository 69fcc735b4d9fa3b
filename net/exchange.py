"""Requests and answers of the gate."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from core.errors import Unavailable
from core.json_types import JsonMapping
from net.errors import BadStatus
from net.targets import host_of


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request; ``max_bytes`` and ``timeout_s`` override the policy's."""

    url: str
    method: str = "GET"
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    max_bytes: int | None = None
    timeout_s: float | None = None

    @classmethod
    def of_json(
        cls, url: str, body: JsonMapping, key: str | None, timeout_s: float, accept: str = "application/json"
    ) -> Self:
        """A POST of JSON, as model endpoints expect it; ``key`` is sent as a bearer token."""
        headers = {"content-type": "application/json", "accept": accept}
        if key:
            headers["authorization"] = f"Bearer {key}"
        return cls(url, "POST", headers=headers, content=json.dumps(body).encode(), timeout_s=timeout_s)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A whole answer; ``url`` is the address after redirects, header names are lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes

    def parsed(self) -> Any:
        """The body as JSON. Raises Unavailable if it is not JSON."""
        try:
            return json.loads(self.content)
        except ValueError:
            raise Unavailable(f"{host_of(self.url)} did not answer in JSON") from None

    def expect_ok(self) -> HttpAnswer:
        """Returns itself, or raises BadStatus (429 and 5xx: Unavailable, because a retry may help)."""
        expect_ok(self.url, self.status)
        return self


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """An answer whose body is read once, piece by piece, inside the ``with`` that opened it."""

    url: str
    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]

    def expect_ok(self) -> StreamedAnswer:
        expect_ok(self.url, self.status)
        return self


def expect_ok(url: str, status: int) -> None:
    """Raises Unavailable for 429 and 5xx, BadStatus for anything else outside 200..299."""
    if status == 429 or status >= 500:
        raise Unavailable(f"{host_of(url)} answered with HTTP status {status}")
    if not 200 <= status < 300:
        raise BadStatus(host_of(url), status)
