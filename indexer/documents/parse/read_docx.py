"""Reads DOCX into blocks: styles mark the headings, tables are tables. Ignores macros, links and objects."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from itertools import takewhile

from lxml import etree

from indexer.documents.parse.clean import normalise_text
from indexer.documents.parse.front_matter import front_matter
from indexer.documents.parse.limits import Allowance, Cell, DocumentRefused, Limits, markup_table
from indexer.documents.parse.model import Block, ReadDocument
from indexer.documents.parse.sections import split_references

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_CORE_NAMESPACES = {"dc": "http://purl.org/dc/elements/1.1/", "dcterms": "http://purl.org/dc/terms/"}
_BROKEN_ARCHIVE = (
    KeyError,
    ValueError,
    EOFError,
    OSError,
    OverflowError,
    NotImplementedError,  # an unknown compression
    struct.error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)
_TOO_LARGE_FOR_XML = (etree.ErrorTypes.ERR_RESOURCE_LIMIT, etree.ErrorTypes.ERR_NAME_TOO_LONG)
_WIDTH = re.compile(r"[1-9][0-9]{0,3}")
_HEADING = re.compile(r"^(?:heading|berschrift|titre|ttulo|titolo|titel)(\d)$", re.IGNORECASE)


def read_docx(data: bytes, limits: Limits) -> ReadDocument:
    """Raises DocumentRefused: ``damaged``, ``too_large`` (a zip bomb), ``encrypted``, ``no_text``."""
    with _open(data) as archive:
        body = _part(archive, "word/document.xml", limits)
        core = _part(archive, "docProps/core.xml", limits) if "docProps/core.xml" in archive.namelist() else None
    allowance = Allowance(limits)
    blocks = list(allowance.within(block for block in _blocks(body, allowance) if block.text or block.table))
    if not blocks:
        raise DocumentRefused("no_text", "The document holds no text.")
    info = {} if core is None else {"Title": _property(core, "dc:title"), "Author": _property(core, "dc:creator")}
    body_blocks, references = split_references(blocks)
    front = front_matter(blocks, info, {})
    return ReadDocument("docx", tuple(body_blocks), front, references, warnings=allowance.warnings)


def _open(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN_ARCHIVE:
        raise DocumentRefused("damaged", "The DOCX is not a zip archive that can be opened.") from None


def _part(archive: zipfile.ZipFile, name: str, limits: Limits) -> etree._Element:
    """One part, never read beyond the limit, whatever size its entry claims."""
    try:
        with archive.open(name) as stream:
            content = stream.read(limits.max_unpacked_bytes + 1)
    except _BROKEN_ARCHIVE as error:
        raise DocumentRefused(
            "damaged", f"The part {name} of the DOCX cannot be read ({type(error).__name__})."
        ) from None
    except RuntimeError:
        raise DocumentRefused("encrypted", "The DOCX is encrypted.") from None
    if len(content) > limits.max_unpacked_bytes:
        raise DocumentRefused("too_large", f"{name} unpacks to more than {limits.max_unpacked_bytes:,} bytes.")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        if parser.error_log[0].type in _TOO_LARGE_FOR_XML:
            fault = "it nests too deeply, or one of its texts is too long"
            raise DocumentRefused("too_large", f"{name} is no document that can be read: {fault}.") from None
        raise DocumentRefused("damaged", f"{name} is not XML: {str(error)[:200]}") from None


def _blocks(body: etree._Element, allowance: Allowance) -> Iterator[Block]:
    root = body.find(f"{_W}body")
    for node in root if root is not None else ():
        if node.tag == f"{_W}p":
            yield _paragraph(node)
        elif node.tag == f"{_W}tbl":
            yield from markup_table(map(_cells, node.iterfind(f"{_W}tr")), _header_rows(node), "", allowance)


def _header_rows(table: etree._Element) -> int:
    """The rows that are repeated on each page; 1 if none is marked so."""
    is_header = (row.find(f"{_W}trPr/{_W}tblHeader") is not None for row in table.iterfind(f"{_W}tr"))
    return max(1, sum(takewhile(bool, is_header)))


def _paragraph(node: etree._Element) -> Block:
    style = node.find(f"{_W}pPr/{_W}pStyle")
    name = (style.get(f"{_W}val") or "") if style is not None else ""
    text = _text(node)
    heading = _HEADING.match(name)
    if heading:
        return Block("heading", text, level=int(heading[1]))
    if name.lower() in ("title", "titel", "titre"):
        return Block("heading", text, level=1)
    if name.lower() in ("caption", "beschriftung", "lgende"):
        return Block("caption", text)
    is_list_item = node.find(f"{_W}pPr/{_W}numPr") is not None
    return Block("list" if is_list_item else "text", text)


def _text(node: etree._Element) -> str:
    """Text with tabs and breaks as spaces; text deleted under tracked changes is not in ``w:t``."""
    parts: list[str] = []
    for part in node.iter(f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}cr", f"{_W}noBreakHyphen"):
        parts.append((part.text or "") if part.tag == f"{_W}t" else "-" if part.tag.endswith("Hyphen") else " ")
    return normalise_text("".join(parts))


def _cells(row: etree._Element) -> Iterator[Cell]:
    return ((_text(cell), _width(cell)) for cell in row.iterfind(f"{_W}tc"))


def _width(cell: etree._Element) -> int:
    """The number of columns that the cell spans; 1 if the file gives no valid number."""
    span = cell.find(f"{_W}tcPr/{_W}gridSpan")
    value = span.get(f"{_W}val") if span is not None else None
    return int(value) if value is not None and _WIDTH.fullmatch(value.strip()) else 1


def _property(core: etree._Element, path: str) -> str:
    node = core.find(path, _CORE_NAMESPACES)
    return normalise_text(node.text or "") if node is not None else ""
