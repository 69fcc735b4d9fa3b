"""A document's title, authors, DOI and date: from its first page, its XMP and its information dictionary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree

from indexer.documents.parse.byline import (
    AFFILIATION,
    affiliations_in,
    authors_in,
    date_in,
    labelled_names,
    last_of_history,
    names_below,
    split_names,
    whole_date,
    without_history,
)
from indexer.documents.parse.clean import join_lines, letters, normalise_text
from indexer.documents.parse.limits import LONGEST_HEADING
from indexer.documents.parse.model import Block, FrontMatter, PrintedLine
from indexer.documents.parse.sections import NUMBERED_HEADING, SECTION_NAMES, opens_section, role_of
from indexer.formats.repair.links import doi_in

_XMP_BEGINS, _XMP_ENDS = b"<x:xmpmeta", b"</x:xmpmeta>"
_MOST_XMP_BYTES = 2_000_000
_SPACES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
_PRISM = "prismstandard.org"
_JOURNAL = re.compile(
    r"\b(?:journal|bulletin|proceedings|transactions|letters|annals|review of|earth system science data)\b",
    re.IGNORECASE,
)
_MASTHEAD = re.compile(r"\b(?:volume|vol\.|issue|doi:|issn|working paper)\b", re.IGNORECASE)
_KEYWORDS = re.compile(
    r"^(?:key ?words?|index terms|schlüsselwörter|mots[- ]clés)\s*[:—-]?\s*(.+)$", re.IGNORECASE | re.DOTALL
)
_PUBLISHED = re.compile(
    r"\b(?:(?:first )?published(?: online)?|available online|publication date|erschienen(?: am)?|"
    r"veröffentlicht(?: am)?|publiée?(?: le)?|mis en ligne(?: le)?|publicado(?: el)?)\b\s*:?\s*(?=\d|[^\W\d_]+ \d)"
    r"|\bStand\s*:\s*",
    re.IGNORECASE,
)
_YEAR = r"((?:1[89]|20)\d\d)"
_YEAR_AT_END = re.compile(rf"^[^\d]{{3,}}\b{_YEAR}$")
_YEAR_OF_RIGHTS = re.compile(rf"(?:©|\(c\)|\bcopyright\b)[^\d]{{0,60}}{_YEAR}\b", re.IGNORECASE)
_YEAR_OF_ISSUE = re.compile(rf"\({_YEAR}\),? (?:vol\. )?\d|\d ?\({_YEAR}\) \d|\d[–-]\d+, {_YEAR}$")
_YEAR_OF_SERIES = re.compile(
    rf"^[^\d]{{3,40}}\b{_YEAR}[–-]\d{{1,4}}[A-Z]?$|^[^\d]{{3,40}}\d{{1,4}}/{_YEAR}$", re.IGNORECASE
)
_SERIES = re.compile(
    r"(?:\b(?:no|nr|report|paper|bulletin|memorandum|circular|series|volume|texte|heft|band|rapport|sheet)\b|n[°º])"
    r"[ .:|]*(?:[A-Z]+[-–])?\d[\d./–-]*(?:-[A-Z]{2})?$|\b[A-Z]{2,}[/-][A-Z-]*\d+(?:-[A-Z]{2})?$",
    re.IGNORECASE,
)
_MOST_WORDS_OF_LABEL = 8
_MOST_WORDS_OF_SECTION = 4  # a longer heading with such a word is a title
_SAME_TYPE = 0.3  # points between the sizes of two lines of one title
_NEXT_LINE = 1.6  # of the size: the distance of two such lines
_SHORTEST_TITLE = 12
_LONGEST_SIGN = 6  # letters of a logo: USGS
_KINDS_OF_TEXT = """
    article paper report letter letters note notes review research editorial poster preprint draft appendices supplement
    keywords thesis dissertation abschlussbericht rapport
"""
_LABELS = (
    SECTION_NAMES
    | frozenset(_KINDS_OF_TEXT.split())
    | {
        "open access",
        "full paper",
        "data paper",
        "research letter",
        "research article",
        "research paper",
        "research papers",
        "review article",
        "original paper",
        "original article",
        "original research",
        "technical note",
        "short communication",
        "brief communication",
        "fact sheet",
        "document public",
        "rapport final",
        "final report",
        "table of contents",
    }
)
_LONGEST = 4000  # characters of a block: front matter is at its beginning
_MOST_NAMES = 500
_GENERATED_TITLE = re.compile(
    r"\.(?:docx?|tex|dvi|indd|pdf|qxd)$|^untitled|^microsoft word|^slide \d|^\(anonymous\)", re.IGNORECASE
)


@dataclass(slots=True)
class _Draft:
    """What is known so far; the first source with a value wins."""

    values: dict[str, object] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)

    def take(self, name: str, value: object, source: str) -> None:
        if value and not self.values.get(name):
            self.values[name] = value
            self.source[name] = source


def read_xmp(data: bytes) -> dict[str, object]:
    """title, authors, doi, journal, published of the first XMP packet; empty if no packet can be read."""
    start = data.find(_XMP_BEGINS)
    end = data.find(_XMP_ENDS, start, start + _MOST_XMP_BYTES) if start >= 0 else -1
    if end < 0:
        return {}
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    try:
        root = etree.fromstring(data[start : end + len(_XMP_ENDS)], parser)
    except etree.XMLSyntaxError:
        return {}
    if root is None:
        return {}
    fields: dict[str, object] = {
        "title": _first(root, "dc:title//rdf:li"),
        "authors": tuple(
            normalise_text(li.text or "") for li in root.iterfind(".//dc:creator//rdf:li", _SPACES) if li.text
        ),
        "published": _first(root, "dc:date//rdf:li")[:10],
    }
    for node in root.iter():
        name = node.tag if isinstance(node.tag, str) else ""
        if _PRISM in name or "crossref" in name or "pdfx" in name:
            local = name.rpartition("}")[2].lower()
            fields.setdefault(
                {"publicationname": "journal", "doi": "doi"}.get(local, local), normalise_text(node.text or "")
            )
    return {name: value for name, value in fields.items() if value}


def _first(root: etree._Element, path: str) -> str:
    node = root.find(f".//{path}", _SPACES)
    return normalise_text(node.text or "") if node is not None else ""


def front_matter(
    blocks: Sequence[Block], info: Mapping[str, str], xmp: Mapping[str, object], lines: Sequence[PrintedLine] = ()
) -> FrontMatter:
    """Uses the page first. XMP and the information dictionary fill the gaps: they are often left over from a template.
    If their title is printed on the page, it wins over the title found there: it is complete and not a masthead.
    A file's creation date is not its publication date. ``lines``: those of the first pages, where there are pages.
    """
    draft = _Draft()
    blocks = [block if len(block.text) <= _LONGEST else replace(block, text=block.text[:_LONGEST]) for block in blocks]
    page = _front_page(blocks, lines)
    front = _of_page(blocks, page)
    printed_letters = letters(" ".join(block.text for block in front)[:20_000])
    work = _xmp_fields(xmp)
    info_authors = tuple(split_names(info.get("Author", "")))
    for source, names in (("xmp", work["authors"]), ("info", info_authors)):
        if isinstance(names, tuple) and len(names) >= 2 and all(letters(name) in printed_letters for name in names):
            draft.take("authors", names, source)  # complete, where the page parts names by white space alone
    authors = draft.values.get("authors")
    byline = "".join(map(letters, authors)) if isinstance(authors, tuple) else None
    front = [block for block in front if letters(block.text) != byline]
    titles = [(source, text) for source, text in _metadata_titles(info, xmp) if not _GENERATED_TITLE.search(text)]
    title = _title(opening_blocks(front), lines)
    for source, text in titles:
        if len(letters(text)) >= _SHORTEST_TITLE and letters(text) in printed_letters and not _is_begin(text, title):
            draft.take("title", text, source)
    draft.take("doi", work["doi"], "xmp")  # a DOI there is the document's own, not a reference
    _year_beside_title(draft, blocks, page, title)
    draft.take("authors", tuple(labelled_names([line for line in lines if not line.margin])), "page")
    _from_page(draft, front, [line for line in lines if line.page == page])
    behind_cover = _page_behind_cover(blocks, page, title)
    _from_page(draft, behind_cover, [line for line in lines if behind_cover and line.page != page])
    draft.take("published", _year_of_imprint(lines), "page")
    for name, value in work.items():
        draft.take(name, value, "xmp")
    for source, text in titles:
        draft.take("title", text, source)
    draft.take("authors", info_authors, "info")
    return FrontMatter(**_shorten(draft.values), source=draft.source)  # type: ignore[arg-type]  # names are the fields'


def _shorten(values: Mapping[str, object]) -> dict[str, object]:
    """At most so many names and words of a title: each passage carries the title, each list of documents the names."""
    return {
        name: tuple(str(item)[:LONGEST_HEADING] for item in value[:_MOST_NAMES])
        if isinstance(value, tuple)
        else str(value)[:LONGEST_HEADING]
        for name, value in values.items()
    }


def _xmp_fields(xmp: Mapping[str, object]) -> dict[str, object]:
    """The XMP of a published work; its date is a publication date only if there is a DOI too."""
    authors = xmp.get("authors")
    doi = doi_in(str(xmp.get("doi") or ""))
    return {
        "authors": tuple(name for text in authors[:_MOST_NAMES] for name in split_names(str(text)))[:_MOST_NAMES]
        if isinstance(authors, tuple)
        else (),
        "doi": doi,
        "journal": xmp.get("journal"),
        "published": whole_date(str(xmp.get("published") or "")) if doi else None,
    }


def _metadata_titles(info: Mapping[str, str], xmp: Mapping[str, object]) -> list[tuple[str, str]]:
    """The titles of the file's metadata with their source."""
    titles = (("xmp", str(xmp.get("title") or "")), ("info", info.get("Title", "")))
    clean = [(source, normalise_text(text[:LONGEST_HEADING])) for source, text in titles]
    return [(source, text) for source, text in clean if len(text) > 6]


def _is_begin(text: str, title: Block | None) -> bool:
    """Whether the page's title continues where this one ends."""
    return title is not None and letters(title.text) != letters(text) and letters(title.text).startswith(letters(text))


def _of_page(blocks: Sequence[Block], page: int | None) -> list[Block]:
    return [block for block in blocks if page is None or block.first_page == page]


def _front_page(blocks: Sequence[Block], lines: Sequence[PrintedLine] = ()) -> int | None:
    """The first page with text; the next one if only that has a title in large type. None without pages."""
    pages = sorted({block.first_page for block in blocks if block.first_page is not None})[:2]
    for page in pages:
        head = opening_blocks(_of_page(blocks, page))
        title = _title(head, lines)
        if title is not None and title.kind == "heading":
            return page
        if len(head) > 2:
            break
    return pages[0] if pages else None


def _page_behind_cover(blocks: Sequence[Block], page: int | None, title: Block | None) -> list[Block]:
    """The page behind a cover: it repeats the title, and names the authors and the year."""
    if page is None or title is None or len(letters(title.text)) < _SHORTEST_TITLE:
        return []
    next_page = _of_page(blocks, page + 1)
    return next_page if any(letters(block.text) == letters(title.text) for block in opening_blocks(next_page)) else []


def _year_beside_title(draft: _Draft, blocks: Sequence[Block], page: int | None, title: Block | None) -> None:
    """Reads ``Banta, E., 2006, Title``: a document that cites itself on a page before its title."""
    words = " ".join((title.text if title is not None else "").split()[:4])
    for block in blocks if len(words) >= _SHORTEST_TITLE else ():
        match = re.search(rf"\b((?:1[89]|20)\d\d)[a-z]?[.,:)]*\s+{re.escape(words)}", block.text)
        if match is not None and (block.first_page or 1) <= (page or 1):
            draft.take("published", match[1], "page")


def _from_page(draft: _Draft, blocks: Sequence[Block], lines: Sequence[PrintedLine]) -> None:
    head = opening_blocks(blocks)
    title = _title(head, lines)
    title_lines = _title_lines(title, lines) if title is not None else []
    whole_title = join_lines(line.text for line in title_lines)
    draft.take("title", whole_title or (title.text if title is not None else ""), "page")
    after_title = head[head.index(title) + 1 :] if title is not None else head
    authors = names_below(_lines_below(title_lines, lines)) if title_lines else authors_in(after_title)
    draft.take("authors", tuple(authors), "page")
    draft.take("affiliations", tuple(affiliations_in(after_title)), "page")
    draft.take("doi", next((doi for block in head if (doi := doi_in(block.text))), None), "page")
    draft.take("journal", _journal(head), "page")
    draft.take("published", _published(_before_marked_section(head), blocks, lines), "page")
    for block in blocks:
        match = _KEYWORDS.match(block.text)
        if match:
            draft.take("keywords", tuple(_split_keywords(match[1])), "page")
    draft.take("doi", next((doi for block in blocks if (doi := _labelled_doi(block.text))), None), "page")


def opening_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The blocks before the first section: masthead, title, authors, affiliations."""
    for index, block in enumerate(blocks):
        is_section = block.kind == "heading" and (
            (role_of((block.text,)) is not None and len(block.text.split()) <= _MOST_WORDS_OF_SECTION)
            or _is_numbered(block.text)
            or block.text.lower() == "contents"
        )
        if (is_section and index > 0) or (block.kind == "text" and len(block.text) > 900):
            return list(blocks[:index])
        if index >= 24:
            break
    return list(blocks[: min(len(blocks), 6)])


def _before_marked_section(head: Sequence[Block]) -> list[Block]:
    """The blocks before the first heading that markup, which files without pages have, puts below the title: a date
    behind it belongs to that section. Behind the title itself such a heading is a subtitle, unless a list follows it.
    """
    title_level = next((block.level for block in head if block.kind == "heading"), 0)
    for index, block in enumerate(head):
        is_below = block.kind == "heading" and block.first_page is None and block.level > title_level
        is_beside = index > 0 and head[index - 1].kind == "heading"
        opens_list = index + 1 < len(head) and head[index + 1].kind == "list"
        if is_below and (opens_list or not is_beside):
            return list(head[:index])
    return list(head)


def _is_numbered(text: str) -> bool:
    """Whether a heading has a section number; ``V. C. Oliveira`` does not have the number five."""
    return NUMBERED_HEADING.match(text) is not None and not split_names(text)


def demote_author_headings(blocks: Sequence[Block], front: FrontMatter) -> list[Block]:
    """Removes false headings: the line of authors and a date above the first section."""
    head = {id(block) for block in opening_blocks(_of_page(blocks, _front_page(blocks)))}
    return [
        replace(block, kind="text", level=0)
        if block.kind == "heading" and id(block) in head and _is_byline(block.text, front)
        else block
        for block in blocks
    ]


def _is_byline(text: str, front: FrontMatter) -> bool:
    words = letters(text)
    if words == letters(front.title):
        return False
    named_letters = sum(len(letters(author)) for author in front.authors if letters(author) in words)
    return named_letters > 0.5 * len(words) or (date_in(text) is not None and len(text.split()) <= 6)


def _published(head: Sequence[Block], blocks: Sequence[Block], lines: Sequence[PrintedLine]) -> str | None:
    """A date labelled as publication, else the first date of the head that is not one of the manuscript, else the year
    of an issue, a series or at the end of a short line there, else the last date of the manuscript.
    """
    for block in blocks:
        for label_match in _PUBLISHED.finditer(block.text):
            text = block.text[label_match.end() : label_match.end() + 40]
            year_match = re.match(rf"{_YEAR}\b", text)
            date = date_in(text) or (year_match[1] if year_match is not None else None)
            if date is not None:
                return date
    margins = [line.text for line in lines if line.margin]
    for text in (" ".join(block.text for block in head), *margins):
        date = date_in(without_history(text))
        if date is not None:
            return date
    head_letters = letters(" ".join(block.text for block in head))
    texts = [line.text for line in lines if line.margin or letters(line.text) in head_letters]
    texts += [block.text for block in head]
    for pattern in (_YEAR_OF_ISSUE, _YEAR_OF_SERIES, _YEAR_AT_END):
        matches = [match for text in texts if len(text) < 60 and (match := pattern.search(text)) is not None]
        if matches:
            return next(group for group in matches[0].groups() if group)
    return _year_of_imprint(lines) or last_of_history(" ".join(block.text for block in blocks))


def _year_of_imprint(lines: Sequence[PrintedLine]) -> str | None:
    """The year beside a sign of copyright."""
    return next((match[1] for line in lines if (match := _YEAR_OF_RIGHTS.search(line.text)) is not None), None)


def _title(head: Sequence[Block], lines: Sequence[PrintedLine] = ()) -> Block | None:
    """The heading in the largest type that is not a masthead, else the first short text. A series, a journal or an
    office is a title only where there is no other heading.
    """
    fit = [b for b in head if not _MASTHEAD.search(b.text) and _is_long_enough(b) and date_in(b.text) is None]
    fit = [b for b in fit if len(split_names(b.text)) < 2]
    headings = [b for b in fit if b.kind == "heading" and not (_JOURNAL.match(b.text) and len(b.text.split()) <= 6)]
    headings = [b for b in headings if not _is_masthead(b.text, lines)] or headings
    if headings:
        sizes = [_size(block, lines) for block in headings]
        if all(sizes):
            return next(b for b, size in zip(headings, sizes, strict=True) if size >= max(sizes) - _SAME_TYPE)
        top = min(block.level for block in headings)
        return next(block for block in headings if block.level == top)
    return next((block for block in fit if block.kind == "text" and len(block.text) < 250), None)


def _is_masthead(text: str, lines: Sequence[PrintedLine]) -> bool:
    """Whether a short heading names a series with a number, an office, or a journal: the page gives its volume."""
    if len(text.split()) > _MOST_WORDS_OF_LABEL:
        return False
    series = _SERIES.search(text)
    if series is not None and not re.search(rf"\b{_YEAR}[–-]{_YEAR}$", text):
        return True
    if AFFILIATION.search(text) and ":" not in text and not re.search(r"\b(?:of|in|for) the\b", text):
        return True
    texts = [" ".join(line.text for line in lines if not line.margin), *(line.text for line in lines)]
    return any(re.search(rf"{re.escape(letters(text))}\d", letters(line_text)) for line_text in texts)


def _size(block: Block, lines: Sequence[PrintedLine]) -> float:
    """Of its type; 0.0 if no line of the page begins it."""
    text = letters(block.text)
    page_lines = [line for line in lines if line.page == block.first_page and letters(line.text) and not line.margin]
    return next((line.size for line in page_lines if text.startswith(letters(line.text))), 0.0)


def _title_lines(title: Block, lines: Sequence[PrintedLine]) -> list[PrintedLine]:
    """The lines of the title, and those of its type next to them that a column took; empty if no line begins it."""
    page_lines = sorted((line for line in lines if not line.margin), key=lambda line: line.baseline)
    text = letters(title.text)
    title_lines = [line for line in page_lines if letters(line.text) and letters(line.text) in text]
    if not title_lines or not text.startswith(letters(title_lines[0].text)):
        return []
    first = title_lines[0]
    title_lines = [line for line in title_lines if _is_same_type(line, first)]
    for line in page_lines:
        reach = _NEXT_LINE * first.size
        is_next = 0.0 < line.baseline - title_lines[-1].baseline <= reach
        if is_next and opens_section(line.text, title_lines[-1].text):
            break
        if is_next and _is_same_type(line, first) and len(split_names(line.text)) < 2 and not date_in(line.text):
            title_lines.append(line)
    return title_lines


def _is_same_type(line: PrintedLine, other_line: PrintedLine) -> bool:
    return abs(line.size - other_line.size) <= _SAME_TYPE and line.bold == other_line.bold


def _lines_below(title_lines: Sequence[PrintedLine], lines: Sequence[PrintedLine]) -> list[PrintedLine]:
    """In reading order, behind the last line of the title."""
    places = [place for place, line in enumerate(lines) if line in title_lines]
    return [line for line in lines[max(places) + 1 :] if not line.margin]


def _is_long_enough(block: Block) -> bool:
    """A short title is a heading with a word in it that names neither a section nor the kind of document."""
    text = block.text
    is_label = text.lower().strip(":. 0123456789") in _LABELS
    if len(text) > _SHORTEST_TITLE:
        return not is_label
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 2]
    is_sign = len(words) == 1 and text.isupper() and len(text) <= _LONGEST_SIGN
    return block.kind == "heading" and bool(words) and not is_sign and not is_label


def _labelled_doi(text: str) -> str | None:
    """A DOI at the start of a block, or at its end after a label; one in brackets belongs to another work."""
    match = re.search(
        r"(?:^|[.\s])doi\s*:\s*(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", text[:200], re.IGNORECASE
    )
    return doi_in(match[1]) if match else None


def _journal(head: Sequence[Block]) -> str | None:
    for block in head:
        if _JOURNAL.search(block.text) and len(block.text.split()) <= 8 and not AFFILIATION.search(block.text):
            return re.split(r"[,;(]|\b(?:vol|volume|issue|doi)\b", block.text, flags=re.IGNORECASE)[0].strip()
    return None


def _split_keywords(text: str) -> list[str]:
    return [word.strip(" .") for word in re.split(r"[;,•·]", text) if word.strip(" .")][:30]
