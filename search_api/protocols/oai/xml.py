"""OAI-PMH answers as XML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

from search_api.catalogue.listing.catalogues import Catalogue
from search_api.formats_out.formats import oai_formats
from search_api.formats_out.xml_text import child
from search_api.protocols.oai.listing import Header, HeaderPage
from search_api.protocols.oai.request import OaiError

OAI = "http://www.openarchives.org/OAI/2.0/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_NSMAP: Any = {None: OAI, "xsi": _XSI}
Element = etree._Element


def identifier(record_id: str) -> str:
    return f"oai:sonde:{record_id}"


def record_id(text: str) -> str:
    """Raises OaiError (idDoesNotExist) if the identifier is not one of ours."""
    if not text.startswith("oai:sonde:"):
        raise OaiError("idDoesNotExist", "identifiers begin with oai:sonde:")
    return text.removeprefix("oai:sonde:")


def envelope(base: str, moment: str, arguments: Mapping[str, str]) -> Element:
    """The root with ``request``; ``arguments`` is empty if they were invalid."""
    root = etree.Element(f"{{{OAI}}}OAI-PMH", nsmap=_NSMAP)
    root.set(f"{{{_XSI}}}schemaLocation", f"{OAI} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd")
    _text(root, "responseDate", moment)
    child(root, f"{{{OAI}}}request", base, **arguments)
    return root


def add_error(root: Element, error: OaiError) -> None:
    child(root, f"{{{OAI}}}error", str(error), code=error.code)


def add_identify(root: Element, base: str, mail: str, earliest: str) -> None:
    identify = _text(root, "Identify")
    for name, text in (
        ("repositoryName", "Sonde"),
        ("baseURL", base),
        ("protocolVersion", "2.0"),
        ("adminEmail", mail),
        ("earliestDatestamp", earliest),
        ("deletedRecord", "transient"),
        ("granularity", "YYYY-MM-DDThh:mm:ssZ"),
    ):
        _text(identify, name, text)


def add_formats(root: Element) -> None:
    formats = _text(root, "ListMetadataFormats")
    for known in oai_formats().values():
        one = _text(formats, "metadataFormat")
        _text(one, "metadataPrefix", known.prefix)
        _text(one, "schema", known.schema)
        _text(one, "metadataNamespace", known.namespace)


def add_sets(root: Element, catalogues: Iterable[Catalogue]) -> None:
    sets = _text(root, "ListSets")
    for one in catalogues:
        made = _text(sets, "set")
        _text(made, "setSpec", one.id)
        _text(made, "setName", one.title)


def add_list(root: Element, verb: str, page: HeaderPage, prefix: str, address_of: Any) -> None:
    """``address_of``: maps a Record to the address of its page."""
    listed = _text(root, verb)
    for header in page.headers:
        if verb == "ListIdentifiers":
            _header(listed, header)
        else:
            add_record(listed, header, prefix, address_of)
    if page.token is not None or page.seen:
        counts = {"completeListSize": str(page.matched), "cursor": str(page.seen)}
        child(listed, f"{{{OAI}}}resumptionToken", page.token or "", **counts)


def add_record(parent: Element, header: Header, prefix: str, address_of: Any) -> None:
    made = _text(parent, "record")
    _header(made, header)
    if header.record is not None:
        metadata = oai_formats()[prefix].write(header.record, address_of(header.record))
        _text(made, "metadata").append(metadata)


def _header(parent: Element, header: Header) -> None:
    made = _text(parent, "header")
    if header.removed:
        made.set("status", "deleted")
    _text(made, "identifier", identifier(header.id))
    _text(made, "datestamp", header.datestamp)
    _text(made, "setSpec", header.source)


def _text(parent: Element, name: str, text: str | None = None) -> Element:
    return child(parent, f"{{{OAI}}}{name}", text)
