"""Records and answers as GeoJSON, the core of OGC API - Records; our extension members start with ``sonde:``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.geo import BBox
from core.hit import Hit
from core.json_types import Json, JsonMapping
from core.names import Names, Variable
from core.record import Contact, Link, Record, doubts
from core.timespan import TimeSpan
from reading.concepts import Label
from search_api.formats_out.notations import enclosing_rfc3339, iri, rfc3339_moment
from search_api.search.answer import Answer, FoundRecord
from search_api.search.ranking.config import default_config
from search_api.search.understanding.interpretation import Interpretation, QueryIdentifier, TextSpan


def feature(record: Record) -> Json:
    """An OGC API - Records feature."""
    return {
        "type": "Feature",
        "id": record.id,
        "geometry": geometry(record),
        "time": time(record.times),
        "properties": properties(record),
        "links": [link(out) for out in record.links],
    }


def geometry(record: Record) -> Json | None:
    """The record's polygon if the metadata hold one, else its boxes as polygons; None if there are none."""
    if record.geometry is not None:
        return dict(record.geometry)
    rings = [ring(part) for box in record.extents for part in box.parts()]
    if not rings:
        return None
    if len(record.extents) == 1 and record.extents[0].is_point:
        return {"type": "Point", "coordinates": list(record.extents[0].centre)}
    if len(rings) == 1:
        return {"type": "Polygon", "coordinates": [rings[0]]}
    return {"type": "MultiPolygon", "coordinates": [[one] for one in rings]}


def ring(box: BBox) -> list[list[float]]:
    """The outline of a box that does not cross the antimeridian, counter-clockwise and closed (RFC 7946)."""
    w, s, e, n = box.as_list()
    return [[w, s], [e, s], [e, n], [w, n], [w, s]]


def time(times: tuple[TimeSpan, ...]) -> Json | None:
    """``{"interval": [start, end]}`` around all spans, ``..`` for an end that is open or not expressible in RFC 3339.

    ``sonde:times`` has each span unchanged.
    """
    if not times:
        return None
    starts = [span.start_ms for span in times]
    ends = [span.end_ms for span in times]
    start = None if None in starts else min(start for start in starts if start is not None)
    end = None if None in ends else max(end for end in ends if end is not None)
    return {"interval": [edge or ".." for edge in enclosing_rfc3339(start, end)]}


def properties(record: Record) -> Json:
    """The record core of OGC API - Records; other properties start with ``sonde:``."""
    said: Json = {
        "type": record.type,
        "title": record.title,
        "description": record.abstract,
        "keywords": list(dict.fromkeys(keyword.term for keyword in record.keywords)),
        "themes": _themes(record),
        "language": {"code": record.languages[0]} if record.languages else None,
        "contacts": [said for said in map(contact, record.contacts) if "name" in said or "organization" in said],
        "license": record.licence,
        "rights": " ".join(record.constraints),
        "formats": [{"name": name} for name in record.formats],
        "created": rfc3339_moment(record.dates.created) or rfc3339_moment(record.dates.published),
        "updated": rfc3339_moment(record.dates.modified) or rfc3339_moment(record.dates.metadata),
        "externalIds": [{"value": value} for value in dict.fromkeys((record.doi, record.identifier)) if value],
        "sonde:source": record.source,
        "sonde:identity": record.identity,
        "sonde:edition": record.edition,
        "sonde:names": names(record.names),
        "sonde:parent": record.parent,
        "sonde:boxes": [box.as_list() for box in record.extents],
        "sonde:dates": {name: text for name, text in asdict(record.dates).items() if text},
        "sonde:times": [[span.start_iso, span.end_iso] for span in record.times],
        "sonde:resolution": _said(
            record.resolution.metres, record.resolution.scale_denominator, record.resolution.time_step
        ),
        "sonde:provenance": record.provenance.kind,
        "sonde:lineage": record.provenance.lineage,
        "sonde:access": record.access,
        "sonde:curated": list(record.curated),
        "sonde:doubts": [{"code": doubt.code, "text": doubt.text} for doubt in doubts(record)],
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def _said(metres: float | None, scale_denominator: int | None, time_step: str | None) -> Json:
    named = {"metres": metres, "scaleDenominator": scale_denominator, "timeStep": time_step}
    return {name: value for name, value in named.items() if value is not None}


def names(said: Names) -> Json:
    """What the metadata call the product, and what they say made it; only what they say."""
    found: Json = {
        "shortNames": list(said.short_names),
        "platforms": list(said.platforms),
        "instruments": list(said.instruments),
        "variables": [_variable(one) for one in said.variables],
        "projects": list(said.projects),
        "processingLevel": said.processing_level,
    }
    return {name: value for name, value in found.items() if value}


def _variable(one: Variable) -> Json:
    said = {"name": one.name, "standardName": one.standard_name, "unit": one.unit}
    return {name: value for name, value in said.items() if value}


def _themes(record: Record) -> list[Json]:
    """Keywords by their vocabulary, and topic categories with ISO's own scheme."""
    by_scheme: dict[str, list[Json]] = {}
    for keyword in record.keywords:
        if keyword.vocabulary is not None:
            url = iri(keyword.uri)
            concept = {"id": keyword.term} | ({"url": url} if url else {})
            by_scheme.setdefault(keyword.vocabulary, []).append(concept)
    if record.themes:
        by_scheme["ISO 19115 topic category"] = [{"id": theme} for theme in record.themes]
    return [{"concepts": concepts, "scheme": scheme} for scheme, concepts in by_scheme.items()]


def contact(one: Contact) -> Json:
    """Records require a name or an organisation: a contact with only a mail address is named by it."""
    said: Json = {
        "name": one.name or (one.email if not one.organisation else None),
        "organization": one.organisation,
        "emails": [{"value": one.email}] if one.email else None,
        "roles": [one.role] if one.role else None,
    }
    return {name: value for name, value in said.items() if value}


def link(out: Link) -> Json:
    said = {"href": out.href, "rel": out.rel or "related", "type": out.media_type, "title": out.name}
    return {name: value for name, value in said.items() if value}


def hit_feature(found: FoundRecord, made: Json, own: Json) -> Json:
    """The record's feature with a link to itself and what this search says of it."""
    return {**made, "links": [*made["links"], own], **hit_members(found)}


def hit_members(found: FoundRecord) -> Json:
    """The hit's score, its signals and, on request, its explanation."""
    said: Json = {"sonde:score": round(found.hit.score, 6), "sonde:signals": _signals(found.hit)}
    if found.highlights:
        said["sonde:highlights"] = found.highlights
    if found.passages:
        said["sonde:passages"] = [
            {"id": p.id, "text": p.text, "section": list(p.section_path), "page": p.first_page} for p in found.passages
        ]
    if found.explanation is not None:
        said["sonde:explanation"] = found.explanation
    if found.folded:
        said["sonde:folded"] = list(found.folded)
    return said


def _signals(hit: Hit) -> dict[str, float | None]:
    """Every signal that ranks records; unmeasured ones are null, never 0."""
    measured = {name: round(value, 6) for name, value in hit.signals.items() if value is not None}
    return {**dict.fromkeys(default_config().records.signals), **measured}


def collection(answer: Answer, features: Sequence[object], links: list[Json]) -> Json:
    """The whole answer of ``/search``; ``features`` are those of its hits, in order, as JSON or already written."""
    beside: Json = {"sonde:facets": facets(answer)} if answer.facets else {}
    if answer.did_you_mean is not None:
        beside["sonde:didYouMean"] = answer.did_you_mean
    if answer.unknown_words:
        beside["sonde:unknownWords"] = answer.unknown_words
    if answer.corrected_from is not None:
        beside["sonde:correctedFrom"] = answer.corrected_from
    return {
        "type": "FeatureCollection",
        "features": features,
        "numberMatched": answer.matched,
        "numberReturned": len(answer.found),
        "sonde:total": answer.total,
        "sonde:totalRelation": "exact",
        "links": links,
        "sonde:interpretation": interpretation(answer.interpretation),
        **beside,
        "sonde:degraded": list(answer.degraded),
        "sonde:took_ms": {stage: round(took, 2) for stage, took in answer.took_ms.items()},
    }


def facets(answer: Answer) -> Json:
    """Each facet with the parameter for its values."""
    return {
        name: {
            "parameter": facet.parameter,
            "values": [
                {"value": one.value, "label": one.label, "count": one.count} | ({"chosen": True} if one.chosen else {})
                for one in facet.values
            ],
            "others": facet.others,
            **({} if facet.level is None else {"level": facet.level}),
        }
        for name, facet in answer.facets.items()
    }


def interpretation(read: Interpretation) -> Json:
    """How the question was understood, each part with its position in the text and its source."""
    return {
        "text": read.text,
        "thematic": read.thematic,
        "language": read.language,
        "places": [
            {**_found(p.mention), "name": p.name, "kind": p.kind, "bbox": p.bbox.as_list(), "country": p.country}
            | ({"estimated": True} if p.estimated else {})
            for p in read.places
        ],
        "relations": [{**_found(r.mention), "relation": r.relation} for r in read.relations],
        "areas": [box.as_list() for box in read.areas],
        "times": [
            {**_found(t.mention), "kind": t.kind, "start": t.span.start_iso, "end": t.span.end_iso} for t in read.times
        ],
        "datetime": _interval(read.span),
        "latest": read.latest,
        "scales": [
            {**_found(s.mention), **_said(s.metres, s.scale_denominator, s.time_step), "level": s.level}
            for s in read.scales
        ],
        "kinds": [{**_found(k.mention), "kind": k.kind} for k in read.kinds],
        "identifiers": [_identifier(one) for one in read.identifiers],
        "names": [{**_found(n.mention), "match": n.how, "count": n.count} for n in read.names],
        "terms": [
            {**_found(t.mention), "concept": t.uri, "synonyms": _labels(t.synonyms), "narrower": _labels(t.narrower)}
            for t in read.terms
        ],
        "corrected": [{"text": typed, "read": meant} for typed, meant in read.corrected],
        "unread": list(read.unread),
    }


def _identifier(one: QueryIdentifier) -> Json:
    known = {} if one.known is None else {"known": one.known}
    return {**_found(one.mention), "kind": one.kind, "value": one.value, **known}


def _labels(labels: tuple[Label, ...]) -> list[Json]:
    return [{"label": label.text, "language": label.language} for label in labels]


def _interval(span: TimeSpan | None) -> str | None:
    return None if span is None else f"{span.start_iso or '..'}/{span.end_iso or '..'}"


def _found(found: TextSpan) -> JsonMapping:
    return {
        "text": found.text,
        "span": [found.start, found.end],
        "source": found.source,
        "confidence": round(found.confidence, 3),
    }
