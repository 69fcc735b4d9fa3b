"""schema.org Dataset as JSON-LD, alone or in an HTML page, to Record."""

from __future__ import annotations

import math

from core.geo import normalise_longitude
from core.json_types import Json, JsonMapping
from core.record import Record, Resolution
from indexer.formats.draft import RecordDraft, add_period_value
from indexer.formats.format import Format, json_of, parsed_content
from indexer.formats.json_documents.linked_data import (
    SCHEMA_ORG_TYPES,
    nodes_by_id,
    nodes_of,
    plain_node,
    resources_among,
    types_of,
)
from indexer.formats.json_documents.parsing import as_list, looks_like_json, objects_in, text_in, texts_in
from indexer.formats.json_documents.web_pages import page_scripts
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.names import is_standard_name
from indexer.formats.repair.resolution import METRES_PER_DEGREE, metres, step_in
from indexer.formats.repair.text import line
from indexer.raw import RawRecord, RecordRefused

_PEOPLE = {
    "creator": "author", "author": "author", "publisher": "publisher", "contributor": "contributor",
    "provider": "distributor", "maintainer": "custodian", "funder": "funder", "copyrightHolder": "rightsHolder",
    "editor": "editor", "contactPoint": "pointOfContact", "sponsor": "sponsor",
}  # fmt: skip
_DATES = {
    "datePublished": "published", "dateCreated": "created", "dateModified": "modified", "dateIssued": "published",
    "sdDatePublished": "metadata",
}  # fmt: skip
_RESOLVERS = ("doi", "identifiers.org/doi")


def datasets_in(documents: list[object]) -> list[Json]:
    """The data sets of a JSON-LD document or of those of an HTML page, each complete and with short names."""
    nodes = [node for document in documents for node in nodes_of(document)]
    nodes += [inner_node for node in nodes for inner_node in objects_in(node.get("mainEntity"))]
    catalogues = [node for node in nodes if "DataCatalog" in types_of(node)]
    nodes += [
        inner_node for node in catalogues for inner_node in objects_in(node.get("dataset")) if len(inner_node) > 2
    ]
    all_nodes = nodes_by_id(nodes)
    datasets = resources_among(nodes, ("Dataset",)) or resources_among(nodes, SCHEMA_ORG_TYPES)
    return [plain_node(node, all_nodes) for node in datasets]


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: no data set, or several (``split`` separates them)."""
    datasets = _datasets(raw)
    if len(datasets) != 1:
        raise RecordRefused(
            "it holds no schema.org Dataset" if not datasets else f"it holds {len(datasets)} data sets: split them"
        )
    dataset = datasets[0]
    draft = RecordDraft(raw, source, "schema.org")
    _add_citation(draft, dataset)
    _add_variables(draft, dataset)
    for name, role in _PEOPLE.items():
        for party in as_list(dataset.get(name)):
            _add_party(draft, party, role)
    for place in [*as_list(dataset.get("spatialCoverage")), *as_list(dataset.get("spatial"))]:
        _add_place(draft, place)
    for period in [*as_list(dataset.get("temporalCoverage")), *as_list(dataset.get("temporal"))]:
        add_period_value(draft, period)
    _add_terms(draft, dataset)
    _add_links(draft, dataset)
    _add_provenance(draft, dataset)
    return draft.finish()


def _datasets(raw: RawRecord) -> list[Json]:
    return datasets_in([json_of(raw)] if looks_like_json(raw.content) else parsed_content(raw, _script_documents))


def _script_documents(page: bytes) -> list[object]:
    return [script.document for script in page_scripts(page) if not script.reason]


def _add_citation(draft: RecordDraft, dataset: JsonMapping) -> None:
    identifiers = [text for item in as_list(dataset.get("identifier")) if (text := _identifier(item))]
    address = text_in(dataset.get("@id")) or text_in(dataset.get("url"))
    draft.doi = next(
        (doi for text in [*identifiers, address, *texts_in(dataset.get("sameAs"))] if (doi := doi_in(text))), None
    )
    draft.identifier = draft.doi or next(iter(identifiers), "") or address
    draft.edition = text_in(dataset.get("version"))
    draft.title = text_in(dataset.get("name")) or text_in(dataset.get("headline"))
    for other_title in texts_in(dataset.get("alternateName")):
        draft.add_alternate_title(other_title)
    draft.abstract = text_in(dataset.get("description")) or text_in(dataset.get("abstract"))
    for kind in types_of(dataset):
        draft.type = SCHEMA_ORG_TYPES.get(kind, draft.type)
    for code in as_list(dataset.get("inLanguage")):
        draft.add_language(text_in(code.get("alternateName") or code.get("name") if isinstance(code, dict) else code))
    for term in as_list(dataset.get("keywords")):
        _add_keyword(draft, term)
    for name, vocabulary in (("variableMeasured", "variable"), ("measurementTechnique", "measurement technique")):
        for variable in as_list(dataset.get(name)):
            term = text_in(variable.get("name") if isinstance(variable, dict) else variable)
            draft.add_keyword(
                term, vocabulary, text_in(variable.get("propertyID")) if isinstance(variable, dict) else ""
            )
    draft.names.add_possible_short_names(*identifiers)
    for name, kind in _DATES.items():
        draft.add_date(kind, text_in(dataset.get(name)))
    draft.parent = next((text for item in as_list(dataset.get("isPartOf")) if (text := _reference(item))), None)
    for theme in texts_in(dataset.get("theme")):
        draft.add_theme(theme)
    resolution = next(objects_in(dataset.get("spatialResolution")), None)
    stated = number(text_in(dataset.get("spatialResolutionInMeters")))
    distance = stated if stated > 0 else None
    if resolution is not None:
        distance = metres(number(text_in(resolution.get("value"))), text_in(resolution.get("unitText")) or "m")
    draft.resolution = Resolution(distance, None, step_in(text_in(dataset.get("temporalResolution"))))


def _add_variables(draft: RecordDraft, dataset: JsonMapping) -> None:
    for variable in objects_in(dataset.get("variableMeasured")):
        unit = text_in(variable.get("unitText")) or text_in(variable.get("unitCode"))
        standard = next(filter(is_standard_name, texts_in(variable.get("alternateName"))), "")
        draft.names.add_variable(text_in(variable.get("name")), standard, unit)
    for technique in texts_in(dataset.get("measurementTechnique")):
        draft.names.add_instrument(technique)


def _identifier(node: object) -> str:
    """A text, or a PropertyValue; its property can say that it is a DOI."""
    if not isinstance(node, dict):
        return text_in(node)
    value = text_in(node.get("value")) or text_in(node.get("url")) or text_in(node.get("@id"))
    kind = text_in(node.get("propertyID")).lower()
    return f"doi:{value}" if any(kind.endswith(name) for name in _RESOLVERS) and value.startswith("10.") else value


def _add_keyword(draft: RecordDraft, term: object) -> None:
    if isinstance(term, dict):
        vocabulary = term.get("inDefinedTermSet")
        label = text_in(vocabulary)
        draft.add_keyword(
            text_in(term.get("name")) or text_in(term.get("termCode")),
            label,
            text_in(term.get("url") or term.get("@id")),
        )
        return
    text = text_in(term)
    for part in text.split(",") if "," in text and ">" not in text else [text]:
        draft.add_keyword(part)


def _add_party(draft: RecordDraft, party: object, role: str) -> None:
    if not isinstance(party, dict):
        draft.add_contact(text_in(party), role=role)
        return
    if "Role" in types_of(party):  # schema.org's form for properties it lacks
        for member in [inner_party for name in _PEOPLE for inner_party in objects_in(party.get(name))]:
            _add_party(draft, member, text_in(party.get("roleName")) or role)
        return
    name = text_in(party.get("name")) or " ".join(
        text for part in ("givenName", "familyName") if (text := text_in(party.get(part)))
    )
    email = text_in(party.get("email"))
    if types_of(party) & {"Person"}:
        affiliation = next(iter(texts_in(party.get("affiliation"))), "")
        draft.add_contact(name, affiliation, role=role, email=email)
    elif role in ("author", "contributor") and not types_of(party):
        draft.add_contact(name, role=role, email=email)
    else:
        draft.add_contact("", name, role=role, email=email)
        for point in objects_in(party.get("contactPoint")):
            draft.add_contact(
                text_in(point.get("name")), name, role="pointOfContact", email=text_in(point.get("email"))
            )


def _add_place(draft: RecordDraft, place: object) -> None:
    if not isinstance(place, dict):
        text = text_in(place)
        if not draft.places.add_text(text):
            draft.add_keyword(text if len(text) <= 100 else "", "location")
        return
    draft.add_keyword(text_in(place.get("name")), "location")
    itself = [place] if types_of(place) & {"GeoShape", "GeoCoordinates"} else []
    for geo in [*as_list(place.get("geo")), *itself]:
        if isinstance(geo, dict):
            _add_shape(draft, geo)
        else:
            draft.places.add_coordinates(text_in(geo))
    for point in texts_in(place.get("latitude")):
        draft.places.add_point(text_in(place.get("longitude")), point)


def _add_shape(draft: RecordDraft, geo: JsonMapping) -> None:
    if "latitude" in geo:
        draft.places.add_point(text_in(geo.get("longitude")), text_in(geo.get("latitude")))
    for name in ("box", "polygon", "line"):
        for text in texts_in(geo.get(name)):
            if not draft.places.add_text(text if text.lstrip()[:1].isalpha() else ""):  # WKT; otherwise latitude first
                draft.places.add_geo_rss(text)
    for text in texts_in(geo.get("circle")):
        _add_circle(draft, text)
    if "geometry" in geo:
        draft.places.add_geojson(geo["geometry"])


def _add_circle(draft: RecordDraft, text: str) -> None:
    """Adds the box around a circle: latitude, longitude and radius in metres."""
    numbers = [number(part) for part in text.replace(",", " ").split()]
    latitude, longitude, radius_m = numbers if len(numbers) == 3 else (math.nan, math.nan, math.nan)
    up = radius_m / METRES_PER_DEGREE
    south, north = latitude - up, latitude + up
    if -90.0 < south <= north < 90.0:
        aside = up / math.cos(math.radians(max(-south, north)))  # the parallel nearest to a pole is the shortest
        west, east = (normalise_longitude(longitude + side) for side in (-aside, aside))
        draft.places.add_box(*((west, south, east, north) if aside < 180.0 else (-180.0, south, 180.0, north)))
    else:
        draft.warnings.append(f"extent left out: {line(text)[:60]!r} is no circle of latitude, longitude and metres")


def _add_terms(draft: RecordDraft, dataset: JsonMapping) -> None:
    if any(str(said).rpartition("/")[2].lower() == "false" for said in as_list(dataset.get("isAccessibleForFree"))):
        draft.access = "restricted"
    for licence in as_list(dataset.get("license")):
        if isinstance(licence, dict):
            draft.add_licence(*(text_in(licence.get(name)) for name in ("url", "@id", "identifier", "name")))
            draft.add_constraint(text_in(licence.get("name")))
        else:
            draft.add_licence(text_in(licence))
            draft.add_constraint(text_in(licence))
    for text in texts_in(dataset.get("conditionsOfAccess")):
        draft.restrict_by_code(text)
        if text.lower() != "restricted":
            draft.add_constraint(text)
    for text in texts_in(dataset.get("encodingFormat")):
        draft.add_format(text)


def _add_links(draft: RecordDraft, dataset: JsonMapping) -> None:
    for href in [*texts_in(dataset.get("url")), *texts_in(dataset.get("sameAs"))]:
        if href.lower().startswith("http"):
            draft.add_link(href, "about")
    for item in objects_in(dataset.get("distribution")):
        form = text_in(item.get("encodingFormat")) or text_in(item.get("fileFormat"))
        draft.add_format(form)
        media_type = form if "/" in form and not form.startswith("http") else None
        for href in texts_in(item.get("contentUrl")) or texts_in(item.get("url")):
            if href.lower().startswith(("http", "ftp", "s3:", "gs:")):
                draft.add_link(href, "download", media_type=media_type, **_name_and_description(item))
    for name, rel in (("thumbnailUrl", "preview"), ("image", "preview"), ("subjectOf", "describedby")):
        for item in as_list(dataset.get(name)):
            href = text_in(item.get("url") or item.get("contentUrl") if isinstance(item, dict) else item)
            if "://" in href:
                draft.add_link(href, rel, **(_name_and_description(item) if isinstance(item, dict) else {}))


def _name_and_description(node: JsonMapping) -> dict[str, str | None]:
    return {name: text_in(node.get(name)) or None for name in ("name", "description")}


def _add_provenance(draft: RecordDraft, dataset: JsonMapping) -> None:
    draft.lineage += texts_in(dataset.get("provenance"))
    for name in ("isBasedOn", "isBasedOnUrl", "wasDerivedFrom"):
        for item in as_list(dataset.get(name)):
            draft.add_source(_reference(item))
    for item in as_list(dataset.get("wasGeneratedBy")):
        draft.add_activity(text_in(item.get("description") or item.get("name") if isinstance(item, dict) else item))
    for vertical in objects_in(dataset.get("verticalCoverage")):
        low, high = (number(text_in(vertical.get(f"{end}Value"))) for end in ("min", "max"))
        draft.add_vertical(low, high)


def _reference(node: object) -> str:
    if not isinstance(node, dict):
        return text_in(node)
    names = [text_in(node.get(name)) for name in ("@id", "url", "identifier", "name")]
    doi = next((doi for text in names if (doi := doi_in(text))), None)
    return f"https://doi.org/{doi}" if doi else next((text for text in names if text), "")


FORMAT = Format(
    "schema.org",
    5,
    read,
    lambda inspection: inspection.is_page_with_scripts or inspection.vocabulary == "schema.org",
    "JSON-LD `Dataset` with a `name` or of schema.org's own vocabulary, alone or in an HTML page",
    lambda raw: next(iter(_datasets(raw)), None),
)
