"""Provenance in ISO 19139: lineage, sources, processing, and the kind of data that the metadata state."""

from __future__ import annotations

from collections.abc import Iterator

from core.record import Keyword, Provenance, ProvenanceKind
from indexer.formats.iso_citation import citation_reference
from indexer.formats.iso_xml import (
    GMD,
    GMI,
    XLINK_HREF,
    XLINK_TITLE,
    Element,
    child,
    children,
    code_of,
    first,
    local,
    objects,
    one_line,
    one_of_each,
    paragraphs,
)
from indexer.formats.product_kind import agreed, kind_of_term

_LONGEST_STEP = 300
_KIND_OF_CONTENT: dict[str, ProvenanceKind] = {"modelresult": "simulation"}  # "physicalMeasurement" only means numbers


def read_provenance(
    metadata: Element, identifications: list[Element], keywords: tuple[Keyword, ...], makers: tuple[str, ...]
) -> Provenance:
    lineages = list(objects(metadata, f"{GMD}dataQualityInfo", f"{GMD}lineage"))
    statements = [text for lineage in lineages if (text := paragraphs(child(lineage, f"{GMD}statement")))]
    steps = [step for lineage in lineages for step in _steps(lineage)]
    kind = _kind(metadata, keywords)
    return Provenance(
        lineage="\n\n".join(one_of_each(statements)) or None,
        kind=kind or "unknown",
        kind_source="metadata" if kind else None,
        derived_from=one_of_each([*_sources(lineages, steps), *_aggregates(identifications)]),
        generated_by=one_of_each(text for step in steps for text in _processing(step)),
        attributed_to=makers,
    )


def parent_in_aggregates(identifications: list[Element]) -> str | None:
    """The identifier of the larger work that contains this one."""
    for aggregate in _aggregations(identifications):
        if code_of(child(aggregate, f"{GMD}associationType")) == "largerWorkCitation":
            named = first(aggregate, f"{GMD}aggregateDataSetIdentifier")
            cited = first(aggregate, f"{GMD}aggregateDataSetName", f"{GMD}identifier")
            code = one_line(child(named, f"{GMD}code")) or one_line(child(cited, f"{GMD}code"))
            if code:
                return code
    return None


def _steps(lineage: Element) -> Iterator[Element]:
    yield from objects(lineage, f"{GMD}processStep")
    for source in objects(lineage, f"{GMD}source"):
        yield from objects(source, f"{GMD}sourceStep")


def _sources(lineages: list[Element], steps: list[Element]) -> Iterator[str]:
    """The name of each source, from the lineage itself and from its steps."""
    for holder, name in [*((one, "source") for one in lineages), *((step, "source") for step in steps)]:
        for prop in children(holder, f"{GMD}{name}"):
            source = next(prop.iterchildren("*"), None)
            cited = citation_reference(first(source, f"{GMD}sourceCitation"))
            reference = cited or one_line(child(source, f"{GMD}description")) if source is not None else ""
            reference = reference or prop.get(XLINK_HREF) or prop.get(XLINK_TITLE) or ""
            if reference and not reference.startswith("#"):  # a link inside the document repeats a source
                yield _short(reference)


def _aggregations(identifications: list[Element]) -> Iterator[Element]:
    for identification in identifications:
        yield from objects(identification, f"{GMD}aggregationInfo")


def _aggregates(identifications: list[Element]) -> Iterator[str]:
    for aggregate in _aggregations(identifications):
        if code_of(child(aggregate, f"{GMD}associationType")) in ("source", "dependency", "revisionOf"):
            reference = citation_reference(first(aggregate, f"{GMD}aggregateDataSetName"))
            reference = reference or one_line(child(first(aggregate, f"{GMD}aggregateDataSetIdentifier"), f"{GMD}code"))
            if reference:
                yield _short(reference)


def _processing(step: Element) -> Iterator[str]:
    """The actions of a step, and its software (ISO 19115-2)."""
    description = one_line(child(step, f"{GMD}description"))
    if description:
        yield _short(description)
    for software in objects(step, f"{GMI}processingInformation", f"{GMI}softwareReference"):
        reference = citation_reference(software)
        if reference:
            yield _short(reference)


def _kind(metadata: Element, keywords: tuple[Keyword, ...]) -> ProvenanceKind | None:
    """The kind that the metadata state explicitly; None where they state none, or contradict themselves."""
    return agreed([*_kinds_of_content(metadata), *(kind_of_term(keyword.term) for keyword in keywords)])


def _kinds_of_content(metadata: Element) -> Iterator[ProvenanceKind]:
    for content in objects(metadata, f"{GMD}contentInfo"):
        if local(content) in ("MD_CoverageDescription", "MI_CoverageDescription", "MD_ImageDescription"):
            kind = _KIND_OF_CONTENT.get(code_of(child(content, f"{GMD}contentType")).lower())
            if kind is not None:
                yield kind


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_STEP else text[: _LONGEST_STEP - 1].rstrip() + "…"
