"""Reads plain text (and Markdown): paragraphs between empty lines, headings by their marks, form feeds as pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.documents.clean import join_lines, normalise_text
from indexer.documents.compounds import hyphenated_words
from indexer.documents.failures import DocumentRefused
from indexer.documents.front_matter import front_matter
from indexer.documents.kinds import NUMBERED, SECTION_NAMES
from indexer.documents.limits import Limits
from indexer.documents.model import Block, ReadDocument
from indexer.documents.references import split_references

_MARKDOWN = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_UNDERLINE = re.compile(r"^(?:={3,}|-{3,}|~{3,})$")
_ITEM = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+\S")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")
_LONGEST_HEADING = 90


def read_text(data: bytes, limits: Limits) -> ReadDocument:
    """Raises DocumentRefused: ``too_large``, ``no_text``."""
    text = decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > limits.max_characters:
        raise DocumentRefused("too_large", f"The text has more than {limits.max_characters:,} characters.")
    pages = text.split("\f")
    compounds = hyphenated_words(text.splitlines())
    blocks = [
        block
        for number, page in enumerate(pages, 1)
        for block in _blocks(page, number if len(pages) > 1 else None, compounds)
    ]
    if not blocks:
        raise DocumentRefused("no_text", "The file holds no words.")
    kept, references = split_references(blocks)
    return ReadDocument(
        "text", tuple(kept), front_matter(blocks, {}, {}), references, len(pages) if len(pages) > 1 else 0
    )


def decoded(data: bytes) -> str:
    """UTF-8 or UTF-16 by byte order mark, else UTF-8, else Windows-1252, which never fails."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _blocks(page: str, number: int | None, compounds: frozenset[str]) -> Iterator[Block]:
    for paragraph in _PARAGRAPHS.split(page):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        while lines:
            heading, used = _heading(lines)
            if heading is None:
                break
            yield Block("heading", heading[1], number, number, level=heading[0])
            lines = lines[used:]
        if not lines:
            continue
        if all(_ITEM.match(line) for line in lines):
            yield from (Block("list", normalise_text(line), number, number) for line in lines)
            continue
        text = join_lines(lines, compounds)
        if any(character.isalnum() for character in text):
            yield Block("text", text, number, number)


def _heading(lines: list[str]) -> tuple[tuple[int, str] | None, int]:
    """Level and title of a heading at the start of the paragraph, and its number of lines."""
    first = normalise_text(lines[0])
    marked = _MARKDOWN.match(first)
    if marked:
        return (len(marked[1]), marked[2]), 1
    if len(lines) > 1 and _UNDERLINE.match(lines[1]) and len(first) <= _LONGEST_HEADING:
        return (1 if lines[1][0] == "=" else 2, first), 2
    if len(lines) > 1 or len(first) > _LONGEST_HEADING or first.endswith((".", ",", ";")):
        return None, 0
    numbered = NUMBERED.match(first)
    if numbered and not _ITEM.match(first):
        return (len([part for part in numbered["number"].split(".") if part]), first), 1
    known = first.lower().rstrip(":") in SECTION_NAMES
    return ((1, first), 1) if known or (first.isupper() and len(first) > 4) else (None, 0)
