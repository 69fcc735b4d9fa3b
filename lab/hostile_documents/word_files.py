"""DOCX and other archives: spans, nesting and compression that multiply what they hold."""

from __future__ import annotations

import io
import zipfile

from lab.hostile_documents.kinds import HostileKind

_NAMESPACE = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: bytes, core: bytes | None = None, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression, compresslevel=9) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        document = b'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="%s"><w:body>' % _NAMESPACE
        archive.writestr("word/document.xml", document + body + b"</w:body></w:document>")
        if core is not None:
            archive.writestr("docProps/core.xml", core)
    return out.getvalue()


def _paragraph(text: bytes) -> bytes:
    return b"<w:p><w:r><w:t>" + text + b"</w:t></w:r></w:p>"


def _cell(text: bytes = b"", properties: bytes = b"") -> bytes:
    return b"<w:tc>" + (b"<w:tcPr>" + properties + b"</w:tcPr>" if properties else b"") + _paragraph(text) + b"</w:tc>"


def _table(rows: bytes) -> bytes:
    return b"<w:tbl>" + rows + b"</w:tbl>"


def _row(cells: bytes) -> bytes:
    return b"<w:tr>" + cells + b"</w:tr>"


def _span(width: bytes, text: bytes = b"") -> bytes:
    return _cell(text, b'<w:gridSpan w:val="' + width + b'"/>')


def _wide_row(size: int, text: bytes) -> bytes:
    return docx(_table(_row(_span(b"100", text) * size) + _row(_cell(text or b"a")) * (size // 100 + 2)))


def _merged(size: int) -> bytes:
    first = _row(_cell(b"a", b'<w:vMerge w:val="restart"/>') + _cell(b"1"))
    return docx(_table(first + _row(_cell(b"", b"<w:vMerge/>") + _cell(b"2")) * size))


def _nested_tables(size: int) -> bytes:
    inside = _paragraph(b"words of a cell " * 1_000)
    for _ in range(size):
        inside = _table(_row(b"<w:tc>" + inside + b"</w:tc>" + _cell(b"b")) + _row(_cell(b"c") + _cell(b"d")))
    return docx(inside)


def _deep(size: int) -> bytes:
    return docx(b"<w:sdt>" * size + _paragraph(b"deep") + b"</w:sdt>" * size)


def _bomb_of_spaces(size: int) -> bytes:
    out = io.BytesIO()
    packed = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with packed, packed.open("word/document.xml", "w", force_zip64=True) as part:
        for _ in range(size):
            part.write(b" " * (1 << 20))
    return out.getvalue()


def _many_members(size: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
        for number in range(size):
            archive.writestr(f"{number}", "")
    return out.getvalue()


def _entities(size: int) -> bytes:
    names = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, size))
    return _with_prologue(f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY e0 "lol">{names}]>'.encode(), size)


def _with_prologue(prologue: bytes, size: int) -> bytes:
    out = io.BytesIO()
    body = b'<w:document xmlns:w="%s"><w:body>' % _NAMESPACE + _paragraph(b"Before. &e%d;" % (size - 1))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", prologue + body + b"</w:body></w:document>")
    return out.getvalue()


def _core_of_names(size: int) -> bytes:
    names = b"Ada Lovelace; " * size
    core = b'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>' + names + b"</dc:creator></c>"
    return docx(_paragraph(b"The lake is deep."), core)


WORD_KINDS = (
    HostileKind("docx: empty cells of 100 columns", lambda n: _wide_row(n, b""), 20_000, 2_000),
    HostileKind("docx: cells of 100 columns", lambda n: _wide_row(n, b"a"), 20_000, 2_000),
    HostileKind(
        "docx: spans that are no numbers",
        lambda n: docx(_table(_row(_span(b"abc", b"a") + _span(b"-5", b"b") + _span(b"9" * 5_000, b"c")) * n)),
        1_000,
        10,
    ),
    HostileKind("docx: merged cells", _merged, 100_000, 500),
    HostileKind("docx: tables in tables", _nested_tables, 80, 10),
    HostileKind("docx: a square table", lambda n: docx(_table(_row(_cell(b"1") * n) * n)), 700, 40),
    HostileKind("docx: thousands of tables", lambda n: docx(_table(_row(_cell(b"a") * 2) * 2) * n), 50_000, 300),
    HostileKind("docx: deep XML", _deep, 10_000, 500),
    HostileKind(
        "docx: a gigantic attribute",
        lambda n: docx(b'<w:p w:x="' + b"x" * n + b'"/>' + _paragraph(b"a")),
        50_000_000,
        20_000_000,
    ),
    HostileKind("docx: a gigantic text", lambda n: docx(_paragraph(b"deep " * n)), 15_000_000, 100_000),
    HostileKind("docx: empty paragraphs", lambda n: docx(b"<w:p/>" * n + _paragraph(b"a")), 2_000_000, 10_000),
    HostileKind("docx: short paragraphs", lambda n: docx(_paragraph(b"a") * n), 600_000, 3_000),
    HostileKind("docx: a bomb of spaces", _bomb_of_spaces, 2_000, 150),
    HostileKind("docx: entities of entities", _entities, 30, 10),
    HostileKind("docx: thousands of authors", _core_of_names, 700_000, 2_000),
    HostileKind("zip: hundreds of thousands of members", _many_members, 200_000, 2_000),
)
