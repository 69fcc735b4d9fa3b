"""DOIs inside texts and links."""

from __future__ import annotations

import re

_DOI = re.compile(r"(?:^|doi\.org/|doi:\s*|[\s(<\"'])(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_ENCODED_SLASH = re.compile(r"(10\.\d{4,9})%2[fF]")


def doi_in(text: str | None) -> str | None:
    """The first DOI, without a prefix and in lower case (``10.5065/7nb6-rj33``); None where there is none."""
    if not text or "10." not in text:
        return None
    match = _DOI.search(_ENCODED_SLASH.sub(r"\1/", text.strip()))
    if match is None:
        return None
    doi = match[1].partition("?")[0].partition("#")[0].rstrip(".,;:]}'")
    if doi.count(")") > doi.count("("):
        doi = doi.rstrip(").,;")
    return doi.lower()


def is_doi_link(href: str) -> bool:
    return re.match(r"(?:https?://(?:dx\.)?doi\.org/|doi:)10\.", href, re.IGNORECASE) is not None
