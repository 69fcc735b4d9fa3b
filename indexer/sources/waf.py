"""A web accessible folder: files behind directory listings, with subfolders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html
from lxml.etree import ParserError

from core.batched import batched
from core.errors import SondeError
from indexer.formats.registry import separate
from indexer.raw import FileVersion, PassedOver, RawPage, RawRecord, SkippedMember
from indexer.sources.archives import UnpackFailed, unpack
from indexer.sources.fetching import BadAnswer, Fetcher, expect_2xx
from indexer.sources.members import METADATA_SUFFIXES, SourceBroken, is_hidden, is_wanted, media_type, passed_over
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from indexer.sources.revisited_files import RevisitedFiles
from indexer.sources.unsupported_address import erddap_base
from net.exchange import HttpAnswer
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

    def __post_init__(self) -> None:
        self.url = self.url if self.url.endswith("/") else f"{self.url}/"

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken if a listing cannot be read, and what the fetcher raises."""
        all_entries = sorted(self._files(self.url, 0), key=lambda entry: entry.url)
        files = [entry for entry in all_entries if is_wanted(name_of(entry.url), self._suffixes)]
        passed_files = tuple(
            passed_over(entry.url) for entry in all_entries if not is_wanted(name_of(entry.url), self._suffixes)
        )
        if passed_files and position is None:
            yield RawPage((), passed_over=passed_files)
        new_files = [e for e in files if (position is None or e.url > position) and e.is_new(self.since)]
        for batch in batched(new_files, _PAGE):
            yield self._page(batch, len(files))

    def _files(self, folder: str, depth: int) -> Iterator[ListingEntry]:
        if depth > self.options.depth:
            raise SourceBroken(f"{folder}: deeper than {self.options.depth} folders")
        require_allowed(self.fetcher, folder)
        for entry in read_listing(self.fetcher, folder, any_page=self.options.any_page):
            if is_hidden(name_of(entry.url)) or not self.fetcher.allows(entry.url):
                continue
            if entry.is_folder:
                yield from self._files(entry.url, depth + 1)
            else:
                yield entry

    @property
    def _suffixes(self) -> frozenset[str]:
        return frozenset(self.options.suffixes)

    def _page(self, entries: list[ListingEntry], total: int) -> RawPage:
        records: list[RawRecord] = []
        skipped_members: list[SkippedMember] = []
        passed_files: list[PassedOver] = []
        unchanged_ids: list[str] = []
        visits: list[FileVersion] = []
        modified = {entry.url: entry.modified for entry in entries}
        revisited_files = RevisitedFiles(self.fetcher)
        for url, outcome in revisited_files.fetch_each(tuple(modified), _content):
            if isinstance(outcome, SondeError):
                skipped_members.append(SkippedMember(url, str(outcome), unquote(url.removeprefix(self.url))))
            elif isinstance(outcome, FileVersion):
                unchanged_ids += outcome.natives
            else:
                name = unquote(url.removeprefix(self.url))
                separation = separate(RawRecord(name, outcome.content, url, media_type(name), modified[url]))
                records += separation.records
                skipped_members += separation.skipped
                passed_files += separation.passed_over
                if not separation.skipped:
                    visits += revisited_files.versions_to_store(
                        url, outcome, (record.native_id for record in separation.records)
                    )
        page = RawPage(tuple(records), entries[-1].url, total, tuple(skipped_members), passed_over=tuple(passed_files))
        return replace(page, unchanged=tuple(unchanged_ids), visits=tuple(visits))


def _content(answer: HttpAnswer) -> bytes:
    """Raises BadAnswer for a web page instead of metadata."""
    try:
        content = unpack(expect_2xx(answer).content, _MOST_UNPACKED)
    except UnpackFailed as error:
        raise BadAnswer(f"{address_of(answer.url)} sent a file that cannot be read: {error}") from None
    start = content[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")) or not start:
        raise BadAnswer(f"{address_of(answer.url)} sent a web page or nothing instead of the file")
    return content


def _recognises(answer: FirstAnswer) -> bool:
    if not answer.html:
        return False
    try:
        return bool(entries(answer.content, answer.url if answer.url.endswith("/") else f"{answer.url}/"))
    except NotAListing:
        return False


def _questions_below(url: str) -> Iterator[Question]:
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
    questions_below=_questions_below,
)


_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}")
_DATE_IN_LISTING = re.compile(r"\d{1,2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}")
_AMERICAN = re.compile(r"\d{1,2}/\d{1,2}/\d{4} +\d{1,2}:\d{2} [AP]M")
_FORMS = ((_ISO, "%Y-%m-%d %H:%M"), (_DATE_IN_LISTING, "%d-%b-%Y %H:%M"), (_AMERICAN, "%m/%d/%Y %I:%M %p"))
_SIGNS = ("index of ", "directory listing for", "directory listing --", "[to parent directory]", "listing of ")


class NotAListing(ValueError):
    """A page that does not look like a directory listing."""


@dataclass(frozen=True, slots=True)
class ListingEntry:
    """A file or folder of a listing, whose ``url`` has no query and for a folder ends with a slash; or a page of a
    sitemap. ``modified``: in the server's zone.
    """

    url: str
    modified: str | None = None

    @property
    def is_folder(self) -> bool:
        return self.url.endswith("/")

    def is_new(self, since: str | None) -> bool:
        """The zone may be any, so a difference of a day is ignored; a sitemap may give only the year or the month."""
        if since is None or self.modified is None:
            return True
        limit = (date.fromisoformat(since[:10]) - timedelta(days=1)).isoformat()
        return self.modified[:10] >= limit[: len(self.modified)]


def name_of(url: str) -> str:
    """The name of a file or folder without its path."""
    return unquote(url.rstrip("/").rpartition("/")[2])


def require_allowed(fetcher: Fetcher, folder: str) -> None:
    """Raises SourceBroken if robots.txt forbids the folder, and what Fetcher.allows raises."""
    if not fetcher.allows(folder):
        raise SourceBroken(f"{folder}: robots.txt does not allow it (manners.robots: false overrides)")


def read_listing(fetcher: Fetcher, folder: str, *, any_page: bool) -> list[ListingEntry]:
    """The entries of a folder, as ``entries``. Raises what the fetcher raises, BadAnswer for another page among it."""

    def parse(answer: HttpAnswer) -> list[ListingEntry]:
        try:
            return entries(expect_2xx(answer).content, folder, any_page=any_page)
        except NotAListing as error:
            raise BadAnswer(f"{address_of(folder)} did not send a directory listing: {error}") from None

    return fetcher.get(folder, parse)


def entries(content: bytes, url: str, *, any_page: bool = False) -> list[ListingEntry]:
    """The entries directly below ``url``, sorted by URL, each once.

    Links to other places, upwards, or to another order of the same listing are left out. Raises NotAListing, unless
    ``any_page`` accepts every page with links.
    """
    try:
        page = html.fromstring(content)
    except (ParserError, ValueError) as error:
        raise NotAListing(str(error)) from None
    if not any_page and not _looks_like_one(page):
        raise NotAListing(
            "it does not call itself an index or directory listing; options: {any_page: true} takes its links too"
        )
    entry_by_url: dict[str, ListingEntry] = {}
    for anchor in page.iter("a"):
        entry = _entry(anchor, url)
        if entry is not None:
            entry_by_url.setdefault(entry.url, entry)
    return [entry_by_url[entry_url] for entry_url in sorted(entry_by_url)]


def _looks_like_one(page: html.HtmlElement) -> bool:
    start = " ".join(page.text_content().split())[:4000].lower()
    title = (page.findtext(".//title") or "").strip().lower()
    return any(sign in start or title.startswith(sign.strip()) for sign in _SIGNS)


def _entry(anchor: html.HtmlElement, url: str) -> ListingEntry | None:
    href = (anchor.get("href") or "").strip()
    if not href or href.startswith(("?", "#")):
        return None
    try:
        target = urljoin(url, href)
        parts, base = urlsplit(target), urlsplit(url)
    except ValueError:
        return None
    folder = base.path.rpartition("/")[0] + "/"
    name = parts.path.removeprefix(folder)
    if parts[:2] != base[:2] or not parts.path.startswith(folder) or not name or "/" in name.rstrip("/"):
        return None
    return ListingEntry(f"{parts.scheme}://{parts.netloc}{parts.path}", _modified(anchor))


def _modified(anchor: html.HtmlElement) -> str | None:
    """The date after the link (Apache, nginx; in a table: in a cell of the row) or before it (IIS)."""
    row = next((ancestor for ancestor in anchor.iterancestors("tr")), None)
    places = [row.text_content()] if row is not None else [anchor.tail or "", _text_before(anchor)]
    for text in places:
        for form, pattern in _FORMS:
            match = form.search(text)
            if match is not None:
                return _iso(" ".join(match[0].replace("T", " ").split()), pattern)
    return None


def _text_before(anchor: html.HtmlElement) -> str:
    previous = anchor.getprevious()
    text = previous.tail if previous is not None else anchor.getparent().text
    return (text or "").rpartition("\n")[2]


def _iso(text: str, pattern: str) -> str | None:
    try:
        return datetime.strptime(text, pattern).strftime("%Y-%m-%dT%H:%M:00")
    except ValueError:
        return None
