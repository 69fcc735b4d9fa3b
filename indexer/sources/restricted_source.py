"""A source whose records are visible only to some groups, or as before if no groups are configured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.raw import RawPage, Source


def restrict(source: Source, groups: Sequence[str] | None) -> Source:
    """The source, each record marked with the groups that may see it.

    Empty: everybody, so the same source. None: not stated, so each record keeps the groups that it has.
    """
    if groups is None:
        return _RestrictedSource(source, None)
    return _RestrictedSource(source, tuple(sorted(set(groups)))) if groups else source


@dataclass(frozen=True, slots=True)
class _RestrictedSource:
    source: Source
    groups: tuple[str, ...] | None

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        for page in self.source.pages(position):
            yield replace(page, records=tuple(replace(raw, access_groups=self.groups) for raw in page.records))
