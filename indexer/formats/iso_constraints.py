"""Terms of use: constraints of ISO 19139 as licence, texts and access."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.record import Access
from indexer.formats.access import is_restricted_code, says_restricted
from indexer.formats.iso_xml import (
    GMD,
    XLINK_TITLE,
    Element,
    child,
    children,
    code_of,
    held,
    href_of,
    local,
    objects,
    one_of_each,
    paragraphs,
)
from indexer.formats.licences import licence_url, spdx
from indexer.formats.text import is_placeholder

_INSPIRE_LIMIT = re.compile(r"LimitationsOnPublicAccess/INSPIRE_Directive_Article13", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Terms:
    """``licence`` is an SPDX identifier, or the URL of a licence without one."""

    licence: str | None
    constraints: tuple[str, ...]
    access: Access


def read_terms(identifications: list[Element]) -> Terms:
    blocks = [block for one in identifications for block in objects(one, f"{GMD}resourceConstraints")]
    said = [text for block in blocks for text in _texts(block)]
    texts = one_of_each(text for text, _ in said if text and not is_placeholder(text))
    return Terms(_licence(blocks, said), texts, "restricted" if _is_restricted(blocks, said) else "open")


def _texts(block: Element) -> Iterator[tuple[str, str]]:
    """Text and link of each limitation and other constraint."""
    for name in ("useLimitation", "otherConstraints"):
        for prop in children(block, f"{GMD}{name}"):
            href = href_of(prop) or ""
            inner = held(prop)
            title = "" if inner is None else inner.get(XLINK_TITLE) or ""
            yield paragraphs(prop) or title, href


def _licence(blocks: list[Element], said: list[tuple[str, str]]) -> str | None:
    for text, href in said:
        if is_placeholder(text) and not href:
            continue
        found = spdx(href) or spdx(text)
        if found is not None:
            return found
    for block in blocks:
        if "license" in _codes(block, "useConstraints"):
            for text, href in _texts(block):
                url = licence_url(href) or licence_url(text)
                if url is not None:
                    return url
    return None


def _is_restricted(blocks: list[Element], said: list[tuple[str, str]]) -> bool:
    for block in blocks:
        codes = _codes(block, "accessConstraints")
        if local(block) == "MD_SecurityConstraints" or child(block, f"{GMD}classification") is not None:
            codes |= _codes(block, "classification")
        if any(is_restricted_code(code) for code in codes):
            return True
    return any(_INSPIRE_LIMIT.search(href) or says_restricted(text) for text, href in said)


def _codes(block: Element, name: str) -> set[str]:
    return {code_of(prop).replace(" ", "").lower() for prop in children(block, f"{GMD}{name}")}
