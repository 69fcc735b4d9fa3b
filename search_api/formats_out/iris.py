"""Converts texts of metadata to IRIs, or drops them."""

from __future__ import annotations

import re
from urllib.parse import quote

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]")
_KEPT = "/:?#[]@!$&'()*+,;=-._~%"


def iri(text: str | None) -> str | None:
    """The text as an absolute IRI with illegal characters percent-encoded; None if it is not an address."""
    if text is None or not _SCHEME.match(text.strip()):
        return None
    return quote(text.strip(), safe=_KEPT)
