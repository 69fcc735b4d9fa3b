"""Joins a source's pages into batches large enough for one bulk request and one call of the embedder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.errors import SondeError
from indexer.raw import RawPage

BATCH_BYTES = 32 << 20


def batches(pages: Iterable[RawPage], size: int, limit_bytes: int = BATCH_BYTES) -> Iterator[RawPage]:
    """Whole pages joined until they hold ``size`` members or ``limit_bytes``; each resumes after its last page.

    If the source fails, the pages before the failure are returned first, then the error is raised.
    """
    waiting: list[RawPage] = []
    stream = iter(pages)
    while True:
        try:
            page = next(stream, None)
        except SondeError:
            if waiting:
                yield joined(waiting)
            raise
        if page is not None:
            waiting.append(page)
        if waiting and (page is None or _enough(waiting, size, limit_bytes)):
            yield joined(waiting)
            waiting = []
        if page is None:
            return


def joined(pages: list[RawPage]) -> RawPage:
    last = pages[-1]
    records = tuple(record for page in pages for record in page.records)
    return RawPage(
        records,
        last.position,
        next((page.total for page in reversed(pages) if page.total is not None), None),
        tuple(skipped for page in pages for skipped in page.skipped),
        tuple(id for page in pages for id in page.deleted),
        last.matched,
        tuple(id for page in pages for id in page.unchanged),
        tuple(visit for page in pages for visit in page.visits),
        tuple(passed for page in pages for passed in page.passed_over),
    )


def _enough(pages: list[RawPage], size: int, limit_bytes: int) -> bool:
    return (
        sum(len(page.records) + len(page.unchanged) + len(page.passed_over) for page in pages) >= size
        or sum(len(record.content) for page in pages for record in page.records) >= limit_bytes
    )
