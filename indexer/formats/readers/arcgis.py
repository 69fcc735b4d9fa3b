"""ArcGIS items (portals, Hub), and descriptions of services and layers (ArcGIS Server), to Record."""

from __future__ import annotations

from datetime import UTC, datetime

from core.json_types import Json, JsonMapping
from core.record import Record, Resolution
from core.reference_systems import read_reference_system
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection, json_of
from indexer.formats.json_documents.parsing import as_list, first_object, objects_in, text_in, texts_in
from indexer.formats.repair.boxes import number
from indexer.raw import RawRecord, RecordRefused

_EDGES = ("xmin", "ymin", "xmax", "ymax")
_TYPES = {"Map Service": "service", "WMS": "service", "WMTS": "service", "WFS": "service", "Web Map": "map"}
_LICENCES = {"none": "", "custom": ""}  # Hub's words for no known licence
_PORTAL_ITEM = frozenset({"owner", "typeKeywords", "title"})


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: neither an item nor a description of a service."""
    document = json_of(raw)
    draft = RecordDraft(raw, source, "arcgis")
    item = _item(document)
    if item is not None:
        _add_item(draft, item)
    elif isinstance(document, dict) and isinstance(document.get("arcgisServer"), dict):
        _add_service(draft, document, document["arcgisServer"])
    else:
        raise RecordRefused("it is JSON without an item or a service of ArcGIS")
    return draft.finish()


def _item(document: object) -> Json | None:
    """The item, also of a feature of Hub's search."""
    if not isinstance(document, dict):
        return None
    candidates = (document, first_object(document.get("properties")))
    return next((candidate for candidate in candidates if candidate.keys() >= _PORTAL_ITEM), None)


def _add_item(draft: RecordDraft, item: JsonMapping) -> None:
    type = text_in(item.get("type"))
    draft.identifier = text_in(item.get("id"))
    draft.title = text_in(item.get("title"))
    draft.add_alternate_title(text_in(item.get("name")))
    texts = [text_in(item.get(name)) for name in ("snippet", "description")]
    draft.abstract = "\n\n".join(text for text in dict.fromkeys(texts) if text)
    draft.type = _TYPES.get(type, draft.type)
    draft.add_format(type)
    draft.add_language(text_in(item.get("culture")))
    for name in ("tags", "categories"):
        for tag in texts_in(item.get(name)):
            draft.add_keyword(tag.rpartition("/")[2])
    draft.add_contact("", text_in(item.get("source")) or text_in(item.get("orgName")), role="publisher")
    draft.add_contact(text_in(item.get("accessInformation")), role="author")
    draft.add_contact(text_in(item.get("owner")), role="pointOfContact")
    _add_extent(draft, item.get("extent"), item.get("spatialReference"))
    for kind in ("created", "modified"):
        draft.add_date(kind, _moment(item.get(kind)))
    licence = text_in(item.get("license")).lower()
    draft.add_licence(_LICENCES.get(licence, licence))
    draft.add_constraint(text_in(item.get("licenseInfo")))
    if text_in(item.get("access")) in ("private", "org", "shared"):
        draft.access = "restricted"
    _add_address(draft, text_in(item.get("url")), type)
    if draft.raw.origin.startswith("http"):
        draft.add_link(draft.raw.origin, "about")


def _add_service(draft: RecordDraft, service: JsonMapping, place: JsonMapping) -> None:
    document_info = first_object(service.get("documentInfo"))
    name = text_in(place.get("name"))
    draft.identifier = draft.raw.native_id
    titles = (document_info.get("Title"), service.get("name"), service.get("mapName"))
    stated_title = next((text for title in titles if (text := text_in(title)) and text != "Layers"), "")
    draft.title = stated_title or name.rpartition("/")[2].replace("_", " ")
    draft.add_alternate_title(name.rpartition("/")[2].replace("_", " "))
    descriptions = (service.get("serviceDescription"), service.get("description"), document_info.get("Comments"))
    layers = [text_in(layer.get("name")) for layer in objects_in(service.get("layers"))]
    texts = [text for description in descriptions if (text := text_in(description))]
    draft.abstract = "\n\n".join(dict.fromkeys([*texts, *([f"Layers: {', '.join(layers)}."] if any(layers) else [])]))
    draft.parent = text_in(place.get("parent")) or None
    for text in text_in(document_info.get("Keywords")).split(","):
        draft.add_keyword(text)
    draft.add_contact(text_in(document_info.get("Author")), role="author")
    draft.add_contact("", text_in(service.get("copyrightText")), role="owner")
    for extent in (service.get("fullExtent"), service.get("extent"), service.get("initialExtent")):
        if isinstance(extent, dict) and not draft.places.boxes:
            _add_extent(draft, extent, extent.get("spatialReference") or service.get("spatialReference"))
    edges = first_object(service.get("timeInfo")).get("timeExtent")
    if isinstance(edges, list) and len(edges) == 2:
        draft.add_span(_moment(edges[0]), _moment(edges[1]))
    pixel_m = number(text_in(service.get("pixelSizeX")))
    if pixel_m == pixel_m and text_in(service.get("units")) in ("esriMeters", ""):
        draft.resolution = Resolution(metres=pixel_m)
    for address in texts_in(place.get("services")):
        _add_address(draft, address, address.rpartition("/")[2])


def _add_address(draft: RecordDraft, address: str, type: str) -> None:
    draft.add_link(address, "service" if "/rest/services/" in address else None, protocol=type or None)


def _add_extent(draft: RecordDraft, extent: object, reference_system: object) -> None:
    """Corners in degrees, or edges in a reference system; Hub writes either, also inside ``coordinates``."""
    corners = extent.get("coordinates") if isinstance(extent, dict) and "coordinates" in extent else extent
    if isinstance(corners, dict):
        edges = [number(text_in(corners.get(name))) for name in _EDGES]
        reference_system = corners.get("spatialReference") or reference_system
    else:
        edges = [number(text_in(value)) for corner in as_list(corners) for value in as_list(corner)]
        reference_system = None  # portals write corners in degrees, whatever the data are in
    if len(edges) != 4 or any(edge != edge for edge in edges):
        return
    try:
        draft.places.add_box(*read_reference_system(_name_of(reference_system)).box(*edges))
    except ValueError as error:
        draft.warnings.append(f"extent: left out: {error}")


def _name_of(reference_system: object) -> str:
    """``EPSG:3857`` of a ``spatialReference`` or its number; of none that of degrees, longitude first."""
    system = reference_system if isinstance(reference_system, dict) else {"wkid": reference_system}
    code = text_in(system.get("latestWkid")) or text_in(system.get("wkid"))
    return f"EPSG:{code}" if code.isdigit() and code != "4326" else "OGC:CRS84"


def _moment(value: object) -> str:
    """Of milliseconds since 1970; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    try:
        return datetime.fromtimestamp(value / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def _recognises(inspection: Inspection) -> bool:
    return _item(inspection.members) is not None or isinstance(inspection.members.get("arcgisServer"), dict)


FORMAT = Format(
    "arcgis",
    1,
    read,
    _recognises,
    "JSON with `owner`, `typeKeywords` and `title`, also inside `properties`; `arcgisServer`",
    lambda raw: _item(json_of(raw)) or json_of(raw),
)
