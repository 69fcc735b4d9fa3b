"""OGC API - Records and - Features: the items of record collections, else the descriptions of the collections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote, urlencode

from core.json_types import Json, JsonMapping
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, fingerprint, json_object, written_json
from indexer.sources.linked_walk import (
    LinkedPage,
    LinkedWalk,
    NothingToHarvest,
    Part,
    join_path,
    next_link,
    number_or_none,
    with_id,
)
from indexer.sources.protocol import FirstAnswer, Protocol, Question, Start
from net.exchange import HttpAnswer
from net.targets import address_of

_MAX_NAMED = 20
_GEOJSON = "application/geo+json, application/json"


@dataclass(frozen=True, slots=True)
class OgcOptions:
    """``collections``: ids, none means all of records. ``filter``: more parameters of the items request."""

    collections: tuple[str, ...] = ()
    page_size: int = 100
    filter: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class OgcSource:
    """``url`` is the landing page. The protocol has no filter by modification: every run is a full one."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: OgcOptions = field(default_factory=OgcOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises NothingToHarvest, SourceBroken and what the fetcher raises."""
        collection_list = collections(self.fetcher, self.url, self.options.collections)
        objects, skipped_members = collection_list.objects, collection_list.skipped_members
        chosen_collections = [c for c in objects if _is_chosen(c, self.options.collections)]
        if chosen_collections:
            has_several = len(chosen_collections) > 1
            parts = [self._items(str(c["id"]), has_several=has_several) for c in chosen_collections]
            yield from LinkedWalk(self.fetcher, parts).pages(position)
            return
        if not objects:
            raise NothingToHarvest(f"{address_of(self.url)} has no collections")
        records = tuple(collection_record(c, self.url) for c in objects)
        match_count = len({record.native_id for record in records}) + len(skipped_members)
        yield RawPage(records, total=match_count, skipped=skipped_members, matched=match_count)

    def _items(self, id: str, *, has_several: bool) -> Part:
        query = urlencode({"limit": str(self.options.page_size), "f": "json", **self.options.filter})
        url = join_path(self.url, f"collections/{quote(id, safe='')}/items")
        return Part(f"{url}?{query}", lambda answer: _features(answer, url, f"{id}/" if has_several else ""), _GEOJSON)


@dataclass(frozen=True, slots=True)
class Collections:
    """The collections of a service, and the members of its list that have no id."""

    objects: list[Json]
    skipped_members: tuple[SkippedMember, ...]


def collections(fetcher: Fetcher, url: str, wanted_ids: Sequence[str] = ()) -> Collections:
    """The list in ``/collections``, also of paged servers. Raises NothingToHarvest if a wanted one is missing."""
    objects: list[Json] = []
    without_id: list[SkippedMember] = []

    def parse(answer: HttpAnswer) -> LinkedPage:
        body = json_object(answer)
        items = body.get("collections")
        if not isinstance(items, list):
            raise BadAnswer(f"{address_of(answer.url)} did not answer with collections")
        page_objects, skipped_members = with_id(items, answer.url)
        objects.extend(page_objects)
        without_id.extend(skipped_members)
        records = tuple(collection_record(collection, url) for collection in page_objects)
        return LinkedPage(records, next_link(body.get("links")), skipped=skipped_members)

    walk = LinkedWalk(fetcher, [Part(join_path(url, "collections?f=json"), parse)], may_be_empty=True)
    for _ in walk.pages(None):
        pass
    collection_by_id = {str(collection["id"]): collection for collection in objects}
    missing_ids = [id for id in wanted_ids if id not in collection_by_id]
    if missing_ids:
        offered_ids = ", ".join(sorted(collection_by_id)[:_MAX_NAMED]) or "none"
        raise NothingToHarvest(f"{address_of(url)} has no collection {', '.join(missing_ids)}; it has {offered_ids}")
    return Collections(
        list(collection_by_id.values()),
        tuple({skipped_member.origin: skipped_member for skipped_member in without_id}.values()),
    )


def collection_record(collection: JsonMapping, url: str) -> RawRecord:
    """A collection's own description."""
    id = str(collection["id"])
    content = written_json(collection)
    return RawRecord(id, content, join_path(url, f"collections/{quote(id, safe='')}"), "application/json")


def is_of_records(collection: JsonMapping) -> bool:
    """Whether the items are metadata, not data."""
    return str(collection.get("itemType", "")).lower() in ("record", "records", "catalog", "item", "metadata")


def _is_chosen(collection: JsonMapping, wanted_ids: tuple[str, ...]) -> bool:
    return collection["id"] in wanted_ids if wanted_ids else is_of_records(collection)


def _features(answer: HttpAnswer, url: str, prefix: str) -> LinkedPage:
    body = json_object(answer)
    items = body.get("features")
    if not isinstance(items, list):
        raise BadAnswer(f"{address_of(answer.url)} did not answer with features")
    features, skipped_members = with_id(items, answer.url, name="")
    records = tuple(_feature(feature, url, prefix) for feature in features)
    return LinkedPage(records, next_link(body.get("links")), number_or_none(body.get("numberMatched")), skipped_members)


def _feature(feature: Json, url: str, prefix: str) -> RawRecord:
    content = written_json(feature)
    id = str(feature.get("id") or fingerprint(content))
    properties = feature.get("properties") or {}
    modified = properties.get("updated") or properties.get("record-updated") if isinstance(properties, dict) else None
    origin = f"{url}/{quote(id, safe='')}"
    raw = RawRecord(f"{prefix}{id}", content, origin, "application/geo+json", str(modified) if modified else None)
    return raw if feature.get("id") else replace(raw, container=WHOLE_SOURCE)


_COLLECTION = re.compile(r"(https?://[^?#]+?)/collections/([^/?#]+)(?:/items)?/?(?:[?#].*)?$")


def _of_address(url: str) -> Start | None:
    """The address of one collection means that collection of the service above it."""
    match = _COLLECTION.match(url)
    return None if match is None else Start(match[1], {"collections": [unquote(match[2])]})


def _recognises(answer: FirstAnswer) -> bool:
    """A landing page; a STAC API's has the same links but a version."""
    return "stac_version" not in answer.json and bool(answer.link_rels & {"data", "conformance"})


PROTOCOL = Protocol(
    "ogc-records",
    OgcSource,
    OgcOptions,
    "items of record collections; of a Features server the descriptions of its collections",
    recognises=_recognises,
    questions_at=lambda url: [Question(url.partition("?")[0], collections)],
    of_address=_of_address,
)
