"""Reads DOCX into blocks: styles mark the headings, notes end their section. Ignores macros, links and objects."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import takewhile

from lxml import etree

from indexer.documents.parse.clean import normalise_text
from indexer.documents.parse.front_matter import front_matter
from indexer.documents.parse.limits import Allowance, Cell, DocumentRefused, Limits, markup_table, span_of
from indexer.documents.parse.model import Block, ReadDocument
from indexer.documents.parse.pdf.glyphs import symbol_of_font
from indexer.documents.parse.sections import split_references

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = (*(f"{_W}{name}" for name in ("t", "tab", "br", "cr", "noBreakHyphen", "sym", "p")), "{*}t")  # and formulas
_WRITTEN_ELSEWHERE = ("{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback", f"{_W}moveFrom")
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
_HEADING = re.compile(r"^(?:heading|berschrift|titre|ttulo|titolo|titel) ?(\d)$", re.IGNORECASE)
_TITLES, _CAPTIONS = ("title", "titel", "titre"), ("caption", "beschriftung", "lgende")
_BASES = 10  # of a style
_NOTES = ("footnote", "endnote")


def read_docx(data: bytes, limits: Limits) -> ReadDocument:
    """Raises DocumentRefused: ``damaged``, ``too_large`` (a zip bomb), ``encrypted``, ``no_text``."""
    with _open(data) as archive:
        body = _part(archive, "word/document.xml", limits)
        styles: dict[str, str] = {}
        with suppress(DocumentRefused):
            styles = _style_names(_part(archive, "word/styles.xml", limits))
        core = _part(archive, "docProps/core.xml", limits) if "docProps/core.xml" in archive.namelist() else None
        notes, unread_notes = _notes(archive, limits)
    etree.strip_elements(body, *_WRITTEN_ELSEWHERE, with_tail=False)
    allowance = Allowance(limits)
    drafts = _blocks(body, styles, notes, allowance)
    blocks = list(allowance.within(block for block in drafts if block.text or block.table))
    if not blocks:
        raise DocumentRefused("no_text", "The document holds no text.")
    info = {} if core is None else {"Title": _property(core, "dc:title"), "Author": _property(core, "dc:creator")}
    body_blocks, references = split_references(blocks)
    front = front_matter(blocks, info, {})
    return ReadDocument("docx", tuple(body_blocks), front, references, warnings=(*allowance.warnings, *unread_notes))


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


def _style_names(styles: etree._Element) -> dict[str, str]:
    """The English name of each style by its id, which is in the language of Word; its base's if that is a heading."""
    by_id = {style.get(f"{_W}styleId") or "": style for style in styles.iterfind(f"{_W}style")}
    names: dict[str, str] = {}
    for id, style in by_id.items():
        for _ in range(_BASES):
            names[id] = _value(style, "name")
            base = by_id.get(_value(style, "basedOn"))
            if base is None or _HEADING.match(names[id]) or names[id].lower() in (*_TITLES, *_CAPTIONS):
                break
            style = base
    return names


def _notes(archive: zipfile.ZipFile, limits: Limits) -> tuple[dict[tuple[str, str], list[Block]], list[str]]:
    """The paragraphs of each note by its kind and id, and a warning for each kind that cannot be read."""
    notes: dict[tuple[str, str], list[Block]] = {}
    warnings: list[str] = []
    for kind in _NOTES:
        name = f"word/{kind}s.xml"
        try:
            part = _part(archive, name, limits) if name in archive.namelist() else None
        except DocumentRefused as refusal:
            warnings.append(f"The {kind}s are left out: {refusal}")
            continue
        if part is not None:
            etree.strip_elements(part, *_WRITTEN_ELSEWHERE, with_tail=False)
            for note in part.iterfind(f"{_W}{kind}"):
                notes[kind, note.get(f"{_W}id") or ""] = [Block("footnote", _text(node)) for node in _parts(note)]
    return notes, warnings


def _value(node: etree._Element, path: str) -> str:
    inner_node = node.find("/".join(f"{_W}{name}" for name in path.split("/")))
    return (inner_node.get(f"{_W}val") or "") if inner_node is not None else ""


def _blocks(
    body: etree._Element, styles: Mapping[str, str], notes: dict[tuple[str, str], list[Block]], allowance: Allowance
) -> Iterator[Block]:
    """Notes come at the end of the section that refers to them, so that they stand in no sentence."""
    section_notes: list[Block] = []
    for node in _parts(body.find(f"{_W}body")):
        if node.tag == f"{_W}p":
            block = _paragraph(node, styles)
            if block.kind == "heading":
                yield from section_notes
                section_notes = []
            yield block
        elif node.tag == f"{_W}tbl":
            rows = (_cells(part) for part in _parts(node) if part.tag == f"{_W}tr")
            yield from markup_table(rows, _header_rows(node), "", allowance)
        for reference in node.iter(*(f"{_W}{kind}Reference" for kind in _NOTES)):
            kind = reference.tag.removeprefix(_W).removesuffix("Reference")
            section_notes += notes.pop((kind, reference.get(f"{_W}id") or ""), [])
    yield from section_notes


def _parts(holder: etree._Element | None) -> Iterator[etree._Element]:
    """The children, also those in content controls (a cover, a field to fill in); without the table of contents."""
    for node in holder if holder is not None else ():
        if node.tag != f"{_W}sdt":
            yield node
        elif _value(node, "sdtPr/docPartObj/docPartGallery") != "Table of Contents":
            yield from _parts(node.find(f"{_W}sdtContent"))


def _header_rows(table: etree._Element) -> int:
    """The rows that are repeated on each page; 1 if none is marked so."""
    is_header = (row.find(f"{_W}trPr/{_W}tblHeader") is not None for row in table.iterfind(f"{_W}tr"))
    return max(1, sum(takewhile(bool, is_header)))


def _paragraph(node: etree._Element, styles: Mapping[str, str]) -> Block:
    style = _value(node, "pPr/pStyle")
    name, text = styles.get(style, style), _text(node)
    heading = _HEADING.match(name)
    if heading:
        return Block("heading", text, level=int(heading[1]))
    if name.lower() in _TITLES:
        return Block("heading", text, level=1)
    if name.lower() in _CAPTIONS:
        return Block("caption", text)
    is_list_item = node.find(f"{_W}pPr/{_W}numPr") is not None
    return Block("list" if is_list_item else "text", text)


def _text(node: etree._Element) -> str:
    """Tabs, breaks and paragraphs of a cell as spaces; text deleted under tracked changes is not in ``w:t``."""
    return normalise_text("".join(map(_characters, node.iter(*_TEXT))))


def _characters(part: etree._Element) -> str:
    if part.tag.endswith("}t"):
        return part.text or ""
    if part.tag == f"{_W}sym":  # a letter of a font: F06D of Symbol is a micro sign
        code = part.get(f"{_W}char") or ""
        is_code = re.fullmatch(r"[0-9A-Fa-f]{4}", code) is not None
        return (
            symbol_of_font(chr(int(code, 16) | 0xF000), (part.get(f"{_W}font") or "").lower()) if is_code else ""
        ) or ""
    return "-" if part.tag.endswith("Hyphen") else " "


def _cells(row: etree._Element) -> Iterator[Cell]:
    cells = (part for part in _parts(row) if part.tag == f"{_W}tc")
    return ((_text(cell), span_of(_value(cell, "tcPr/gridSpan"))) for cell in cells)


def _property(core: etree._Element, path: str) -> str:
    node = core.find(path, _CORE_NAMESPACES)
    return normalise_text(node.text or "") if node is not None else ""
