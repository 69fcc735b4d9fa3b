"""ISO 19115-3 (mdb:MD_Metadata 1.0 and 2.0) to Record.

The standard holds almost the same as ISO 19139 under other names and in other places. This module renames and moves the
elements, and the reader of ISO 19139 reads the result."""

from __future__ import annotations

import re
from dataclasses import replace

from core.record import Record
from indexer.formats.format import Format, Inspection
from indexer.formats.iso.elements import GCO, GMD, GMI, GMX, SRV
from indexer.formats.iso.iso19115_3 import move_to_19139
from indexer.formats.iso.structure import NAMES_OF_19115_3, repair_structure
from indexer.formats.readers import iso19139
from indexer.formats.repair.resolution import iso_duration
from indexer.formats.xml_documents import Element, ParsedXml, parse, xml_root
from indexer.raw import RawRecord

_QUALIFIED_NAME = re.compile(r"^\{http://standards\.iso\.org/iso/(?:19115/-3|19157/-2|19110)/([a-z]+)/[0-9.]+\}(.*)$")
_NAMESPACES = {"gco": GCO, "gcx": GMX, "srv": SRV, "mac": GMI}
_NAMES_OF_19115_2 = frozenset({"acquisitionInformation", "processingInformation", "softwareReference"})


def read(raw: RawRecord, source: str) -> Record:
    """Raises RecordRefused where the document is not XML or does not describe a resource."""
    xml = parse(raw.content)
    step = _time_step(xml.root)
    root = rename_elements(xml.root)
    repairs = [warning for warning in repair_structure(root) if warning != NAMES_OF_19115_3]
    move_to_19139(root)
    record = iso19139.read_tree(ParsedXml(root, (*xml.warnings, *repairs)), raw, source)
    if step is not None:
        record = replace(record, resolution=replace(record.resolution, time_step=step))
    return replace(record, native_format="iso19115-3")


def rename_elements(root: Element) -> Element:
    """The same tree with the names of ISO 19139. Changes the tree in place."""
    for element in root.iter("*"):
        match = _QUALIFIED_NAME.match(str(element.tag))
        if match is not None:
            prefix, name = match.groups()
            element.tag = (GMI if name in _NAMES_OF_19115_2 else _NAMESPACES.get(prefix, GMD)) + name
    return root


def _time_step(root: Element) -> str | None:
    for duration in root.iterfind(".//{*}temporalResolution/{*}TM_PeriodDuration"):
        step = iso_duration(duration.text or "")
        if step is not None:
            return step
    return None


_ROOT = re.compile(r"\{http://standards\.iso\.org/iso/19115/-3/mdb/[0-9.]+\}MD_Metadata")


def _recognises(inspection: Inspection) -> bool:
    return _ROOT.fullmatch(inspection.tag) is not None


FORMAT = Format("iso19115-3", 6, read, _recognises, "root `mdb:MD_Metadata`, 1.0 and 2.0", xml_root)
