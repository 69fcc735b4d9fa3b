"""PDF: pages, forms, glyphs and rules without end."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from lab.hostile_documents.texts import HostileKind

_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
_FIRST = 10  # number of the first object of a page; those below are shared


def stream(content: bytes, entries: bytes = b"") -> bytes:
    packed = zlib.compress(content, 9)
    return b"<</Length %d/Filter/FlateDecode%s>>stream\n%s\nendstream" % (len(packed), entries, packed)


def pdf(
    contents: Sequence[bytes],
    *,
    box: str = "0 0 612 792",
    resources: bytes = b"",
    extra: dict[int, bytes] | None = None,
) -> bytes:
    """One page for each content. ``extra``: further objects by number (3 to 9, and from 1,000,000), which may replace
    the font (3), the catalogue (1) or the root of the pages (2).
    """
    objects: dict[int, bytes] = {1: b"<</Type/Catalog/Pages 2 0 R>>", 3: _FONT}
    kids = []
    for place, content in enumerate(contents):
        number = _FIRST + 2 * place
        kids.append(b"%d 0 R" % number)
        objects[number] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>%s>>>>"
            % (box.encode(), number + 1, resources)
        )
        objects[number + 1] = stream(content)
    objects[2] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (b" ".join(kids), len(kids))
    objects |= extra or {}
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, content) for number, content in objects.items())
    return b"%PDF-1.7\n" + body + b"trailer\n<</Root 1 0 R/Info 5 0 R>>\n%%EOF\n"  # readers find the objects again


def _text(lines: Sequence[tuple[float, float, bytes]], size: float = 10) -> bytes:
    operators = (b"1 0 0 1 %.2f %.2f Tm(%s)Tj " % (x, y, text) for x, y, text in lines)
    return b"BT/F1 %.2f Tf " % size + b"".join(operators) + b"ET "


_LINE = _text([(72, 700, b"The lake is deep and cold."), (72, 680, b"It is in the north.")])


def _page_with_head(number: int) -> bytes:
    return _text(
        [(72, 770, b"Head %d" % (number % 2)), (300, 20, b"%d" % number), (72, 400, b"Lake %d is deep." % number)]
    )


def _grid(size: int, step: float) -> bytes:
    end = size * step
    horizontals = (b"0 %.2f m %.2f %.2f l S " % (n * step, end, n * step) for n in range(size))
    verticals = (b"%.2f 0 m %.2f %.2f l S " % (n * step, n * step, end) for n in range(size))
    return b"".join((*horizontals, *verticals)) + _LINE


def _scattered_numbers(size: int) -> bytes:
    """Rows of numbers that are placed like a table but are not one."""
    rows = [(40 + 60 * column + row % 7, 780 - 780 * row / size, b"1") for row in range(size) for column in range(6)]
    return _text(rows, 780 / size)


def _forms(size: int) -> dict[int, bytes]:
    """Each form draws the one before it ten times."""
    last = stream(_LINE, b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>")
    forms = {1_000_000: last}
    for number in range(1, size):
        dictionary = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X %d 0 R>>>>" % (
            999_999 + number
        )
        forms[1_000_000 + number] = stream(b"/X Do " * 10, dictionary)
    return forms


def _deep_pages(size: int) -> dict[int, bytes]:
    nodes = {2: b"<</Type/Pages/Kids[1000000 0 R]/Count 1>>"}
    for number in range(size):
        child = 1_000_001 + number if number + 1 < size else _FIRST
        nodes[1_000_000 + number] = b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % child
    return nodes


def _outline(size: int) -> dict[int, bytes]:
    items = {
        1_000_000 + n: b"<</Title(T)/Parent %d 0 R/First %d 0 R/Last %d 0 R/Count 1>>"
        % (999_999 + n, 1_000_001 + n, 1_000_001 + n)
        for n in range(size)
    }
    return {1: b"<</Type/Catalog/Pages 2 0 R/Outlines 1000000 0 R>>", **items}


def _font_of(size: int) -> dict[int, bytes]:
    """A font that says of each of a great many codes how wide it is and what it means."""
    lines = b"".join(b"<%04x> <0041>\n" % (code % 65536) for code in range(size))
    cmap = b"begincmap\n1 begincodespacerange <0000> <ffff> endcodespacerange\n%d beginbfchar\n%s\nendbfchar endcmap"
    widths = b" ".join([b"500"] * size)
    font = b"<</Type/Font/Subtype/TrueType/BaseFont/X/FirstChar 0/LastChar %d/Widths[%s]/ToUnicode 4 0 R>>"
    return {3: font % (size - 1, widths), 4: stream(cmap % (size, lines))}


def _info(author: bytes) -> dict[int, bytes]:
    return {5: b"<</Author(%s)/Title(%s)>>" % (author, author)}


def _scattered_words(size: int) -> bytes:
    return b"".join(
        b"%d %d m %d %d l S " % (17 * n % 600, 29 * n % 780, 17 * n % 600 + 3, 29 * n % 780 + 3) for n in range(size)
    )


_IMAGE = b"BI /W 1 /H 1 /BPC 8 /CS /G ID x EI "
_SQUARE = {4: stream(b"x", b"/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray")}

PDF_KINDS = (
    HostileKind("pdf: pages", lambda n: pdf([_page_with_head(number) for number in range(n)]), 1_400, 30),
    HostileKind("pdf: too many pages", lambda n: pdf([_LINE] * n), 20_000, 1_600),
    HostileKind(
        "pdf: a tree of pages that loops",
        lambda n: pdf([_LINE], extra={2: b"<</Type/Pages/Kids[" + b"2 0 R " * n + b"]/Count %d>>" % n}),
        1_000,
        10,
    ),
    HostileKind("pdf: a deep tree of pages", lambda n: pdf([_LINE], extra=_deep_pages(n)), 20_000, 500),
    HostileKind(
        "pdf: a count of pages that lies",
        lambda n: pdf([_LINE], extra={2: b"<</Type/Pages/Kids[10 0 R]/Count %d>>" % n}),
        2_000_000_000,
        1_000_000,
    ),
    HostileKind(
        "pdf: forms in forms",
        lambda n: pdf([b"/X Do "], resources=b"/XObject<</X %d 0 R>>" % (999_999 + n), extra=_forms(n)),
        8,
        2,
    ),
    HostileKind(
        "pdf: glyphs on one page",
        lambda n: pdf([_text([(n % 500, n % 700, b"abc def ") for n in range(n)])]),
        200_000,
        1_000,
    ),
    HostileKind(
        "pdf: each word in a row of its own",
        lambda n: pdf([_text([(10 + 37 * k % 500, 780 * k / n, b"a") for k in range(n)], 1500 / n)]),
        100_000,
        500,
    ),
    HostileKind(
        "pdf: a row of small and large words",
        lambda n: pdf(
            [
                _text([(5.0 * k, 400, b"A") for k in range(n)], 12)
                + _text([(5.0 * k, 404, b"b") for k in range(n, 2 * n)], 5)
            ],
            box="0 0 14400 792",
        ),
        40_000,
        500,
    ),
    HostileKind(
        "pdf: accents",
        lambda n: pdf(
            [
                _text([(7 * k % 600, 7 * k // 600, b"\\264") for k in range(n)])
                + _text([(7 * k % 600, 7 * k // 600, b"e") for k in range(n)])
            ]
        ),
        80_000,
        500,
    ),
    HostileKind("pdf: a grid of rules", lambda n: pdf([_grid(n, 700.0 / n)] * 3), 900, 60),
    HostileKind(
        "pdf: grids of rules, each apart",
        lambda n: pdf(
            [b"".join(b"%d %d 9 9 re S " % (12 * k % 600, 12 * (12 * k // 600) % 780) for k in range(n)) + _LINE]
        ),
        15_000,
        300,
    ),
    HostileKind("pdf: strokes", lambda n: pdf([_scattered_words(n) + _LINE] * 3), 15_000, 300),
    HostileKind("pdf: rows that are no table", lambda n: pdf([_scattered_numbers(n)] * 5), 2_000, 60),
    HostileKind(
        "pdf: inline images", lambda n: pdf([b"q 10 0 0 10 50 50 cm " + _IMAGE * n + b" Q " + _LINE]), 50_000, 500
    ),
    HostileKind(
        "pdf: tiles",
        lambda n: pdf(
            [b"".join(b"q 25 0 0 25 %d %d cm /X Do Q " % (3 * k % 580, 5 * k % 760) for k in range(n)) + _LINE],
            resources=b"/XObject<</X 4 0 R>>",
            extra=_SQUARE,
        ),
        20_000,
        300,
    ),
    HostileKind("pdf: deep outlines", lambda n: pdf([_LINE], extra=_outline(n)), 50_000, 500),
    HostileKind("pdf: a font of very many codes", lambda n: pdf([_LINE], extra=_font_of(n)), 500_000, 2_000),
    HostileKind("pdf: a bomb of spaces", lambda n: pdf([_LINE + b" " * n]), 500_000_000, 5_000_000),
    HostileKind(
        "pdf: objects of a page",
        lambda n: pdf([b"BT/F1 9 Tf " + b"(deep lake)Tj 3 5 m 7 8 l S " * n + b"ET"]),
        1_000_000,
        3_000,
    ),
    HostileKind(
        "pdf: a page of kilometres",
        lambda n: pdf([_text([(n * k, n * k, b"Lake 1") for k in range(200)])], box=f"0 0 {200 * n} {200 * n}"),
        1_000_000,
        1_000,
    ),
    HostileKind(
        "pdf: a place that is no number",
        lambda n: pdf([b"BT/F1 9 Tf 1" + b"0" * n + b" 0 0 1 1e99 0 Tm(deep lake)Tj ET " + _LINE]),
        3_000,
        60,
    ),
    HostileKind("pdf: openings of metadata", lambda n: pdf([_LINE]) + b"<x:xmpmeta" * n, 2_000_000, 10_000),
    HostileKind(
        "pdf: thousands of authors", lambda n: pdf([_LINE], extra=_info(b"Ada Lovelace, " * n)), 500_000, 1_000
    ),
    HostileKind(
        "pdf: dots to a page number",
        lambda n: pdf([_text([(20, 700, b"." * n), (20, 600, b"The lake is deep.")], 0.01)]),
        150_000,
        2_000,
    ),
)
