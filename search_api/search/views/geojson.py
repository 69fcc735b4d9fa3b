"""Records and answers as GeoJSON, the core of OGC API - Records; our extension members start with ``sonde:``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from core.geo import BBox
from core.hit import SignalName
from core.json_types import Json, JsonMapping
from core.names import Names, Variable
from core.record import Contact, Link, Record, doubts
from core.timespan import TimeSpan, enclosing_span
from core.versions import stated_successor
from reading.concepts import Label
from reading.relations import is_along_river
from search_api.formats_out.notations import enclosing_rfc3339, iri, rfc3339_moment
from search_api.search.answer import Answer, FoundRecord
from search_api.search.ranking.config import default_config
from search_api.search.retrieval.conditions import has_offer, offer_filter, offer_name
from search_api.search.understanding.interpretation import Interpretation, QueryIdentifier, TextSpan


def feature(record: Record) -> Json:
    """An OGC API - Records feature."""
    return {
        "type": "Feature",
        "id": record.id,
        "geometry": geometry(record),
        "time": time(record.times),
        "properties": properties(record),
        "links": [link(record_link) for record_link in record.links],
    }


def geometry(record: Record) -> Json | None:
    """The record's polygon if the metadata hold one, else its boxes as polygons; None if there are none."""
    if record.geometry is not None:
        return dict(record.geometry)
    if len(record.extents) == 1 and record.extents[0].is_point:
        return {"type": "Point", "coordinates": list(record.extents[0].centre)}
    return polygons(*record.extents)


def polygons(*boxes: BBox) -> Json | None:
    """The boxes as polygons, of which one across the antimeridian has two; None if there are none."""
    parts = [[ring(part)] for box in boxes for part in box.parts()]
    if len(parts) == 1:
        return {"type": "Polygon", "coordinates": parts[0]}
    return {"type": "MultiPolygon", "coordinates": parts} if parts else None


def ring(box: BBox) -> list[list[float]]:
    """The outline of a box that does not cross the antimeridian, counter-clockwise and closed (RFC 7946)."""
    w, s, e, n = box.as_list()
    return [[w, s], [e, s], [e, n], [w, n], [w, s]]


def time(times: tuple[TimeSpan, ...]) -> Json | None:
    """``{"interval": [start, end]}`` around all spans, ``..`` for an end that is open or not expressible in RFC 3339.

    ``sonde:times`` has each span unchanged.
    """
    span = enclosing_span(times)
    if span is None:
        return None
    return {"interval": [edge or ".." for edge in enclosing_rfc3339(span.start_ms, span.end_ms)]}


def properties(record: Record) -> Json:
    """The record core of OGC API - Records; other properties start with ``sonde:``."""
    properties: Json = {
        "type": record.type,
        "title": record.title,
        "description": record.abstract,
        "keywords": list(dict.fromkeys(keyword.term for keyword in record.keywords)),
        "themes": _themes(record),
        "language": {"code": record.languages[0]} if record.languages else None,
        "contacts": [
            person for person in map(contact, record.contacts) if "name" in person or "organization" in person
        ],
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
        "sonde:estimatedBoxes": [box.as_list() for box in record.estimated_extents],
        "sonde:dates": {name: text for name, text in asdict(record.dates).items() if text},
        "sonde:times": [[span.start_iso, span.end_iso] for span in record.times],
        "sonde:resolution": _resolution(
            record.resolution.metres, record.resolution.scale_denominator, record.resolution.time_step
        ),
        "sonde:provenance": record.provenance.kind,
        "sonde:lineage": record.provenance.lineage,
        "sonde:access": record.access,
        "sonde:curated": list(record.curated),
        "sonde:doubts": [{"code": doubt.code, "text": doubt.text} for doubt in doubts(record)],
    }
    return {name: value for name, value in properties.items() if value not in (None, "", [], {})}


def _resolution(metres: float | None, scale_denominator: int | None, time_step: str | None) -> Json:
    values = {"metres": metres, "scaleDenominator": scale_denominator, "timeStep": time_step}
    return {name: value for name, value in values.items() if value is not None}


def names(names_of_record: Names) -> Json:
    """What the metadata call the product, and what they say made it; only what they say."""
    values: Json = {
        "shortNames": list(names_of_record.short_names),
        "platforms": list(names_of_record.platforms),
        "instruments": list(names_of_record.instruments),
        "variables": [_variable(variable) for variable in names_of_record.variables],
        "projects": list(names_of_record.projects),
        "processingLevel": names_of_record.processing_level,
    }
    return {name: value for name, value in values.items() if value}


def _variable(variable: Variable) -> Json:
    values = {"name": variable.name, "standardName": variable.standard_name, "unit": variable.unit}
    return {name: value for name, value in values.items() if value}


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


def contact(entry: Contact) -> Json:
    """Records require a name or an organisation: a contact with only a mail address is named by it."""
    values: Json = {
        "name": entry.name or (entry.email if not entry.organisation else None),
        "organization": entry.organisation,
        "emails": [{"value": entry.email}] if entry.email else None,
        "roles": [entry.role] if entry.role else None,
    }
    return {name: value for name, value in values.items() if value}


def link(record_link: Link) -> Json:
    values = {
        "href": record_link.href,
        "rel": record_link.rel or "related",
        "type": record_link.media_type,
        "title": record_link.name,
    }
    return {name: value for name, value in values.items() if value}


def hit_feature(record: FoundRecord, feature: Json, members: Json) -> Json:
    """The record's feature with a link to itself and what this search says of it."""
    return {**feature, "links": [*feature["links"], members], **hit_members(record)}


def hit_members(record: FoundRecord) -> Json:
    """The hit's score, its signals and, on request, its explanation."""
    members: Json = {"sonde:score": round(record.hit.score, 6), "sonde:signals": _signals(record.hit.signals)}
    if record.highlights:
        members["sonde:highlights"] = record.highlights
    if record.passages:
        members["sonde:passages"] = [
            {"id": p.id, "text": p.text, "section": list(p.section_path), "page": p.first_page} for p in record.passages
        ]
    if record.explanation is not None:
        members["sonde:explanation"] = record.explanation
    if record.relevance is not None:
        members["sonde:relevance"] = round(record.relevance, 3)
    if record.folded:
        members["sonde:folded"] = list(record.folded)
    if successor := _superseded_by(record):
        members["sonde:supersededBy"] = successor
    return members


def _superseded_by(found: FoundRecord) -> Json:
    """A record of the catalogue, else the address that the metadata give; empty if neither is known."""
    if found.successor is not None:
        newer = found.successor
        values = {"id": newer.id, "title": newer.title, "edition": newer.edition}
    elif (stated := stated_successor(found.record)) is not None:
        values = {"href": stated.href, "title": stated.name}
    else:
        return {}
    return {name: value for name, value in values.items() if value}


def _signals(measured: Mapping[SignalName, float | None]) -> dict[str, float | None]:
    """Every signal that ranks records; unmeasured ones are null, never 0."""
    signals: dict[str, float | None] = dict.fromkeys(default_config().records.signals)
    for name, value in measured.items():
        if value is not None:
            signals[name] = round(value, 6)
    return signals


_NOTHING_ABOUT_TOPIC = "No record is about the topic. These records are"
_NEAREST = "the nearest to the question"
_WEAK_MATCHES = "These records are only weak matches."


def _notes(answer: Answer) -> list[Json]:
    """What to tell the visitor, by code; last the formats and licences that no hit states."""
    return [*_topic_notes(answer), *_river_notes(answer), *_offer_notes(answer)]


def _river_notes(answer: Answer) -> list[Json]:
    relations = answer.interpretation.relations
    asked = next((relation.mention.text for relation in relations if is_along_river(relation.mention.text)), None)
    text = f'How rivers flow is not known here: "{asked}" is read as around the place.'
    return [] if asked is None else [{"code": "flow_unknown", "text": text}]


def _offer_notes(answer: Answer) -> list[Json]:
    records = [found.record for found in answer.hits]
    offers = answer.interpretation.offers if records else ()
    return [
        {"code": "offer_missing", "text": f"None of these records states the {offer.kind} {offer_name(offer)}."}
        for offer in offers
        if not any(has_offer(record, offer) for record in records)
    ]


def _topic_notes(answer: Answer) -> list[Json]:
    if answer.is_off_topic:
        shared = " and ".join(sorted(answer.shared_off_topic))
        reason = f"from the {shared} of the question" if shared else _NEAREST
        return [{"code": "nothing_about_topic", "text": f"{_NOTHING_ABOUT_TOPIC} {reason}."}]
    notes = [{"code": "weak_matches", "text": _WEAK_MATCHES}] if answer.is_weak else []
    if answer.missed:
        missed = " or the ".join(sorted(answer.missed))
        notes.insert(
            0, {"code": "nothing_there", "text": f"None of these records is from the {missed} of the question."}
        )
    return notes


def collection(answer: Answer, features: Sequence[object], links: list[Json]) -> Json:
    """The whole answer of ``/search``; ``features`` are those of its hits, in order, as JSON or already written."""
    extras: Json = {"sonde:facets": facets(answer)} if answer.facets else {}
    if answer.did_you_mean is not None:
        extras["sonde:didYouMean"] = answer.did_you_mean
    if answer.unknown_words:
        extras["sonde:unknownWords"] = answer.unknown_words
    if answer.corrected_from is not None:
        extras["sonde:correctedFrom"] = answer.corrected_from
    if notes := _notes(answer):
        extras["sonde:notes"] = notes
    return {
        "type": "FeatureCollection",
        "features": features,
        "numberMatched": answer.matched,
        "numberReturned": len(answer.hits),
        "sonde:total": answer.total,
        "sonde:totalRelation": "exact",
        "links": links,
        "sonde:interpretation": interpretation(answer.interpretation),
        **extras,
        "sonde:degraded": list(answer.degraded),
        "sonde:took_ms": {stage: round(took, 2) for stage, took in answer.took_ms.items()},
    }


def facets(answer: Answer) -> Json:
    """Each facet with the parameter for its values."""
    return {
        name: {
            "parameter": facet.parameter,
            "values": [
                {"value": value.value, "label": value.label, "count": value.count}
                | ({"chosen": True} if value.chosen else {})
                for value in facet.values
            ],
            "others": facet.others,
            **({} if facet.level is None else {"level": facet.level}),
        }
        for name, facet in answer.facets.items()
    }


def interpretation(parsed: Interpretation) -> Json:
    """How the question was understood, each part with its position in the text and its source."""
    return {
        "text": parsed.text,
        "thematic": parsed.foreign_topic or parsed.thematic,
        **({"understoodAs": parsed.thematic} if parsed.is_translated else {}),
        "language": parsed.language,
        "places": [
            {**_mention(p.mention), "name": p.name, "kind": p.kind, "bbox": p.bbox.as_list(), "country": p.country}
            | ({"estimated": True} if p.estimated else {})
            | ({"records": p.record_count} if p.record_count else {})
            for p in parsed.places
        ],
        "relations": [
            {**_mention(r.mention), "relation": r.relation}
            | ({} if r.distance_km is None else {"distance_km": round(r.distance_km, 3)})
            for r in parsed.relations
        ],
        "areas": [box.as_list() for box in parsed.areas],
        "times": [
            {**_mention(t.mention), "kind": t.kind, "start": t.span.start_iso, "end": t.span.end_iso}
            for t in parsed.times
        ],
        "datetime": _interval(parsed.span),
        "periods": [_interval(span) for span in parsed.spans],
        "seasons": [{**_mention(s.mention), "months": list(s.months)} for s in parsed.seasons],
        "latest": parsed.latest,
        "scales": [
            {**_mention(s.mention), **_resolution(s.metres, s.scale_denominator, s.time_step), "level": s.level}
            for s in parsed.scales
        ],
        "kinds": [{**_mention(k.mention), "kind": k.kind} for k in parsed.kinds],
        "identifiers": [_identifier(identifier) for identifier in parsed.identifiers],
        "names": [{**_mention(n.mention), "match": n.how, "count": n.count} for n in parsed.names],
        "terms": [
            {**_mention(t.mention), "concept": t.uri, "synonyms": _labels(t.synonyms), "narrower": _labels(t.narrower)}
            for t in parsed.terms
        ],
        "exclusions": [
            {**_mention(e.mention), "subject": e.subject, "kind": e.kind}
            | ({} if e.bbox is None else {"bbox": e.bbox.as_list()})
            | ({} if e.span is None else {"datetime": _interval(e.span)})
            for e in parsed.exclusions
        ],
        "offers": [
            {**_mention(o.mention), "kind": o.kind, "value": o.value, "filter": offer_filter(o)} for o in parsed.offers
        ],
        "corrected": [{"text": typed, "read": correction} for typed, correction in parsed.corrected],
        "unread": list(parsed.unread),
    }


def _identifier(identifier: QueryIdentifier) -> Json:
    known_member = {} if identifier.known is None else {"known": identifier.known}
    return {**_mention(identifier.mention), "kind": identifier.kind, "value": identifier.value, **known_member}


def _labels(labels: tuple[Label, ...]) -> list[Json]:
    return [{"label": label.text, "language": label.language} for label in labels]


def _interval(span: TimeSpan | None) -> str | None:
    return None if span is None else f"{span.start_iso or '..'}/{span.end_iso or '..'}"


def _mention(span: TextSpan) -> JsonMapping:
    return {
        "text": span.text,
        "span": [span.start, span.end],
        "source": span.source,
        "confidence": round(span.confidence, 3),
    }
