"""DCAT and its profiles to Record: DCAT-AP, GeoDCAT-AP, DCAT-US 1.1 and 3.0; in JSON, JSON-LD, Turtle and RDF/XML.

Whatever the syntax, a data set is read as one nested JSON object with short names (``dct:title`` is ``title``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.json_types import Json, JsonMapping
from core.record import DATA_OF_SERVICE, HIGH_VALUE_VOCABULARIES, Record, Resolution
from core.versions import SUCCESSOR
from indexer.formats.draft import RecordDraft, add_period, add_period_object
from indexer.formats.format import Format, Inspection, json_of, parsed_content
from indexer.formats.json_documents.linked_data import (
    DCAT_TYPES,
    nodes_by_id,
    nodes_of,
    plain_node,
    resources_among,
    stated_vocabulary,
    types_of,
    without_prefix,
)
from indexer.formats.json_documents.parsing import as_list, first_object, looks_like_json, objects_in, text_in, texts_in
from indexer.formats.json_documents.rdf import dcat_resources
from indexer.formats.repair.boxes import number
from indexer.formats.repair.geologic_time import owl_time
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.resolution import metres, step_in
from indexer.raw import RawRecord, RecordRefused

_AGENTS = {
    "creator": "author", "publisher": "publisher", "rightsHolder": "rightsHolder", "custodian": "custodian",
    "distributor": "distributor", "originator": "originator", "principalInvestigator": "principalInvestigator",
    "processor": "processor", "resourceProvider": "resourceProvider", "contributor": "contributor", "user": "user",
}  # fmt: skip
_PEOPLE = frozenset({"author", "principalInvestigator", "contributor"})
_VERSIONS = ("version", "versionInfo")
_DATES = {"issued": "published", "created": "created", "modified": "modified"}
_SERVICES = frozenset({"API", "WMS", "WFS", "WCS", "WMTS", "ESRI REST", "OGC:WMS", "OGC:WFS", "WMS_SRVC", "WFS_SRVC"})


def resources_in(document: object) -> list[Json]:
    """Every dataset, series and service of a JSON document, each complete, with short names.

    An object without any type is read as the data set itself (DCAT-US 1.1).
    """
    nodes = list(nodes_of(document))
    dcat_nodes = [node for node in nodes if stated_vocabulary(node) != "schema.org"]
    resources = resources_among(dcat_nodes, DCAT_TYPES)
    if not resources and dcat_nodes == nodes and len(nodes) == 1 and "dataset" not in nodes[0]:
        resources = nodes
    all_nodes = nodes_by_id(nodes)
    return [plain_node(node, all_nodes) for node in resources]


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: neither JSON nor RDF, no data set, or several (``split`` separates them)."""
    resources = _resources(raw)
    if len(resources) != 1:
        raise RecordRefused(
            "it holds no data set of DCAT" if not resources else f"it holds {len(resources)} data sets: split them"
        )
    resource = resources[0]
    draft = RecordDraft(raw, source, "dcat")
    for kind in types_of(resource):
        draft.type = DCAT_TYPES.get(kind, draft.type)
    _add_citation(draft, resource)
    _add_keywords(draft, resource)
    _add_contacts(draft, resource)
    for place_value in [*as_list(resource.get("spatial")), *as_list(resource.get("spatialCoverage"))]:
        add_place(draft, place_value)
    for period in as_list(resource.get("temporal")):
        _add_period(draft, period)
    _add_terms(draft, resource)
    _add_links(draft, resource)
    _add_provenance(draft, resource)
    return draft.finish()


def _resources(raw: RawRecord) -> list[Json]:
    """Raises RecordRefused."""
    if looks_like_json(raw.content):
        return resources_in(json_of(raw))
    return [plain_node(node, {}) for node in parsed_content(raw, dcat_resources)]


def _add_citation(draft: RecordDraft, resource: JsonMapping) -> None:
    identifiers = [text for item in as_list(resource.get("identifier")) if (text := _identifier(item))]
    uri = text_in(resource.get("@id"))
    draft.identifier = next((text for text in identifiers if doi_in(text) is None), next(iter(identifiers), uri))
    other_identifiers = [*identifiers, uri, *(_identifier(item) for item in as_list(resource.get("otherIdentifier")))]
    other_identifiers += [
        *texts_in(resource.get("sameAs")),
        address(next(iter(as_list(resource.get("landingPage"))), "")),
    ]
    draft.doi = next((doi for text in other_identifiers if (doi := doi_in(text))), None)
    draft.names.add_possible_short_names(*(text for text in other_identifiers if text != draft.identifier))
    draft.edition = next((text for name in _VERSIONS if (text := text_in(resource.get(name)))), "")
    for code in [*texts_in(resource.get("language")), *texts_in(resource.get("inLanguage"))]:
        draft.add_language(code)
    language = draft.first_language
    titles = texts_by_language(resource.get("title"), language)
    draft.title = next(iter(titles), "")
    for title in [*titles[1:], *texts_in(resource.get("alternative"))]:
        draft.add_alternate_title(title)
    draft.abstract = next(iter(texts_by_language(resource.get("description"), language)), "")
    if draft.type == "dataset":
        for kind in as_list(resource.get("type")):
            draft.set_type(label(kind))
    series = [_identifier(item) for name in ("isPartOf", "inSeries", "parent") for item in as_list(resource.get(name))]
    draft.parent = next((text for text in series if text), None)
    metres = [number(text_in(item)) for item in as_list(resource.get("spatialResolutionInMeters"))]
    distances = [item for item in metres if math.isfinite(item) and item > 0]
    resolution = measured_resolution(resource)
    if resolution.metres is not None:
        distances.append(resolution.metres)
    step = step_in(text_in(resource.get("temporalResolution")))
    draft.resolution = Resolution(min(distances, default=None), resolution.scale_denominator, step)
    for name, kind in _DATES.items():
        for text in texts_in(resource.get(name)):
            if not text.upper().startswith("R/"):  # "R/P1W" means "changed every week": it is not a date
                draft.add_date(kind, text)


def _add_keywords(draft: RecordDraft, resource: JsonMapping) -> None:
    for item in as_list(resource.get("keyword")):
        draft.add_keyword(text_in(item))
    subjects = as_list(resource.get("subject"))
    for subject in subjects:
        if isinstance(subject, dict) and "@value" not in subject:
            scheme = label(next(iter(as_list(subject.get("inScheme"))), ""))
            draft.add_keyword(label(subject), scheme, text_in(subject.get("@id")))
        else:
            draft.add_keyword(label(subject))
    concepts = {address(subject) for subject in subjects if isinstance(subject, dict) and address(subject)}
    for theme in as_list(resource.get("theme")):
        if address(theme) not in concepts:  # a concept that is a keyword already
            draft.add_theme(label(theme))
    for name, scheme in HIGH_VALUE_VOCABULARIES.items():
        for item in as_list(resource.get(name)):
            code, _, act = label(item), *address(item).partition("/eli/")[1:]
            draft.add_keyword(act.removesuffix("/oj") or _CATEGORIES.get(code, code), scheme, address(item))
    for form in as_list(resource.get("format")):
        draft.add_format(label(form))
    for category in as_list(resource.get("topicCategory")):
        draft.add_theme(label(category))


_CATEGORIES = {
    "c_ac64a52d": "Geospatial", "c_dd313021": "Earth observation and environment", "c_164e0bf5": "Meteorological",
    "c_e1da4e07": "Statistics", "c_a9135398": "Companies and company ownership", "c_b79e35eb": "Mobility",
}  # fmt: skip
"""Of http://data.europa.eu/bna, by Implementing Regulation (EU) 2023/138."""


def _identifier(value: object) -> str:
    if isinstance(value, dict):
        names = (text_in(value.get(name)) for name in ("@value", "notation", "identifier", "@id", "title"))
        return next((text for text in names if text), "")
    return text_in(value)


def _add_contacts(draft: RecordDraft, resource: JsonMapping) -> None:
    for name, role in _AGENTS.items():
        for agent in as_list(resource.get(name)):
            _add_agent(draft, agent, role)
    for attribution in objects_in(resource.get("qualifiedAttribution")):
        role = label(next(iter(as_list(attribution.get("hadRole"))), "")) or "contributor"
        for agent in as_list(attribution.get("agent")):
            _add_agent(draft, agent, role)
    for contact in objects_in(resource.get("contactPoint")):
        person_name, add_place = text_in(contact.get("fn")), text_in(contact.get("organization-name"))
        is_organisation = not add_place and "Organization" in types_of(contact)
        draft.add_contact(
            "" if is_organisation else person_name,
            person_name if is_organisation else add_place,
            role="pointOfContact",
            email=text_in(contact.get("hasEmail")) or text_in(contact.get("email")),
        )


def _add_agent(draft: RecordDraft, agent: object, role: str) -> None:
    name = name_of_agent(agent)
    email = text_in(agent.get("mbox") or agent.get("hasEmail")) if isinstance(agent, dict) else ""
    kinds = types_of(agent)
    is_person = "Person" in kinds or (role in _PEOPLE and "Organization" not in kinds)
    add_place = text_in(agent.get("organization-name")) if isinstance(agent, dict) else ""
    draft.add_contact(*((name, add_place) if is_person else ("", name)), role=role, email=email)


def _add_period(draft: RecordDraft, period: object) -> None:
    if not isinstance(period, dict) or "@value" in period:
        add_period(draft, text_in(period))
        return
    ends = []
    for names in (("startDate", "hasBeginning"), ("endDate", "hasEnd")):
        edge = next((period[name] for name in names if period.get(name)), "")
        inner_object = first_object(edge)
        instant = next(
            (inner_object[name] for name in inner_object if name.startswith("inXSD") or name == "inDateTime"), ""
        )
        ends.append(text_in(instant) or text_in(edge))
    if any(ends):
        draft.add_span(*ends)
    elif owl_time(period) is not None:
        add_period_object(draft, period)
    elif text := label(period):
        add_period(draft, text)


def _add_terms(draft: RecordDraft, resource: JsonMapping) -> None:
    holders = [resource, *objects_in(resource.get("distribution"))]
    for holder in holders:
        for licence in as_list(holder.get("license")):
            draft.add_licence(text_in(licence), label(licence), address(licence))
            if isinstance(licence, dict) and not address(licence):  # a licence in words, without an address
                draft.add_constraint(label(licence))
    for holder in holders:
        for rights_text in [*as_list(holder.get("rights")), *as_list(holder.get("accessRights"))]:
            text = label(rights_text)
            if address(rights_text).lower().startswith("http") and " " not in text:
                draft.restrict_by_code(address(rights_text))
            elif text.lower() not in ("public", "true"):
                draft.add_constraint(text)
    draft.restrict_by_code(text_in(resource.get("accessLevel")))


def _add_links(draft: RecordDraft, resource: JsonMapping) -> None:
    for page in as_list(resource.get("landingPage")):
        draft.add_link(address(page), "about")
    for endpoint in as_list(resource.get("endpointURL")):
        draft.add_link(address(endpoint), "service")
    for href, title in _documents(resource):
        draft.add_link(href, "describedby", name=title)
    for dataset in as_list(resource.get("servesDataset")):
        if address(dataset).lower().startswith("http"):
            name = label(dataset) if isinstance(dataset, dict) else ""
            draft.add_link(address(dataset), "related", name=name, description=DATA_OF_SERVICE)
    for item in objects_in(resource.get("distribution")):
        _add_distribution(draft, item)
    for term, rel in (("references", "related"), ("relation", "related"), ("isReplacedBy", SUCCESSOR)):
        for item in as_list(resource.get(term)):
            if address(item).lower().startswith("http"):
                draft.add_link(address(item), rel, name=label(item) if isinstance(item, dict) else "")


def _documents(resource: JsonMapping) -> Iterator[tuple[str, str]]:
    """Address and title."""
    for name in ("describedBy", "endpointDescription", "page"):
        for item in as_list(resource.get(name)):
            if "://" in (href := address(item)):
                yield href, text_in(item.get("title")) if isinstance(item, dict) else ""


def _add_distribution(draft: RecordDraft, distribution: JsonMapping) -> None:
    form = label(next(iter(as_list(distribution.get("format"))), ""))
    media_type = media_type_in(next(iter(as_list(distribution.get("mediaType"))), ""))
    draft.add_format(form or media_type)
    for name, rel in (("downloadURL", "download"), ("accessURL", None)):
        for href in as_list(distribution.get(name)):
            link_rel = "service" if rel is None and form.upper() in _SERVICES else rel
            properties = {
                "media_type": media_type if "/" in media_type else None,
                "name": text_in(distribution.get("title")),
                "description": text_in(distribution.get("description")),
            }
            draft.add_link(address(href), link_rel, **properties)
    for service in objects_in(distribution.get("accessService")):
        for endpoint in as_list(service.get("endpointURL")):
            draft.add_link(address(endpoint), "service", name=text_in(service.get("title")))


def _add_provenance(draft: RecordDraft, resource: JsonMapping) -> None:
    for item in as_list(resource.get("provenance")):
        draft.lineage.append(label(item))
    for name in ("wasDerivedFrom", "source"):
        for item in as_list(resource.get(name)):
            draft.add_source(_identifier(item))
    for item in as_list(resource.get("wasGeneratedBy")):
        draft.add_activity(label(item))
        if isinstance(item, dict) and "Project" in types_of(item):
            draft.names.add_project(label(item))


_LABELS = ("prefLabel", "label", "title", "name", "value", "description", "comment", "notation")
SHAPES = ("bbox", "geometry", "centroid", "hasGeometry", "asWKT", "box", "polygon", "spatial")
_GEOJSON = frozenset(
    (
        "point", "multipoint", "linestring", "multilinestring", "polygon", "multipolygon", "geometrycollection",
        "envelope", "feature", "featurecollection",
    )
)  # fmt: skip
_LONGEST_NAME = 100
_UNIT = {"spatialResolutionAsDistance": "m", "spatialResolutionAsAngularDistance": "degree"}
_SCALE = "spatialResolutionAsScale"
_COARSEST_SCALE = 1e9  # the whole Earth on 4 cm of paper


def texts_by_language(value: object, preferred_language: str | None) -> list[str]:
    """The texts: the preferred language first, then English, then those without a language."""
    texts = [
        (str(item.get("@language", "")) if isinstance(item, dict) else "", text_in(item)) for item in as_list(value)
    ]
    order = {preferred_language or "": 0, "en": 1, "": 2}
    return [text for _, text in sorted(texts, key=lambda item: order.get(item[0].lower()[:2], 3)) if text]


def label(node: object) -> str:
    """The name of a node: its label, else the last part of its address. A text is its own label."""
    if not isinstance(node, dict):
        return _last_part(text_in(node))
    if "@value" in node:
        return text_in(node)
    label_text = next((text for name in _LABELS if (text := text_in(node.get(name)))), "")
    return label_text or _last_part(text_in(node.get("@id")))


def _last_part(text: str) -> str:
    """``ENVI`` of ``http://.../data-theme/ENVI``; text that is not an address is unchanged."""
    if not text.lower().startswith(("http://", "https://")):
        return text
    return text.rstrip("/").rpartition("/")[2].rpartition("#")[2] or text


def address(node: object) -> str:
    if isinstance(node, dict):
        return next((text for name in ("@id", "url", "@value") if (text := text_in(node.get(name)))), "")
    return text_in(node)


def media_type_in(node: object) -> str:
    """``text/csv``, from the text itself or from IANA's address for it."""
    text = address(node) or label(node)
    return "/".join(text.rstrip("/").split("/")[-2:]) if "media-types/" in text else "" if "://" in text else text


def name_of_agent(agent: object) -> str:
    if not isinstance(agent, dict):
        return _last_part(text_in(agent))
    agent_name = next(
        (text for name in ("name", "fn", "prefLabel", "title", "label") if (text := text_in(agent.get(name)))), ""
    )
    return agent_name or _last_part(text_in(agent.get("@id")))


def add_place(draft: RecordDraft, node: object) -> None:
    """Reads a shape in any form. If several say the same, the first is enough. Without a shape, reads a place name."""
    if not isinstance(node, dict) or "@value" in node:
        _add_name_or_shape(draft, text_in(node))
        return
    if _is_geojson(node):
        draft.places.add_geojson(node)
        return
    name = next(
        (text for key in ("prefLabel", "label", "title", "geographicName") if (text := text_in(node.get(key)))), ""
    )
    for text in (name, *texts_in(node.get("altLabel"))):
        draft.add_keyword(text, "location")
    if not any(_add_shape(draft, shape) for shape in _shapes_of(node)) and not name:
        draft.add_keyword(_last_part(text_in(node.get("@id"))), "location", text_in(node.get("@id")))


def _is_geojson(node: JsonMapping) -> bool:
    """By its type, in any case: ``Multipolygon`` is one too."""
    return str(node.get("type", "")).lower() in _GEOJSON


def _add_name_or_shape(draft: RecordDraft, text: str) -> None:
    if not draft.places.add_text(text) and len(text) <= _LONGEST_NAME:
        draft.add_keyword(_last_part(text), "location", text if text.startswith("http") else None)


def _shapes_of(node: JsonMapping) -> Iterator[object]:
    """Yields GeoJSON and WKT before GML."""
    shapes = [shape for name in SHAPES for shape in as_list(node.get(name))]
    return iter(sorted(shapes, key=lambda shape: text_in(shape).lstrip().startswith("<gml")))


def _add_shape(draft: RecordDraft, shape: object) -> bool:
    if isinstance(shape, dict) and _is_geojson(shape):
        return draft.places.add_geojson(shape)
    if isinstance(shape, dict) and "@value" not in shape:
        inner_texts = [*texts_in(shape.get("asWKT")), *texts_in(shape.get("asGeoJSON")), *texts_in(shape.get("asGML"))]
        return any(draft.places.add_text(text) for text in inner_texts) or any(
            _add_shape(draft, inner_shape) for inner_shape in objects_in(shape.get("geometry"))
        )
    return draft.places.add_text(text_in(shape))


def measured_resolution(resource: JsonMapping) -> Resolution:
    """The finest distance in metres and the largest scale of a data set with short names; None where none is given.

    A scale is written as a fraction (0.00002) or as its denominator (50000). Heights are not ground distances.
    """
    distances, scales = [], []
    for measurement in objects_in(resource.get("hasQualityMeasurement")):
        metric = without_prefix(address(measurement.get("isMeasurementOf")))
        value = number(text_in(measurement.get("value")))
        if not math.isfinite(value) or value <= 0:
            continue
        if metric in _UNIT:
            distances.append(metres(value, address(measurement.get("unitMeasure")) or _UNIT[metric]))
        elif metric == _SCALE:
            scales.append(1 / value if value < 1 else value)
    distances_known = [distance for distance in distances if distance is not None]
    denominators = [round(scale) for scale in scales if scale <= _COARSEST_SCALE]
    return Resolution(min(distances_known, default=None), min(denominators, default=None))


_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}RDF"


def _recognises(inspection: Inspection) -> bool:
    if inspection.is_turtle or inspection.tag == _RDF:
        return inspection.holds_dcat
    return inspection.vocabulary == "dcat"


FORMAT = Format(
    "dcat",
    7,
    read,
    _recognises,
    "Turtle, RDF/XML or JSON-LD with DCAT, and DCAT-US JSON: DCAT-AP, GeoDCAT-AP, DCAT-US 1.1 and 3.0",
    lambda raw: next(iter(_resources(raw)), None),
)
