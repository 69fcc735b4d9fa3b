"""THREDDS catalogues (InvCatalog 1.0) of one data set to Record."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urljoin

from core.record import Record, Resolution
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.resolution import step_in
from indexer.formats.xml_documents import Element, find, find_all, text_at, texts_at, xml_root
from indexer.raw import RawRecord, RecordRefused

NAMESPACE = "http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0"
_HREF = "{http://www.w3.org/1999/xlink}href"
_RELS = {"HTTPSERVER": "download", "HTTP": "download", "FTP": "download"}
_NO_DATA = frozenset({"ISO", "NCML", "UDDC", "CATALOG", "RESOLVER", "COMPOUND"})  # descriptions of the data
_DATES = {"created": "created", "modified": "modified", "issued": "published", "available": "published"}
_ABSTRACTS = ("summary", "abstract")
_LINEAGE = ("history", "processing_level", "Processing_level")


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: no catalogue, or one of several data sets."""
    root = xml_root(raw)
    dataset = _dataset(root)
    draft = RecordDraft(raw, source, "thredds")
    _add_citation(draft, dataset)
    _add_contacts(draft, dataset)
    for coverage in _described(dataset, "geospatialCoverage")[:1]:
        _add_place(draft, coverage)
    for coverage in _described(dataset, "timeCoverage")[:1]:
        _add_time(draft, coverage)
    _add_documentation(draft, dataset)
    _add_terms(draft, dataset)
    _add_access(draft, root, dataset)
    return draft.finish()


def _dataset(root: Element) -> Element:
    datasets = [dataset for dataset in root.iter("{*}dataset") if _is_record(dataset)]
    if len(datasets) != 1:
        raise RecordRefused(f"it is a catalogue of {len(datasets)} data sets: add its address as a source")
    return datasets[0]


def _is_record(dataset: Element) -> bool:
    """Whether it has data, or is the only one of its catalogue: a folder that became one record."""
    if dataset.get("urlPath") is not None or find(dataset, "access") is not None:
        return True
    return find(dataset, "dataset") is None


def _described(dataset: Element, name: str) -> list[Element]:
    """The elements in the data set itself, then those that it inherits, the nearest first."""
    return [*find_all(dataset, name), *find_all(dataset, f"metadata/{name}")]


def _texts(dataset: Element, path: str) -> list[str]:
    return texts_at(dataset, path, f"metadata/{path}")


def _property(dataset: Element, name: str) -> str:
    return next((p.get("value", "") for p in _described(dataset, "property") if p.get("name") == name), "")


def _add_citation(draft: RecordDraft, dataset: Element) -> None:
    name, path = dataset.get("name", "").strip(), _property(dataset, "path")
    draft.identifier = dataset.get("urlPath") or dataset.get("ID") or ""
    folder = path.rpartition(" > ")[2]
    draft.title = name if " " in name or not folder else f"{folder}: {name}"  # a file's name alone says little
    for text in (path, *_texts(dataset, "project")):
        draft.add_keyword(text, "project" if text != path else None)
    for date in _described(dataset, "date"):
        kind = date.get("type", "")
        draft.add_date("metadata" if kind.startswith("metadata") else _DATES.get(kind, "published"), text_at(date, "."))


def _add_contacts(draft: RecordDraft, dataset: Element) -> None:
    for path, role in (("creator", "author"), ("publisher", "publisher")):
        for party in _described(dataset, path):
            contact = find(party, "contact")
            email = "" if contact is None else contact.get("email", "")
            draft.add_contact(text_at(party, "name"), role=role, email=email)
    for contributor in _described(dataset, "contributor"):
        draft.add_contact(text_at(contributor, "."), role=contributor.get("role") or "contributor")


def _range(coverage: Element, name: str) -> tuple[float, float]:
    """The ends of ``start`` and ``size``; NaN for those that are missing."""
    start, size = number(text_at(coverage, f"{name}/start")), number(text_at(coverage, f"{name}/size"))
    ends = sorted((start, start + size))
    return (start, start) if size != size else (ends[0], ends[1])


def _add_place(draft: RecordDraft, coverage: Element) -> None:
    south, north = _range(coverage, "northsouth")
    west, east = _range(coverage, "eastwest")
    if south == south and west == west:
        draft.places.add_box(west, south, east, north)
    heights = _range(coverage, "updown")
    sign = -1.0 if coverage.get("zpositive") == "down" else 1.0
    draft.add_vertical(sign * heights[0], sign * heights[1], text_at(coverage, "updown/units") or "m")
    for place in texts_at(coverage, "name"):
        draft.add_keyword(place, "location")


def _add_time(draft: RecordDraft, coverage: Element) -> None:
    start, end, duration = (text_at(coverage, name) for name in ("start", "end", "duration"))
    if start or end:
        draft.add_span(start, end, duration="" if start and end else duration)
    step = step_in(text_at(coverage, "resolution"))
    if step is not None:
        draft.resolution = Resolution(time_step=step)


def _add_documentation(draft: RecordDraft, dataset: Element) -> None:
    by_kind: dict[str, list[str]] = {}
    for documentation in _described(dataset, "documentation"):
        href, kind = documentation.get(_HREF, ""), documentation.get("type", "")
        text = text_at(documentation, ".")
        if href:
            draft.doi = draft.doi or doi_in(href)
            draft.add_link(href, "describedby", name=documentation.get("{http://www.w3.org/1999/xlink}title"))
        elif text:
            by_kind.setdefault(kind, []).append(text)
    abstracts = [text for kind in _ABSTRACTS for text in by_kind.pop(kind, [])]
    for text in by_kind.pop("rights", []):
        draft.add_constraint(text)
        draft.add_licence(text)
    draft.lineage += [text for kind in _LINEAGE for text in by_kind.pop(kind, [])]
    abstracts = abstracts or [text for texts in by_kind.values() for text in texts]
    files = _property(dataset, "files")
    draft.abstract = "\n\n".join([*abstracts, *([f"A folder of {files} files."] if files else [])])


def _add_terms(draft: RecordDraft, dataset: Element) -> None:
    for keyword in _described(dataset, "keyword"):
        draft.add_keyword(text_at(keyword, "."), keyword.get("vocabulary"))
    for variables in _described(dataset, "variables"):
        for variable in find_all(variables, "variable"):
            standard = variable.get("vocabulary_name", "")
            draft.names.add_variable(variable.get("name", ""), standard, variable.get("units", ""))
    for text in [dataset.get("dataFormat", ""), *_texts(dataset, "dataFormat")]:
        draft.add_format(text)


def _add_access(draft: RecordDraft, root: Element, dataset: Element) -> None:
    if draft.raw.origin.startswith("http"):
        draft.add_link(draft.raw.origin.replace("catalog.xml?", "catalog.html?"), "about")
    if dataset.get("restrictAccess"):
        draft.access = "restricted"
    path = dataset.get("urlPath")
    for service in services_of(root, dataset) if path else ():
        _add_service(draft, service, path or "")
    for access in find_all(dataset, "access"):
        for service in services_of(root, access):
            _add_service(draft, service, access.get("urlPath", ""))
            draft.add_format(access.get("dataFormat", ""))


def _add_service(draft: RecordDraft, service: Element, path: str) -> None:
    kind = service.get("serviceType", "")
    if kind.upper() in _NO_DATA:
        return
    base = urljoin(draft.raw.origin, service.get("base", ""))
    address = f"{base}{quote(path, safe='/:?=&')}{service.get('suffix', '')}"
    draft.add_link(address, _RELS.get(kind.upper(), "service"), protocol=kind)


def services_of(root: Element, dataset: Element, inherited: tuple[Element, ...] = ()) -> list[Element]:
    """The services that give access to a data set, nearest statement first; of a compound service its parts."""
    statements = [dataset.get("serviceName", ""), text_at(dataset, "serviceName", "metadata/serviceName")]
    statements += [text_at(metadata, "serviceName") for metadata in reversed(inherited)]
    name = next((statement for statement in statements if statement), "")
    by_name: Mapping[str, Element] = {service.get("name", ""): service for service in root.iter("{*}service")}
    service = by_name.get(name)
    if service is None:
        return []
    return [part for part in service.iter("{*}service") if part.get("serviceType", "").lower() != "compound"]


def _recognises(inspection: Inspection) -> bool:
    return inspection.tag == f"{{{NAMESPACE}}}catalog"


FORMAT = Format("thredds", 2, read, _recognises, "root `catalog` of THREDDS with one data set", xml_root)
