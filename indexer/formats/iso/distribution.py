"""Links and terms of use of ISO 19139."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.record import DATA_OF_SERVICE, Access, Link
from indexer.formats.iso.elements import (
    XLINK_TITLE,
    child,
    children,
    code_of,
    href_of,
    object_in,
    objects,
    paragraphs,
    raw_text,
    text_of,
)
from indexer.formats.repair.licences import is_restricted_code, licence_url, says_restricted, spdx
from indexer.formats.repair.links import doi_in, is_data_file, is_doi_link, media_type_of, repair_href
from indexer.formats.repair.text import is_placeholder, line, unique
from indexer.formats.xml_documents import Element, local_name

_BY_FUNCTION = {
    "download": "download",
    "fileaccess": "download",
    "information": "about",
    "order": "order",
    "offlineaccess": "order",
    "search": "search",
    "browsegraphic": "preview",
    "browsing": "about",
    "completemetadata": "describedby",
}
_UUID = re.compile(r"(?:urn:uuid:)?\{?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\}?")
_SERVICE_PROTOCOLS = ("ogc:", "wms", "wfs", "wcs", "wmts", "wps", "sos", "opendap", "thredds", "erddap", "esri:")
_DOCUMENTS = frozenset({"application/pdf", "application/msword"})
_OF_ANOTHER_WORK = ("paper", "article", "publication", "reference", "cite", "citation", "related", "journal")
_INSPIRE_LIMIT = re.compile(r"LimitationsOnPublicAccess/INSPIRE_Directive_Article13", re.IGNORECASE)


def read_links(metadata: Element, identifications: list[Element], warnings: list[str]) -> tuple[Link, ...]:
    """The landing page first, then distribution, service, documentation and preview links; each address once."""
    candidates = [
        *_landing_page(metadata),
        *(_link(resource, warnings) for resource in _distribution(metadata)),
        *(_link(resource, warnings, default="service") for part in identifications for resource in _operations(part)),
        *(_link(resource, warnings, document=True) for resource in _documentation(metadata)),
        *(
            _service_data(resource, warnings)
            for part in identifications
            for resource in children(part, "srv:operatesOn")
        ),
        *(_preview(resource) for part in identifications for resource in objects(part, "graphicOverview")),
    ]
    by_href: dict[str, Link] = {}
    for link in candidates:
        if link is not None:
            by_href[link.href] = _merge(by_href.get(link.href), link)
    return tuple(by_href.values())


def doi_among(links: tuple[Link, ...]) -> str | None:
    """The DOI of the only DOI link that does not lead to another work."""
    own_links = [
        link for link in links if is_doi_link(link.href) and not any(word in _label(link) for word in _OF_ANOTHER_WORK)
    ]
    return doi_in(own_links[0].href) if len(own_links) == 1 else None


def _label(link: Link) -> str:
    return f"{link.name or ''} {link.description or ''}".lower()


def _landing_page(metadata: Element) -> Iterator[Link | None]:
    uri = text_of(metadata, "dataSetURI")
    href, _ = repair_href(uri)
    if href is not None:  # a dataSetURI may be any identifier: no warning where it is not an address
        yield Link(href, rel="about")


def _distribution(metadata: Element) -> Iterator[Element]:
    for distribution in objects(metadata, "distributionInfo"):
        yield from objects(distribution, "transferOptions/onLine")
        yield from objects(distribution, "distributor/distributorTransferOptions/onLine")


def _operations(identification: Element) -> Iterator[Element]:
    return objects(identification, "srv:containsOperations/srv:connectPoint")


def _documentation(metadata: Element) -> Iterator[Element]:
    return objects(metadata, "metadataExtensionInfo/extensionOnLineResource")


def _link(resource: Element, warnings: list[str], *, default: str | None = None, document: bool = False) -> Link | None:
    href, warning = repair_href(raw_text(child(resource, "linkage")))
    if warning is not None:
        warnings.append(warning)
    if href is None:
        return None
    protocol = text_of(resource, "protocol")
    function = code_of(child(resource, "function")).lower()
    media_type = media_type_of(href)
    rel = default or _BY_FUNCTION.get(function) or _rel(href, protocol.lower())
    if document and (rel == "related" or media_type in _DOCUMENTS):
        rel = "describedby"
    name, description = text_of(resource, "name"), text_of(resource, "description")
    return Link(href, rel, protocol or None, media_type, name or None, description or None)


def _rel(href: str, protocol: str) -> str:
    if "download" in protocol or is_data_file(href):
        return "download"
    if protocol.startswith(_SERVICE_PROTOCOLS):
        return "service"
    return "related"


def _service_data(coupled_data: Element, warnings: list[str]) -> Link | None:
    """The data set that a service gives access to; by its UUID alone where the service writes no address."""
    reference = href_of(coupled_data) or coupled_data.get("uuidref") or ""
    href, warning = repair_href(reference)
    uuid = _UUID.fullmatch((coupled_data.get("uuidref") or reference).strip())
    if href is None and uuid is not None:
        href = f"urn:uuid:{uuid[1].lower()}"
    if href is None:
        fault = f"links: the data of the service has no web address: {reference[:200]!r}"
        warnings.extend([warning or fault] if reference else [])
        return None
    name = line(coupled_data.get(XLINK_TITLE)) or coupled_data.get("uuidref")
    return Link(href, rel="related", name=name or None, description=DATA_OF_SERVICE)


def _preview(graphic: Element) -> Link | None:
    href, _ = repair_href(raw_text(child(graphic, "fileName")))
    if href is None:  # often only a file name
        return None
    name = text_of(graphic, "fileDescription") or None
    return Link(href, rel="preview", media_type=media_type_of(href), name=name)


def _merge(earlier_link: Link | None, link: Link) -> Link:
    """The first link to an address, completed with what later ones add."""
    if earlier_link is None:
        return link
    return Link(
        earlier_link.href,
        earlier_link.rel if earlier_link.rel not in (None, "related") else link.rel,
        earlier_link.protocol or link.protocol,
        earlier_link.media_type or link.media_type,
        earlier_link.name or link.name,
        earlier_link.description or link.description,
    )


@dataclass(frozen=True, slots=True)
class TermsOfUse:
    """``licence`` is an SPDX identifier, or the URL of a licence without one."""

    licence: str | None
    constraints: tuple[str, ...]
    access: Access


def read_terms(identifications: list[Element]) -> TermsOfUse:
    blocks = [block for identification in identifications for block in objects(identification, "resourceConstraints")]
    limitations = [text for block in blocks for text in _texts(block)]
    texts = unique(text for text, _ in limitations if text and not is_placeholder(text))
    return TermsOfUse(
        _licence(blocks, limitations), texts, "restricted" if _is_restricted(blocks, limitations) else "open"
    )


def _texts(block: Element) -> Iterator[tuple[str, str]]:
    """Text and link of each limitation and other constraint."""
    for name in ("useLimitation", "otherConstraints"):
        for prop in children(block, name):
            href = href_of(prop) or ""
            inner_object = object_in(prop)
            title = "" if inner_object is None else inner_object.get(XLINK_TITLE) or ""
            yield paragraphs(prop) or title, href


def _licence(blocks: list[Element], limitations: list[tuple[str, str]]) -> str | None:
    for text, href in limitations:
        if is_placeholder(text) and not href:
            continue
        licence = spdx(href) or spdx(text)
        if licence is not None:
            return licence
    for block in blocks:
        if "license" in _codes(block, "useConstraints"):
            for text, href in _texts(block):
                url = licence_url(href) or licence_url(text)
                if url is not None:
                    return url
    return None


def _is_restricted(blocks: list[Element], limitations: list[tuple[str, str]]) -> bool:
    for block in blocks:
        codes = _codes(block, "accessConstraints")
        if local_name(block) == "MD_SecurityConstraints" or child(block, "classification") is not None:
            codes |= _codes(block, "classification")
        if any(is_restricted_code(code) for code in codes):
            return True
    return any(_INSPIRE_LIMIT.search(href) or says_restricted(text) for text, href in limitations)


def _codes(block: Element, name: str) -> set[str]:
    return {code_of(prop).replace(" ", "").lower() for prop in children(block, name)}
