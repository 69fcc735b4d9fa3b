"""Texts of metadata as IRIs: what is none is written so that it is one, or left out."""

from __future__ import annotations

import re
from urllib.parse import quote

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]")
_KEPT = "/:?#[]@!$&'()*+,;=-._~%"


def iri(text: str | None) -> str | None:
    """The text as an absolute IRI with what an IRI may not hold percent-encoded; None where it is none."""
    if text is None or not _SCHEME.match(text.strip()):
        return None
    return quote(text.strip(), safe=_KEPT)
