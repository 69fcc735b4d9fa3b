"""Contacts: responsible parties of ISO 19139 for the data and for the metadata."""

from __future__ import annotations

from collections.abc import Iterator

from core.record import Contact
from indexer.formats.iso_xml import (
    GMD,
    XLINK_TITLE,
    Element,
    child,
    children,
    code_of,
    first,
    held,
    href_of,
    local,
    objects,
    one_of_each,
    text_of,
)
from indexer.formats.text import is_placeholder, line

_ATTRIBUTED = frozenset({"author", "originator", "principalInvestigator", "owner", "publisher", "resourceProvider"})
_CREATORS = frozenset({"author", "originator", "principalInvestigator"})


def read_contacts(
    metadata: Element, identification: Element | None, citation: Element | None, warnings: list[str]
) -> tuple[Contact, ...]:
    """Cited parties first, then points of contact, distributors and the contact for the metadata; no duplicates.

    A party that is only a link to another document has at most the link's title; ``warnings`` names it.
    """
    properties = [
        *children(citation, f"{GMD}citedResponsibleParty"),
        *children(identification, f"{GMD}pointOfContact"),
        *_distributors(metadata),
        *children(metadata, f"{GMD}contact"),
    ]
    found = (_linked(one, warnings) if (party := held(one)) is None else _contact(party) for one in properties)
    contacts = one_of_each(contact for contact in found if contact is not None)
    return tuple(contact for contact in contacts if not _said_better(contact, contacts))


def attributed_to(contacts: tuple[Contact, ...]) -> tuple[str, ...]:
    """The names of those who made the data; where there are none, of those who publish or own them."""
    makers = [contact for contact in contacts if contact.role in _CREATORS]
    chosen = makers or [contact for contact in contacts if contact.role in _ATTRIBUTED]
    return one_of_each(name for contact in chosen if (name := contact.name or contact.organisation))


def _distributors(metadata: Element) -> Iterator[Element]:
    for distributor in objects(metadata, f"{GMD}distributionInfo", f"{GMD}distributor"):
        yield from children(distributor, f"{GMD}distributorContact")


def _linked(prop: Element, warnings: list[str]) -> Contact | None:
    href, title = href_of(prop) or prop.get("uuidref"), line(prop.get(XLINK_TITLE))
    if href is None and not title:
        return None
    kept = "its title is used" if title else "left out"
    warnings.append(f"contacts: a party is only a link, {kept}: {(href or title)[:200]!r}")
    return Contact(None, title, local(prop) if local(prop) == "pointOfContact" else None, None) if title else None


def _contact(party: Element) -> Contact | None:
    name = _said(text_of(party, f"{GMD}individualName"))
    organisation = _said(text_of(party, f"{GMD}organisationName"))
    address = first(party, f"{GMD}contactInfo", f"{GMD}address")
    email = _said(text_of(address, f"{GMD}electronicMailAddress"))
    if name is None and organisation is None:
        name = _said(text_of(party, f"{GMD}positionName"))
    if name is None and organisation is None and email is None:
        return None
    return Contact(name, organisation, code_of(child(party, f"{GMD}role")) or None, email)


def _said(text: str) -> str | None:
    return None if is_placeholder(text) else text


def _said_better(contact: Contact, contacts: tuple[Contact, ...]) -> bool:
    """Whether another contact says the same and also has an address."""
    return contact.email is None and any(
        other.email is not None
        and (other.name, other.organisation, other.role) == (contact.name, contact.organisation, contact.role)
        for other in contacts
    )
