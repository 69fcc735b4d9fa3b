"""The client for asyncio and trio: the same calls, to be awaited."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from types import TracebackType

import httpx

from sonde_client import calls
from sonde_client.calls import Call, Kind, T, Value
from sonde_client.client import TIMEOUT_S
from sonde_client.errors import ClientError, connection_error
from sonde_client.results import Hit, Json, Record, SearchResult, next_cursor, search_result


class AsyncClient:
    """One connection pool for many tasks. ``key`` is sent as a bearer token.

    Every call raises ClientError if the service refuses or does not answer.
    """

    def __init__(
        self, url: str, *, key: str | None = None, timeout_s: float = TIMEOUT_S, http: httpx.AsyncClient | None = None
    ) -> None:
        self._base = url.rstrip("/")
        self._key = key
        self._http = http or httpx.AsyncClient(timeout=timeout_s, follow_redirects=False)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def search(self, q: str = "", *, explain: bool = True, **parameters: Value) -> SearchResult:
        """As ``Client.search``."""
        return await self._answer(calls.search(q, {"explain": explain, **parameters}))

    async def search_all(self, q: str = "", **parameters: Value) -> AsyncIterator[Hit]:
        """Yields the hits to the end of the window, page after page."""
        cursor = parameters.pop("cursor", None)
        while True:
            page = await self._answer(calls.search_page(q, {**parameters, "cursor": cursor}))
            for hit in search_result(page).hits:
                yield hit
            cursor = next_cursor(page)
            if cursor is None:
                return

    async def items(self, catalogue: str = "all", **parameters: Value) -> AsyncIterator[Record]:
        """Every record of a catalogue (that passes the parameters), in a stable order, page after page."""
        cursor = parameters.pop("cursor", None)
        while True:
            page = await self._answer(calls.items_page(catalogue, {**parameters, "cursor": cursor}))
            for record in calls.records(page):
                yield record
            cursor = next_cursor(page)
            if cursor is None:
                return

    async def item(self, record: str, *, catalogue: str = "all") -> Record:
        """One record as a GeoJSON Feature."""
        return await self._answer(calls.item(record, catalogue))

    async def similar(self, record: str, *, limit: int = 10, catalogue: str = "all") -> list[Record]:
        """Similar records, most similar first."""
        return await self._answer(calls.similar(record, limit, catalogue))

    async def original(self, record: str, *, catalogue: str = "all") -> bytes:
        """The record's metadata as the catalogue published them."""
        return await self._answer(calls.original(record, catalogue))

    async def preview(self, record: str, *, catalogue: str = "all") -> bytes | None:
        """A small picture (WebP) of the record; None if it has none that can be shown, or does not exist."""
        try:
            return await self._answer(calls.preview(record, catalogue))
        except ClientError as refused:
            if refused.status == 404:
                return None
            raise

    async def put(self, catalogue: str, record: str, content: bytes | str, *, media_type: str | None = None) -> bool:
        """As ``Client.put``."""
        return await self._answer(calls.put(catalogue, record, content, media_type))

    async def delete(self, catalogue: str, record: str) -> None:
        """Deletes one record (needs a key with the scope ``write``)."""
        return await self._answer(calls.delete(catalogue, record))

    async def collections(self) -> list[Json]:
        """The catalogues: ``all``, and one for each source."""
        return await self._answer(calls.collections())

    async def suggest(self, typed: str, *, limit: int = 6) -> Json:
        """Completions: ``titles``, ``keywords``, ``places``."""
        return await self._answer(calls.suggest(typed, limit))

    async def embeddings(self, texts: Sequence[str], kind: Kind = "document") -> list[list[float]]:
        """Unit vectors of the serving model, in the order of ``texts``."""
        return await self._answer(calls.embeddings(texts, kind))

    async def _answer(self, call: Call[T]) -> T:
        try:
            answer = await self._http.send(call.request(self._http, self._base, self._key))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise connection_error(self._base, error) from error
        return call.result(answer, self._base)
