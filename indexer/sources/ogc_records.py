"""OGC API - Records and - Features: the items of record collections, else the descriptions of the collections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote, urlencode

from core.json_types import Json, JsonMapping
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, Skipped
from indexer.sources.fetching import BadAnswer, Fetcher, fingerprint, json_object, written_json
from indexer.sources.linked import (
    LinkedPage,
    LinkedWalk,
    NothingToHarvest,
    Part,
    joined,
    next_link,
    number_or_none,
    with_id,
)
from indexer.sources.protocol import FirstAnswer, Protocol, Question, Start
from net.exchange import HttpAnswer
from net.targets import address_of

_NAMED = 20
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
        listed = collections(self.fetcher, self.url, self.options.collections)
        found, others = listed.named, listed.others
        chosen = [c for c in found if _chosen(c, self.options.collections)]
        if chosen:
            several = len(chosen) > 1
            parts = [self._items(str(c["id"]), several=several) for c in chosen]
            yield from LinkedWalk(self.fetcher, parts).pages(position)
            return
        if not found:
            raise NothingToHarvest(f"{address_of(self.url)} has no collections")
        records = tuple(collection_record(c, self.url) for c in found)
        matched = len({record.native_id for record in records}) + len(others)
        yield RawPage(records, total=matched, skipped=others, matched=matched)

    def _items(self, id: str, *, several: bool) -> Part:
        query = urlencode({"limit": str(self.options.page_size), "f": "json", **self.options.filter})
        url = joined(self.url, f"collections/{quote(id, safe='')}/items")
        return Part(f"{url}?{query}", lambda answer: _features(answer, url, f"{id}/" if several else ""), _GEOJSON)


@dataclass(frozen=True, slots=True)
class Collections:
    """The collections of a service, and the members of its list that have no id."""

    named: list[Json]
    others: tuple[Skipped, ...]


def collections(fetcher: Fetcher, url: str, wanted: Sequence[str] = ()) -> Collections:
    """The list in ``/collections``, also of paged servers. Raises NothingToHarvest if one of ``wanted`` is missing."""
    found: list[Json] = []
    without_id: list[Skipped] = []

    def parse(answer: HttpAnswer) -> LinkedPage:
        body = json_object(answer)
        listed = body.get("collections")
        if not isinstance(listed, list):
            raise BadAnswer(f"{address_of(answer.url)} did not answer with collections")
        some, others = with_id(listed, answer.url)
        found.extend(some)
        without_id.extend(others)
        records = tuple(collection_record(each, url) for each in some)
        return LinkedPage(records, next_link(body.get("links")), skipped=others)

    walk = LinkedWalk(fetcher, [Part(joined(url, "collections?f=json"), parse)], may_be_empty=True)
    for _ in walk.pages(None):
        pass
    named = {str(each["id"]): each for each in found}
    missing = [id for id in wanted if id not in named]
    if missing:
        offered = ", ".join(sorted(named)[:_NAMED]) or "none"
        raise NothingToHarvest(f"{address_of(url)} has no collection {', '.join(missing)}; it has {offered}")
    return Collections(list(named.values()), tuple({one.origin: one for one in without_id}.values()))


def collection_record(collection: JsonMapping, url: str) -> RawRecord:
    """A collection's own description."""
    id = str(collection["id"])
    content = written_json(collection)
    return RawRecord(id, content, joined(url, f"collections/{quote(id, safe='')}"), "application/json")


def is_of_records(collection: JsonMapping) -> bool:
    """Whether the items are metadata, not data."""
    return str(collection.get("itemType", "")).lower() in ("record", "records", "catalog", "item", "metadata")


def _chosen(collection: JsonMapping, wanted: tuple[str, ...]) -> bool:
    return collection["id"] in wanted if wanted else is_of_records(collection)


def _features(answer: HttpAnswer, url: str, prefix: str) -> LinkedPage:
    body = json_object(answer)
    listed = body.get("features")
    if not isinstance(listed, list):
        raise BadAnswer(f"{address_of(answer.url)} did not answer with features")
    features, others = with_id(listed, answer.url, name="")
    records = tuple(_feature(each, url, prefix) for each in features)
    return LinkedPage(records, next_link(body.get("links")), number_or_none(body.get("numberMatched")), others)


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
    found = _COLLECTION.match(url)
    return None if found is None else Start(found[1], {"collections": [unquote(found[2])]})


def _recognises(answer: FirstAnswer) -> bool:
    """A landing page; a STAC API's has the same links but a version."""
    return "stac_version" not in answer.json and bool(answer.link_rels & {"data", "conformance"})


def _at(url: str) -> Iterator[Question]:
    yield Question(url.partition("?")[0], collections)


PROTOCOL = Protocol(
    "ogc-records",
    OgcSource,
    OgcOptions,
    "items of record collections; of a Features server the descriptions of its collections",
    recognises=_recognises,
    at=_at,
    of_address=_of_address,
)
