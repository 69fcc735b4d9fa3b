"""The request as ``resultType=validate`` echoes it."""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from search_api.formats_out.iso19139 import GMD
from search_api.formats_out.xml_text import child
from search_api.protocols.csw.names import CSW, NSMAP, OGC, VERSION
from search_api.protocols.csw.request import CswRequest

Element = etree._Element


def echoed(asked: CswRequest) -> Element:
    """The XML body as sent, without its comments; for key-value pairs the csw:GetRecords that means the same."""
    if asked.sent is not None:
        return deepcopy(asked.sent)
    root = etree.Element(f"{{{CSW}}}GetRecords", nsmap={**NSMAP, "gmd": GMD})
    attributes = {
        "service": "CSW",
        "version": VERSION,
        "resultType": asked.result,
        "outputSchema": asked.schema,
        "startPosition": str(asked.start),
        "maxRecords": str(asked.size),
    }
    for name, value in attributes.items():
        root.set(name, value)
    _add_query(root, asked)
    return root


def _add_query(root: Element, asked: CswRequest) -> None:
    query = child(root, f"{{{CSW}}}Query", typeNames=" ".join(asked.type_names or ("csw:Record",)))
    if not asked.elements:
        child(query, f"{{{CSW}}}ElementSetName", asked.detail)
    for name in asked.elements:
        child(query, f"{{{CSW}}}ElementName", name)
    if asked.constraint is not None:
        constraint = child(query, f"{{{CSW}}}Constraint", version="1.1.0")
        if isinstance(asked.constraint, str):
            child(constraint, f"{{{CSW}}}CqlText", asked.constraint)
        else:
            constraint.append(deepcopy(asked.constraint))
    if asked.sort is not None:
        _add_order(query, asked.sort)


def _add_order(query: Element, sort: str) -> None:
    order = child(query, f"{{{OGC}}}SortBy")
    for key in sort.split(","):
        made = child(order, f"{{{OGC}}}SortProperty")
        child(made, f"{{{OGC}}}PropertyName", key.removeprefix("-"))
        child(made, f"{{{OGC}}}SortOrder", "DESC" if key.startswith("-") else "ASC")
