"""Contacts: responsible parties of ISO 19139 for the data and for the metadata."""

from __future__ import annotations

from collections.abc import Iterator

from core.record import Contact
from indexer.formats.iso_xml import GMD, Element, child, code_of, first, objects, one_of_each, text_of
from indexer.formats.text import is_placeholder

_ATTRIBUTED = frozenset({"author", "originator", "principalInvestigator", "owner", "publisher", "resourceProvider"})
_CREATORS = frozenset({"author", "originator", "principalInvestigator"})


def read_contacts(metadata: Element, identification: Element | None, citation: Element | None) -> tuple[Contact, ...]:
    """Cited parties first, then points of contact, distributors and the contact for the metadata; no duplicates."""
    parties = [
        *objects(citation, f"{GMD}citedResponsibleParty"),
        *objects(identification, f"{GMD}pointOfContact"),
        *_distributors(metadata),
        *objects(metadata, f"{GMD}contact"),
    ]
    contacts = one_of_each(contact for party in parties if (contact := _contact(party)) is not None)
    return tuple(contact for contact in contacts if not _said_better(contact, contacts))


def attributed_to(contacts: tuple[Contact, ...]) -> tuple[str, ...]:
    """The names of those who made the data; where there are none, of those who publish or own them."""
    makers = [contact for contact in contacts if contact.role in _CREATORS]
    chosen = makers or [contact for contact in contacts if contact.role in _ATTRIBUTED]
    return one_of_each(name for contact in chosen if (name := contact.name or contact.organisation))


def _distributors(metadata: Element) -> Iterator[Element]:
    path = (f"{GMD}distributionInfo", f"{GMD}distributor", f"{GMD}distributorContact")
    return objects(metadata, *path)


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
