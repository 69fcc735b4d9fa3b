"""``/collections/{catalogue}/items/{record}/kin``: versions, campaign, sources and the documents that name it."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import Json
from search_api.catalogue.related.citations import CitingWork, Mention, phrases_of
from search_api.catalogue.related.relations import RELATIONS, Related
from search_api.catalogue.view import ItemPath, stored_record
from search_api.formats_out.notations import without_empty
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import Parameters
from search_api.http.problems import Problem
from search_api.http.responses import GEOJSON, JSON, Addresses, link
from search_api.parts import Parts
from search_api.search.views import geojson


class RelatedParameters(Parameters):
    limit: int = Field(6, ge=1, le=50)


class RelatedAnswer(BaseModel, title="RecordKin"):
    """What the record leads on to."""

    related: list[Json] = Field(
        description=f"By `relation`: {', '.join(RELATIONS)}; each with its `records`, and how many `matched`."
    )
    explains: list[Json] = Field(
        description="Documents that belong to it, with the beginning of their text and the number of `tables`."
    )
    mentions: list[Json] = Field(description="Documents that name its DOI or its title, with the place.")
    links: list[Json]


class CitationsAnswer(BaseModel, title="RecordCitations"):
    """Works that cite the record, newest first. A record of a group is never asked for: its DOI stays here."""

    asked: bool = Field(description="Whether a service is set.")
    citations: list[Json]


def related_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("related", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/kin",
        summary="Versions of a record, its campaign, and the documents that name it",
        responses={200: RelatedAnswer, **WITH_NOT_FOUND},
    )
    def related(path: ItemPath, query: RelatedParameters) -> Response:
        record = stored_record(parts, path).record
        addresses, phrases = Addresses.of(parts.http), phrases_of(record)
        related_records = parts.relations.of(record, query.limit)
        mentions = parts.mentions.of(record, query.limit)
        explains = parts.mentions.find_explaining(record, query.limit)
        return jsonify(
            {
                "related": [_related_json(entry, addresses) for entry in related_records],
                "explains": [_mention(entry, (), addresses) for entry in explains],
                "mentions": [_mention(entry, phrases, addresses) for entry in mentions],
                "links": [link("self", addresses.this(), JSON), link("about", addresses.item(record), GEOJSON)],
            }
        )

    @api.get(
        "/collections/<catalogue>/items/<record>/citations",
        summary="Works elsewhere that cite a record, if the operator set a service that knows them",
        responses={200: CitationsAnswer, 503: Problem, **WITH_NOT_FOUND},
    )
    def citations(path: ItemPath) -> Response:
        record = stored_record(parts, path).record
        works = parts.citations.of(record.doi) if record.doi and not record.access_groups else ()
        return jsonify({"asked": parts.citations.is_on, "citations": [_citation(entry) for entry in works]})

    return api


def _citation(citation: CitingWork) -> Json:
    return without_empty(
        {"doi": citation.doi, "relation": citation.relation, "said_by": citation.said_by, "year": citation.year}
    )


def _related_json(related: Related, addresses: Addresses) -> Json:
    records = [
        {**geojson.feature(record), "links": [link("self", addresses.item(record), GEOJSON)]}
        for record in related.records
    ]
    named = {} if related.name is None else {"name": related.name}
    return {"relation": related.relation, **named, "matched": related.matched, "records": records}


def _mention(mention: Mention, phrases: Sequence[str], addresses: Addresses) -> Json:
    entry, passage = mention.document, mention.passage
    members: Json = {
        "document": entry.id,
        "title": entry.title or entry.name,
        "authors": list(entry.authors),
        "published": entry.published,
        "doi": entry.doi,
        "by": "references" if passage is None else "text",
        "quote": mention.quote(phrases),
        "ordinal": None if passage is None else passage.ordinal,
        "page": None if passage is None else passage.first_page,
        "tables": len(entry.tables) or None,
        "links": [link("about", addresses.to(f"/documents/{entry.id}"), GEOJSON)],
    }
    return without_empty(members)
