"""A document's title, authors, DOI and date: from its first page, its XMP and its information dictionary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree

from indexer.documents.clean import letters, normalise_text
from indexer.documents.kinds import NUMBERED, SECTION_NAMES
from indexer.documents.limits import LONGEST_HEADING
from indexer.documents.model import Block, FrontMatter
from indexer.documents.moments import date_in, whole_date
from indexer.documents.sections import role_of
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
_AFFILIATION = re.compile(
    r"\b(?:universit\w*|institut\w*|department|dipartimento|laborator\w*|observat\w*|survey|agency|center|centre|school|"
    r"college|faculty|museum|company|gmbh|inc\.|organi[sz]ation|ministry|ministerium|bureau|bundesamt|landesamt|council|"
    r"foundation|commission|authority)\b",
    re.IGNORECASE,
)
_OF_AN_OFFICE = re.compile(
    r"^(?:U\. ?S\.|national|federal|commonwealth|technical|technische|geological|geologische[rs]?|environmental|"
    r"scientific|royal|research|working|open-file|paper|report|series|department|secretary|director)$",
    re.IGNORECASE,
)
_PARTICLE_WORDS = "al ben bin d da das de del dei della den der di do dos du e el la le les ten ter van von y zu zur"
_BEGIN_SENTENCES = frozenset(("The", "This", "These", "In", "Our"))
_PARTICLES = frozenset(_PARTICLE_WORDS.split())
_NAME = re.compile(
    r"^(?:[^\W\d_](?:\.|[^\W\d_]*)[ .-]*){1,3}(?:d[aeiou]s?|van|von|der|de|la|le|Jr\.?|[^\W\d_][^\W\d_'’-]+)"
    r"(?:[ -](?:[^\W\d_][\w'’.-]*|Jr\.?)){0,3}$"
)
_MARKS = re.compile(r"\(\d[\d,\s]*\)|[\d*†‡§¶∗,\s]+$|^[\d*†‡§¶∗\s]+")
_KEYWORDS = re.compile(
    r"^(?:key ?words?|index terms|schlüsselwörter|mots[- ]clés)\s*[:—-]?\s*(.+)$", re.IGNORECASE | re.DOTALL
)
_PUBLISHED = re.compile(
    r"\b(?:Published(?: online)?|Publication date|Stand|Veröffentlicht(?: am)?|Publié(?: le)?|Publicado(?: el)?)\s*:\s*"
)
_YEAR_AT_END = re.compile(r"^[^\d]{3,}\b((?:1[89]|20)\d\d)$")
_SHORTEST_TITLE = 12
_LONGEST_SIGN = 6  # letters of a logo: USGS
_KINDS_OF_TEXT = """
    article paper report letter letters note notes review research editorial poster preprint draft appendices supplement
    keywords
"""
_LABELS = SECTION_NAMES | frozenset(_KINDS_OF_TEXT.split()) | {"open access", "full paper", "data paper"}
_LONGEST = 4000  # characters of a block: what front matter says, it says at the beginning
_MOST_NAMES = 500
_GENERATED = re.compile(
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
    found: dict[str, object] = {
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
            found.setdefault(
                {"publicationname": "journal", "doi": "doi"}.get(local, local), normalise_text(node.text or "")
            )
    return {name: value for name, value in found.items() if value}


def _first(root: etree._Element, path: str) -> str:
    node = root.find(f".//{path}", _SPACES)
    return normalise_text(node.text or "") if node is not None else ""


def front_matter(blocks: Sequence[Block], info: Mapping[str, str], xmp: Mapping[str, object]) -> FrontMatter:
    """Uses the page first. XMP and the information dictionary fill the gaps: they are often left over from a template.
    If their title is printed on the page, it wins over the title found there: it is complete and not a masthead.
    A file's creation date is not its publication date.
    """
    draft = _Draft()
    blocks = [block if len(block.text) <= _LONGEST else replace(block, text=block.text[:_LONGEST]) for block in blocks]
    page = _front_page(blocks)
    own = _of_page(blocks, page)
    printed = letters(" ".join(block.text for block in own)[:20_000])
    for source, names in (("xmp", _told(xmp)["authors"]), ("info", tuple(split_names(info.get("Author", ""))))):
        if isinstance(names, tuple) and len(names) >= 2 and all(letters(name) in printed for name in names):
            draft.take("authors", names, source)  # complete, where the page parts names by white space alone
    authors = draft.values.get("authors")
    named = "".join(map(letters, authors)) if isinstance(authors, tuple) else None
    own = [block for block in own if letters(block.text) != named]
    titles = [(source, text) for source, text in _told_titles(info, xmp) if not _GENERATED.search(text)]
    head = _title(opening(own))
    for source, text in titles:
        if len(letters(text)) >= _SHORTEST_TITLE and letters(text) in printed and not _is_begin(text, head):
            draft.take("title", text, source)
    draft.take("doi", _told(xmp)["doi"], "xmp")  # a DOI there is the document's own, not a reference
    _year_beside_title(draft, blocks, page, head)
    _from_page(draft, own)
    _from_page(draft, _title_page_behind(blocks, page, head))
    for name, value in _told(xmp).items():
        draft.take(name, value, "xmp")
    for source, text in titles:
        draft.take("title", text, source)
    draft.take("authors", tuple(split_names(info.get("Author", ""))), "info")
    return FrontMatter(**_within(draft.values), source=draft.source)  # type: ignore[arg-type]  # names are the fields'


def _within(values: Mapping[str, object]) -> dict[str, object]:
    """At most so many names and words of a title: each passage carries the title, each list of documents the names."""
    return {
        name: tuple(str(one)[:LONGEST_HEADING] for one in value[:_MOST_NAMES])
        if isinstance(value, tuple)
        else str(value)[:LONGEST_HEADING]
        for name, value in values.items()
    }


def _told(xmp: Mapping[str, object]) -> dict[str, object]:
    """The XMP of a published work; its date is a publication date only if there is a DOI too."""
    authors = xmp.get("authors")
    doi = doi_in(str(xmp.get("doi") or ""))
    return {
        "authors": tuple(one for text in authors[:_MOST_NAMES] for one in split_names(str(text)))[:_MOST_NAMES]
        if isinstance(authors, tuple)
        else (),
        "doi": doi,
        "journal": xmp.get("journal"),
        "published": whole_date(str(xmp.get("published") or "")) if doi else None,
    }


def _told_titles(info: Mapping[str, str], xmp: Mapping[str, object]) -> list[tuple[str, str]]:
    given = (("xmp", str(xmp.get("title") or "")), ("info", info.get("Title", "")))
    told = [(source, normalise_text(text[:LONGEST_HEADING])) for source, text in given]
    return [(source, text) for source, text in told if len(text) > 6]


def _is_begin(text: str, head: Block | None) -> bool:
    """Whether the page's title continues where this one ends."""
    return head is not None and letters(head.text) != letters(text) and letters(head.text).startswith(letters(text))


def _of_page(blocks: Sequence[Block], page: int | None) -> list[Block]:
    return [block for block in blocks if page is None or block.first_page == page]


def _front_page(blocks: Sequence[Block]) -> int | None:
    """The first page with text; the next one if only that has a title in large type. None without pages."""
    pages = sorted({block.first_page for block in blocks if block.first_page is not None})[:2]
    for page in pages:
        head = opening(_of_page(blocks, page))
        title = _title(head)
        if title is not None and title.kind == "heading":
            return page
        if len(head) > 2:
            break
    return pages[0] if pages else None


def _title_page_behind(blocks: Sequence[Block], page: int | None, head: Block | None) -> list[Block]:
    """The page behind a cover: it repeats the title, and names the authors and the year."""
    if page is None or head is None or len(letters(head.text)) < _SHORTEST_TITLE:
        return []
    behind = _of_page(blocks, page + 1)
    return behind if any(letters(block.text) == letters(head.text) for block in opening(behind)) else []


def _year_beside_title(draft: _Draft, blocks: Sequence[Block], page: int | None, head: Block | None) -> None:
    """Reads ``Banta, E., 2006, Title``: a document that cites itself on a page before its title."""
    title = " ".join((head.text if head is not None else "").split()[:4])
    for block in blocks if len(title) >= _SHORTEST_TITLE else ():
        match = re.search(rf"\b((?:1[89]|20)\d\d)[a-z]?[.,:)]*\s+{re.escape(title)}", block.text)
        if match is not None and (block.first_page or 1) <= (page or 1):
            draft.take("published", match[1], "page")


def _from_page(draft: _Draft, blocks: Sequence[Block]) -> None:
    head = opening(blocks)
    title = _title(head)
    draft.take("title", title.text if title is not None else "", "page")
    behind = head[head.index(title) + 1 :] if title is not None else head
    draft.take("authors", tuple(_authors(behind)), "page")
    draft.take("affiliations", tuple(_affiliations(behind)), "page")
    draft.take("doi", doi_in(_own_doi(head) or ""), "page")
    draft.take("journal", _journal(head), "page")
    draft.take("published", _published(head, blocks), "page")
    for block in blocks:
        match = _KEYWORDS.match(block.text)
        if match:
            draft.take("keywords", tuple(_split_keywords(match[1])), "page")
    draft.take("doi", next((doi for block in blocks if (doi := _labelled_doi(block.text))), None), "page")


def opening(blocks: Sequence[Block]) -> list[Block]:
    """The blocks before the first section: masthead, title, authors, affiliations."""
    for index, block in enumerate(blocks):
        is_section = block.kind == "heading" and (
            role_of((block.text,)) is not None or _is_numbered(block.text) or block.text.lower() == "contents"
        )
        if (is_section and index > 0) or (block.kind == "text" and len(block.text) > 900):
            return list(blocks[:index])
        if index >= 24:
            break
    return list(blocks[: min(len(blocks), 6)])


def _is_numbered(text: str) -> bool:
    """Whether a heading has a section number; ``V. C. Oliveira`` does not have the number five."""
    return NUMBERED.match(text) is not None and not split_names(text)


def without_author_headings(blocks: Sequence[Block], front: FrontMatter) -> list[Block]:
    """Removes false headings: the line of authors and a date above the first section."""
    head = {id(block) for block in opening(_of_page(blocks, _front_page(blocks)))}
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
    named = sum(len(letters(author)) for author in front.authors if letters(author) in words)
    return named > 0.5 * len(words) or (date_in(text) is not None and len(text.split()) <= 6)


def _published(head: Sequence[Block], blocks: Sequence[Block]) -> str | None:
    """A date labelled as publication, else the first date of the head, else a year at the end of a short line there."""
    for block in blocks:
        labelled = _PUBLISHED.search(block.text)
        date = date_in(block.text[labelled.end() : labelled.end() + 40]) if labelled is not None else None
        if date is not None:
            return date
    date = date_in(" ".join(block.text for block in head))
    if date is not None:
        return date
    lines = [match[1] for block in head if len(block.text) < 60 and (match := _YEAR_AT_END.search(block.text))]
    return lines[0] if lines else None


def _title(head: Sequence[Block]) -> Block | None:
    """The first heading that is not a masthead, else the first short text."""
    fit = [b for b in head if not _MASTHEAD.search(b.text) and _is_long_enough(b) and date_in(b.text) is None]
    fit = [b for b in fit if len(split_names(b.text)) < 2]
    headings = [b for b in fit if b.kind == "heading" and not (_JOURNAL.match(b.text) and len(b.text.split()) <= 6)]
    if headings:
        top = min(block.level for block in headings)
        return next(block for block in headings if block.level == top)
    return next((block for block in fit if block.kind == "text" and len(block.text) < 250), None)


def _is_long_enough(block: Block) -> bool:
    """A short title is a heading with a word in it that names neither a section nor the kind of document."""
    text = block.text
    if len(text) > _SHORTEST_TITLE:
        return True
    words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 2]
    is_sign = len(words) == 1 and text.isupper() and len(text) <= _LONGEST_SIGN
    is_label = text.lower().strip(":. 0123456789") in _LABELS
    return block.kind == "heading" and bool(words) and not is_sign and not is_label


def _authors(blocks: Sequence[Block]) -> list[str]:
    for block in blocks[:5]:
        text = re.split(r"\b(?:Correspondence|E-?mail)\b", block.text)[0]
        cut = _AFFILIATION.search(text)
        names = split_names(_without_office(text[: cut.start()]) if cut else text)
        if names:
            return names
    return []


def _without_office(text: str) -> str:
    """Before "Survey" in "Edward R. Banta U.S. Geological Survey", without the words of that name."""
    words = text.split()
    while words and _OF_AN_OFFICE.match(words[-1]):
        words.pop()
    return " ".join(words)


def split_names(text: str) -> list[str]:
    """Names of people in a line of authors; the list ends at the first text that does not look like a name."""
    names: list[str] = []
    text = re.sub(r"^(?:By|von|par|por)\s+(?=[^\W\d_])", "", text)
    marked = re.sub(r"\(\d[\d,\s]*\)", " , ", normalise_text(text[:_LONGEST]))
    for part in re.split(r"\s*(?:;|,|\band\b|\bund\b|\bet\b|&)\s*", marked):
        name = _MARKS.sub("", re.sub(r"(?<=[^\W\d_])\d+(?:\s*\d+)*", "", part)).strip(" .∗†")
        if not name or name.isdigit():
            continue
        if name in ("Jr", "Jr.", "PhD", "Dr") or not _is_name(name):
            if names:
                break
            return []
        names.append(name)
    return names


def _is_name(text: str) -> bool:
    parts = text.split()
    if not 2 <= len(parts) <= 6 or _AFFILIATION.search(text) or len(text) > 60 or parts[0] in _BEGIN_SENTENCES:
        return False
    if any(_OF_AN_OFFICE.match(part) for part in parts) or any(p.islower() and p not in _PARTICLES for p in parts):
        return False
    capitals = sum(part[:1].isupper() for part in parts)
    return capitals >= 2 and not any(ch.isdigit() for ch in text) and _NAME.match(text) is not None


def _affiliations(blocks: Sequence[Block]) -> list[str]:
    found: list[str] = []
    for block in blocks[:6]:
        if not _AFFILIATION.search(block.text) or len(block.text) > 900:
            continue
        text = re.split(r"\b(?:Correspondence|E-?mail)\b", block.text)[0]
        for part in re.split(r"(?:(?<=\s)|^)\(?(?:\d{1,2}|[∗*†‡§¶])\)?\s?(?=[A-Z])", text):
            clean = part.strip(" ,;.")
            if _AFFILIATION.search(clean) and 8 < len(clean) < 200 and "=" not in clean:
                found.append(clean)
    return found


def _own_doi(head: Sequence[Block]) -> str | None:
    return next((block.text for block in head if doi_in(block.text)), None)


def _labelled_doi(text: str) -> str | None:
    """A DOI at the start of a block, or at its end after a label; one in brackets belongs to another work."""
    match = re.search(
        r"(?:^|[.\s])doi\s*:\s*(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", text[:200], re.IGNORECASE
    )
    return doi_in(match[1]) if match else None


def _journal(head: Sequence[Block]) -> str | None:
    for block in head:
        if _JOURNAL.search(block.text) and len(block.text.split()) <= 8 and not _AFFILIATION.search(block.text):
            return re.split(r"[,;(]|\b(?:vol|volume|issue|doi)\b", block.text, flags=re.IGNORECASE)[0].strip()
    return None


def _split_keywords(text: str) -> list[str]:
    return [word.strip(" .") for word in re.split(r"[;,•·]", text) if word.strip(" .")][:30]
