"""``/search`` with ``scope=mine|both``: the caller's own documents as features, alone or with the records."""

from __future__ import annotations

from dataclasses import replace

from flask import Response, jsonify

from core.errors import InvalidInput
from core.json_types import Json
from search_api.formats_out.formats import result_writers
from search_api.http.access.guard import caller
from search_api.http.responses import GEOJSON, JSON, Addresses, link, ways_on
from search_api.library.entries import FoundDocument, merged
from search_api.parts import Parts
from search_api.search.answer import Answer
from search_api.search.parameters import SearchParameters, cursor_for, to_request
from search_api.search.views import geojson


def scoped_answer(query: SearchParameters, parts: Parts) -> Response:
    """Raises NotAuthenticated, NotAllowed; InvalidInput for a feed, or past the last hit."""
    caller().must_have("library")
    owner = caller().owner
    if query.f in result_writers():
        raise InvalidInput("f", "f: a feed has public records only; use scope=public")
    if query.sortby:
        raise InvalidInput("sortby", "sortby: orders public records only; use scope=public")
    request = to_request(query)
    documents = parts.library.search(request, owner)
    if query.scope == "both":
        answer = parts.search.search(replace(request, offset=0, limit=request.offset + request.limit))
    else:
        interpretation = parts.search.interpret(request)
        answer = Answer((), 0, interpretation, interpretation.degraded)
    addresses = Addresses.of(parts.http)
    order = merged(answer.matched, len(documents))
    if request.offset and request.offset >= len(order):
        raise InvalidInput("cursor", f"cursor: is past the last of the {len(order)} hits")
    end = request.offset + request.limit
    page = [
        document_feature(documents[place], addresses) if is_document else _record_feature(answer, place, addresses)
        for is_document, place in order[request.offset : end]
        if is_document or place < len(answer.hits)
    ]
    links = ways_on(addresses, cursor_for(query, end) if end < len(order) else None)
    total = answer.total + len(documents)
    body = geojson.collection(replace(answer, hits=(), total=total), [], links)
    response = jsonify({**body, "features": page, "numberMatched": len(order), "numberReturned": len(page)})
    response.mimetype = GEOJSON
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _record_feature(answer: Answer, place: int, addresses: Addresses) -> Json:
    hit = answer.hits[place]
    self_link = link("self", addresses.item(hit.record), GEOJSON)
    return geojson.hit_feature(hit, geojson.feature(hit.record), self_link)


def document_feature(hit: FoundDocument, addresses: Addresses) -> Json:
    """A document of the library in the form of a record; ``sonde:library`` marks it."""
    entry, passage = hit.entry, hit.passage
    address = addresses.to(f"/library/documents/{entry.id}")
    properties: Json = {
        "type": "document",
        "title": entry.title or entry.name,
        "contacts": [{"name": name, "roles": ["author"]} for name in entry.authors],
        "created": entry.published,
        "externalIds": [{"value": entry.doi}] if entry.doi else None,
        "sonde:source": "library",
        "sonde:record": entry.record,
    }
    feature: Json = {
        "type": "Feature",
        "id": f"library:{entry.id}",
        "geometry": None,
        "time": None,
        "properties": {name: value for name, value in properties.items() if value},
        "links": [link("self", address, JSON), link("enclosure", f"{address}/file", entry.media_type or "")],
        "sonde:library": True,
        "sonde:score": round(hit.score, 6),
        "sonde:signals": dict(passage.signals) if passage is not None else {},
    }
    if passage is not None:
        section, page = list(passage.section_path), passage.first_page
        feature["sonde:passages"] = [{"id": passage.id, "text": passage.text, "section": section, "page": page}]
    return feature
