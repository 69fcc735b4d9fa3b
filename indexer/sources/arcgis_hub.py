"""ArcGIS Hub sites: the items of their search API, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from core.json_types import Json
from indexer.raw import RawPage, RawRecord
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, written_json
from indexer.sources.linked_walk import LinkedPage, LinkedWalk, Part, join_path, next_link, number_or_none, with_id
from indexer.sources.protocol import Protocol, Question
from net.exchange import HttpAnswer
from net.targets import address_of


@dataclass(frozen=True, slots=True)
class HubOptions:
    """``collections``: of the site's search: ``dataset``, ``document``, ``appAndMap``, ``all``."""

    collections: tuple[str, ...] = ("dataset",)
    page_size: int = 100


@dataclass(slots=True)
class HubSource:
    """``url`` is the site's address. The search has no filter by modification: every run is a full one."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: HubOptions = field(default_factory=HubOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises NothingToHarvest, SourceBroken and what the fetcher raises."""
        names, size = self.options.collections, self.options.page_size
        parts = [Part(f"{_items(self.url, name)}?limit={size}", self._page) for name in names]
        yield from LinkedWalk(self.fetcher, parts).pages(position)

    def _page(self, answer: HttpAnswer) -> LinkedPage:
        body = json_object(answer)
        items, skipped_members = with_id(_features(answer), answer.url)
        records = tuple(_record(item, self.url) for item in items)
        match_count = number_or_none(body.get("numberMatched"))
        return LinkedPage(records, next_link(body.get("links")), match_count, skipped_members)


def _site(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _items(url: str, collection: str) -> str:
    return join_path(_site(url), f"api/search/v1/collections/{quote(collection, safe='')}/items")


def _features(answer: HttpAnswer) -> list[object]:
    features = json_object(answer).get("features")
    if not isinstance(features, list):
        raise BadAnswer(f"{address_of(answer.url)} did not answer as the search of an ArcGIS Hub")
    return features


def _record(item: Json, url: str) -> RawRecord:
    id = str(item["id"])
    return RawRecord(id, written_json(item), f"{_site(url)}/datasets/{id}", "application/geo+json")


def _ask(fetcher: Fetcher, url: str) -> object:
    return fetcher.get(_items(url, "dataset"), _features, {"limit": "1"})


PROTOCOL = Protocol(
    "arcgis-hub",
    HubSource,
    HubOptions,
    "the items that the search of an ArcGIS Hub site lists",
    questions_below=lambda url: [Question(_site(url), _ask)],
)
