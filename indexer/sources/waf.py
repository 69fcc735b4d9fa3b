"""A web accessible folder: files behind directory listings, with subfolders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from urllib.parse import unquote

from core.batched import batched
from core.errors import SondeError
from indexer.formats.registry import separate
from indexer.raw import FileVersion, Page, PassedOver, RawRecord, Skipped
from indexer.sources.answers import expect_2xx
from indexer.sources.fetching import BadAnswer, Fetcher
from indexer.sources.listings import Entry, NotAListing, entries
from indexer.sources.members import METADATA_SUFFIXES, SourceBroken, is_hidden, is_wanted, media_type, passed_over
from indexer.sources.packed import NotUnpacked, unpacked
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from indexer.sources.revisiting import Revisiting
from indexer.sources.robots import Robots
from indexer.sources.what_it_is import erddap_base
from net.exchange import Answer
from net.targets import address_of

_PAGE = 50
_MOST_UNPACKED = 64 << 20


@dataclass(frozen=True, slots=True)
class WafOptions:
    """``any_page``: take links from every page, also from one that does not look like a listing."""

    suffixes: tuple[str, ...] = tuple(sorted(METADATA_SUFFIXES - {".txt"}))
    depth: int = 8
    any_page: bool = False


@dataclass(slots=True)
class WafSource:
    """Reads all listings before the first file, so that a failed listing ends the run at its start.

    A position is the last URL. With ``since``, files whose listed date is more than a day older are skipped, and the
    others are requested with their last version.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: WafOptions = field(default_factory=WafOptions)
    robots: Robots = field(init=False)

    def __post_init__(self) -> None:
        self.robots = Robots(self.fetcher)
        self.url = self.url if self.url.endswith("/") else f"{self.url}/"

    def pages(self, position: str | None = None) -> Iterator[Page]:
        """Raises SourceBroken if a listing cannot be read, and what the fetcher raises."""
        every = sorted(self._files(self.url, 0), key=lambda entry: entry.url)
        files = [entry for entry in every if is_wanted(_name(entry), self._suffixes)]
        others = tuple(passed_over(entry.url) for entry in every if not is_wanted(_name(entry), self._suffixes))
        if others and position is None:
            yield Page((), passed_over=others)
        wanted = [e for e in files if (position is None or e.url > position) and self._is_new(e)]
        for some in batched(wanted, _PAGE):
            yield self._page(some, len(files))

    def _files(self, folder: str, depth: int) -> Iterator[Entry]:
        if depth > self.options.depth:
            raise SourceBroken(f"{folder}: deeper than {self.options.depth} folders")
        for entry in self._listing(folder):
            if is_hidden(_name(entry)) or not self.robots.allows(entry.url):
                continue
            if entry.is_folder:
                yield from self._files(entry.url, depth + 1)
            else:
                yield entry

    @property
    def _suffixes(self) -> frozenset[str]:
        return frozenset(self.options.suffixes)

    def _listing(self, folder: str) -> list[Entry]:
        def parse(answer: Answer) -> list[Entry]:
            try:
                return entries(expect_2xx(answer).content, folder, any_page=self.options.any_page)
            except NotAListing as error:
                raise BadAnswer(f"{address_of(folder)} did not send a directory listing: {error}") from None

        if not self.robots.allows(folder):
            raise SourceBroken(f"{folder}: robots.txt does not allow it (manners.robots: false overrides)")
        return self.fetcher.get(folder, parse)

    def _is_new(self, entry: Entry) -> bool:
        """The listed time has no zone, so a difference of a day is ignored."""
        return self.since is None or entry.modified is None or entry.modified[:10] >= _day_before(self.since)

    def _page(self, some: list[Entry], total: int) -> Page:
        records: list[RawRecord] = []
        skipped: list[Skipped] = []
        passed: list[PassedOver] = []
        unchanged: list[str] = []
        visits: list[FileVersion] = []
        modified = {entry.url: entry.modified for entry in some}
        revisiting = Revisiting(self.fetcher)
        for url, found in revisiting.each(tuple(modified), _content):
            if isinstance(found, SondeError):
                skipped.append(Skipped(url, str(found), unquote(url.removeprefix(self.url))))
            elif isinstance(found, FileVersion):
                unchanged += found.natives
            else:
                name = unquote(url.removeprefix(self.url))
                own = separate(RawRecord(name, found.content, url, media_type(name), modified[url]))
                records += own.records
                skipped += own.skipped
                passed += own.passed_over
                if not own.skipped:
                    visits += revisiting.noted(url, found, (record.native_id for record in own.records))
        page = Page(tuple(records), some[-1].url, total, tuple(skipped), passed_over=tuple(passed))
        return replace(page, unchanged=tuple(unchanged), visits=tuple(visits))


def _name(entry: Entry) -> str:
    return unquote(entry.url.rstrip("/").rpartition("/")[2])


def _content(answer: Answer) -> bytes:
    """Raises BadAnswer for a web page instead of metadata."""
    try:
        content = unpacked(expect_2xx(answer).content, _MOST_UNPACKED)
    except NotUnpacked as error:
        raise BadAnswer(f"{address_of(answer.url)} sent a file that cannot be read: {error}") from None
    start = content[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")) or not start:
        raise BadAnswer(f"{address_of(answer.url)} sent a web page or nothing instead of the file")
    return content


def _day_before(moment: str) -> str:
    return (date.fromisoformat(moment[:10]) - timedelta(days=1)).isoformat()


def _recognises(answer: FirstAnswer) -> bool:
    if not answer.html:
        return False
    try:
        return bool(entries(answer.content, answer.url if answer.url.endswith("/") else f"{answer.url}/"))
    except NotAListing:
        return False


def _below(url: str) -> Iterator[Question]:
    base = erddap_base(url)
    if base is not None:
        yield Question(f"{base}/metadata/iso19115/xml/")


PROTOCOL = Protocol(
    "waf",
    WafSource,
    WafOptions,
    "directory listings of Apache, nginx, IIS, Python",
    "the dates in the listing; ETag, Last-Modified",
    recognises=_recognises,
    below=_below,
)
