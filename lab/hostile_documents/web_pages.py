"""HTML: tables, lists and nesting that multiply what they hold."""

from __future__ import annotations

from lab.hostile_documents.kinds import HostileKind


def _page(body: bytes) -> bytes:
    return b"<!doctype html><html><head><title>Lakes</title></head><body>" + body + b"</body></html>"


def _nested(open_tag: bytes, close_tag: bytes, size: int, inside: bytes = b"deep text in it") -> bytes:
    return _page(b"<p>Before.</p>" + open_tag * size + inside + close_tag * size + b"<p>After.</p>")


def _spans(size: int) -> bytes:
    row = b"<tr><td colspan=1000 rowspan=65000>a</td><td colspan=1000>b</td></tr>"
    return _page(b"<table>" + row * size + b"</table>")


def _wide_and_long(size: int) -> bytes:
    wide = b"<tr>" + b"<td>a</td>" * size + b"</tr>"
    return _page(b"<table>" + wide + b"<tr><td>b</td></tr>" * size + b"</table>")


def _tables_in_tables(size: int) -> bytes:
    text = b"words of a cell " * 2_000
    return _nested(b"<table><tr><td>", b"</td></tr></table>", size, text)


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
    HostileKind("html: lists in lists", lambda n: _nested(b"<ul><li>a", b"</li></ul>", n), 240, 100),
    HostileKind("html: deep divs", lambda n: _nested(b"<div>", b"</div>", n), 100_000, 5_000),
    HostileKind("html: deep inline elements", lambda n: _nested(b"<b><i>", b"</i></b>", n), 100_000, 5_000),
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
