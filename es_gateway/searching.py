"""Several searches in one request, and a search on an alias that may move meanwhile."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import structlog

from core.deadlines import remaining_s
from core.errors import Unavailable
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.errors import IndexGone, SearchRefused, of_search

log = structlog.get_logger(__name__)

_HEADERS = {"accept": "application/json", "content-type": "application/x-ndjson"}

T = TypeVar("T")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)


def search_all(client: Elasticsearch, searches: Sequence[JsonMapping]) -> list[Json]:
    """The answers of an ``_msearch`` (headers and bodies alternate).

    One failed search fails all, because half an answer would look complete. Raises IndexGone, SearchRefused and the
    errors of the client.
    """
    timeout = as_timeout()
    timed_searches = [{**part, **timeout} if place % 2 else part for place, part in enumerate(searches)]
    answer = client.perform_request("POST", "/_msearch", headers=_HEADERS, body=timed_searches, endpoint_id="msearch")
    answers: list[Json] = answer.body["responses"]
    for answer in answers:
        if "error" in answer:
            raise _logged_error(answer["error"])
        if answer.get("timed_out"):
            raise Unavailable("Elasticsearch did not finish within this request's time.")
    return answers


Search = tuple[JsonMapping, JsonMapping]
"""Header and body of one search of an ``_msearch``."""


def search_named(client: Elasticsearch, searches: Mapping[str, Search]) -> dict[str, Json]:
    """The answers by the names of their searches, in one request; none without searches. Raises as ``search_all``."""
    if not searches:
        return {}
    parts = [part for search in searches.values() for part in search]
    return dict(zip(searches, search_all(client, parts), strict=True))


@dataclass(frozen=True, slots=True)
class SearchSession:
    """The searches of one question. ``preference`` sends equal questions to the same copies of the shards, whose scores
    can differ a little.
    """

    client: Elasticsearch
    preference: str

    @classmethod
    def of(cls, client: Elasticsearch, question: str) -> SearchSession:
        return cls(client, hashlib.sha256(question.encode()).hexdigest()[:16])

    def search(self, index: str, body: JsonMapping) -> Search:
        return {"index": index, "preference": self.preference, "search_type": "dfs_query_then_fetch"}, body

    def ask(self, searches: Mapping[str, Search]) -> dict[str, Json]:
        """The answers by name, in one request; none without searches. Raises Unavailable."""
        return search_named(self.client, searches)


def as_timeout() -> dict[str, str]:
    """The member ``timeout`` of a search body, so that Elasticsearch stops when nobody waits any more."""
    seconds = remaining_s()
    return {} if seconds is None else {"timeout": f"{max(1, int(seconds * 1000))}ms"}


class AliasResolver(Protocol[T_co]):
    """Resolves an alias; call ``forget`` if the result no longer exists."""

    def resolve(self) -> T_co: ...

    def forget(self) -> None: ...


def with_current_index(resolver: AliasResolver[T], ask: Callable[[T], R]) -> R:
    """The result of ``ask`` for the index behind the alias; asks again if that index was just replaced."""
    try:
        return ask(resolver.resolve())
    except IndexGone:
        resolver.forget()
        return ask(resolver.resolve())


def stored_document(client: Elasticsearch, index: str, id: str) -> Json | None:
    """With ``_source`` and ``_seq_no``, in real time; None if there is no such document or no such index."""
    answer: Json = client.options(ignore_status=404).get(index=index, id=id).body
    return answer if answer.get("found") else None


def _logged_error(error: JsonMapping) -> Exception:
    refusal = of_search(error)
    if isinstance(refusal, SearchRefused):
        log.warning("elasticsearch.refused", type=refusal.type, reason=refusal.reason[:500])
    return refusal
