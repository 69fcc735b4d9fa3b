"""The types that a request names: csw:Record and gmd:MD_Metadata."""

from __future__ import annotations

from collections.abc import Mapping

from search_api.formats_out.iso19139 import GMD
from search_api.protocols.csw.errors import CswError
from search_api.protocols.csw.names import CSW

Namespaces = Mapping[str | None, str]
"""Prefix to namespace; None is the default namespace."""

TYPES = {(CSW, "Record"): "csw:Record", (GMD, "MD_Metadata"): "gmd:MD_Metadata"}
_USUAL: Namespaces = {"csw": CSW, "gmd": GMD}


def known_types(text: str, parameter: str, declared: Namespaces) -> tuple[str, ...]:
    """The names with their usual prefixes. Raises CswError for another type, and for a name of no namespace.

    ``text``: names between commas or spaces. The prefixes csw and gmd count undeclared too, because clients forget
    them. A name without a prefix is in the default namespace, which key-value pairs do not have.
    """
    return tuple(_known(one, parameter, declared) for one in text.replace(",", " ").split())


def _known(name: str, parameter: str, declared: Namespaces) -> str:
    prefix, _, local = name.rpartition(":")
    namespaces = {**_USUAL, **declared}
    found = TYPES.get((namespaces.get(prefix or None, ""), local))
    if found is None:
        message = f"{parameter} is csw:Record or gmd:MD_Metadata, not {name[:100]}"
        raise CswError("InvalidParameterValue", message, parameter)
    return found
