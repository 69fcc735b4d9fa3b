"""One request as it goes over the wire."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import quote

Family = Literal[
    "query", "bbox", "datetime", "cql2", "path", "headers", "json", "multipart", "push", "oai", "wire", "schema"
]
FAMILIES: tuple[Family, ...] = get_args(Family)[:-1]
"""Those made here; schemathesis makes the last."""


@dataclass(frozen=True, slots=True)
class MalformedRequest:
    """``wire``: the very bytes. ``is_http``: whether an answer is owed (who breaks HTTP itself may be hung up on)."""

    number: int
    family: Family
    wire: bytes
    is_http: bool = True

    @property
    def told(self) -> str:
        """Its beginning, for people, without the key."""
        return repr(re.sub(rb"(Authorization: Bearer sonde_)\S+", rb"\1...", self.wire)[:400])[2:-1]


@dataclass
class RequestParts:
    method: str = "GET"
    path: str = "/search"
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


def written(parts: RequestParts) -> bytes:
    query = "&".join(f"{_escaped(name)}={_escaped(value)}" for name, value in parts.query)
    target = f"{parts.path}{'?' + query if query else ''}"
    lines = [f"{parts.method} {target} HTTP/1.1"]
    if not any(name == "Host" for name, _ in parts.headers):
        lines.append("Host: 127.0.0.1")
    lines += [f"{name}: {value}" for name, value in parts.headers]
    if parts.body or parts.method in ("POST", "PUT", "PATCH"):
        lines.append(f"Content-Length: {len(parts.body)}")
    lines.append("Connection: close")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + parts.body


def _escaped(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")
