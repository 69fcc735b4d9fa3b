"""The property that a name of CSW, of Dublin Core or of the ISO profile means."""

from __future__ import annotations

from typing import Literal, get_args

from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.names import ADDITIONAL, ELEMENTS, QUERYABLES, REFERENCES, SOURCES, SUPPORTED, local
from search_api.search.filtering.queryables import Queryable, find

OWN = "sonde:"
"""The prefix of the OGC API's queryables: ``sonde:source`` is the catalogue, ``dc:source`` what data derive from."""

Special = Literal["anytext", "abstract", "identifier", "missing"]

_CSW_ONLY = {
    SOURCES: Queryable(SOURCES, "exact", ("provenance.derived_from",), "What the data derive from", many=True),
    REFERENCES: Queryable(REFERENCES, "exact", ("links.href",), "Addresses of links", many=True),
}


def property_of(asked: str, locator: str) -> Queryable | Special:
    """``missing``: an element of csw:Record that no record here has, so NULL. Raises CswError for an unknown name."""
    if asked.startswith(OWN):
        found = find(asked.removeprefix(OWN))
    else:
        meaning = QUERYABLES.get(local(asked))
        for special in get_args(Special):
            if meaning == special:
                same: Special = special
                return same
        if meaning is None and local(asked) in ELEMENTS:
            return "missing"
        found = _CSW_ONLY.get(meaning or "") or find(meaning or asked.rsplit(":", 1)[-1])
    if found is None:
        known = ", ".join((*SUPPORTED, *ADDITIONAL))
        message = f"there is no property {asked[:60]!r}; there are {known}"
        raise CswError("InvalidParameterValue", message, locator)
    return found
