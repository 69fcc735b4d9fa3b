"""The web page of a licence: SPDX has most, and Creative Commons has its own."""

from __future__ import annotations

import re

from search_api.formats_out.iris import iri

_CC = re.compile(r"^CC-(BY(?:-NC)?(?:-SA|-ND)?)-(\d\.\d)$")
_PAGES = {
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "PDM-1.0": "https://creativecommons.org/publicdomain/mark/1.0/",
}
_SPDX = re.compile(r"^(MIT|(Apache|ODbL|ODC-By|PDDL|OGL-UK|OGL-Canada|DL-DE-BY|DL-DE-ZERO|etalab)-\d\.\d)$")


def licence_url(licence: str | None) -> str | None:
    """The address of a licence that is an address or an SPDX identifier; None for other texts."""
    if licence is None or (address := iri(licence)) is not None:
        return None if licence is None else iri(licence)
    if match := _CC.match(licence):
        return f"https://creativecommons.org/licenses/{match[1].lower()}/{match[2]}/"
    return _PAGES.get(licence) or (f"https://spdx.org/licenses/{licence}" if _SPDX.match(licence) else address)
