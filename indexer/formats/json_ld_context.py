"""Applies the contexts inside a JSON-LD document: prefixes, base, and its names for terms and keywords.

A context that is given as an address is never fetched.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

from core.json_types import Json, JsonMapping
from indexer.formats.json_document import listed, text_in

_KEYWORDS = frozenset({"@id", "@type", "@value", "@language", "@graph", "@list"})


def in_context(document: object) -> Any:
    """The document with full addresses in ``@id`` and in terms that hold addresses.

    Renamed keywords and terms get their standard names. A document without a context is returned unchanged.
    """
    if isinstance(document, dict) and any(isinstance(one, dict) for one in listed(document.get("@context"))):
        return _node(document, {})
    if isinstance(document, list):
        return [in_context(one) for one in document]
    return document


def vocabulary(node: JsonMapping) -> str | None:
    """``schema.org`` or ``dcat`` where the node's types or its context say which; else None."""
    for kind in listed(node.get("@type")):
        text = text_in(kind).lower()
        if text.startswith(("schema:", "sdo:", "http://schema.org/", "https://schema.org/")):
            return "schema.org"
        if text.startswith(("dcat:", "http://www.w3.org/ns/dcat#")):
            return "dcat"
    for one in listed(node.get("@context")):
        address = text_in(one.get("@vocab")) if isinstance(one, dict) else text_in(one)
        if "schema.org" in address:
            return "schema.org"
        if "ns/dcat" in address or "dcat-ap" in address.lower() or "project-open-data" in address:
            return "dcat"
    return None


def _node(node: JsonMapping, above: JsonMapping) -> Json:
    context = dict(above)
    for one in listed(node.get("@context")):
        context |= one if isinstance(one, dict) else {}
    written: Json = {}
    for name, value in node.items():
        if name == "@context":
            written[name] = value
            continue
        key, is_address = _term(name, context)
        written[key] = _value(value, context, is_address=is_address or key == "@id")
    return written


def _value(value: object, context: JsonMapping, *, is_address: bool) -> object:
    if isinstance(value, list):
        return [_value(one, context, is_address=is_address) for one in value]
    if isinstance(value, dict):
        return _node(value, context)
    if is_address and isinstance(value, str):
        return _whole(value, context)
    return value


def _term(name: str, context: JsonMapping) -> tuple[str, bool]:
    """The standard name of a member, and whether its texts are addresses."""
    said = context.get(name)
    target = text_in(said.get("@id")) if isinstance(said, dict) else text_in(said)
    is_address = isinstance(said, dict) and said.get("@type") == "@id"
    if target in _KEYWORDS:
        return target, target == "@id"
    whole = _whole(target, context) if target else ""
    last = whole.rstrip("/").rpartition("/")[2].rpartition("#")[2]
    if not last or last == name.rpartition(":")[2] or whole.endswith(("/", "#")):  # the same name, or only a prefix
        return name, is_address
    return whole, is_address


def _whole(text: str, context: JsonMapping) -> str:
    """``ex:1`` with the address of ``ex``, ``#1`` with the base."""
    prefix, colon, rest = text.partition(":")
    if colon and not rest.startswith("//"):
        said = context.get(prefix)
        space = text_in(said.get("@id")) if isinstance(said, dict) else text_in(said)
        return space + rest if space else text
    base = text_in(context.get("@base"))
    return urljoin(base, text) if base and not colon else text
