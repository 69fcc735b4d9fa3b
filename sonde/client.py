"""A small typed client of a Sonde service.

>>> from sonde.client import Client
>>> with Client("http://127.0.0.1:8080") as sonde:
...     for hit in sonde.search("rainfall in southern Africa since 1990", limit=3).hits:
...         print(round(hit.score, 2), hit.title)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal
from urllib.parse import parse_qs, quote, urlsplit

import httpx

from core.json_types import Json

Value = str | int | float | bool | Sequence[str] | None

_TIMEOUT_S = 30.0


class ClientError(Exception):
    """The service's error message; ``status`` 0 if it did not answer. ``parameter`` is the invalid one, if any."""

    def __init__(self, status: int, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class Hit:
    """A record with its score; ``feature`` is the whole GeoJSON Feature."""

    id: str
    title: str
    score: float
    signals: Mapping[str, float | None]
    feature: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page of hits, best first. ``answer`` is the whole answer; ``following`` the next page's address.

    ``matched`` hits can be paged; about ``total`` records match.
    """

    hits: tuple[Hit, ...]
    matched: int
    total: int
    interpretation: Json = field(repr=False)
    facets: Json = field(repr=False)
    did_you_mean: str | None
    degraded: tuple[str, ...]
    following: str | None
    answer: Json = field(repr=False)


class Client:
    """One connection pool; thread-safe. ``key`` is sent as a bearer token.

    Every call raises ClientError if the service refuses or does not answer.
    """

    def __init__(
        self, url: str, *, key: str | None = None, timeout_s: float = _TIMEOUT_S, http: httpx.Client | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._base = url.rstrip("/")
        self._http = http or httpx.Client(timeout=timeout_s, headers=headers, follow_redirects=False)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def search(self, q: str = "", **parameters: Value) -> SearchResult:
        """Ranked hits. ``parameters`` are those of ``GET /search``; a list means any of its values."""
        return _result(self._get("/search", {"q": q, **parameters}))

    def search_all(self, q: str = "", **parameters: Value) -> Iterator[Hit]:
        """Yields the hits to the end of the window, page after page."""
        for page in self._pages("/search", {"q": q, **parameters}):
            yield from _result(page).hits

    def item(self, record: str, *, catalogue: str = "all") -> Json:
        """One record as a GeoJSON Feature."""
        return self._get(f"/collections/{quote(catalogue)}/items/{quote(record, safe=':~')}", {})

    def put(self, catalogue: str, record: str, content: bytes | str, *, media_type: str | None = None) -> bool:
        """Pushes one record in any known format (needs a key with the scope ``write``); whether it is new.

        ``record``: its full id, or its name in the catalogue.
        """
        body = content.encode() if isinstance(content, str) else content
        headers = {"Content-Type": media_type or "application/octet-stream"}
        return self._send("PUT", self._record(catalogue, record), content=body, headers=headers).status_code == 201

    def delete(self, catalogue: str, record: str) -> None:
        """Deletes one record (needs a key with the scope ``write``)."""
        self._send("DELETE", self._record(catalogue, record))

    def original(self, record: str, *, catalogue: str = "all") -> bytes:
        """The record's metadata as the catalogue published them."""
        path = f"/collections/{quote(catalogue)}/items/{quote(record, safe=':~')}"
        return self._send("GET", self._base + path, params={"f": "native"}).content

    def preview(self, record: str, *, catalogue: str = "all") -> bytes | None:
        """A small picture (WebP) of the record; None if it has none that can be shown, or does not exist."""
        try:
            return self._send("GET", f"{self._record(catalogue, record)}/preview").content
        except ClientError as refused:
            if refused.status == 404:
                return None
            raise

    def items(self, catalogue: str = "all", **parameters: Value) -> Iterator[Json]:
        """Every record of a catalogue (that passes the parameters), in a stable order, by following ``next``."""
        for page in self._pages(f"/collections/{quote(catalogue)}/items", {"limit": 500, **parameters}):
            yield from page["features"]

    def collections(self) -> list[Json]:
        """The catalogues: ``all``, and one for each source."""
        return list(self._get("/collections", {})["collections"])

    def similar(self, record: str, *, limit: int = 10, catalogue: str = "all") -> list[Json]:
        """Similar records, most similar first."""
        path = f"/collections/{quote(catalogue)}/items/{quote(record, safe=':~')}/similar"
        return list(self._get(path, {"limit": limit})["features"])

    def suggest(self, typed: str, *, limit: int = 6) -> Json:
        """Completions: ``titles``, ``keywords``, ``places``."""
        return self._get("/suggest", {"q": typed, "limit": limit})

    def embeddings(self, texts: Sequence[str], kind: Literal["query", "document"] = "document") -> list[list[float]]:
        """Unit vectors of the serving model, in the order of ``texts``."""
        answer: Json = self._send("POST", f"{self._base}/embeddings", json={"input": list(texts), "kind": kind}).json()
        return [one["embedding"] for one in answer["data"]]

    def _record(self, catalogue: str, record: str) -> str:
        return f"{self._base}/collections/{quote(catalogue)}/items/{quote(record, safe=':~')}"

    def _get(self, path: str, parameters: Mapping[str, Value]) -> Json:
        answer: Json = self._send("GET", self._base + path, params=_written(parameters)).json()
        return answer

    def _pages(self, path: str, parameters: Mapping[str, Value]) -> Iterator[Json]:
        """Page after page. Uses only the cursor of a ``next`` link: behind a proxy, links have another address than
        ours, and the key must not be sent there.
        """
        cursor = parameters.get("cursor")
        while True:
            page = self._get(path, {**parameters, "cursor": cursor})
            yield page
            following = _next(page)
            if following is None:
                return
            cursor = parse_qs(urlsplit(following).query)["cursor"][0]

    def _send(self, method: str, url: str, **given: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, url, **given)
        except httpx.HTTPError as error:
            raise ClientError(0, f"No service answers at {self._base} ({type(error).__name__}).") from error
        if answer.is_success:
            return answer
        raise _refused(answer)


def _refused(answer: httpx.Response) -> ClientError:
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    said = problem if isinstance(problem, dict) else {}
    message = str(said.get("detail") or said.get("title") or answer.reason_phrase)
    return ClientError(answer.status_code, message, said.get("parameter"))


def _written(parameters: Mapping[str, Value]) -> Json:
    """None is left out; ``filter_lang`` becomes ``filter-lang``; booleans in the service's form."""
    return {
        name.replace("_", "-") if name.startswith("filter_") else name: _value(value)
        for name, value in parameters.items()
        if value is not None
    }


def _value(value: Value) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return list(value) if isinstance(value, list | tuple) else value


def _result(answer: Json) -> SearchResult:
    return SearchResult(
        hits=tuple(_hit(feature) for feature in answer["features"]),
        matched=answer["numberMatched"],
        total=int(answer.get("sonde:total") or answer["numberMatched"]),
        interpretation=answer["sonde:interpretation"],
        facets=answer.get("sonde:facets", {}),
        did_you_mean=answer.get("sonde:didYouMean"),
        degraded=tuple(answer["sonde:degraded"]),
        following=_next(answer),
        answer=answer,
    )


def _hit(feature: Json) -> Hit:
    return Hit(feature["id"], feature["properties"]["title"], feature["sonde:score"], feature["sonde:signals"], feature)


def _next(answer: Json) -> str | None:
    return next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)
