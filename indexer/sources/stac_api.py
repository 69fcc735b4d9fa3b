"""STAC APIs: collections, and their items on request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from indexer.raw import RawPage, RawRecord
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, written_json
from indexer.sources.linked_walk import LinkedPage, LinkedWalk, Part, join_path, next_link, number_or_none, with_id
from indexer.sources.ogc_records import collection_record, collections
from indexer.sources.protocol import FirstAnswer, Protocol
from net.exchange import HttpAnswer
from net.targets import address_of


@dataclass(frozen=True, slots=True)
class StacOptions:
    """``items``: harvest items too (of ``collections``, none means all). ``depth``: of a static catalogue's folders."""

    items: bool = False
    collections: tuple[str, ...] = ()
    page_size: int = 200
    depth: int = 12


@dataclass(slots=True)
class StacApiSource:
    """A collection's native id is its id, an item's is ``collection/item``."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: StacOptions = field(default_factory=StacOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises NothingToHarvest, SourceBroken and what the fetcher raises."""
        wanted_ids = self.options.collections
        collection_list = collections(self.fetcher, self.url, wanted_ids)
        chosen_collections = [c for c in collection_list.objects if not wanted_ids or c["id"] in wanted_ids]
        if position is None:
            records = tuple(collection_record(c, self.url) for c in chosen_collections)
            count = None if self.options.items else len(records) + len(collection_list.skipped_members)
            yield RawPage(records, "{}", count, collection_list.skipped_members, matched=count)
        if self.options.items:
            parts = [self._items(str(c["id"])) for c in chosen_collections]
            yield from LinkedWalk(self.fetcher, parts, may_be_empty=True).pages(position)

    def _items(self, collection: str) -> Part:
        url = join_path(self.url, f"collections/{quote(collection, safe='')}/items")

        def parse(answer: HttpAnswer) -> LinkedPage:
            body = json_object(answer)
            items_listed = body.get("features")
            if not isinstance(items_listed, list):
                raise BadAnswer(f"{address_of(answer.url)} did not answer with items")
            items, skipped_members = with_id(items_listed, answer.url)
            records = tuple(
                RawRecord(
                    f"{collection}/{item['id']}",
                    written_json(item),
                    f"{url}/{quote(str(item['id']), safe='')}",
                    "application/geo+json",
                )
                for item in items
            )
            match_count = number_or_none(body.get("numberMatched"))
            return LinkedPage(records, next_link(body.get("links")), match_count, skipped_members)

        return Part(f"{url}?limit={self.options.page_size}", parse, "application/geo+json, application/json")


def _recognises(answer: FirstAnswer) -> bool:
    return "stac_version" in answer.json and ("data" in answer.link_rels or "conformsTo" in answer.json)


PROTOCOL = Protocol(
    "stac-api", StacApiSource, StacOptions, "collections of an API; items on request", recognises=_recognises
)
