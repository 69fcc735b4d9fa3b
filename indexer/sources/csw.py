"""CSW 2.0.2 and 3.0: sorted GetRecords pages, each answer checked, every record counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import structlog

from core.errors import SondeError, Unavailable
from indexer.raw import RawPage, Skipped
from indexer.sources.counted import CountedPage, CountedWalk
from indexer.sources.csw_messages import (
    CSW,
    GMD,
    MDB,
    Capabilities,
    CswException,
    Dialect,
    Method,
    Results,
    Version,
    body,
    capabilities,
    key_values,
    results,
)
from indexer.sources.fetching import BadAnswer, Fetcher, RetryLater
from indexer.sources.linked import joined
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from net.errors import BadStatus
from net.exchange import Outgoing

log = structlog.get_logger(__name__)

_ONE_IN_TEN = 10
_STUMBLES = 3


@dataclass(frozen=True, slots=True)
class CswOptions:
    """``version``, ``schema`` and ``method``: override what the capabilities offer and what trials show.

    ``tolerate_missing``: number of records that the server may count but never give.
    """

    page_size: int = 100
    version: Version | None = None
    schema: str | None = None
    method: Method | None = None
    sorted: bool = True
    tolerate_missing: int = 0


@dataclass(slots=True)
class CswSource:
    """``since`` (ISO 8601): only records modified since then, if the server can filter by it."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: CswOptions = field(default_factory=CswOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken if the server understands no dialect, and what the fetcher raises."""
        dialect = choose_dialect(self.fetcher, self.url, self.options)
        since = self._usable_since(dialect)
        asker = _Asker(self.fetcher, self.url, dialect, self.options.page_size, since)
        walk = CountedWalk(
            self.fetcher.source,
            asker.ask,
            self.options.page_size,
            self.options.tolerate_missing,
            may_be_empty=since is not None,
            beyond=asker.beyond,
        )
        yield from walk.pages(position)

    def _usable_since(self, dialect: Dialect) -> str | None:
        if self.since is None:
            return None
        try:
            fetch_results(self.fetcher, self.url, dialect, Window(0, 1, self.since))
        except CswException as error:
            log.warning("csw.no_modified_filter", source=self.fetcher.source, reason=str(error))
            return None
        return self.since


@dataclass(frozen=True, slots=True)
class Window:
    """Which records to ask for; ``offset`` counts from 0."""

    offset: int
    size: int
    since: str | None = None


def fetch_results(
    fetcher: Fetcher, url: str, dialect: Dialect, window: Window, check: Callable[[Results], Results] = lambda r: r
) -> Results:
    """One GetRecords. Raises CswException and what the fetcher raises."""
    start, size, since = window.offset + 1, window.size, window.since
    if dialect.method == "get":
        asked = Outgoing(url, params=key_values(dialect, start, size, since), headers={"accept": "application/xml"})
    else:
        headers = {"accept": "application/xml", "content-type": "application/xml"}
        asked = Outgoing(url, "POST", None, headers, body(dialect, start, size, since))
    return fetcher.read(asked, lambda answer: check(results(answer)))


def fetch_capabilities(fetcher: Fetcher, url: str) -> Capabilities:
    return fetcher.get(url, capabilities, {"service": "CSW", "request": "GetCapabilities"}, "application/xml")


def choose_dialect(fetcher: Fetcher, url: str, options: CswOptions) -> Dialect:
    """The first dialect that the server understands, gmd first. Raises SourceBroken if there is none."""
    try:
        offered = fetch_capabilities(fetcher, url)
    except (CswException, BadAnswer) as error:
        log.info("csw.no_capabilities", source=fetcher.source, reason=str(error))
        offered = Capabilities(frozenset(), frozenset())
    reasons = []
    for dialect in _candidates(offered, options):
        try:
            fetch_results(fetcher, url, dialect, Window(0, 1))
        except (CswException, BadAnswer, BadStatus, RetryLater) as error:
            reasons.append(str(error))
            continue
        return dialect
    raise SourceBroken(f"{fetcher.source}: no way of asking GetRecords is understood: {'; '.join(reasons[-2:])}")


def _candidates(offered: Capabilities, options: CswOptions) -> Iterator[Dialect]:
    sorting = "dc:identifier" if options.sorted else None
    for version in _versions(offered, options):
        for schema in _schemas(offered, options, version):
            first = Dialect(version, schema, "csw:Record", sorting)
            ways = [
                first,
                replace(first, method="get"),
                replace(first, sort=None),
                replace(first, sort=None, method="get"),
            ]
            if schema == GMD and version == "2.0.2":
                iso = replace(first, type_name="gmd:MD_Metadata", sort="apiso:Identifier" if options.sorted else None)
                ways[2:2] = [iso, replace(iso, method="get")]
            yield from (way for way in dict.fromkeys(ways) if options.method in (None, way.method))


def _versions(offered: Capabilities, options: CswOptions) -> list[Version]:
    if options.version is not None:
        return [options.version]
    known: tuple[Version, ...] = ("2.0.2", "3.0.0")
    return [version for version in known if version in offered.versions] or ["2.0.2"]


def _schemas(offered: Capabilities, options: CswOptions, version: Version) -> list[str]:
    if options.schema is not None:
        return [options.schema]
    plain = CSW[version]
    return (
        [schema for schema in (GMD, *MDB) if schema in offered.schemas] + [plain] if offered.schemas else [GMD, plain]
    )


@dataclass(slots=True)
class _Asker:
    """Requests windows of records. If the server fails on one, requests smaller ones and names the record at fault.

    After three such records in a row it skips whole windows.
    """

    fetcher: Fetcher
    url: str
    dialect: Dialect
    size: int
    since: str | None
    matched: int = 0
    stumbled: int = 0  # in a row

    def beyond(self, offset: int) -> CountedPage | None:
        """Asks once for records beyond the stated total; None if there are none, or the server fails."""
        try:
            return self._slab(Window(offset, self.size, self.since), lambda slab: slab)
        except SondeError as error:
            log.info("csw.nothing_beyond", source=self.fetcher.source, offset=offset, reason=str(error))
            return None

    def ask(self, offset: int, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
        size = self.size
        while True:
            try:
                slab = self._slab(Window(offset, size, self.since), check)
                self.stumbled = 0
                return slab
            except (CswException, BadAnswer, RetryLater) as error:
                if not self.matched:  # nothing was returned yet: the fault is not in a single record
                    raise Unavailable(str(error)) from error
                if size == 1 or self.stumbled >= _STUMBLES:
                    self.stumbled += 1
                    return self._given_up(offset, size, error)
                size = max(size // _ONE_IN_TEN, 1)

    def _given_up(self, offset: int, size: int, error: SondeError) -> CountedPage:
        """``size`` records as one skipped entry; in either case nothing may be swept."""
        last = f" to {offset + size}" if size > 1 else ""
        skipped = Skipped(f"{self.url}#position {offset + 1}{last}", f"the server cannot give it: {error}")
        return CountedPage((), self.matched, offset + size if size > 1 else None, (skipped,))

    def _slab(self, window: Window, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
        kept: list[CountedPage] = []

        def checked(found: Results) -> Results:
            following = None if found.following is None else found.following - 1
            kept[:] = [check(CountedPage(found.records, found.matched, following))]
            return found

        fetch_results(self.fetcher, self.url, self.dialect, window, checked)
        self.matched = kept[0].matched
        return kept[0]


def _recognises(answer: FirstAnswer) -> bool:
    return answer.root == "Capabilities"


def _at(url: str) -> Iterator[Question]:
    yield Question(url.partition("?")[0], fetch_capabilities)


def _below(url: str) -> Iterator[Question]:
    bare = url.partition("?")[0]
    yield Question(joined(bare, "csw"), fetch_capabilities)
    yield Question(joined(geonetwork_base(bare), "srv/eng/csw"), fetch_capabilities)


def geonetwork_base(url: str) -> str:
    """``https://host/geonetwork`` for any address below it."""
    before, found, _ = url.partition("/geonetwork")
    return before + found if found else url.partition("/srv/")[0].rstrip("/")


PROTOCOL = Protocol(
    "csw",
    CswSource,
    CswOptions,
    "CSW 2.0.2 and 3.0, POST or GET, whichever the server understands; sorted by identifier; ISO before Dublin Core",
    "`dct:modified` filter",
    recognises=_recognises,
    at=_at,
    below=_below,
    title=lambda fetcher, url: fetch_capabilities(fetcher, url).title,
)
