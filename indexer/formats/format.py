"""A metadata format: its reader, and how to recognise its documents.

Each reader's module ends with its ``FORMAT``; ``indexer.formats.recognition`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.json_types import JsonMapping
from core.record import Record
from indexer.formats.json_documents.linked_data import Vocabulary, vocabulary_of
from indexer.formats.json_documents.parsing import looks_like_json, parse_json
from indexer.formats.json_documents.rdf import looks_like_turtle
from indexer.formats.json_documents.web_pages import may_hold_scripts
from indexer.formats.xml_documents import Element, FirstElement, first_element
from indexer.raw import RawRecord

_DCAT = b"http://www.w3.org/ns/dcat#"


@dataclass(frozen=True)
class Inspection:
    """What a document shows of its format, computed once for all recognisers.

    ``element``: the first XML element; None for anything else and for a web page. A recogniser may search ``content``
    for a name. ``json``: the value of a JSON document; None for anything else.
    """

    content: bytes = b""
    element: FirstElement | None = None
    json: Any = None
    is_turtle: bool = False
    is_page_with_scripts: bool = False

    @property
    def tag(self) -> str:
        """The first element's name in Clark notation (``{namespace}name``); empty where there is none."""
        return "" if self.element is None else self.element.tag

    @property
    def iso_type(self) -> str:
        """``MD_Metadata`` or ``MI_Metadata`` where ``gco:isoType`` says so; else empty."""
        return "" if self.element is None else (self.element.iso_type or "").rpartition(":")[2]

    @property
    def members(self) -> JsonMapping:
        """The members of a JSON object; empty for anything else."""
        return self.json if isinstance(self.json, dict) else {}

    @property
    def holds_dcat(self) -> bool:
        return _DCAT in self.content

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """The vocabulary of a JSON-LD document's only data set."""
        return None if self.json is None else vocabulary_of(self.json)


def inspect(content: bytes) -> Inspection:
    """Reads only the start of XML; parses JSON. Raises RecordRefused for JSON that cannot be parsed."""
    if looks_like_json(content):
        return Inspection(content, json=parse_json(content))
    element = first_element(content)
    if element is not None and element.tag.rpartition("}")[2].lower() != "html":
        return Inspection(content, element)
    if looks_like_turtle(content):
        return Inspection(content, is_turtle=True)
    return Inspection(content, is_page_with_scripts=may_hold_scripts(content))


@dataclass(frozen=True, slots=True)
class Format:
    """One metadata format. ``name`` is the record's ``native_format``.

    After a change of ``version`` the next harvest reads unchanged documents again. ``read`` turns one document into a
    Record of a source and raises RecordRefused; ``recognises`` judges a document that holds one record, and
    ``found_by`` says how, for docs/stewards/formats.md. ``resource`` gives the part that describes the data set, as XML
    or as a JSON object; there ``stated_paths.json`` finds the fields that `sonde formats` compares with what was read.
    ``fields.json`` says where each field of ``Record`` comes from.
    """

    name: str
    version: int
    read: Callable[[RawRecord, str], Record]
    recognises: Callable[[Inspection], bool]
    found_by: str
    resource: Callable[[RawRecord], Element | JsonMapping | None] | None = None


def parsed_content(raw: RawRecord, parse: Callable[[bytes], Any]) -> Any:
    """What ``parse`` gives for the document, from its recognition where that holds it. Raises as ``parse`` does."""
    document = None if raw.recognition is None else raw.recognition.parsed
    return parse(raw.content) if document is None else document


def json_of(raw: RawRecord) -> Any:
    """The value of a JSON document. Raises RecordRefused."""
    return parsed_content(raw, parse_json)
