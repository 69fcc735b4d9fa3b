"""Separates the list of references from the text and splits it into entries."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.documents.clean import Joined
from indexer.documents.model import Block
from indexer.documents.sections import NUMBERED, role_of

_NUMBERED_ENTRY = re.compile(r"^(?:\[\d{1,3}\]|\d{1,3}\.)\s")
_ENTRY = re.compile(
    r"^[^\W\d_][\w'’ .-]{1,40},? .*?(?:\(?\b(?:1[6-9]|20)\d\d[a-z]?\b)|^[A-Z][\w'’-]+,? [A-Z]", re.DOTALL
)
_ENDS = re.compile(r"(?:\.|\d{4}\.?|\d)\s*$")
_RUN_TOGETHER = re.compile(r"(?<=\d{4}\.)\s+(?=[^\W\d_][\w'’-]+,\s[A-Z]\.)|(?<=[.\d])\s+(?=\[\d{1,3}\]\s)")
_READ = ("text", "list", "reference")
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
        entry for block in blocks[start + 1 : end] if block.kind in _READ for entry in _RUN_TOGETHER.split(block.text)
    ]
    floating = [block for block in blocks[start + 1 : end] if block.kind in ("table", "caption")]
    return [*blocks[:start], *floating, *blocks[end:]], tuple(_entries(texts))


def _opens(block: Block) -> bool:
    return block.kind == "heading" and role_of((block.text,)) == "references" and len(block.text.split()) <= 4


def _closes(block: Block, opening: Block) -> bool:
    return block.kind == "heading" and (block.level <= opening.level or NUMBERED.match(block.text) is not None)


def _entries(texts: Sequence[str]) -> list[str]:
    """One text per entry: by its number, else a text that begins like an entry after one that ended like an entry."""
    numbered = sum(_NUMBERED_ENTRY.match(text) is not None for text in texts) >= _FEWEST
    out: list[Joined] = []
    for text in texts:
        begins = _NUMBERED_ENTRY.match(text) is not None if numbered else not out or _begins(out[-1], text)
        if begins or not out:
            out.append(Joined())
        out[-1].add(text)
    return [one.text for one in out]


def _begins(before: Joined, text: str) -> bool:
    return _ENTRY.match(text) is not None and _ENDS.search(before.end) is not None
