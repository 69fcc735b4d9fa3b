"""``/collections/{catalogue}/items``: records without ranking, page by page, and each in several formats."""

from __future__ import annotations

from flask import Response, json, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import Json
from core.record import Record
from search_api.catalogue.item_formats import ItemFormat, item_links, media_types, original, wanted, written
from search_api.catalogue.listing.catalogues import Catalogue
from search_api.catalogue.listing.parameters import ItemsParameters, question, to_list_request
from search_api.catalogue.listing.reader import LONGEST_ID, Page
from search_api.catalogue.preview.thumbnail import MEDIA_TYPE as PREVIEW_TYPE
from search_api.formats_out import listing_html
from search_api.formats_out.listing_html import Listed
from search_api.formats_out.prov import Harvest, provenance
from search_api.http.addresses import GEOJSON, GRANULES_REL, JSON, RECORD_PROFILE, Addresses, Link, link
from search_api.http.documented import WITH_NOT_FOUND, sent_as, texts
from search_api.http.parameter_types import Parameters
from search_api.page.page import record_page
from search_api.page.plain_page import HTML, plain_page, wants_html
from search_api.parts import Parts
from search_api.protocols.ogc.collections import CataloguePath
from search_api.search.position import write_position
from search_api.search.similar import similar
from search_api.search.views import geojson


class ItemPath(CataloguePath):
    """A record of a catalogue."""

    record: str = Field(max_length=LONGEST_ID, description="Id of the record.")


class ItemParameters(Parameters):
    """The format of one record."""

    f: ItemFormat | None = Field(None, description="Default: the `Accept` header decides.")


class SimilarParameters(Parameters):
    """How many similar records."""

    limit: int = Field(10, ge=1, le=100)


class ItemsAnswer(BaseModel):
    """A GeoJSON FeatureCollection in a stable order; follow ``next`` to the end."""

    type: str = "FeatureCollection"
    features: list[Json]
    numberMatched: int  # noqa: N815 - OGC's name
    numberReturned: int  # noqa: N815 - OGC's name
    links: list[Json]


class SimilarAnswer(BaseModel):
    """Most similar first, with the cosine as ``sonde:similarity`` where it was measured."""

    type: str = "FeatureCollection"
    features: list[Json]
    numberReturned: int  # noqa: N815 - OGC's name


def items_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("items", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items",
        summary="The records of a catalogue",
        responses={200: sent_as(GEOJSON, ItemsAnswer, HTML), **WITH_NOT_FOUND},
    )
    def items(path: CataloguePath, query: ItemsParameters) -> Response:
        catalogue = parts.catalogues.get(path.catalogue)
        page = parts.records.page(to_list_request(query, catalogue))
        following = write_position(page.after, question(query, catalogue)) if page.after is not None else None
        if wants_html(query.f):
            return _readable(page, following, Addresses.of(parts), catalogue)
        return _collection(page, following, Addresses.of(parts), catalogue.id)

    @api.get(
        "/collections/<catalogue>/items/<record>",
        summary="One record, in any of its formats",
        responses={200: texts(*media_types()), **WITH_NOT_FOUND},
    )
    def item(path: ItemPath, query: ItemParameters) -> Response:
        found = parts.records.record(path.record, parts.catalogues.get(path.catalogue).source)
        form = wanted(query.f)
        if form == "native":
            return original(parts.records.original(path.record))
        if form == "html":
            return record_page(found.record, Addresses.of(parts))
        return representation(found.record, form, parts)

    @api.get(
        "/collections/<catalogue>/items/<record>/similar",
        summary="Records like this one",
        responses={200: sent_as(GEOJSON, SimilarAnswer), **WITH_NOT_FOUND},
    )
    def like_this(path: ItemPath, query: SimilarParameters) -> Response:
        record = parts.records.record(path.record, parts.catalogues.get(path.catalogue).source).record
        found = similar(parts.search.parts, record, parts.records.vector(record.id), query.limit)
        addresses = Addresses.of(parts)
        features = [
            {**geojson.feature(one), "links": item_links(one, addresses), "sonde:similarity": score}
            for one, score in found
        ]
        body = {"type": "FeatureCollection", "features": features, "numberReturned": len(features)}
        return _geojson({**body, "links": [link("self", addresses.this(), GEOJSON)]})

    @api.get(
        "/collections/<catalogue>/items/<record>/provenance",
        summary="Where a record came from, as PROV in JSON-LD",
        responses={200: {"content": {"application/ld+json": {"schema": {"type": "object"}}}}, **WITH_NOT_FOUND},
    )
    def origin(path: ItemPath) -> Response:
        found = parts.records.record(path.record, parts.catalogues.get(path.catalogue).source)
        harvest = Harvest(found.run, found.first_seen, found.written)
        body = provenance(found.record, Addresses.of(parts).item(found.record), harvest)
        return Response(json.dumps(body, sort_keys=False), mimetype="application/ld+json")

    return api


def representation(record: Record, form: str, parts: Parts) -> Response:
    """The record in one of the output formats (neither ``native`` nor ``html``), with this service's links."""
    broken = parts.broken_links(record.source)
    more = [*_preview(record, parts), *_granules(record, parts)]
    return written(record, form, Addresses.of(parts), *more, broken=broken)


def _preview(record: Record, parts: Parts) -> list[Link]:
    """The link to its small picture, if it has a picture."""
    if not parts.previews.offered(record):
        return []
    return [link("preview", Addresses.of(parts).item(record, "/preview"), PREVIEW_TYPE, "Preview")]


def _granules(record: Record, parts: Parts) -> list[Link]:
    """The link to the search of its granules, if something says where they are."""
    if parts.granules.of(record) is None:
        return []
    return [link(GRANULES_REL, Addresses.of(parts).item(record, "/granules"), GEOJSON, "Granules")]


def _collection(page: Page, following: str | None, addresses: Addresses, catalogue: str) -> Response:
    links = [
        link("self", addresses.this(), GEOJSON),
        link("collection", addresses.collection(catalogue), JSON),
        link("first", addresses.page(None), GEOJSON),
        link("alternate", addresses.with_form("html"), HTML),
    ]
    if following is not None:
        links.append(link("next", addresses.page(following), GEOJSON))
    features = [{**geojson.feature(one.record), "links": _feature_links(one.record, addresses)} for one in page.found]
    response = _geojson(
        {
            "type": "FeatureCollection",
            "features": features,
            "numberMatched": page.matched,
            "numberReturned": len(features),
            "links": links,
        }
    )
    response.headers["Link"] = ", ".join(f'<{one["href"]}>; rel="{one["rel"]}"; type="{one["type"]}"' for one in links)
    return response


def _readable(page: Page, following: str | None, addresses: Addresses, catalogue: Catalogue) -> Response:
    listed = [
        Listed(addresses.record_page(one.id), one.title or one.id, one.type, one.abstract)
        for one in (found.record for found in page.found)
    ]
    on = addresses.page(following) if following is not None else None
    return plain_page(catalogue.title, listing_html.items(catalogue.title, listed, page.matched, on))


def _feature_links(record: Record, addresses: Addresses) -> list[Json]:
    """In a page, only the link to the record and its catalogue, besides the record's own links."""
    return [
        link("self", addresses.item(record), GEOJSON),
        link("collection", addresses.collection(record.source), JSON),
        RECORD_PROFILE,
        *[geojson.link(out) for out in record.links],
    ]


def _geojson(body: Json) -> Response:
    response = jsonify(body)
    response.mimetype = GEOJSON
    return response
