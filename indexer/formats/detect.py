"""The format of a document, by what it says, never by its file name."""

from __future__ import annotations

import re

from indexer.formats.xml import FirstElement, first_element

_GMD = "http://www.isotc211.org/2005/gmd"
_GMI = "http://www.isotc211.org/2005/gmi"

_ROOTS = {
    f"{{{_GMD}}}MD_Metadata": "iso19139",
    f"{{{_GMI}}}MI_Metadata": "iso19115-2",
}
_BY_ISO_TYPE = {"MD_Metadata": "iso19139", "MI_Metadata": "iso19115-2"}
_ISO19115_3 = re.compile(r"^\{http://standards\.iso\.org/iso/19115/-3/mdb/[0-9.]+\}MD_Metadata$")


def detect(content: bytes) -> str | None:
    """The name of the format (a key of the registry), None where it is not known. Looks at the start only."""
    root = first_element(content)
    return None if root is None else _of_xml(root, content)


def _of_xml(root: FirstElement, content: bytes) -> str | None:
    if root.iso_type is not None and root.tag not in _ROOTS:  # a national profile with a root of its own
        return _BY_ISO_TYPE.get(root.iso_type.rpartition(":")[2])
    if _ISO19115_3.match(root.tag):
        return "iso19115-3"
    if root.tag == "metadata" and b"<idinfo" in content:
        return "fgdc"
    return _ROOTS.get(root.tag)
