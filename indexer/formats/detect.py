"""The format of a document, by what it says, never by its file name."""

from __future__ import annotations

from indexer.formats.xml import first_element

_GMD = "http://www.isotc211.org/2005/gmd"
_GMI = "http://www.isotc211.org/2005/gmi"

_ROOTS = {
    f"{{{_GMD}}}MD_Metadata": "iso19139",
    f"{{{_GMI}}}MI_Metadata": "iso19115-2",
}
_BY_ISO_TYPE = {"MD_Metadata": "iso19139", "MI_Metadata": "iso19115-2"}


def detect(content: bytes) -> str | None:
    """The name of the format (a key of the registry), None where it is not known. Looks at the start only."""
    root = first_element(content)
    if root is None:
        return None
    name = _ROOTS.get(root.tag)
    if name is None and root.iso_type is not None:  # a national profile with a root of its own
        name = _BY_ISO_TYPE.get(root.iso_type.rpartition(":")[2])
    return name
