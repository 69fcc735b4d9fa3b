"""``/collections/{catalogue}/items``: records without ranking, page by page, each in several formats.

Also a record's provenance as PROV-O in JSON-LD.
"""

from __future__ import annotations

from flask import Response, json
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import Json
from core.record import Record
from search_api.catalogue.catalogues import Catalogue
from search_api.catalogue.item_formats import (
    ItemFormat,
    item_links,
    media_types,
    original_answer,
    record_answer,
    requested_form,
)
from search_api.catalogue.listing import ListPage, StoredRecord
from search_api.catalogue.listing_parameters import ItemsParameters, question, to_list_request
from search_api.catalogue.previews import PREVIEW_TYPE
from search_api.catalogue.view import CataloguePath, ItemPath, record_page, stored_record
from search_api.formats_out.notations import iri, without_empty
from search_api.http.openapi import WITH_NOT_FOUND, FeatureCollectionAnswer, answer_as, text_answer
from search_api.http.parameters import Parameters
from search_api.http.responses import (
    GEOJSON,
    GRANULES_REL,
    JSON,
    RECORD_PROFILE,
    Addresses,
    Link,
    feature_collection,
    link,
)
from search_api.page.plain_page import HTML, ListedRecord, items_html, plain_page, wants_html
from search_api.parts import Parts
from search_api.protocols.ogc.push import set_etag
from search_api.search.flow import refuse_people_filter
from search_api.search.order import write_position
from search_api.search.similar import similar
from search_api.search.views import geojson

CONTEXT = {
    "prov": "http://www.w3.org/ns/prov#",
    "dct": "http://purl.org/dc/terms/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "sonde": "urn:sonde:",
}


def provenance(stored: StoredRecord, address: str) -> Json:
    """The resource, its sources and makers, and the harvest that imported its metadata."""
    record = stored.record
    entity: Json = {
        "@id": address,
        "@type": "prov:Entity",
        "dct:title": record.title,
        "sonde:kind": record.provenance.kind,
        "sonde:kindSource": record.provenance.kind_source,
        "dct:provenance": record.provenance.lineage,
        "prov:wasDerivedFrom": [_node(text, "prov:Entity") for text in record.provenance.derived_from],
        "prov:wasGeneratedBy": [_node(text, "prov:Activity") for text in record.provenance.generated_by],
        "prov:wasAttributedTo": [_node(text, "prov:Agent") for text in record.provenance.attributed_to],
    }
    return {"@context": CONTEXT, "@graph": [without_empty(entity), _harvest(stored, address)]}


def _harvest(stored: StoredRecord, address: str) -> Json:
    """The catalogue and run that imported the metadata, and when they were first seen and last written."""
    activity = {
        "@id": f"urn:sonde:run:{stored.run}" if stored.run else None,
        "@type": "prov:Activity",
        "rdfs:label": "harvest",
        "prov:used": {"@id": f"urn:sonde:source:{stored.record.source}", "@type": "prov:Entity"},
    }
    metadata = {
        "@id": f"{address}#metadata",
        "@type": "prov:Entity",
        "rdfs:label": "metadata record",
        "dct:subject": {"@id": address},
        "dct:format": stored.record.native_format,
        "dct:identifier": stored.record.identifier,
        "prov:generatedAtTime": _instant(stored.written),
        "sonde:firstSeen": _instant(stored.first_seen),
        "prov:wasGeneratedBy": without_empty(activity),
    }
    return without_empty(metadata)


def _instant(text: str | None) -> Json | None:
    return {"@value": text, "@type": "xsd:dateTime"} if text else None


def _node(text: str, kind: str) -> Json:
    """A resource by its IRI, else a blank node with the text as its label."""
    address = iri(text)
    return {"@id": address, "@type": kind} if address else {"@type": kind, "rdfs:label": text}


class ItemParameters(Parameters):
    f: ItemFormat | None = Field(None, description="Default: the `Accept` header decides.")


class SimilarParameters(Parameters):
    limit: int = Field(10, ge=1, le=100)


class ItemsAnswer(FeatureCollectionAnswer):
    """A GeoJSON FeatureCollection in a stable order; follow ``next`` to the end.

    ``facets``: counts of the matching records, as OGC API - Records Part 2 (draft) defines them.
    """

    facets: Json = Field(default={}, description="By facet: `type`, `property`, `buckets` and `more`.")


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
        responses={200: answer_as(GEOJSON, ItemsAnswer, HTML), **WITH_NOT_FOUND},
    )
    def items(path: CataloguePath, query: ItemsParameters) -> Response:
        catalogue = parts.catalogues.get(path.catalogue)
        request = to_list_request(query, catalogue)
        if not parts.search.parts.finds_people:
            refuse_people_filter(request.selection.also)
        page = parts.records.page(request)
        following = write_position(page.after, question(query, catalogue)) if page.after is not None else None
        if wants_html(query.f):
            return _readable(page, following, Addresses.of(parts.http), catalogue)
        return _collection(page, following, Addresses.of(parts.http), catalogue.id)

    @api.get(
        "/collections/<catalogue>/items/<record>",
        summary="One record, in any of its formats",
        responses={200: text_answer(*media_types()), **WITH_NOT_FOUND},
    )
    def item(path: ItemPath, query: ItemParameters) -> Response:
        stored = stored_record(parts, path)
        form = requested_form(query.f)
        if form == "native":
            return original_answer(parts.records.original(stored.record.id))
        if form == "html":
            return record_page(stored.record, Addresses.of(parts.http))
        response = _representation(stored.record, form, parts)
        if parts.http.etag:
            set_etag(response, stored)
        return response

    @api.get(
        "/collections/<catalogue>/items/<record>/similar",
        summary="Records like this one",
        responses={200: answer_as(GEOJSON, SimilarAnswer), **WITH_NOT_FOUND},
    )
    def like_this(path: ItemPath, query: SimilarParameters) -> Response:
        record = stored_record(parts, path).record
        neighbours = similar(parts.search.parts, record, parts.records.vector(record.id), query.limit)
        addresses = Addresses.of(parts.http)
        features = [
            {**geojson.feature(neighbour), "links": item_links(neighbour, addresses), "sonde:similarity": score}
            for neighbour, score in neighbours
        ]
        return feature_collection(features, [link("self", addresses.this(), GEOJSON)])

    @api.get(
        "/collections/<catalogue>/items/<record>/provenance",
        summary="Where a record came from, as PROV in JSON-LD",
        responses={200: {"content": {"application/ld+json": {"schema": {"type": "object"}}}}, **WITH_NOT_FOUND},
    )
    def origin(path: ItemPath) -> Response:
        stored = stored_record(parts, path)
        body = provenance(stored, Addresses.of(parts.http).item(stored.record))
        return Response(json.dumps(body, sort_keys=False), mimetype="application/ld+json")

    return api


def _representation(record: Record, form: str, parts: Parts) -> Response:
    """The record in one of the output formats (neither ``native`` nor ``html``), with this service's links."""
    broken = parts.broken_links(record.source)
    extra_links = [*_preview(record, parts), *_granules(record, parts)]
    return record_answer(record, form, Addresses.of(parts.http), *extra_links, broken=broken)


def _preview(record: Record, parts: Parts) -> list[Link]:
    """The link to its small picture, if it has a picture."""
    if not parts.previews.offered(record):
        return []
    return [link("preview", Addresses.of(parts.http).item(record, "/preview"), PREVIEW_TYPE, "Preview")]


def _granules(record: Record, parts: Parts) -> list[Link]:
    """The link to the search of its granules, if something says where they are."""
    if parts.granules.of(record) is None:
        return []
    return [link(GRANULES_REL, Addresses.of(parts.http).item(record, "/granules"), GEOJSON, "Granules")]


def _collection(page: ListPage, following: str | None, addresses: Addresses, catalogue: str) -> Response:
    links = [
        link("self", addresses.this(), GEOJSON),
        link("collection", addresses.collection(catalogue), JSON),
        link("first", addresses.page(None), GEOJSON),
        link("alternate", addresses.with_form("html"), HTML),
    ]
    if following is not None:
        links.append(link("next", addresses.page(following), GEOJSON))
    features = [
        {**geojson.feature(stored.record), "links": _feature_links(stored.record, addresses)} for stored in page.records
    ]
    members = {"facets": page.facets} if page.facets else {}
    response = feature_collection(features, links, page.matched, **members)
    response.headers["Link"] = ", ".join(
        f'<{target["href"]}>; rel="{target["rel"]}"; type="{target["type"]}"' for target in links
    )
    return response


def _readable(page: ListPage, following: str | None, addresses: Addresses, catalogue: Catalogue) -> Response:
    items = [
        ListedRecord(addresses.record_page(record.id), record.title or record.id, record.type, record.abstract)
        for record in (stored.record for stored in page.records)
    ]
    on = addresses.page(following) if following is not None else None
    return plain_page(catalogue.title, items_html(catalogue.title, items, page.matched, on))


def _feature_links(record: Record, addresses: Addresses) -> list[Json]:
    """In a page, only the link to the record and its catalogue, besides the record's own links."""
    return [
        link("self", addresses.item(record), GEOJSON),
        link("collection", addresses.collection(record.source), JSON),
        RECORD_PROFILE,
        *[geojson.link(out) for out in record.links],
    ]
