"""Sentences about what was not read of a document, with the numbers of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexer.documents.page import Page

_HIDDEN = (
    "{count} words that nobody sees (white, without ink, tiny or outside the page) were left out: "
    "they are not searched and not quoted"
)
_UNKNOWN = "{count} characters are shown as \ufffd, because the file does not say what its symbols mean"


def page_warnings(pages: Sequence[Page]) -> tuple[str, ...]:
    """One sentence for each thing, with all its pages, in the order of the first page."""
    return tuple(_sentences(pages))


def _sentences(pages: Sequence[Page]) -> Iterator[str]:
    by_note: dict[str, list[int]] = {}
    for page in pages:
        for note in page.notes:
            by_note.setdefault(note, []).append(page.number)
    for note, numbers in by_note.items():
        yield f"{_named(numbers)}: {note}."
    for text, counts in (
        (_HIDDEN, {page.number: page.hidden for page in pages if page.hidden}),
        (_UNKNOWN, {page.number: page.unknown for page in pages if page.unknown}),
    ):
        if counts:
            yield f"{_named(list(counts))}: {text.format(count=sum(counts.values()))}."


def _named(numbers: Sequence[int]) -> str:
    """``Page 3``, or ``Pages 1-4, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    named = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"Page {named}" if len(numbers) == 1 else f"Pages {named}"
