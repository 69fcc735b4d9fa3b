"""A steward's corrections of one record, which replace what its source says; no I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.extent import BBox
from core.json_types import JsonMapping
from core.record import Keyword, Record
from core.timespan import TimeSpan

VOCABULARY = "curation"
"""Of the keywords that a steward added."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """``keywords`` are added to the source's; the others replace them."""

    title: str | None = None
    keywords: tuple[str, ...] = ()
    box: BBox | None = None
    span: TimeSpan | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """What it says, as ``Record.curated`` names it."""
        values = {"title": self.title, "keywords": self.keywords, "extent": self.box, "period": self.span}
        return tuple(name for name, value in values.items() if value)

    def on(self, record: Record) -> Record:
        """The corrected record, which says what was corrected. The source's title stays as an alternate one."""
        known = {keyword.term.casefold() for keyword in record.keywords}
        added = tuple(Keyword(term, VOCABULARY) for term in self.keywords if term.casefold() not in known)
        changed = replace(record, keywords=(*record.keywords, *added), curated=self.fields)
        if self.title is not None and self.title != record.title:
            alternate = dict.fromkeys((*record.alternate_titles, record.title))
            changed = replace(changed, title=self.title, alternate_titles=tuple(alternate))
        if self.box is not None:
            changed = replace(changed, extents=(self.box,), geometry=None)
        return changed if self.span is None else replace(changed, times=(self.span,))


def overlay_from_content(content: JsonMapping) -> Overlay:
    """Raises ValueError for a box or period that does not exist."""
    start, end, box = content.get("start"), content.get("end"), content.get("bbox")
    span = TimeSpan.from_iso(start, end) if start or end else None
    return Overlay(
        content.get("title"), tuple(content.get("keywords") or ()), None if box is None else BBox(*box), span
    )
