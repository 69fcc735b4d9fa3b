"""A source whose records are visible only to some groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.raw import Page, Source


def restricted(source: Source, groups: Sequence[str]) -> Source:
    """The source, each record marked with the groups that may see it; without groups, the same source."""
    return _Restricted(source, tuple(sorted(set(groups)))) if groups else source


@dataclass(frozen=True, slots=True)
class _Restricted:
    source: Source
    groups: tuple[str, ...]

    def pages(self, position: str | None = None) -> Iterator[Page]:
        for page in self.source.pages(position):
            yield replace(page, records=tuple(replace(raw, access_groups=self.groups) for raw in page.records))
