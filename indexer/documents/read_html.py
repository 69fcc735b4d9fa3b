"""Reads HTML into blocks, as for a PDF: headings, paragraphs, lists, tables; leaves out navigation and scripts."""

from __future__ import annotations

from collections.abc import Iterator

import lxml.html
from lxml import etree

from indexer.documents.clean import normalise_text
from indexer.documents.failures import DocumentRefused
from indexer.documents.front_matter import front_matter
from indexer.documents.limits import Limits
from indexer.documents.model import Block, BlockKind, FrontMatter, ReadDocument, Table
from indexer.documents.references import split_references
from indexer.formats.doi import doi_in

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NOT_READ = ("script", "style", "noscript", "template", "iframe", "svg", "math", "head")
_AROUND = ("nav", "header", "footer", "aside", "form", "button", "select")
_LEFT_OUT = frozenset((*_NOT_READ, *_AROUND))
_PARAGRAPHS = frozenset(["p", "li", "dd", "dt", "blockquote", "figcaption", "pre", "address", "summary", "caption"])
_META = {
    "citation_title": "title",
    "dc.title": "title",
    "citation_doi": "doi",
    "dc.identifier": "doi",
    "citation_journal_title": "journal",
    "citation_publication_date": "published",
    "dc.date": "published",
}
_AUTHORS = ("citation_author", "dc.creator", "author")
_MOST_DEPTH = 200


def read_html(data: bytes, limits: Limits) -> ReadDocument:
    """Raises DocumentRefused: ``damaged``, ``no_text``, ``too_large``."""
    parser = lxml.html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root = lxml.html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise DocumentRefused("damaged", f"The HTML cannot be read: {str(error)[:200]}") from None
    body = root.find("body")
    blocks = [block for block in _blocks(root if body is None else body, 0) if block.text or block.table]
    if not blocks:
        raise DocumentRefused("no_text", "The page holds no text (it may be drawn by a script).")
    if sum(len(block.text) for block in blocks) > limits.max_characters:
        raise DocumentRefused("too_large", f"The page holds more than {limits.max_characters:,} characters.")
    front = _front(root, blocks)
    kept, references = split_references(blocks)
    return ReadDocument("html", tuple(kept), front, references)


def _blocks(node: lxml.html.HtmlElement, depth: int) -> Iterator[Block]:
    """Depth-first; a node with text and without blocks inside is a paragraph."""
    if depth > _MOST_DEPTH:
        return
    for child in node:
        tag = child.tag if isinstance(child.tag, str) else ""
        if tag in _LEFT_OUT:
            continue
        if tag in _HEADINGS:
            yield Block("heading", _text(child), level=_HEADINGS[tag])
        elif tag == "table":
            yield from _table(child)
        elif tag == "pre":
            lines = tuple(line.rstrip() for line in child.text_content().splitlines() if line.strip())
            yield Block("code", "\n".join(lines), lines=lines)
        elif tag in _PARAGRAPHS and not _holds_blocks(child):
            kind: BlockKind = "caption" if tag == "figcaption" else "list" if tag == "li" else "text"
            yield Block(kind, _text(child))
        elif _holds_blocks(child):
            yield from _blocks(child, depth + 1)
        else:
            yield Block("text", _text(child))
        if child.tail and len(child.tail.split()) > 3:
            yield Block("text", normalise_text(child.tail))


def _holds_blocks(node: lxml.html.HtmlElement) -> bool:
    wanted = _PARAGRAPHS | set(_HEADINGS) | {"table", "div", "section", "article", "ul", "ol", "dl", "main"}
    return any(isinstance(below.tag, str) and below.tag in wanted for below in node.iterdescendants())


def _text(node: lxml.html.HtmlElement) -> str:
    return normalise_text(str(node.text_content()))


def _table(node: lxml.html.HtmlElement) -> Iterator[Block]:
    rows = [[_text(cell) for cell in row.iterfind("./*") if cell.tag in ("td", "th")] for row in node.iter("tr")]
    rows = [row for row in rows if any(row)]
    if len(rows) < 2 or max(map(len, rows)) < 2:  # a layout table
        for row in rows:
            yield Block("text", " ".join(cell for cell in row if cell))
        return
    width = max(map(len, rows))
    header = sum(1 for row in node.iter("tr") if row.find("th") is not None and row.find("td") is None)
    caption = node.find("caption")
    filled = tuple(tuple(row + [""] * (width - len(row))) for row in rows)
    text = _text(caption) if caption is not None else ""
    yield Block("table", "", table=Table(filled, max(1, min(header, len(rows) - 1)), text))


def _front(root: lxml.html.HtmlElement, blocks: list[Block]) -> FrontMatter:
    said: dict[str, object] = {}
    authors: list[str] = []
    for meta in root.iter("meta"):
        name, content = str(meta.get("name", "")).lower(), normalise_text(str(meta.get("content", "")))
        if name in _META and content:
            said.setdefault(_META[name], (doi_in(content) if _META[name] == "doi" else content.replace("/", "-")) or "")
        elif name in _AUTHORS and content:
            authors.append(" ".join(reversed(content.split(", "))) if content.count(",") == 1 else content)
    said["authors"] = tuple(authors)
    title = root.find(".//title")
    return front_matter(blocks, {"Title": _text(title)} if title is not None else {}, said)
