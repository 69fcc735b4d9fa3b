"""ArcGIS Online organisations and ArcGIS Enterprise portals: the items of the REST search, in order of modification."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from core.json_types import Json
from indexer.raw import RawPage, RawRecord
from indexer.sources.counted_walk import CountedPage, CountedWalk
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, written_json
from indexer.sources.linked_walk import NothingToHarvest, join_path, number_or_none, with_id
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from net.exchange import HttpAnswer
from net.targets import address_of

_DATA_TYPES = (
    "Feature Service", "Feature Collection", "Map Service", "Image Service", "Vector Tile Service", "Scene Service",
    "WMS", "WMTS", "WFS", "OGCFeatureServer", "KML", "Shapefile", "File Geodatabase", "GeoPackage", "GeoJson", "CSV",
    "CSV Collection", "Microsoft Excel", "Image", "Service Definition", "Document Link",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PortalOptions:
    """``query``: in the portal's search language, as well as the types. ``types``: of items, none means all.

    ``organisation``: the id of another one than the portal's own; ``*`` means all that the portal shows.
    """

    query: str = ""
    types: tuple[str, ...] = _DATA_TYPES
    organisation: str = ""
    page_size: int = 100
    tolerate_missing: int = 0


@dataclass(slots=True)
class PortalSource:
    """``url`` is the portal's address. The search shows 10,000 items at most: narrow a larger portal with ``query``."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: PortalOptions = field(default_factory=PortalOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises NothingToHarvest, and what the walk and the fetcher raise."""
        query, size = self._query(), self.options.page_size

        def ask(offset: int, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
            parameters = {"q": query, "num": str(size), "start": str(offset + 1), "f": "json"}
            parameters |= {"sortField": "modified", "sortOrder": "asc"}
            return self.fetcher.get(
                _rest(self.url, "search"), lambda answer: check(_items(answer, self.url, offset)), parameters
            )

        is_partial = self.since is not None
        walk = CountedWalk(self.fetcher.source, ask, size, self.options.tolerate_missing, may_be_empty=is_partial)
        yield from walk.pages(position)

    def _query(self) -> str:
        """A search needs one condition at least."""
        types = " OR ".join(f'type:"{type}"' for type in self.options.types)
        organisation = self.options.organisation or self._own_organisation()
        conditions = [
            f"({self.options.query})" if self.options.query else "",
            f"orgid:{organisation}" if organisation not in ("", "*") else "",
            f"({types})" if types else "",
            f"modified:[{_milliseconds(self.since)} TO {9 * 10**18}]" if self.since else "",
        ]
        if not organisation and not self.options.query:
            raise NothingToHarvest(
                f"{address_of(self.url)} is the portal of many organisations: name one in `options` (`organisation`), "
                "or a `query`"
            )
        return " AND ".join(condition for condition in conditions if condition)

    def _own_organisation(self) -> str:
        return str(self.fetcher.get(_rest(self.url, "portals/self"), json_object, {"f": "json"}).get("id") or "")


def _rest(url: str, path: str) -> str:
    return join_path(portal(url), f"sharing/rest/{path}")


def portal(url: str) -> str:
    """The portal's address, of any of its addresses."""
    bare_url = url.partition("?")[0]
    for part in ("/sharing", "/home", "/apps"):
        bare_url = bare_url.partition(f"{part}/")[0].removesuffix(part)
    return bare_url.rstrip("/")


def _milliseconds(moment: str) -> str:
    """As the search wants it: with zeros before."""
    return f"{int(datetime.fromisoformat(moment).timestamp() * 1000):019d}"


def _items(answer: HttpAnswer, url: str, offset: int) -> CountedPage:
    body = json_object(answer)
    total, results = number_or_none(body.get("total")), body.get("results")
    if total is None or not isinstance(results, list):
        raise BadAnswer(f"{address_of(answer.url)} did not answer as the search of a portal")
    items, skipped_members = with_id(results, answer.url, first=offset + 1)
    return CountedPage(tuple(_record(item, url) for item in items), total, skipped=skipped_members)


def _record(item: Json, url: str) -> RawRecord:
    id = str(item["id"])
    return RawRecord(id, written_json(item), f"{portal(url)}/home/item.html?id={id}", "application/json")


def _ask(fetcher: Fetcher, url: str) -> object:
    def is_portal(answer: HttpAnswer) -> Json:
        body = json_object(answer)
        if "portalName" not in body and "portalHostname" not in body:
            raise BadAnswer(f"{address_of(answer.url)} did not answer as a portal of ArcGIS")
        return body

    return fetcher.get(_rest(url, "portals/self"), is_portal, {"f": "json"})


def _title(fetcher: Fetcher, url: str) -> str:
    body = fetcher.get(_rest(url, "portals/self"), json_object, {"f": "json"})
    return str(body.get("name") or body.get("portalName") or "")


def _questions_at(url: str) -> list[Question]:
    parts = urlsplit(url)
    is_likely = (parts.hostname or "").endswith("arcgis.com") or any(
        part in parts.path.split("/") for part in ("sharing", "portal", "home")
    )
    return [Question(portal(url), _ask)] if is_likely else []


def _recognises(answer: FirstAnswer) -> bool:
    return "portalHostname" in answer.json


PROTOCOL = Protocol(
    "arcgis-portal",
    PortalSource,
    PortalOptions,
    "items of an organisation's search (ArcGIS Online, Enterprise); 10,000 at most",
    "`modified`",
    recognises=_recognises,
    questions_at=_questions_at,
    title=_title,
)
