"""Reads an answer as XML, JSON or text. Raises BadAnswer for the output of a broken or intercepting server."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from lxml import etree

from core.json_types import Json
from indexer.formats.json_documents.parsing import looks_like_json, syntax_fault
from indexer.formats.xml_documents import describe_syntax_error
from indexer.sources.fetching import BadAnswer
from net.errors import BadStatus
from net.exchange import HttpAnswer
from net.targets import address_of


def xml(answer: HttpAnswer) -> etree._Element:
    """The root of a well-formed document without DTD. Raises BadAnswer, and BadStatus for 4xx."""
    expect_2xx(answer)
    return parse_xml(answer.content, address_of(answer.url))


def parse_xml(content: bytes, host: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_pis=True)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise BadAnswer(f"{host} sent XML that is not well-formed: {describe_syntax_error(error)}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadAnswer(f"{host} sent a document with a DTD (a web page?) where XML metadata were asked for")
    if local(root).lower() == "html":
        raise BadAnswer(f"{host} sent a web page where XML was asked for")
    return root


def json_object(answer: HttpAnswer) -> Json:
    """Raises BadAnswer for anything but a JSON object, and BadStatus for 4xx."""
    found = json_value(answer)
    if not isinstance(found, dict):
        raise BadAnswer(f"{address_of(answer.url)} sent JSON that is no object")
    return found


def json_value(answer: HttpAnswer) -> Any:
    expect_2xx(answer)
    try:
        return json.loads(answer.content)
    except json.JSONDecodeError as error:
        if not looks_like_json(answer.content):
            raise BadAnswer(f"{address_of(answer.url)} did not answer in JSON") from None
        fault = syntax_fault(error)
        raise BadAnswer(f"{address_of(answer.url)} sent JSON that is not well-formed: {fault}") from None
    except (ValueError, RecursionError):
        raise BadAnswer(f"{address_of(answer.url)} did not answer in JSON") from None


def expect_2xx(answer: HttpAnswer) -> HttpAnswer:
    """Raises BadStatus for anything else; the fetcher handles 429 and 5xx before."""
    if not 200 <= answer.status < 300:
        raise BadStatus(address_of(answer.url), answer.status)
    return answer


def local(element: etree._Element) -> str:
    """The name without its namespace; empty for comments."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def text_of(element: etree._Element) -> str:
    """All its text, white space folded."""
    return " ".join("".join(str(part) for part in element.itertext()).split())


def written_xml(element: etree._Element) -> bytes:
    """An element as a separate document; equal elements give equal bytes."""
    return etree.tostring(element, encoding="UTF-8", xml_declaration=True, with_tail=False)


def written_json(value: object) -> bytes:
    """Equal objects give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def fingerprint(content: bytes) -> str:
    """An id for a record without one."""
    return f"sha256-{hashlib.sha256(content).hexdigest()[:32]}"
