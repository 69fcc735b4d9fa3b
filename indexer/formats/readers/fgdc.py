"""FGDC CSDGM (metadata/idinfo), with its biological and remote sensing extensions, to Record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from core.record import Record, Resolution
from indexer.formats.draft import RecordDraft
from indexer.formats.format import Format, Inspection
from indexer.formats.repair.boxes import number
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.resolution import metres
from indexer.formats.xml_documents import Element, find, find_all, parse, text_at, texts_at, xml_root
from indexer.raw import RawRecord, RecordRefused

_KEYWORD_GROUPS = {
    "theme": ("themekt", "themekey"), "place": ("placekt", "placekey"), "stratum": ("stratkt", "stratkey"),
    "temporal": ("tempkt", "tempkey"),
}  # fmt: skip
_ISO_THEMES = "iso 19115 topic categor"
_FINEST_GRID_M = 0.01
_DAY = re.compile(r"^(\d{4})(\d{2})?(\d{2})?$")
_GIS_COLUMNS = ("fid", "objectid", "shape")
_NO_VOCABULARY = frozenset({"none", "none.", "n/a", "user defined"})


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused: not XML, or no ``idinfo``."""
    xml = parse(raw.content)
    root = xml.root
    idinfo = find(root, "idinfo")
    if idinfo is None:
        raise RecordRefused("it has no idinfo: it describes no data set")
    draft = RecordDraft(raw, source, "fgdc", list(xml.warnings))
    citation = find(idinfo, "citation/citeinfo")
    _add_citation(draft, root, idinfo, citation)
    _add_keywords(draft, idinfo)
    _add_variables(draft, root)
    _add_contacts(draft, root, idinfo, citation)
    _add_extents(draft, idinfo)
    _add_times(draft, idinfo)
    _add_terms(draft, root, idinfo)
    _add_links(draft, root, idinfo, citation)
    _add_lineage(draft, root)
    draft.resolution = _resolution(root)
    return draft.finish()


def _add_citation(draft: RecordDraft, root: Element, idinfo: Element, citation: Element | None) -> None:
    links = texts_at(citation, "onlink")
    draft.identifier = text_at(idinfo, "datsetid") or text_at(root, "metainfo/metuid", "Esri/PublishedDocID")
    draft.doi = next(
        (doi for text in [*texts_at(citation, "othercit"), *links] if (doi := doi_in(text))), doi_in(draft.identifier)
    )
    draft.title = text_at(citation, "title")
    abstract, purpose = text_at(idinfo, "descript/abstract"), text_at(idinfo, "descript/purpose")
    draft.abstract = abstract or purpose
    if purpose and not abstract:
        draft.warnings.append("abstract: none given, the purpose is used")
    if edition := text_at(citation, "edition"):
        draft.edition = edition
        draft.add_alternate_title(f"{draft.title}, edition {edition}")
    draft.add_language(text_at(idinfo, "descript/langdata") or text_at(root, "metainfo/langmeta") or "en")
    if text_at(citation, "geoform").lower() == "map":
        draft.type = "map"
    draft.add_date("published", _day(text_at(citation, "pubdate")))
    draft.add_date("metadata", _day(text_at(root, "metainfo/metd")))
    draft.parent = text_at(citation, "lworkcit/citeinfo/title") or None


def _add_keywords(draft: RecordDraft, idinfo: Element) -> None:
    for group, (thesaurus, key) in _KEYWORD_GROUPS.items():
        for element in find_all(idinfo, f"keywords/{group}"):
            vocabulary = text_at(element, thesaurus)
            for term in texts_at(element, key):
                if _ISO_THEMES in vocabulary.lower():
                    draft.add_theme(term)
                else:
                    draft.add_keyword(term, None if vocabulary.lower() in _NO_VOCABULARY else vocabulary)
    for platform in texts_at(idinfo, "plainsid/platflnm"):
        draft.add_keyword(platform, "platform")
    for instrument in texts_at(idinfo, "plainsid/instflnm"):
        draft.add_keyword(instrument, "instrument")


def _add_variables(draft: RecordDraft, root: Element) -> None:
    """Columns of the data, without those that a GIS adds to every table."""
    for attribute in find_all(root, "eainfo/detailed/attr"):
        label = text_at(attribute, "attrlabl")
        if not label.lower().startswith(_GIS_COLUMNS):
            draft.names.add_variable(label, unit=text_at(attribute, "attrdomv/rdom/attrunit"))


def _add_contacts(draft: RecordDraft, root: Element, idinfo: Element, citation: Element | None) -> None:
    for origin in texts_at(citation, "origin"):
        draft.add_contact(origin, role="originator")
    draft.add_contact("", text_at(citation, "pubinfo/publish"), role="publisher")
    holders = [
        (idinfo, "ptcontac/cntinfo", "pointOfContact"),
        (root, "distinfo/distrib/cntinfo", "distributor"),
        (root, "dataqual/lineage/procstep/proccont/cntinfo", "processor"),
        (root, "metainfo/metc/cntinfo", "pointOfContact"),
    ]
    for element, path, role in holders:
        for info in find_all(element, path):
            name = text_at(info, "cntperp/cntper", "cntorgp/cntper")
            organisation = text_at(info, "cntorgp/cntorg", "cntperp/cntorg")
            draft.add_contact(name, organisation, role=role, email=text_at(info, "cntemail"))


def _add_extents(draft: RecordDraft, idinfo: Element) -> None:
    for bounding_box in find_all(idinfo, "spdom/bounding"):
        edges = [text_at(bounding_box, name) for name in ("westbc", "southbc", "eastbc", "northbc")]
        if any(edges):
            draft.places.add_box(*edges)
    for polygon in find_all(idinfo, "spdom/dsgpoly"):
        points = find_all(polygon, "dsgpolyo/grngpoin")
        ring = [(text_at(point, "gringlon"), text_at(point, "gringlat")) for point in points]
        if not ring:
            numbers = text_at(polygon, "dsgpolyo/gring").replace(",", " ").split()
            ring = list(zip(numbers[::2], numbers[1::2], strict=False))
        if ring:
            draft.places.add_ring(ring)
    altitudes = find(idinfo, "spdom/vertdom")  # in the biological profile
    if altitudes is None:
        altitudes = find(idinfo, "spdom/bounding/boundalt")
    unit = text_at(altitudes, "altunits") or "m"
    low, high = (number(text_at(altitudes, name)) for name in ("altmin", "altmax"))
    draft.add_vertical(low, high, "m" if unit.lower().startswith("met") else unit)


def _add_times(draft: RecordDraft, idinfo: Element) -> None:
    for info in find_all(idinfo, "timeperd/timeinfo"):
        for span in find_all(info, "rngdates"):
            draft.add_span(*(_moment(span, f"{end}date", f"{end}time") for end in ("beg", "end")))
        for date in [*find_all(info, "sngdate"), *find_all(info, "mdattim/sngdate")]:
            moment = _moment(date, "caldate", "time")
            draft.add_span(moment, moment)


def _moment(element: Element, date: str, time: str) -> str:
    """Date and time of day; a time in an unknown form is left out."""
    day, clock = _day(text_at(element, date)), text_at(element, time)
    return f"{day}T{clock}" if len(day) == len("2000-01-01") and clock[:4].isdigit() and len(clock) >= 4 else day


def _day(date_text: str) -> str:
    """A date of the form ``20180713``, which the standard prescribes and which needs no warning."""
    match = _DAY.match(date_text)
    return date_text if match is None else "-".join(part for part in match.groups() if part)


def _add_terms(draft: RecordDraft, root: Element, idinfo: Element) -> None:
    for name in ("accconst", "useconst", "othconst"):
        for text in texts_at(idinfo, name):
            draft.add_constraint(text)
    draft.restrict_by_code(text_at(idinfo, "secinfo/secclass"))
    for text in texts_at(root, "distinfo/distliab"):
        draft.add_constraint(text)


def _add_links(draft: RecordDraft, root: Element, idinfo: Element, citation: Element | None) -> None:
    for href in texts_at(citation, "onlink"):
        draft.add_link(href)
    for order in find_all(root, "distinfo/stdorder/digform"):
        draft.add_format(text_at(order, "digtinfo/formname"))
        for href in texts_at(order, "digtopt/onlinopt/computer/networka/networkr"):
            draft.add_link(href, "download", name=text_at(order, "digtinfo/formname"))
    draft.add_format(text_at(citation, "geoform"))
    for browse in find_all(idinfo, "browse"):
        href = text_at(browse, "browsen")
        if href.lower().startswith(("http", "ftp")):
            draft.add_link(href, "preview", name=text_at(browse, "browsed"))
    for href in texts_at(idinfo, "crossref/citeinfo/onlink"):
        draft.add_link(href, "related", name=text_at(idinfo, "crossref/citeinfo/title"))


def _add_lineage(draft: RecordDraft, root: Element) -> None:
    for lineage in find_all(root, "dataqual/lineage"):
        for citation in find_all(lineage, "srcinfo/srccite/citeinfo"):
            doi = next((doi for text in texts_at(citation, "onlink", "othercit") if (doi := doi_in(text))), None)
            draft.add_source(f"https://doi.org/{doi}" if doi else text_at(citation, "title"))
        for step in texts_at(lineage, "procstep/procdesc"):
            draft.add_activity(step)
            draft.lineage.append(step)


def _resolution(root: Element) -> Resolution:
    """The finest cell of a raster in metres, and the finest scale of the sources.

    Without a raster, ``latres`` and ``absres`` are the precision of coordinates, not a cell size.
    """
    scales = [number(text) for text in texts_at(root, "dataqual/lineage/srcinfo/srcscale")]
    scales = [scale for scale in scales if math.isfinite(scale) and scale >= 1]
    cells = [] if find(root, "spdoinfo/rastinfo") is None else [*_cells(root)]
    return Resolution(min(cells, default=None), int(min(scales)) if scales else None)


def _cells(root: Element) -> Iterator[float]:
    for path, unit, names in (
        ("spref/horizsys/geograph", "geogunit", ("latres", "longres")),
        ("spref/horizsys/planar/planci", "plandu", ("coordrep/absres", "coordrep/ordres")),
    ):
        for holder in find_all(root, path):
            for name in names:
                cell = metres(number(text_at(holder, name)), text_at(holder, unit))
                if cell is not None and cell >= _FINEST_GRID_M:
                    yield cell


def _recognises(inspection: Inspection) -> bool:
    return inspection.tag == "metadata" and b"<idinfo" in inspection.content


FORMAT = Format("fgdc", 3, read, _recognises, "root `metadata` with `idinfo`", xml_root)
