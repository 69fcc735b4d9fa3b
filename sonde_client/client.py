"""The client that waits for each answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType

import httpx

from sonde_client import calls
from sonde_client.calls import Call, Kind, T, Value
from sonde_client.errors import ClientError, connection_error
from sonde_client.results import Hit, Json, Record, SearchResult, next_cursor, search_result

TIMEOUT_S = 30.0


class Client:
    """One connection pool; thread-safe. ``key`` is sent as a bearer token.

    Every call raises ClientError if the service refuses or does not answer.
    """

    def __init__(
        self, url: str, *, key: str | None = None, timeout_s: float = TIMEOUT_S, http: httpx.Client | None = None
    ) -> None:
        self._base = url.rstrip("/")
        self._key = key
        self._http = http or httpx.Client(timeout=timeout_s, follow_redirects=False)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def search(self, q: str = "", *, explain: bool = True, **parameters: Value) -> SearchResult:
        """Ranked hits with the reasons of their rank. ``parameters`` are those of ``GET /search``; a list means any
        of its values, ``bbox`` may be four numbers (west, south, east, north).
        """
        return self._answer(calls.search(q, {"explain": explain, **parameters}))

    def search_all(self, q: str = "", **parameters: Value) -> Iterator[Hit]:
        """Yields the hits to the end of the window, page after page."""
        cursor = parameters.pop("cursor", None)
        while True:
            page = self._answer(calls.search_page(q, {**parameters, "cursor": cursor}))
            yield from search_result(page).hits
            cursor = next_cursor(page)
            if cursor is None:
                return

    def items(self, catalogue: str = "all", **parameters: Value) -> Iterator[Record]:
        """Every record of a catalogue (that passes the parameters), in a stable order, page after page."""
        cursor = parameters.pop("cursor", None)
        while True:
            page = self._answer(calls.items_page(catalogue, {**parameters, "cursor": cursor}))
            yield from calls.records(page)
            cursor = next_cursor(page)
            if cursor is None:
                return

    def item(self, record: str, *, catalogue: str = "all") -> Record:
        """One record as a GeoJSON Feature."""
        return self._answer(calls.item(record, catalogue))

    def similar(self, record: str, *, limit: int = 10, catalogue: str = "all") -> list[Record]:
        """Similar records, most similar first."""
        return self._answer(calls.similar(record, limit, catalogue))

    def original(self, record: str, *, catalogue: str = "all") -> bytes:
        """The record's metadata as the catalogue published them."""
        return self._answer(calls.original(record, catalogue))

    def preview(self, record: str, *, catalogue: str = "all") -> bytes | None:
        """A small picture (WebP) of the record; None if it has none that can be shown, or does not exist."""
        try:
            return self._answer(calls.preview(record, catalogue))
        except ClientError as refused:
            if refused.status == 404:
                return None
            raise

    def put(self, catalogue: str, record: str, content: bytes | str, *, media_type: str | None = None) -> bool:
        """Pushes one record in any known format (needs a key with the scope ``write``); whether it is new.

        ``record``: its full id, or its name in the catalogue.
        """
        return self._answer(calls.put(catalogue, record, content, media_type))

    def delete(self, catalogue: str, record: str) -> None:
        """Deletes one record (needs a key with the scope ``write``)."""
        return self._answer(calls.delete(catalogue, record))

    def collections(self) -> list[Json]:
        """The catalogues: ``all``, and one for each source."""
        return self._answer(calls.collections())

    def suggest(self, typed: str, *, limit: int = 6) -> Json:
        """Completions: ``titles``, ``keywords``, ``places``."""
        return self._answer(calls.suggest(typed, limit))

    def embeddings(self, texts: Sequence[str], kind: Kind = "document") -> list[list[float]]:
        """Unit vectors of the serving model, in the order of ``texts``."""
        return self._answer(calls.embeddings(texts, kind))

    def _answer(self, call: Call[T]) -> T:
        try:
            answer = self._http.send(call.request(self._http, self._base, self._key))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise connection_error(self._base, error) from error
        return call.result(answer, self._base)
