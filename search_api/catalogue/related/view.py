"""``/collections/{catalogue}/items/{record}/kin``: versions, campaign, sources and the documents that name it."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field

from core.json_types import Json
from search_api.catalogue.related.events import Citation
from search_api.catalogue.related.mentions import Mention, phrases_of
from search_api.catalogue.related.relations import RELATIONS, Related
from search_api.http.addresses import GEOJSON, JSON, Addresses, link
from search_api.http.documented import WITH_NOT_FOUND
from search_api.http.parameter_types import Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts
from search_api.protocols.ogc.items import ItemPath
from search_api.search.views import geojson


class KinParameters(Parameters):
    """How many of each relation."""

    limit: int = Field(6, ge=1, le=50)


class KinAnswer(BaseModel):
    """What the record leads on to."""

    model_config = ConfigDict(title="RecordKin")

    related: list[Json] = Field(
        description=f"By `relation`: {', '.join(RELATIONS)}; each with its `records`, and how many `matched`."
    )
    explains: list[Json] = Field(description="Documents that belong to it, with the beginning of their text.")
    mentions: list[Json] = Field(description="Documents that name its DOI or its title, with the place.")
    links: list[Json]


class CitationsAnswer(BaseModel):
    """Works that cite the record, newest first. A record of a group is never asked for: its DOI stays here."""

    model_config = ConfigDict(title="RecordCitations")

    asked: bool = Field(description="Whether a service is set.")
    citations: list[Json]


def kin_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("kin", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/kin",
        summary="Versions of a record, its campaign, and the documents that name it",
        responses={200: KinAnswer, **WITH_NOT_FOUND},
    )
    def kin(path: ItemPath, query: KinParameters) -> Response:
        record = parts.records.record(path.record, parts.catalogues.get(path.catalogue).source).record
        addresses, phrases = Addresses.of(parts), phrases_of(record)
        related = parts.kin.relations.of(record, query.limit)
        mentions = parts.kin.mentions.of(record, query.limit)
        explains = parts.kin.mentions.explaining(record, query.limit)
        return jsonify(
            {
                "related": [_related(one, addresses) for one in related],
                "explains": [_mention(one, (), addresses) for one in explains],
                "mentions": [_mention(one, phrases, addresses) for one in mentions],
                "links": [link("self", addresses.this(), JSON), link("about", addresses.item(record), GEOJSON)],
            }
        )

    @api.get(
        "/collections/<catalogue>/items/<record>/citations",
        summary="Works elsewhere that cite a record, if the operator set a service that knows them",
        responses={200: CitationsAnswer, 503: Problem, **WITH_NOT_FOUND},
    )
    def citations(path: ItemPath) -> Response:
        record = parts.records.record(path.record, parts.catalogues.get(path.catalogue).source).record
        found = parts.kin.citations.of(record.doi) if record.doi and not record.access_groups else ()
        return jsonify({"asked": parts.kin.citations.is_on, "citations": [_citation(one) for one in found]})

    return api


def _citation(one: Citation) -> Json:
    said = {"doi": one.doi, "relation": one.relation, "said_by": one.said_by, "year": one.year}
    return {name: value for name, value in said.items() if value}


def _related(related: Related, addresses: Addresses) -> Json:
    records = [
        {**geojson.feature(one), "links": [link("self", addresses.item(one), GEOJSON)]} for one in related.records
    ]
    named = {} if related.name is None else {"name": related.name}
    return {"relation": related.relation, **named, "matched": related.matched, "records": records}


def _mention(mention: Mention, phrases: Sequence[str], addresses: Addresses) -> Json:
    entry, passage = mention.document, mention.passage
    said: Json = {
        "document": entry.id,
        "title": entry.title or entry.name,
        "authors": list(entry.authors),
        "published": entry.published,
        "doi": entry.doi,
        "by": "references" if passage is None else "text",
        "quote": mention.quote(phrases),
        "ordinal": None if passage is None else passage.ordinal,
        "page": None if passage is None else passage.first_page,
        "links": [link("about", addresses.to(f"/documents/{entry.id}"), GEOJSON)],
    }
    return {name: value for name, value in said.items() if value not in (None, [], "")}
