"""The indivisible pieces of passages: sentences, lines of code, rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.passage import CELL
from indexer.documents.model import Block, Table
from reading.sentences import sentences

CountTokens = Callable[[Sequence[str]], list[int]]
SPECIAL_TOKENS = 2  # special tokens that an encoder adds to each text


@dataclass(frozen=True, slots=True)
class Unit:
    """``tokens`` without special ones; ``opens``: starts a paragraph; ``cut``: part of a sentence that is too long;
    ``separator`` precedes it unless it is the first.
    """

    text: str
    tokens: int
    first_page: int | None
    last_page: int | None
    opens: bool = False
    cut: bool = False
    separator: str = " "


def text_units(blocks: Sequence[Block], count: CountTokens, most: int) -> list[Unit]:
    """Sentences of text, lists and formulas, lines of code; none longer than ``most`` tokens."""
    drafts = [(text, block, place == 0, mark) for block in blocks for place, (text, mark) in enumerate(_pieces(block))]
    if not drafts:
        return []
    tokens = [number - SPECIAL_TOKENS for number in count([text for text, *_ in drafts])]
    units: list[Unit] = []
    seen: dict[int, int] = {}  # how much of each block's text is done
    for (text, block, opens, separator), number in zip(drafts, tokens, strict=True):
        start = max(block.text.find(text, seen.get(id(block), 0)), 0)
        seen[id(block)] = start + len(text)
        first, last = block.page_at(start), block.page_at(start + len(text) - 1)
        if number <= most:
            units.append(Unit(text, number, first, last, opens, False, separator))
            continue
        parts = parted(text, count, most)
        units += [Unit(t, n, first, last, opens and i == 0, True, separator) for i, (t, n) in enumerate(parts)]
    return units


def _pieces(block: Block) -> list[tuple[str, str]]:
    if block.kind == "code":
        return [(line, "\n") for line in block.lines or block.text.splitlines() if line.strip()]
    return [
        (sentence, "\n" if block.kind == "list" and place == 0 else " ")
        for place, sentence in enumerate(sentences(block.text) if block.kind != "formula" else [block.text])
    ]


def parted(text: str, count: CountTokens, most: int) -> list[tuple[str, int]]:
    """Splits a text longer than one passage between words into as few pieces as possible; with their tokens."""
    words = text.split()
    lengths = [max(1, number - SPECIAL_TOKENS) for number in count(words)]
    out: list[tuple[list[str], int]] = []
    for word, length in zip(words, lengths, strict=True):
        if length > most:  # a word longer than a passage: endless letters or digits
            piece = max(1, len(word) * most // (2 * length))
            out += [([word[at : at + piece]], most) for at in range(0, len(word), piece)]
        elif out and out[-1][1] + length <= most:
            out[-1] = ([*out[-1][0], word], out[-1][1] + length)
        else:
            out.append(([word], length))
    return [(" ".join(words), length) for words, length in out]


def table_texts(table: Table, count: CountTokens, most: int) -> list[tuple[str, bool]]:
    """Texts of at most ``most`` tokens, each with caption and header; True if a row had to be split."""
    header = [_row(row) for row in table.rows[: table.header_rows]]
    rows = [_row(row) for row in table.rows[table.header_rows :]]
    opening = [line for line in (table.caption, *header) if line]
    tokens = [number - SPECIAL_TOKENS for number in count([*opening, *rows])]
    head_tokens = sum(tokens[: len(opening)])
    if head_tokens > most // 2:  # a caption as long as a passage becomes a separate passage
        flat = "\n".join([*opening, *rows])
        return [(text, True) for text, _ in parted(flat, count, most)]
    out: list[tuple[list[str], int, bool]] = []
    for row, number in zip(rows, tokens[len(opening) :], strict=True):
        if out and out[-1][1] + number <= most and not out[-1][2]:
            out[-1] = ([*out[-1][0], row], out[-1][1] + number, False)
        elif head_tokens + number <= most:
            out.append(([*opening, row], head_tokens + number, False))
        else:
            out += [([*opening, part], most, True) for part, _ in parted(row, count, most - head_tokens)]
    return [("\n".join(lines), cut) for lines, _, cut in out] or [("\n".join(opening), False)]


def _row(row: Sequence[str]) -> str:
    return CELL.join(row).strip()
