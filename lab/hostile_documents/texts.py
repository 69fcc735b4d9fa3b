"""Hostile documents that are texts, HTML or DOCX."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

Make = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class HostileKind:
    """``make(size)`` gives the file. ``usual``: the size in ``lab.hostile_documents.course``; ``small``: in the test
    suite, where it takes less than a second.
    """

    name: str
    make: Make
    usual: int
    small: int


def _random(size: int) -> bytes:
    return "".join(random.Random(1).choices("abc .,-\n#*1(", k=size)).encode()  # noqa: S311  # nosec B311


TEXT_KINDS = (
    HostileKind("text: one-letter lines", lambda n: b"a\n" * n, 2_000_000, 10_000),
    HostileKind("text: one-letter paragraphs", lambda n: b"a\n\n" * n, 1_300_000, 10_000),
    HostileKind("text: lines that end in a hyphen", lambda n: b"ab-\n" * n, 1_000_000, 10_000),
    HostileKind("text: one gigantic line", lambda n: b"The lake is deep. " * n, 250_000, 2_000),
    HostileKind("text: one gigantic word", lambda n: b"a" * n, 4_000_000, 20_000),
    HostileKind("text: one gigantic number", lambda n: b"1234567890" * n, 400_000, 2_000),
    HostileKind("text: one sentence without an end", lambda n: b"and then " * n, 450_000, 2_000),
    HostileKind("text: abbreviations without an end", lambda n: b"e.g. A " * n, 600_000, 2_000),
    HostileKind("text: tabs", lambda n: b"a\tb\t\t\t\tc\n" * n, 400_000, 2_000),
    HostileKind("text: spaces", lambda n: b"a" + b" " * n + b"b\n", 4_000_000, 20_000),
    HostileKind("text: empty lines", lambda n: b"The lake is deep.\n" + b" \n" * n + b"It is cold.", 2_000_000, 10_000),
    HostileKind("text: form feeds", lambda n: b"page\f" * n, 800_000, 4_000),
    HostileKind("text: control codes", lambda n: (b"word" * 1000 + b"\x0b\x1c\x1d\x85\x1b[2J\n") * n, 1_000, 5),
    HostileKind("text: combining marks", lambda n: ("a" + "\u0301" * n).encode(), 2_000_000, 10_000),
    HostileKind("text: invisible characters", lambda n: ("deep \u200b\u200d\u2060" * n).encode(), 300_000, 2_000),
    HostileKind("text: right to left and back", lambda n: ("\u202eabc\u202c def " * n).encode(), 300_000, 2_000),
    HostileKind("text: emoji", lambda n: ("\U0001f9ff" * n).encode(), 1_000_000, 5_000),
    HostileKind("text: Markdown headings", lambda n: b"# a\n" * n, 1_000_000, 5_000),
    HostileKind("text: a heading of number signs", lambda n: b"# " + b"#" * n + b"x\n", 4_000_000, 20_000),
    HostileKind("text: list items", lambda n: b"- a\n" * n, 1_000_000, 5_000),
    HostileKind(
        "text: brackets of digits", lambda n: b"(" + b"1" * n + b"\n\nAda Lovelace(" + b"1 " * n, 100_000, 5_000
    ),
    HostileKind(
        "text: references without an end", lambda n: b"# References\n\n" + b"Smith and others\n\n" * n, 90_000, 1_000
    ),
    HostileKind("text: dots", lambda n: b". " * n, 2_000_000, 10_000),
    HostileKind("text: wrong UTF-16", lambda n: b"\xff\xfe" + b"\x00\xd8" * n, 2_000_000, 10_000),
    HostileKind("text: noise", _random, 3_000_000, 20_000),
)


def _page(body: bytes) -> bytes:
    return b"<!doctype html><html><head><title>Lakes</title></head><body>" + body + b"</body></html>"


def _nest(open_tag: bytes, close_tag: bytes, size: int, inside: bytes = b"deep text in it") -> bytes:
    return _page(b"<p>Before.</p>" + open_tag * size + inside + close_tag * size + b"<p>After.</p>")


def _spans(size: int) -> bytes:
    row = b"<tr><td colspan=1000 rowspan=65000>a</td><td colspan=1000>b</td></tr>"
    return _page(b"<table>" + row * size + b"</table>")


def _wide_and_long(size: int) -> bytes:
    wide = b"<tr>" + b"<td>a</td>" * size + b"</tr>"
    return _page(b"<table>" + wide + b"<tr><td>b</td></tr>" * size + b"</table>")


def _tables_in_tables(size: int) -> bytes:
    text = b"words of a cell " * 2_000
    return _nest(b"<table><tr><td>", b"</td></tr></table>", size, text)


def _attributes(size: int) -> bytes:
    attributes = b" ".join(b"a%d='x'" % number for number in range(size))
    return _page(b"<p " + attributes + b">The lake is deep.</p>")


def _inline_before_a_block(size: int) -> bytes:
    return _page((b"<span>" + b"<i>a</i>" * 50) * size + b"<p>last</p>" + b"</span>" * size)


HTML_KINDS = (
    HostileKind("html: colspan and rowspan", _spans, 20_000, 200),
    HostileKind("html: a table both wide and long", _wide_and_long, 30_000, 300),
    HostileKind(
        "html: a square table", lambda n: _page(b"<table>" + (b"<tr>" + b"<td>1" * n + b"</tr>") * n), 1_200, 60
    ),
    HostileKind(
        "html: thousands of tables", lambda n: _page(b"<table><tr><td>a<td>b<tr><td>1<td>2</table>" * n), 60_000, 500
    ),
    HostileKind("html: tables in tables", _tables_in_tables, 150, 20),
    HostileKind("html: lists in lists", lambda n: _nest(b"<ul><li>a", b"</li></ul>", n), 240, 100),
    HostileKind("html: deep divs", lambda n: _nest(b"<div>", b"</div>", n), 100_000, 5_000),
    HostileKind("html: deep inline elements", lambda n: _nest(b"<b><i>", b"</i></b>", n), 100_000, 5_000),
    HostileKind("html: a block below thousands of others", _inline_before_a_block, 240, 50),
    HostileKind(
        "html: entities",
        lambda n: _page(b"<p>" + b"&amp;&#x1F30A;&nbsp;&CounterClockwiseContourIntegral;" * n),
        80_000,
        500,
    ),
    HostileKind("html: captions without tables", lambda n: _page(b"<figcaption>Lake</figcaption>" * n), 150_000, 1_000),
    HostileKind("html: headings without text", lambda n: _page(b"<h1>Lake</h1><p>deep</p>" * n), 100_000, 1_000),
    HostileKind(
        "html: a gigantic heading",
        lambda n: _page(b"<h1>" + b"Lake " * n + b"</h1>" + b"<p>deep</p>" * 500),
        400_000,
        2_000,
    ),
    HostileKind("html: attributes without an end", _attributes, 30_000, 500),
    HostileKind(
        "html: thousands of authors",
        lambda n: _page(b"<p>Text.</p>").replace(
            b"<title>", b"<meta name=author content='Ada Lovelace'>" * n + b"<title>"
        ),
        100_000,
        1_000,
    ),
    HostileKind("html: unclosed paragraphs", lambda n: _page(b"<p>a" * n), 1_000_000, 5_000),
)


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


def _merged_cells(size: int) -> bytes:
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
    HostileKind("docx: merged cells", _merged_cells, 100_000, 500),
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
