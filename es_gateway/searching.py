"""Several searches in one request, and a search of an alias that may move meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import structlog

from core.deadlines import remaining_s
from core.errors import Unavailable
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.errors import IndexGone, SearchRefused, of_search

log = structlog.get_logger(__name__)

T = TypeVar("T")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)


def search_all(client: Elasticsearch, searches: Sequence[JsonMapping]) -> list[Json]:
    """The answers of an ``_msearch`` (headers and bodies in turn).

    One failed search fails all, since half an answer would look like a whole one. Raises IndexGone, SearchRefused and
    the errors of the client.
    """
    timed = [{**one, **as_timeout()} if place % 2 else one for place, one in enumerate(searches)]
    answers: list[Json] = client.msearch(searches=timed).body["responses"]
    for answer in answers:
        if "error" in answer:
            raise _logged(answer["error"])
        if answer.get("timed_out"):
            raise Unavailable("Elasticsearch did not finish within this request's time.")
    return answers


def as_timeout() -> dict[str, str]:
    """The member ``timeout`` of a search's body: Elasticsearch stops looking when nobody waits any more."""
    left = remaining_s()
    return {} if left is None else {"timeout": f"{max(1, int(left * 1000))}ms"}


class Resolves(Protocol[T_co]):
    """Says what an alias stands for now; ``forget`` is called where that was found gone."""

    def resolve(self) -> T_co: ...

    def forget(self) -> None: ...


def on_current(resolver: Resolves[T], ask: Callable[[T], R]) -> R:
    """What ``ask`` answers of the index behind the alias, asked again where that index was just replaced."""
    try:
        return ask(resolver.resolve())
    except IndexGone:
        resolver.forget()
        return ask(resolver.resolve())


def _logged(error: JsonMapping) -> Exception:
    named = of_search(error)
    if isinstance(named, SearchRefused):
        log.warning("elasticsearch.refused", type=named.type, reason=named.reason[:500])
    return named
