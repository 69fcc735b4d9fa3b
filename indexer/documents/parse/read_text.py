"""Reads plain text (and Markdown): paragraphs between empty lines, headings by their marks, form feeds as pages.

A header in YAML between two lines ``---`` names title, authors and date; it is no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import yaml

from indexer.documents.parse.byline import date_in, split_names, whole_date
from indexer.documents.parse.clean import hyphenated_words, join_lines, normalise_text
from indexer.documents.parse.front_matter import front_matter
from indexer.documents.parse.limits import LONGEST_HEADING, Allowance, DocumentRefused, Limits
from indexer.documents.parse.model import Block, FrontMatter, ReadDocument
from indexer.documents.parse.sections import NUMBERED_HEADING, SECTION_NAMES, split_references
from indexer.text_encoding import decode

_MARKDOWN = re.compile(r"^(#{1,6})\s+(\S.*)$")
_UNDERLINE = re.compile(r"^(?:={3,}|-{3,}|~{3,})$")
_ITEM = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+\S")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")
_HEADER = re.compile(r"\s*---[ \t]*\n(.{0,20000}?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KNOWN_VALUES = {"title", "author", "authors", "date"}
_MOST_AUTHORS = 500
_LONGEST_HEADING = 90
_LONGEST_LINE = LONGEST_HEADING + 1  # characters: no more of a line is needed to see whether it is a heading
_MOST_BYTES = 4  # of one character


def read_text(data: bytes, limits: Limits) -> ReadDocument:
    """Raises DocumentRefused: ``no_text``."""
    allowance = Allowance(limits)
    text = decode(data[: _MOST_BYTES * (limits.max_characters + 1)])
    if len(text) > limits.max_characters:
        allowance.note_characters()
        text = text[: limits.max_characters]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    header, text = _split_header(text)
    pages = text.split("\f", limits.max_pages)
    if len(pages) > limits.max_pages:
        allowance.note_pages()
        pages.pop()
    compounds = hyphenated_words(text.splitlines())
    numbers = [number if len(pages) > 1 else None for number in range(1, len(pages) + 1)]
    drafts = (block for number, page in zip(numbers, pages, strict=True) for block in _blocks(page, number, compounds))
    blocks = list(allowance.within(drafts))
    if not blocks:
        raise DocumentRefused("no_text", "The file holds no words.")
    body_blocks, references = split_references(blocks)
    front, count = _with_header(front_matter(blocks, {}, {}), header), len(pages) if len(pages) > 1 else 0
    return ReadDocument("text", tuple(body_blocks), front, references, count, warnings=allowance.warnings)


def _split_header(text: str) -> tuple[dict[str, object], str]:
    """The values of a YAML header, and the text behind it; no value and all of the text without a header.

    Lines that name none of the known values may be text between two rules.
    """
    match = _HEADER.match(text)
    if match is None:
        return {}, text
    try:
        header = yaml.safe_load(match[1])
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date that does not exist
        return {}, text
    values = {str(name).lower(): value for name, value in header.items()} if isinstance(header, dict) else {}
    return (values, text[match.end() :]) if values.keys() & _KNOWN_VALUES else ({}, text)


def _with_header(front: FrontMatter, header: dict[str, object]) -> FrontMatter:
    """The header's values go first: somebody wrote them for this purpose."""
    value = header.get("author") or header.get("authors")
    people = value if isinstance(value, list) else [value]
    names = [person.get("name") if isinstance(person, dict) else person for person in people]
    authors = [author for name in names if isinstance(name, str) for author in split_names(name) or [name.strip()]]
    title, moment = header.get("title"), header.get("date")
    day = str(moment) if isinstance(moment, str | int | date) else ""
    stated = {
        "title": normalise_text(title)[:LONGEST_HEADING] if isinstance(title, str) else "",
        "authors": tuple(author[:LONGEST_HEADING] for author in authors[:_MOST_AUTHORS] if author),
        "published": whole_date(day) or date_in(day),
    }
    stated = {name: value for name, value in stated.items() if value}
    return replace(front, **stated, source={**front.source, **dict.fromkeys(stated, "info")})  # type: ignore[arg-type]


def _blocks(page: str, number: int | None, compounds: frozenset[str]) -> Iterator[Block]:
    for paragraph in _paragraphs(page):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
        line_number = 0
        while line_number < len(lines):
            heading, used = _heading(lines[line_number : line_number + 2])
            if heading is None:
                break
            yield Block("heading", heading[1], number, number, level=heading[0])
            line_number += used
        del lines[:line_number]
        if not lines:
            continue
        if all(_ITEM.match(line) for line in lines):
            yield from (Block("list", normalise_text(line), number, number) for line in lines)
            continue
        text = join_lines(lines, compounds)
        if any(character.isalnum() for character in text):
            yield Block("text", text, number, number)


def _paragraphs(page: str) -> Iterator[str]:
    """One after the other, so that nothing is split that is not read."""
    start = 0
    for match in _PARAGRAPHS.finditer(page):
        yield page[start : match.start()]
        start = match.end()
    yield page[start:]


def _heading(lines: list[str]) -> tuple[tuple[int, str] | None, int]:
    """Level and title of a heading in the first of (at most two) lines, and its number of lines."""
    first = normalise_text(lines[0][:_LONGEST_LINE])
    markdown_match = _MARKDOWN.match(first) if len(lines[0]) <= LONGEST_HEADING else None
    if markdown_match:
        return (len(markdown_match[1]), markdown_match[2].rstrip("#").rstrip() or markdown_match[2][:1]), 1
    if len(lines) > 1 and _UNDERLINE.match(lines[1]) and len(first) <= _LONGEST_HEADING:
        return (1 if lines[1][0] == "=" else 2, first), 2
    if len(lines) > 1 or len(first) > _LONGEST_HEADING or first.endswith((".", ",", ";")):
        return None, 0
    number_match = NUMBERED_HEADING.match(first)
    if number_match and not _ITEM.match(first):
        return (len([part for part in number_match["number"].split(".") if part]), first), 1
    is_section_name = first.lower().rstrip(":") in SECTION_NAMES
    return ((1, first), 1) if is_section_name or (first.isupper() and len(first) > 4) else (None, 0)
