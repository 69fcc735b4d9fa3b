"""The addresses of links in answers."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote, urlencode

from flask import request

from core.document import document_of_record
from core.json_types import Json
from core.record import Record
from search_api.http.responses import HttpPolicy

Link = dict[str, str]
Ways = list[Json]

JSON = "application/json"
GEOJSON = "application/geo+json"
GRANULES_REL = "sonde:granules"
SCHEMA_JSON = "application/schema+json"
CATALOG_JSON = "application/ogc-catalog+json"
RECORD_PROFILE = {"rel": "profile", "href": "http://www.opengis.net/def/profile/OGC/0/ogc-record"}
CATALOG_PROFILE = {"rel": "profile", "href": "http://www.opengis.net/def/profile/OGC/0/ogc-catalog"}


class Addresses:
    """Absolute URLs below one base."""

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/")

    @classmethod
    def of(cls, policy: HttpPolicy) -> Addresses:
        """Below the public address, else below that of this request."""
        return cls(policy.public_url or request.url_root)

    def to(self, path: str, parameters: Iterable[tuple[str, object]] = ()) -> str:
        """``path`` starts with a slash and is URL-safe."""
        query = urlencode(list(parameters))
        return f"{self.base}{path}" + (f"?{query}" if query else "")

    def collection(self, catalogue: str, rest: str = "") -> str:
        return self.to(f"/collections/{quote(catalogue, safe='')}{rest}")

    def item(self, record: Record, rest: str = "") -> str:
        """The record in the catalogue of its source; ids are already URL-safe."""
        return f"{self.base}{item_path(record)}{rest}"

    def record_page(self, record_id: str) -> str:
        """The record's page for people: its canonical address for crawlers."""
        return self.to(f"/records/{quote(record_id, safe=':~')}")

    def this(self) -> str:
        """The address of this request, with its query as sent."""
        text = request.full_path.rstrip("?")
        return f"{self.base}{text}"

    def with_form(self, form: str) -> str:
        """This request in another form."""
        others = [(key, value) for key, value in request.args.items(multi=True) if key != "f"]
        return self.to(request.path, [*others, ("f", form)])

    def page(self, cursor: str | None, name: str = "cursor") -> str:
        """This request with another cursor, or none."""
        others = [(key, value) for key, value in request.args.items(multi=True) if key != name]
        return self.to(request.path, [*others, (name, cursor)] if cursor is not None else others)


def document_link(record: Record, base: str) -> Link | None:
    """The document's own address, if the record is that of a public document."""
    document = document_of_record(record.id)
    if document is None:
        return None
    return link("describes", f"{base}/documents/{document}", GEOJSON, "The document with its passages and tables")


def item_path(record: Record) -> str:
    return f"/collections/{quote(record.source, safe='')}/items/{quote(record.id, safe=':~')}"


def link(rel: str, href: str, media_type: str, title: str = "") -> Link:
    members = {"rel": rel, "href": href, "type": media_type}
    return {**members, "title": title} if title else members


def ways_on(addresses: Addresses, cursor: str | None) -> Ways:
    """``self``, and ``next`` if there is a cursor; after a POST it is a POST again, in STAC's form."""
    links: Ways = [{**link("self", addresses.this(), GEOJSON)}]
    if cursor is None:
        return links
    if request.method == "POST":
        again = {**link("next", addresses.to(request.path), GEOJSON), "method": "POST"}
        return [*links, {**again, "body": {"cursor": cursor}, "merge": True}]
    return [*links, {**link("next", addresses.page(cursor), GEOJSON)}]
