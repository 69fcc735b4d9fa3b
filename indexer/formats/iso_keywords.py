"""Keywords and themes of ISO 19139."""

from __future__ import annotations

from collections.abc import Iterator

from core.record import Keyword
from indexer.formats.iso_acquisition import acquired_in
from indexer.formats.iso_citation import title_in
from indexer.formats.iso_xml import GMD, GMI, Element, child, children, first, href_of, objects, one_line, one_of_each
from indexer.formats.text import is_placeholder


def read_keywords(metadata: Element, identifications: list[Element]) -> list[Keyword]:
    """Every keyword with its vocabulary, then the instruments and platforms of ISO 19115-2; duplicates included."""
    keywords: list[Keyword] = []
    for identification in identifications:
        for group in objects(identification, f"{GMD}descriptiveKeywords"):
            keywords.extend(_group(group))
    keywords.extend(_acquisition(metadata))
    return keywords


def read_themes(identifications: list[Element]) -> tuple[str, ...]:
    """ISO topic categories."""
    return one_of_each(
        text
        for identification in identifications
        for prop in children(identification, f"{GMD}topicCategory")
        if (text := one_line(prop))
    )


def without_doubles(keywords: list[Keyword]) -> tuple[Keyword, ...]:
    """Each term once per vocabulary, ignoring case; a term with a vocabulary replaces the same term without one."""
    named = {keyword.term.casefold() for keyword in keywords if keyword.vocabulary}
    kept: dict[tuple[str, str | None], Keyword] = {}
    for keyword in keywords:
        if keyword.vocabulary is None and keyword.term.casefold() in named:
            continue
        kept.setdefault((keyword.term.casefold(), keyword.vocabulary), keyword)
    return tuple(kept.values())


def _group(group: Element) -> Iterator[Keyword]:
    vocabulary = title_in(child(group, f"{GMD}thesaurusName")) or None
    for prop in children(group, f"{GMD}keyword"):
        term = one_line(prop)
        if term and not is_placeholder(term):
            yield Keyword(term, vocabulary, href_of(prop))


def _acquisition(metadata: Element) -> Iterator[Keyword]:
    acquired = acquired_in(metadata)
    for kind, elements in (("platform", acquired.platforms), ("instrument", acquired.instruments)):
        for element in elements:
            identifier = first(element, f"{GMI}identifier")
            term = one_line(child(identifier, f"{GMD}code")) or one_line(child(element, f"{GMI}type"))
            if term and not is_placeholder(term):
                yield Keyword(term, kind, href_of(child(identifier, f"{GMD}code")))
