"""Reads HTML into blocks, as for a PDF: headings, paragraphs, lists, tables; leaves out navigation and scripts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

import lxml.html
from lxml import etree

from indexer.documents.parse.clean import normalise_text
from indexer.documents.parse.front_matter import front_matter
from indexer.documents.parse.limits import Allowance, Cell, DocumentRefused, Limits, markup_table, span_of
from indexer.documents.parse.model import Block, BlockKind, FrontMatter, ReadDocument
from indexer.documents.parse.sections import split_references
from indexer.formats.repair.links import doi_in
from indexer.text_encoding import utf16_as_utf8

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED_TAGS = ("script", "style", "noscript", "template", "iframe", "svg", "math", "head")
_AROUND = ("nav", "header", "footer", "aside", "form", "button", "select")
_EXCLUDED_TAGS = frozenset((*_SKIPPED_TAGS, *_AROUND))
_PARAGRAPHS = frozenset(["p", "li", "dd", "dt", "blockquote", "figcaption", "pre", "address", "summary", "caption"])
_META = {
    "citation_title": "title", "dc.title": "title", "citation_doi": "doi", "dc.identifier": "doi",
    "citation_journal_title": "journal", "citation_publication_date": "published", "dc.date": "published",
}  # fmt: skip
_AUTHORS = ("citation_author", "dc.creator", "author")
_BLOCKS = (*_PARAGRAPHS, *_HEADINGS, "table", "div", "section", "article", "ul", "ol", "dl", "main")
_FEW_WORDS = 3
_MOST_SPANNED = 1000  # columns whose cells may reach into the rows below
_CHARSET = re.compile(rb"<meta[^>]*charset(?!\s*=[\s\"']*utf-?16)", re.IGNORECASE)
_TOO_DEEP = "The page nests too deeply: what follows its deepest element is left out."


def read_html(data: bytes, limits: Limits) -> ReadDocument:
    """Raises DocumentRefused: ``damaged``, ``no_text``, ``too_large``."""
    page, encoding = page_and_encoding(data)
    parser = lxml.html.HTMLParser(
        no_network=True, huge_tree=True, remove_comments=True, remove_pis=True, encoding=encoding
    )
    try:
        root = lxml.html.document_fromstring(page, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise DocumentRefused("damaged", f"The HTML cannot be read: {str(error)[:200]}") from None
    is_cut = any(error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for error in parser.error_log)
    allowance = Allowance(limits)
    _separate_words(root)
    body = root.find("body")
    drafts = _blocks(root if body is None else body, allowance)
    blocks = list(allowance.within(block for block in drafts if block.text or block.table))
    if not blocks and is_cut:
        raise DocumentRefused("too_large", "The page nests too deeply to be read.")
    if not blocks:
        raise DocumentRefused("no_text", "The page holds no text (it may be drawn by a script).")
    front = _front(root, blocks)
    body_blocks, references = split_references(blocks)
    warnings = (*allowance.warnings, *([_TOO_DEEP] if is_cut else []))
    return ReadDocument("html", tuple(body_blocks), front, references, warnings=warnings)


def page_and_encoding(data: bytes) -> tuple[bytes, str | None]:
    """The page and the encoding to read it by; None: the one that it states.

    UTF-8, else Windows-1252, for a page that states none: its server did. libxml2 would read Latin-1. A page that is
    readable enough to state UTF-16 is not in it (HTML, 13.2.3.2); one in UTF-16 becomes UTF-8.
    """
    page = utf16_as_utf8(data)
    if page is data and (data.startswith(codecs.BOM_UTF8) or _CHARSET.search(data)):
        return data, None
    try:
        page.decode("utf-8")
    except UnicodeDecodeError:
        return page, "cp1252"
    return page, "utf-8"


def _separate_words(root: lxml.html.HtmlElement) -> None:
    """Puts white space where a browser begins a line or a cell: else 10<br>20 would become 1020."""
    for node in root.iter("br", "td", "th", *_BLOCKS):
        node.tail = f"\n{node.tail or ''}"
        if node.tag != "br":
            node.text = f"\n{node.text or ''}"


def _is_around(node: lxml.html.HtmlElement, tag: str, page_characters: int) -> bool:
    """Whether an element is not of the text. The header of an article is, and ASP.NET's form around the whole page."""
    if tag == "header":
        return next(node.iterancestors("article", "main"), None) is None
    if tag == "form":
        return 2 * len(node.text_content()) < page_characters
    return tag in _EXCLUDED_TAGS


def _blocks(body: lxml.html.HtmlElement, allowance: Allowance) -> Iterator[Block]:
    """Depth-first; a node with text and without blocks inside is a paragraph."""
    page_characters = len(body.text_content())
    block_parents, layout = _ancestors_of(body, _BLOCKS), _ancestors_of(body, ("table",))
    yield from _loose(body.text)
    open_nodes = [(iter(body), "")]
    while open_nodes:
        children, tail_text = open_nodes[-1]
        child = next(children, None)
        if child is None:
            open_nodes.pop()
            yield from _loose(tail_text)
            continue
        tag = child.tag if isinstance(child.tag, str) else ""
        is_around = _is_around(child, tag, page_characters)
        is_whole = tag in _HEADINGS or tag == "pre" or (tag == "table" and child not in layout)
        if child in block_parents and not is_whole and not is_around:
            yield from _leaf_text(child, tag)
            open_nodes.append((iter(child), child.tail or ""))
            continue
        if not is_around:
            yield from _table(child, allowance) if tag == "table" else _leaf(child, tag)
        yield from _loose(child.tail)


def _leaf(node: lxml.html.HtmlElement, tag: str) -> Iterator[Block]:
    if tag in _HEADINGS:
        yield Block("heading", _text(node), level=_HEADINGS[tag])
    elif tag == "pre":
        lines = tuple(line.rstrip() for line in node.text_content().splitlines() if line.strip())
        yield Block("code", "\n".join(lines), lines=lines)
    elif tag == "tr":
        yield Block("text", " ".join(_text(cell) for cell in node))
    else:
        kind: BlockKind = "caption" if tag == "figcaption" else "list" if tag == "li" else "text"
        yield Block(kind, _text(node))


def _leaf_text(node: lxml.html.HtmlElement, tag: str) -> Iterator[Block]:
    """The text of a node before the blocks in it."""
    if tag in _PARAGRAPHS and node.text and node.text.strip():
        yield Block("list" if tag == "li" else "text", normalise_text(node.text))
    else:
        yield from _loose(node.text)


def _loose(text: str | None) -> Iterator[Block]:
    """Text between blocks, if it is more than a few words (a button, a separator)."""
    if text and len(text.split()) > _FEW_WORDS:
        yield Block("text", normalise_text(text))


def _ancestors_of(root: lxml.html.HtmlElement, tags: Iterable[str]) -> set[lxml.html.HtmlElement]:
    """All elements with one of these tags somewhere inside, each visited once."""
    ancestors: set[lxml.html.HtmlElement] = set()
    for node in root.iterdescendants(*tags):
        ancestor = node.getparent()
        while ancestor is not None and ancestor not in ancestors:
            ancestors.add(ancestor)
            ancestor = ancestor.getparent()
    return ancestors


def _text(node: lxml.html.HtmlElement) -> str:
    return normalise_text(str(node.text_content()))


def _table(node: lxml.html.HtmlElement, allowance: Allowance) -> Iterator[Block]:
    header = sum(1 for _ in takewhile(_is_head, node.iter("tr")))
    caption = node.find("caption")
    yield from markup_table(_rows(node), header, _text(caption) if caption is not None else "", allowance)


def _is_head(row: lxml.html.HtmlElement) -> bool:
    parent = row.getparent()
    return (parent is not None and parent.tag == "thead") or (row.find("th") is not None and row.find("td") is None)


def _rows(table: lxml.html.HtmlElement) -> Iterator[list[Cell]]:
    """The cells of each row, with empty ones where a cell reaches down from a row above."""
    spanned: dict[int, int] = {}  # column: the rows below that its cell still covers
    for row in table.iter("tr"):
        covered, spanned = spanned, {column: count - 1 for column, count in spanned.items() if count > 1}
        cells: list[Cell] = []
        column = 0
        for cell in row.iterchildren("td", "th"):
            while column in covered:
                cells.append(("", 1))
                column += 1
            width, height = span_of(cell.get("colspan")), span_of(cell.get("rowspan"))
            if height > 1 and column + width <= _MOST_SPANNED:
                spanned |= dict.fromkeys(range(column, column + width), height - 1)
            cells.append((_text(cell), width))
            column += width
        yield cells


def _front(root: lxml.html.HtmlElement, blocks: list[Block]) -> FrontMatter:
    metadata: dict[str, object] = {}
    authors: list[str] = []
    for meta in root.iter("meta"):
        name, content = str(meta.get("name", "")).lower(), normalise_text(str(meta.get("content", "")))
        if name in _META and content:
            value = {"doi": doi_in(content), "published": content.replace("/", "-")}.get(_META[name], content)
            metadata.setdefault(_META[name], value or "")
        elif name in _AUTHORS and content:
            authors.append(" ".join(reversed(content.split(", "))) if content.count(",") == 1 else content)
    metadata["authors"] = tuple(dict.fromkeys(authors))
    title = root.find(".//title")
    return front_matter(blocks, {"Title": _text(title)} if title is not None else {}, metadata)
