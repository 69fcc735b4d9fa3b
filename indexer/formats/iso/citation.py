"""Citations, contacts and provenance of ISO 19139."""

from __future__ import annotations

from collections.abc import Iterator

from core.record import Contact, Dates, Keyword, Provenance, ProvenanceKind
from core.timespan import instant_ms
from indexer.formats.iso.elements import (
    XLINK_HREF,
    XLINK_TITLE,
    child,
    children,
    code_of,
    first_object,
    href_of,
    object_in,
    objects,
    one_line,
    paragraphs,
    raw_text,
    text_of,
    texts_of,
    translations,
)
from indexer.formats.repair.codes import agreed_kind, kind_of_term
from indexer.formats.repair.dates import read_date
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.text import is_placeholder, line, shorten, unique
from indexer.formats.repair.written_dates import says_no_date
from indexer.formats.xml_documents import Element, local_name

_PLACEHOLDERS = ("9999", "0000", "0001-01-01")
_KIND_OF_CONTENT: dict[str, ProvenanceKind] = {"modelresult": "simulation"}  # "physicalMeasurement" only means numbers


def read_titles(citation: Element | None) -> tuple[str, tuple[str, ...]]:
    """The main title (may be empty) and all others: alternate titles, then translations."""
    prop = child(citation, "title")
    main_text = one_line(prop)
    other_titles = [*texts_of(citation, "alternateTitle")]
    if prop is not None:
        other_titles.extend(line(text) for _, text in translations(prop))
    return main_text, tuple(title for title in unique(other_titles) if title and title != main_text)


def identifiers(citation: Element | None) -> Iterator[tuple[str, str | None]]:
    """Code and link of each identifier of the resource, in order."""
    for identifier in objects(citation, "identifier"):
        prop = child(identifier, "code")
        code = one_line(prop)
        space = text_of(identifier, "codeSpace")
        if space and not code.startswith(space) and "doi" in space.lower():
            code = f"doi:{code.removeprefix('doi:')}"
        yield code, href_of(prop)


def doi_of(citation: Element | None) -> str | None:
    for code, href in identifiers(citation):
        doi = doi_in(href) or doi_in(code)
        if doi is not None:
            return doi
    return None


def read_dates(citation: Element | None, stamp: Element | None, warnings: list[str]) -> Dates:
    """The first creation and publication, the last revision, and the date of the metadata."""
    by_type: dict[str, list[str]] = {}
    for date in objects(citation, "date"):
        iso = _date(child(date, "date"), warnings)
        if iso is not None:
            by_type.setdefault(code_of(child(date, "dateType")).lower(), []).append(iso)
    return Dates(
        created=_pick_date(by_type, "creation", last=False),
        published=_pick_date(by_type, "publication", last=False) or _pick_date(by_type, "released", last=False),
        modified=_pick_date(by_type, "revision", last=True) or _pick_date(by_type, "lastupdate", last=True),
        metadata=_date(stamp, warnings),
    )


def _pick_date(by_type: dict[str, list[str]], kind: str, *, last: bool) -> str | None:
    dates = sorted(by_type.get(kind, ()), key=instant_ms)
    return None if not dates else dates[-1 if last else 0]


def _date(prop: Element | None, warnings: list[str]) -> str | None:
    text = raw_text(prop).strip()
    if not text or text.startswith(_PLACEHOLDERS) or text.lower() in ("unknown", "none", "n/a") or says_no_date(text):
        return None
    try:
        return read_date(text, warnings)
    except ValueError as error:
        warnings.append(f"dates: left out: {error}")
        return None


def title_in(prop: Element | None) -> str:
    """The title of the citation in a property, else the address that the property links to."""
    citation = object_in(prop)
    if citation is None:
        return (href_of(prop) or "") if prop is not None else ""
    return text_of(citation, "title") or next((code for code, _ in identifiers(citation) if code), "")


def citation_reference(citation: Element | None) -> str:
    """The best name of a cited work: its DOI as a URL, else a linked identifier, else its title, else its code."""
    doi = doi_of(citation)
    if doi is not None:
        return f"https://doi.org/{doi}"
    codes = list(identifiers(citation))
    link = next((href for _, href in codes if href), None)
    title = next((text for prop in children(citation, "title") if (text := one_line(prop))), "")
    return link or title or next((code for code, _ in codes if code), "")


def read_contacts(
    metadata: Element, identification: Element | None, citation: Element | None, warnings: list[str]
) -> tuple[Contact, ...]:
    """Cited parties first, then points of contact, distributors and the contact for the metadata; no duplicates.

    A party that is only a link to another document has at most the link's title; ``warnings`` names it.
    """
    properties = [
        *children(citation, "citedResponsibleParty"),
        *children(identification, "pointOfContact"),
        *(
            contact
            for distributor in objects(metadata, "distributionInfo/distributor")
            for contact in children(distributor, "distributorContact")
        ),
        *children(metadata, "contact"),
    ]
    parties = (
        _contact_of_link(prop, warnings) if (party := object_in(prop)) is None else _contact(party)
        for prop in properties
    )
    contacts = unique(contact for contact in parties if contact is not None)
    return tuple(contact for contact in contacts if not _is_less_complete(contact, contacts))


def _contact_of_link(prop: Element, warnings: list[str]) -> Contact | None:
    href, title = href_of(prop) or prop.get("uuidref"), line(prop.get(XLINK_TITLE))
    if href is None and not title:
        return None
    outcome = "its title is used" if title else "left out"
    warnings.append(f"contacts: a party is only a link, {outcome}: {(href or title)[:200]!r}")
    return (
        Contact(None, title, local_name(prop) if local_name(prop) == "pointOfContact" else None, None)
        if title
        else None
    )


def _contact(party: Element) -> Contact | None:
    name = _meaningful(text_of(party, "individualName"))
    organisation = _meaningful(text_of(party, "organisationName"))
    address = first_object(party, "contactInfo/address")
    email = _meaningful(text_of(address, "electronicMailAddress"))
    if name is None and organisation is None:
        name = _meaningful(text_of(party, "positionName"))
    if name is None and organisation is None and email is None:
        return None
    return Contact(name, organisation, code_of(child(party, "role")) or None, email)


def _meaningful(text: str) -> str | None:
    return None if is_placeholder(text) else text


def _is_less_complete(contact: Contact, contacts: tuple[Contact, ...]) -> bool:
    """Whether another contact says the same and also has an address."""
    return contact.email is None and any(
        other_contact.email is not None
        and (other_contact.name, other_contact.organisation, other_contact.role)
        == (contact.name, contact.organisation, contact.role)
        for other_contact in contacts
    )


def read_provenance(
    metadata: Element, identifications: list[Element], keywords: tuple[Keyword, ...], makers: tuple[str, ...]
) -> Provenance:
    lineages = list(objects(metadata, "dataQualityInfo/lineage"))
    statements = [text for lineage in lineages if (text := paragraphs(child(lineage, "statement")))]
    steps = [step for lineage in lineages for step in _steps(lineage)]
    kind = agreed_kind([*_kinds_of_content(metadata), *(kind_of_term(keyword.term) for keyword in keywords)])
    return Provenance(
        lineage="\n\n".join(unique(statements)) or None,
        kind=kind or "unknown",
        kind_source="metadata" if kind else None,
        derived_from=unique([*_sources(lineages, steps), *_aggregates(identifications)]),
        generated_by=unique(text for step in steps for text in _activities(step)),
        attributed_to=makers,
    )


def parent_in_aggregates(identifications: list[Element]) -> str | None:
    """The identifier of the larger work that contains this one."""
    for aggregate in _aggregations(identifications):
        if code_of(child(aggregate, "associationType")) == "largerWorkCitation":
            identifier = first_object(aggregate, "aggregateDataSetIdentifier")
            citation = first_object(aggregate, "aggregateDataSetName/identifier")
            code = one_line(child(identifier, "code")) or one_line(child(citation, "code"))
            if code:
                return code
    return None


def _steps(lineage: Element) -> Iterator[Element]:
    yield from objects(lineage, "processStep")
    for source in objects(lineage, "source"):
        yield from objects(source, "sourceStep")


def _sources(lineages: list[Element], steps: list[Element]) -> Iterator[str]:
    """The name of each source, from the lineage itself and from its steps."""
    for holder, name in [*((lineage, "source") for lineage in lineages), *((step, "source") for step in steps)]:
        for prop in children(holder, name):
            source = next(prop.iterchildren("*"), None)
            citation = citation_reference(first_object(source, "sourceCitation"))
            reference = citation or one_line(child(source, "description")) if source is not None else ""
            reference = reference or prop.get(XLINK_HREF) or prop.get(XLINK_TITLE) or ""
            if reference and not reference.startswith("#"):  # a link inside the document repeats a source
                yield shorten(reference)


def _aggregations(identifications: list[Element]) -> Iterator[Element]:
    for identification in identifications:
        yield from objects(identification, "aggregationInfo")


def _aggregates(identifications: list[Element]) -> Iterator[str]:
    for aggregate in _aggregations(identifications):
        if code_of(child(aggregate, "associationType")) in ("source", "dependency", "revisionOf"):
            reference = citation_reference(first_object(aggregate, "aggregateDataSetName"))
            reference = reference or one_line(child(first_object(aggregate, "aggregateDataSetIdentifier"), "code"))
            if reference:
                yield shorten(reference)


def _activities(step: Element) -> Iterator[str]:
    """The actions of a step, and its software (ISO 19115-2)."""
    description = one_line(child(step, "description"))
    if description:
        yield shorten(description)
    for software in objects(step, "gmi:processingInformation/gmi:softwareReference"):
        reference = citation_reference(software)
        if reference:
            yield shorten(reference)


def _kinds_of_content(metadata: Element) -> Iterator[ProvenanceKind]:
    for content in objects(metadata, "contentInfo"):
        if local_name(content) in ("MD_CoverageDescription", "MI_CoverageDescription", "MD_ImageDescription"):
            kind = _KIND_OF_CONTENT.get(code_of(child(content, "contentType")).lower())
            if kind is not None:
                yield kind
