"""Groups words into rows by baseline, and splits rows into segments at wide gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexer.documents.page import Line, Word

_SAME_BASELINE = 0.45  # of the size: sub- and superscripts belong to their line
_BESIDE = 0.8  # of the size: how far a sub- or superscript is from its word
_GAP = 0.9  # of the size: wider than the widest gap of justified text, narrower than a gutter
_SMALLEST_GAP = 7.0  # points


def rows(words: Iterable[Word]) -> list[Line]:
    """One line per baseline, across columns; from top to bottom of the page."""
    open_rows: list[list[Word]] = []
    for word in sorted((w for w in words if not w.turned), key=lambda w: (-w.size, w.baseline)):
        home = _row_of(word, open_rows)
        if home is None:
            open_rows.append([word])
        else:
            home.append(word)
    return sorted((Line.of(row) for row in open_rows), key=lambda line: (line.baseline, line.box.left))


def _row_of(word: Word, open_rows: Sequence[list[Word]]) -> list[Word] | None:
    """The nearest row whose first word is at least as large.

    A smaller word farther from the baseline than its size allows belongs to the row only beside a larger word, as an
    index does: small print in the next column has its own lines.
    """
    best: tuple[float, list[Word]] | None = None
    for row in open_rows:
        off = abs(row[0].baseline - word.baseline)
        near = off <= _SAME_BASELINE * row[0].size and (best is None or off < best[0])
        if near and (off <= _SAME_BASELINE * word.size or _is_beside(word, row)):
            best = (off, row)
    return None if best is None else best[1]


def _is_beside(word: Word, row: Sequence[Word]) -> bool:
    reach = _BESIDE * row[0].size
    larger = [other for other in row if other.size > 1.1 * word.size]
    return any(one.box.left - reach <= word.box.right and word.box.left <= one.box.right + reach for one in larger)


def segments(row: Line) -> list[Line]:
    """The row split at its wide gaps, left to right."""
    parts: list[list[Word]] = []
    for word in row.words:
        limit = max(_SMALLEST_GAP, _GAP * max(word.size, parts[-1][-1].size if parts else 0.0))
        if parts and word.box.left - parts[-1][-1].box.right <= limit:
            parts[-1].append(word)
        else:
            parts.append([word])
    return [Line.of(part) for part in parts]


def without(lines: Iterable[Line], gone: Iterable[Word]) -> list[Line]:
    """The lines without these words; a line without any words left is dropped."""
    ids = {id(word) for word in gone}
    kept = ([word for word in line.words if id(word) not in ids] for line in lines)
    return [Line.of(words) for words in kept if words]


def same_row(a: Line, b: Line) -> bool:
    """Whether both have the same baseline."""
    return abs(a.baseline - b.baseline) < 0.45 * max(a.size, b.size)


def merged(segments: Sequence[Line]) -> list[Line]:
    """Joins the segments of each row into one line again, from the top."""
    out: list[list[Line]] = []
    for segment in sorted(segments, key=lambda s: (s.baseline, s.box.left)):
        if out and same_row(out[-1][0], segment):
            out[-1].append(segment)
        else:
            out.append([segment])
    return [Line.of([word for part in row for word in part.words]) for row in out]
