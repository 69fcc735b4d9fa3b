"""Sections of a document, their role in a paper, and the list of references at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from indexer.documents.parse.clean import LineJoiner
from indexer.documents.parse.model import Block

ROLES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (role, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for role, words in (
        ("abstract", "abstract|summary|zusammenfassung|résumé|resumen|riassunto|resumo"),
        (
            "data_availability",
            r"(?:data|code)(?: and (?:code|data|software))? (?:availability|access|sources?)|data and resources"
            r"|availability of data",
        ),
        ("acknowledgements", "acknowledge?ments?|danksagung|remerciements"),
        ("references", "references(?: cited)?|bibliography|literature cited|literatur|bibliographie|referencias"),
        ("conclusions", "conclusions?|concluding|outlook|schlussfolgerung(?:en)?|conclusiones"),
        ("results", "results?|findings|ergebnisse|résultats|resultados"),
        ("discussion", "discussion|diskussion|discusión"),
        ("methods", "methods?|methodology|materials?|study (?:area|site)|experimental|procedures?|methoden|méthodes"),
        ("data", "data|datasets?|data ?sets?|measurements|observations"),
        ("introduction", "introduction|background|motivation|einleitung|statement of need|introducción"),
        ("appendix", "appendix|supplement(?:ary)?|anhang|annexe?"),
    )
)
"""Maps a role to the words that mark it in a heading; the first match wins."""

NUMBERED_HEADING = re.compile(
    r"^(?P<number>\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5}\.)\.?\s+(?P<title>\S.*)$"
)
_SECTION_WORDS = """
    abstract summary introduction background methods method methodology materials results discussion conclusion
    conclusions acknowledgments acknowledgements acknowledgement references bibliography appendix contents
    zusammenfassung einleitung methoden ergebnisse diskussion literatur résumé resume introducción resultados
    discusión conclusiones referencias bibliographie
"""
SECTION_NAMES = frozenset(_SECTION_WORDS.split())
"""Headings that need no other sign; in small letters."""
_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*|[A-Z](?:\.\d{1,2})+|[IVX]+\.)\.?\s+")


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under one heading (without the heading); ``path`` holds its parents and itself."""

    path: tuple[str, ...]
    role: str | None
    blocks: tuple[Block, ...] = field(default=())


def sections(blocks: Sequence[Block]) -> list[Section]:
    """In document order; blocks before the first heading have an empty path. Leaves out empty sections."""
    return [
        Section(path, role_of(path), tuple(section_blocks))
        for path, section_blocks in _blocks_by_heading(blocks)
        if section_blocks
    ]


def _blocks_by_heading(blocks: Sequence[Block]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    headings_above: list[tuple[int, str]] = []
    section_blocks: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            section_blocks.append(block)
            continue
        yield tuple(title for _, title in headings_above), section_blocks
        section_blocks = []
        headings_above = [
            *(heading for heading in headings_above if heading[0] < block.level),
            (block.level, block.text),
        ]
    yield tuple(title for _, title in headings_above), section_blocks


def role_of(path: Sequence[str]) -> str | None:
    """The role by the nearest heading that has one; None if none has."""
    for title in reversed(path):
        title_text = _NUMBER.sub("", title)
        for role, words in ROLES:
            if words.search(title_text):
                return role
    return None


def opens_section(line: str, line_above: str) -> bool:
    """Whether a line in the type of the heading above it is a heading itself, and not the next line of that one:
    ``1 Introduction`` below a title, ``2.1 Sites`` below ``2 Methods``. Some titles continue with a number.
    """
    match = NUMBERED_HEADING.match(line)
    if match is None or not match["title"][:1].isupper():
        return False
    is_first = match["number"].rstrip(".") in ("1", "I")
    is_known = match["title"].lower().rstrip(":. ") in SECTION_NAMES
    return is_first or is_known or NUMBERED_HEADING.match(line_above) is not None


def strip_number(title: str) -> str:
    """``2.3. Long format`` as ``Long format``."""
    return _NUMBER.sub("", title).strip()


_NUMBERED_ENTRY = re.compile(r"^(?:\[\d{1,3}\]|\d{1,3}\.)\s")
_ENTRY = re.compile(
    r"^[^\W\d_][\w'’ .-]{1,40},? .*?(?:\(?\b(?:1[6-9]|20)\d\d[a-z]?\b)|^[A-Z][\w'’-]+,? [A-Z]", re.DOTALL
)
_ENDS = re.compile(r"(?:\.|\d{4}\.?|\d)\s*$")
_JOINED_REFERENCES = re.compile(r"(?<=\d{4}\.)\s+(?=[^\W\d_][\w'’-]+,\s[A-Z]\.)|(?<=[.\d])\s+(?=\[\d{1,3}\]\s)")
_READ_KINDS = ("text", "list", "reference")
_FEWEST = 2


def split_references(blocks: Sequence[Block]) -> tuple[list[Block], tuple[str, ...]]:
    """The blocks without the references and their heading, and the entries as texts.

    The list ends at the next heading of its level that is not part of it (an appendix, an affiliation).
    """
    start = next((i for i in range(len(blocks) - 1, -1, -1) if _opens(blocks[i])), None)
    if start is None:
        return list(blocks), ()
    end = next((i for i in range(start + 1, len(blocks)) if _closes(blocks[i], blocks[start])), len(blocks))
    texts = [
        entry
        for block in blocks[start + 1 : end]
        if block.kind in _READ_KINDS
        for entry in _JOINED_REFERENCES.split(block.text)
    ]
    floating_blocks = [block for block in blocks[start + 1 : end] if _is_beside(block)]
    return [*blocks[:start], *floating_blocks, *blocks[end:]], tuple(_entries(texts))


def _opens(block: Block) -> bool:
    return block.kind == "heading" and role_of((block.text,)) == "references" and len(block.text.split()) <= 4


def _is_beside(block: Block) -> bool:
    """Whether it is no part of the list. What looks like a note of a page may be one of its entries in small print."""
    return block.kind in ("table", "caption") or (block.kind == "footnote" and block.first_page is None)


def _closes(block: Block, heading: Block) -> bool:
    return block.kind == "heading" and (block.level <= heading.level or NUMBERED_HEADING.match(block.text) is not None)


def _entries(texts: Sequence[str]) -> list[str]:
    """One text per entry: by its number, else a text that begins like an entry after one that ended like an entry."""
    is_numbered = sum(_NUMBERED_ENTRY.match(text) is not None for text in texts) >= _FEWEST
    entries: list[LineJoiner] = []
    for text in texts:
        begins = _NUMBERED_ENTRY.match(text) is not None if is_numbered else not entries or _begins(entries[-1], text)
        if begins or not entries:
            entries.append(LineJoiner())
        entries[-1].add(text)
    return [entry.text for entry in entries]


def _begins(line_before: LineJoiner, text: str) -> bool:
    return _ENTRY.match(text) is not None and _ENDS.search(line_before.end) is not None
