"""Where a quoted sentence stands on the pages of its document."""

from __future__ import annotations

from dataclasses import dataclass

from core.folding import place_of
from core.passage import Passage, WordBox, lines_of


@dataclass(frozen=True, slots=True)
class Marked:
    """``quote``: the sentence as the passage has it, None if it is not there; then the whole passage is marked.

    ``lines``: one box for each line on a page, in reading order; none for a passage without boxes.
    """

    quote: str | None
    lines: tuple[WordBox, ...]

    @property
    def by_page(self) -> dict[int, list[WordBox]]:
        pages: dict[int, list[WordBox]] = {}
        for line in self.lines:
            pages.setdefault(line.page, []).append(line)
        return pages


def marked(passage: Passage, quote: str) -> Marked:
    """Compares letters and digits only: a model or a reader may write spaces and hyphens differently."""
    place = place_of(quote, passage.text) if quote else None
    start, end = place or (0, len(passage.text))
    words = [word for word in passage.words if word.start < end and word.end > start]
    return Marked(passage.text[start:end] if place else None, lines_of(words))
