"""The calls of the HTTP API as values: what is sent, and how its answer is read. Both clients send these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar
from urllib.parse import quote

import httpx

from sonde_client.errors import error_of, unreadable
from sonde_client.results import Json, Record, SearchResult, search_result

T = TypeVar("T")
Value = str | int | float | bool | Sequence[str] | Sequence[float] | None
Kind = Literal["query", "document"]


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """``read`` makes the result of an answer that is not an error."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    parameters: Mapping[str, Value] = field(default_factory=dict)
    body: object = None
    content: bytes | None = None
    media_type: str | None = None

    def request(self, http: httpx.Client | httpx.AsyncClient, base: str, key: str | None) -> httpx.Request:
        """``key`` goes with the request, not with the pool: a pool of the caller's may serve other addresses too."""
        headers = {"Content-Type": self.media_type} if self.media_type else {}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return http.build_request(
            self.method,
            base + self.path,
            params=encode_parameters(self.parameters) or None,
            json=self.body,
            content=self.content,
            headers=headers,
        )

    def result(self, answer: httpx.Response, base: str) -> T:
        """Raises ClientError with the service's message, or if the answer is not one of Sonde."""
        if not answer.is_success:
            raise error_of(answer)
        try:
            return self.read(answer)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise unreadable(base) from error


def search(q: str, parameters: Mapping[str, Value]) -> Call[SearchResult]:
    return Call("GET", "/search", lambda answer: search_result(_json(answer)), {"q": q, **parameters})


def search_page(q: str, parameters: Mapping[str, Value]) -> Call[Json]:
    return Call("GET", "/search", _json, {"q": q, **parameters})


def items_page(catalogue: str, parameters: Mapping[str, Value]) -> Call[Json]:
    return Call("GET", f"/collections/{quote(catalogue)}/items", _json, {"limit": 500, **parameters})


def item(record: str, catalogue: str) -> Call[Record]:
    return Call("GET", _record(catalogue, record), lambda answer: Record(_json(answer)))


def original(record: str, catalogue: str) -> Call[bytes]:
    return Call("GET", _record(catalogue, record), lambda answer: answer.content, {"f": "native"})


def preview(record: str, catalogue: str) -> Call[bytes]:
    return Call("GET", f"{_record(catalogue, record)}/preview", lambda answer: answer.content)


def similar(record: str, limit: int, catalogue: str) -> Call[list[Record]]:
    path = f"{_record(catalogue, record)}/similar"
    return Call("GET", path, lambda answer: list(records(_json(answer))), {"limit": limit})


def put(catalogue: str, record: str, content: bytes | str, media_type: str | None) -> Call[bool]:
    return Call(
        "PUT",
        _record(catalogue, record),
        lambda answer: answer.status_code == 201,
        content=content.encode() if isinstance(content, str) else content,
        media_type=media_type or "application/octet-stream",
    )


def delete(catalogue: str, record: str) -> Call[None]:
    return Call("DELETE", _record(catalogue, record), lambda _answer: None)


def collections() -> Call[list[Json]]:
    return Call("GET", "/collections", lambda answer: list(_json(answer)["collections"]))


def suggest(typed: str, limit: int) -> Call[Json]:
    return Call("GET", "/suggest", _json, {"q": typed, "limit": limit})


def embeddings(texts: Sequence[str], kind: Kind) -> Call[list[list[float]]]:
    def read(answer: httpx.Response) -> list[list[float]]:
        return [entry["embedding"] for entry in _json(answer)["data"]]

    return Call("POST", "/embeddings", read, body={"input": list(texts), "kind": kind})


def records(page: Json) -> Iterator[Record]:
    """The records of a page, in its order."""
    return map(Record, page["features"])


def encode_parameters(parameters: Mapping[str, Value]) -> dict[str, str | list[str]]:
    """None is left out; ``filter_lang`` becomes ``filter-lang``; a box becomes ``w,s,e,n``; booleans in the service's
    form.
    """
    return {
        name.replace("_", "-") if name.startswith("filter_") else name: _value(name, value)
        for name, value in parameters.items()
        if value is not None
    }


def _value(name: str, value: object) -> str | list[str]:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        texts = [str(member) for member in value]
        return ",".join(texts) if name == "bbox" else texts
    return str(value)


def _record(catalogue: str, record: str) -> str:
    return f"/collections/{quote(catalogue)}/items/{quote(record, safe=':~')}"


def _json(answer: httpx.Response) -> Json:
    body = answer.json()
    if not isinstance(body, dict):
        raise ValueError("not a JSON object")
    return body
