"""Keywords, themes and names of ISO 19139 and 19115-2: citation, types of keywords, acquisition, content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.names import Names
from core.record import Keyword
from indexer.formats.iso.citation import title_in
from indexer.formats.iso.elements import (
    child,
    children,
    code_of,
    first_object,
    href_of,
    object_in,
    objects,
    one_line,
    text_of,
    texts_of,
)
from indexer.formats.repair.names import NameCollector, NameKind
from indexer.formats.repair.text import is_placeholder, unique
from indexer.formats.xml_documents import Element

_KINDS: dict[str, NameKind] = {
    "platform": "platform", "instrument": "instrument", "sensor": "instrument", "project": "project",
    "campaign": "project", "parameter": "variable", "variable": "variable",
}  # fmt: skip
_LONGEST_LABEL = 80
_LEVELS = ("processingLevelCode", "processingLevel")


@dataclass(frozen=True, slots=True)
class Acquisition:
    """The elements in document order; instruments of a platform come after instruments without one."""

    platforms: tuple[Element, ...]
    instruments: tuple[Element, ...]
    operations: tuple[Element, ...]


def read_acquisition(metadata: Element) -> Acquisition:
    parts = list(objects(metadata, "gmi:acquisitionInformation"))
    platforms = [element for part in parts for element in objects(part, "gmi:platform")]
    holders = [*parts, *platforms]
    return Acquisition(
        tuple(platforms),
        tuple(element for part in holders for element in objects(part, "gmi:instrument")),
        tuple(element for part in parts for element in objects(part, "gmi:operation")),
    )


def read_keywords(metadata: Element, identifications: list[Element]) -> list[Keyword]:
    """Every keyword with its vocabulary, then the instruments and platforms of ISO 19115-2; duplicates included."""
    keywords: list[Keyword] = []
    for identification in identifications:
        for group in objects(identification, "descriptiveKeywords"):
            keywords.extend(_keywords_of_group(group))
    keywords.extend(_acquisition(metadata))
    return keywords


def read_themes(identifications: list[Element]) -> tuple[str, ...]:
    """ISO topic categories."""
    return unique(
        text
        for identification in identifications
        for prop in children(identification, "topicCategory")
        if (text := one_line(prop))
    )


def _keywords_of_group(group: Element) -> Iterator[Keyword]:
    vocabulary = title_in(child(group, "thesaurusName")) or None
    for prop in children(group, "keyword"):
        term = one_line(prop)
        if term and not is_placeholder(term):
            yield Keyword(term, vocabulary, href_of(prop))


def _acquisition(metadata: Element) -> Iterator[Keyword]:
    acquisition = read_acquisition(metadata)
    for kind, elements in (("platform", acquisition.platforms), ("instrument", acquisition.instruments)):
        for element in elements:
            identifier = first_object(element, "gmi:identifier")
            term = one_line(child(identifier, "code")) or one_line(child(element, "gmi:type"))
            if term and not is_placeholder(term):
                yield Keyword(term, kind, href_of(child(identifier, "code")))


def read_names(metadata: Element, identifications: list[Element], citation: Element | None) -> Names:
    names = NameCollector()
    _citation(names, citation)
    for identification in identifications:
        for group in objects(identification, "descriptiveKeywords"):
            _keywords(names, group)
        for level in objects(identification, "processingLevel"):
            names.set_level(text_of(level, "code"))
    _acquisition_names(names, read_acquisition(metadata))
    for content in objects(metadata, "contentInfo"):
        _content(names, content)
    return names.finish()


def read_edition(citation: Element | None) -> str | None:
    """``edition``, else the version that NASA's identifiers of the citation name."""
    edition_text = text_of(citation, "edition")
    if edition_text:
        return edition_text
    for identifier in objects(citation, "identifier"):
        if "version" in _space_and_description(identifier):
            return text_of(identifier, "code") or None
    return None


def _citation(names: NameCollector, citation: Element | None) -> None:
    """An identifier whose code space or description says that it is the short name; else what looks like one."""
    for identifier in objects(citation, "identifier"):
        code, space = text_of(identifier, "code"), _space_and_description(identifier)
        if "short" in space and "name" in space:
            names.add_short_name(code)
        elif "version" not in space:
            names.add_possible_short_names(code, code.rpartition(":")[2])
    names.add_possible_short_names(*texts_of(citation, "alternateTitle"))


def _space_and_description(identifier: Element) -> str:
    space, description = text_of(identifier, "codeSpace"), text_of(identifier, "description")
    return f"{space} {description}".casefold()


def _keywords(names: NameCollector, group: Element) -> None:
    """The type of the group counts, then the list of GCMD's that the thesaurus names, then the thesaurus' title."""
    kind = _KINDS.get(code_of(child(group, "type")).casefold())
    thesaurus = child(group, "thesaurusName")
    details = text_of(object_in(thesaurus), "otherCitationDetails")
    title = f"{title_in(thesaurus)} {details}".strip()
    for prop in children(group, "keyword"):
        term = one_line(prop)
        if kind is not None and term:
            names.add(kind, term)
        else:
            names.add_keyword(term, title)


def _acquisition_names(names: NameCollector, acquisition: Acquisition) -> None:
    for platform in acquisition.platforms:
        names.add_platform(_identifier_of(platform))
    for instrument in acquisition.instruments:
        names.add_instrument(_identifier_of(instrument))
    for operation in acquisition.operations:
        names.add_project(_identifier_of(operation))


def _identifier_of(element: Element) -> str:
    """The code of the identifier, also where the identifier is a plain text; else the type."""
    identifier = first_object(element, "gmi:identifier")
    return (
        one_line(child(identifier, "code"))
        or (text_of(element, "gmi:identifier") if identifier is None else "")
        or text_of(element, "gmi:type")
    )


def _content(names: NameCollector, content: Element) -> None:
    """Bands and dimensions of coverages (19139), attributes of attribute groups (19115-3), feature attributes."""
    for name in _LEVELS:
        names.set_level(text_of(first_object(content, name), "code"))
    dimensions = [*objects(content, "dimension")]
    dimensions += [*objects(content, "attributeGroup/attribute")]
    for dimension in dimensions:
        _dimension(names, dimension)


def _dimension(names: NameCollector, dimension: Element) -> None:
    descriptor = text_of(dimension, "descriptor") or text_of(dimension, "description")
    member = text_of(first_object(dimension, "sequenceIdentifier"), "gco:aName")
    dimension_name = text_of(first_object(dimension, "name"), "code")
    is_label = descriptor and len(descriptor) <= _LONGEST_LABEL
    names.add_variable(dimension_name or (descriptor if is_label else member), unit=_unit(dimension))


def _unit(dimension: Element) -> str:
    """What a unit is called: in its definition, else behind the ``#`` of its link."""
    for name in ("units", "unit"):
        prop = child(dimension, name)
        definition = object_in(prop)
        if definition is not None:
            for part in definition.iterchildren("{*}name", "{*}catalogSymbol", "{*}identifier"):
                if part.text and part.text.strip():
                    return part.text.strip()
        href = href_of(prop) or ""
        if "#" in href:
            return href.rpartition("#")[2].replace("%20", " ")
    return ""
