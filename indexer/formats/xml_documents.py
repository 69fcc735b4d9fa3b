"""Parses XML without entities, DTDs or network, names its faults, and finds elements by local name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree
from lxml.etree import _Element

from indexer.raw import RawRecord, RecordRefused

_ISO_TYPE = "{http://www.isotc211.org/2005/gco}isoType"
_FIRST_BYTES = 1024
_XML_STARTS = (b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00")  # or a byte order mark
_SPACE = re.compile(rb"\s*")
_DTD = (b"<!DOCTYPE", b"<!ENTITY")
_ONLY_NAMED = re.compile(  # a document type with only a name: no internal subset, so no entities
    rb"<!DOCTYPE\s+[\w.:-]+(?:\s+(?:SYSTEM|PUBLIC\s+(?:\"[^\"<>]*\"|'[^'<>]*'))(?:\s*(?:\"[^\"<>]*\"|'[^'<>]*'))?)?\s*>"
)
_WEB_PAGE = re.compile(rb"\A\s*(?:<!doctype html|<html)", re.IGNORECASE)
_DECLARED_ENCODING = re.compile(rb"\A<\?xml[^>]*encoding=[\"']([A-Za-z0-9._-]+)[\"']")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_CHARACTER = re.compile(rb"&#(x[0-9a-fA-F]{1,6}|[0-9]{1,7});")
_DTD_REFUSED = "it declares a document type (DOCTYPE, entities), which is never read"
_PLAIN_WORDS = (
    ("AttValue", "an attribute has no quotes around its value"),
    ("attributes construct error", 'an attribute is not written as name="value"'),
    ("Specification mandates value", "an attribute has no value"),
    ("xmlParseEntityRef", 'a "&" is not written as "&amp;"'), ("EntityRef", 'a "&" is not written as "&amp;"'),
    ("Entity '", "it uses an entity that XML does not know"), ("Unescaped '<'", 'a "<" is not written as "&lt;"'),
    ("StartTag", 'a "<" is not written as "&lt;"'),
    ("Opening and ending tag mismatch", "an element ends with the tag of another one"),
    ("Couldn't find end of Start Tag", "it breaks off inside a tag"),
    ("EndTag", "it breaks off before all elements are closed"), ("Premature end", "it breaks off"),
    ("expected '>'", "a tag is not closed"), ("Extra content", "something follows behind its end"),
    ("Document is empty", "no element begins where one should"),
    ("Start tag expected", "no element begins where one should"),
    ("PCDATA invalid Char", "it holds a character that XML forbids"),
    ("xmlParseCharRef", "it holds a character that XML forbids"),
    ("Input is not proper", "its characters are not in the encoding that it names"),
    ("encoder error", "its characters are not in the encoding that it names"),
    ("Excessive depth", "its elements lie too deep in each other"),
    ("Attribute", "an element has the same attribute twice"), ("Comment", "a comment is not closed"),
    ("CData", "a CDATA section is not closed"),
)  # fmt: skip
Element = _Element

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class FirstElement:
    """The root's tag in Clark notation, and the ISO type that a profile declares on it."""

    tag: str
    iso_type: str | None


def element_start(element: Element) -> FirstElement:
    return FirstElement(str(element.tag), element.get(_ISO_TYPE))


@dataclass(frozen=True, slots=True)
class ParsedXml:
    """A document's root; ``warnings`` lists the repairs that parsing needed."""

    root: etree._Element
    warnings: tuple[str, ...] = ()


def parse(content: bytes) -> ParsedXml:
    """The tree of a document, without comments and processing instructions. Raises RecordRefused, naming the line."""
    content = content.lstrip()  # white space before the declaration is common and harmless
    if not content:
        raise RecordRefused("the document is empty")
    if _WEB_PAGE.match(content):
        raise RecordRefused("it is a web page, not metadata")
    start = _after_prolog(content)
    prefix_match = _ONLY_NAMED.match(content, start)
    if prefix_match is not None:  # FGDC's documents name their DTD: it is skipped, never fetched
        content = content[:start] + content[prefix_match.end() :]
    if content.startswith(_DTD, _after_prolog(content)):
        raise RecordRefused(_DTD_REFUSED)
    try:
        return ParsedXml(_parse(content))
    except etree.XMLSyntaxError as error:
        repaired_content, warnings = _repair(content)
        if not warnings:
            raise RecordRefused(f"it is not well-formed XML: {describe_syntax_error(error)}") from error
    try:
        return ParsedXml(_parse(repaired_content), warnings)
    except etree.XMLSyntaxError as error:
        raise RecordRefused(f"it is not well-formed XML: {describe_syntax_error(error)}") from error


def xml_root(raw: RawRecord) -> Element:
    """The root of an XML document. Raises RecordRefused."""
    return parse(raw.content).root


def _after_prolog(content: bytes) -> int:
    """The position of the first markup that is neither declaration, processing instruction nor comment.

    Found step by step: a regular expression would take exponential time on many comments.
    """
    place = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    while True:
        space = _SPACE.match(content, place)
        place = place if space is None else space.end()
        for opening_mark, closing_mark in ((b"<!--", b"-->"), (b"<?", b"?>")):
            if content.startswith(opening_mark, place):
                end = content.find(closing_mark, place + len(opening_mark))
                if end < 0:
                    return place
                place = end + len(closing_mark)
                break
        else:
            return place


def first_element(content: bytes) -> FirstElement | None:
    """The root element, from the first bytes only; None where there is none (JSON, text, broken)."""
    content = content.lstrip()
    if not content.startswith(_XML_STARTS):
        return None
    reader = etree.XMLPullParser(
        events=("start",), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    for start in range(0, len(content), _FIRST_BYTES):
        is_broken = _feed(reader, content[start : start + _FIRST_BYTES])
        for _, element in reader.read_events():
            if isinstance(element, etree._Element):
                return element_start(element)
        if is_broken:
            repaired_content, warnings = _repair(content)
            return first_element(repaired_content) if warnings else None
    return None


def _feed(reader: etree.XMLPullParser, content: bytes) -> bool:
    """Whether the document breaks here; elements before the break can still be read."""
    try:
        reader.feed(content)
    except etree.XMLSyntaxError:
        return True
    return False


def _parse(content: bytes) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,
    )
    root = etree.fromstring(content, parser)
    if root.getroottree().docinfo.internalDTD is not None:  # a rare encoding hid it from the first check
        raise RecordRefused(_DTD_REFUSED)
    return root


def _repair(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The document without characters that XML forbids, and the repairs; no warnings: nothing could be repaired."""
    encoding_match = _DECLARED_ENCODING.match(content)
    if encoding_match is not None and encoding_match[1].lower() not in (b"utf-8", b"utf8"):
        return content, ()
    warnings = []
    repaired_content = _CHARACTER.sub(_allowed_character, _CONTROL.sub(b"", content))
    if repaired_content != content:
        warnings.append("xml: control characters were removed")
    try:
        repaired_content.decode("utf-8")
    except UnicodeDecodeError:
        repaired_content = _as_utf8(repaired_content)
        warnings.append("xml: bytes that are not UTF-8 were read as Windows-1252")
    return repaired_content, tuple(warnings)


def _allowed_character(match: re.Match[bytes]) -> bytes:
    digits = match[1].decode()
    code = int(digits[1:], 16) if digits.startswith("x") else int(digits)
    is_allowed = (
        code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
    )
    return match[0] if is_allowed else b""


def _as_utf8(content: bytes) -> bytes:
    text = content.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", _windows_character, text).encode("utf-8")


def _windows_character(match: re.Match[str]) -> str:
    return bytes([ord(match[0]) - 0xDC00]).decode("cp1252", "replace")


def describe_syntax_error(error: etree.XMLSyntaxError) -> str:
    """``an attribute has no quotes around its value (line 3, column 7)``."""
    message = error.msg or ""
    description = next(
        (plain_words for start, plain_words in _PLAIN_WORDS if message.startswith(start)), "its markup is broken"
    )
    line, column = error.position
    return f"{description} (line {line}, column {column})"


@lru_cache(maxsize=2048)
def _steps(path: str) -> str:
    return "/".join(step if step in ("", ".", "*") else f"{{*}}{step}" for step in path.split("/"))


def find_all(element: Element | None, path: str) -> Iterator[Element]:
    """Elements at the end of ``a/b/c``, in document order; none for None."""
    return iter(()) if element is None else element.iterfind(_steps(path))


def find(element: Element | None, path: str) -> Element | None:
    return None if element is None else element.find(_steps(path))


def inner_text(element: Element | None) -> str:
    """All text inside an element, as written."""
    if element is None:
        return ""
    return element.text or "" if not len(element) else " ".join(str(piece) for piece in element.itertext())


def text_at(element: Element | None, *paths: str) -> str:
    """The first text that is not blank at any of the paths; the empty string where there is none."""
    for path in paths:
        for match in find_all(element, path):
            text = inner_text(match).strip()
            if text:
                return text
    return ""


def texts_at(element: Element | None, *paths: str) -> list[str]:
    """Every text that is not blank, path by path."""
    return [text for path in paths for match in find_all(element, path) if (text := inner_text(match).strip())]


def copy_of(element: Element) -> Element:
    element_copy: Element = deepcopy(element)
    return element_copy


def local_name(element: Element) -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]
