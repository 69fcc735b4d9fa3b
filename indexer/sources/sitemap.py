"""schema.org data sets in the pages of a sitemap, which data portals publish for search engines."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin

from lxml import html
from lxml.etree import ParserError

from core.batched import batched
from core.errors import SondeError
from core.json_types import Json
from indexer.raw import FileVersion, Page, RawRecord, Skipped
from indexer.sources.answers import expect_2xx, local, parse_xml, text_of, written_json
from indexer.sources.fetching import BadAnswer, Fetcher
from indexer.sources.linked import joined
from indexer.sources.members import LimitReached, SourceBroken
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from indexer.sources.revisiting import Revisiting
from indexer.sources.robots import Robots
from net.errors import BadStatus
from net.exchange import Answer
from net.targets import host_of

_PAGE = 50
_WANTED = frozenset({"dataset", "datacatalog", "datafeed"})
_MOST_UNPACKED = 64 << 20


@dataclass(frozen=True, slots=True)
class SitemapOptions:
    """``contains``: only pages whose address holds this text. ``most_pages``: a limit against endless sitemaps."""

    contains: str = ""
    depth: int = 3
    most_pages: int = 200_000


@dataclass(frozen=True, slots=True)
class _Place:
    url: str
    modified: str | None


@dataclass(slots=True)
class SitemapSource:
    """Sorted by address; a position is the last page visited. With ``since``, pages with an older lastmod are left out,
    and the others are requested with their last version.

    Pages without a data set give no record and are not reported: a sitemap lists other pages too.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: SitemapOptions = field(default_factory=SitemapOptions)
    robots: Robots = field(init=False)

    def __post_init__(self) -> None:
        self.robots = Robots(self.fetcher)

    def pages(self, position: str | None = None) -> Iterator[Page]:
        """Raises SourceBroken, LimitReached, and what the fetcher raises for the sitemaps themselves."""
        places = {place.url: place for place in self._places(self.url, 0) if self.options.contains in place.url}
        todo = (places[url] for url in sorted(places) if position is None or url > position)
        wanted = [place for place in todo if self._is_new(place)]
        for some in batched(wanted, _PAGE):
            yield self._page(some)

    def _places(self, url: str, depth: int) -> Iterator[_Place]:
        if depth > self.options.depth:
            raise SourceBroken(f"{url}: sitemaps deeper than {self.options.depth}")
        root = self.fetcher.get(url, _sitemap)
        for count, entry in enumerate(root):
            if count > self.options.most_pages:
                raise LimitReached(f"{url}: more than {self.options.most_pages} pages")
            loc, modified = entry.find("{*}loc"), entry.find("{*}lastmod")
            if loc is None:
                continue
            target = urljoin(url, text_of(loc))
            if local(root) == "sitemapindex":
                yield from self._places(target, depth + 1)
            elif self.robots.allows(target):
                yield _Place(target, text_of(modified) if modified is not None else None)

    def _is_new(self, place: _Place) -> bool:
        return self.since is None or place.modified is None or place.modified[:10] >= self.since[:10]

    def _page(self, some: list[_Place]) -> Page:
        records: list[RawRecord] = []
        skipped: list[Skipped] = []
        unchanged: list[str] = []
        visits: list[FileVersion] = []
        modified = {place.url: place.modified for place in some}
        revisiting = Revisiting(self.fetcher)
        for url, found in revisiting.each(tuple(modified), json_ld):
            if isinstance(found, SondeError):
                if not _is_gone(found):
                    skipped.append(Skipped(url, str(found)))
            elif isinstance(found, FileVersion):
                unchanged += found.natives
            else:
                own = _records(url, modified[url], found.content)
                records += own
                visits += revisiting.noted(url, found, (record.native_id for record in own))
        page = Page(tuple(records), some[-1].url, skipped=tuple(skipped))
        return replace(page, unchanged=tuple(unchanged), visits=tuple(visits))


def _records(url: str, modified: str | None, datasets: list[Json]) -> list[RawRecord]:
    ids = (url if index == 0 else f"{url}#{index}" for index in range(len(datasets)))
    return [
        RawRecord(id, written_json(dataset), url, "application/ld+json", modified)
        for id, dataset in zip(ids, datasets, strict=True)
    ]


def _is_gone(error: SondeError) -> bool:
    return isinstance(error, BadStatus) and error.status in (404, 410)


def _sitemap(answer: Answer) -> Any:
    content = expect_2xx(answer).content
    if content[:2] == b"\x1f\x8b":
        content = _unpacked(content, answer.url)
    root = parse_xml(content, host_of(answer.url))
    if local(root) not in ("urlset", "sitemapindex"):
        raise BadAnswer(f"{host_of(answer.url)} did not answer with a sitemap")
    return root


def _unpacked(content: bytes, url: str) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(content, _MOST_UNPACKED)
    except (zlib.error, gzip.BadGzipFile):
        raise BadAnswer(f"{host_of(url)} sent a compressed sitemap that cannot be read") from None
    if unpacker.unconsumed_tail:
        raise LimitReached(f"{url}: unpacks to more than {_MOST_UNPACKED} bytes")
    return unpacked


def json_ld(answer: Answer) -> list[Json]:
    """The data sets in a page's JSON-LD scripts, in order. Raises BadStatus, BadAnswer."""
    content = expect_2xx(answer).content
    if not content.strip():
        raise BadAnswer(f"{host_of(answer.url)} sent an empty page")
    try:
        page = html.fromstring(content)
    except (ParserError, ValueError):
        return []
    found: list[Json] = []
    for script in page.iter("script"):
        if "ld+json" in (script.get("type") or "").lower():
            found += _datasets(_loaded(script.text or ""))
    return found


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _datasets(node: object) -> list[Json]:
    """Data sets at the top, in a list or in an @graph; each gets the context of the whole."""
    if isinstance(node, list):
        return [dataset for each in node for dataset in _datasets(each)]
    if not isinstance(node, dict):
        return []
    if isinstance(node.get("@graph"), list):
        context = {"@context": node["@context"]} if "@context" in node else {}
        return [{**context, **dataset} for dataset in _datasets(node["@graph"])]
    kinds = node.get("@type")
    names = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    return [node] if any(str(name).rpartition("/")[2].rpartition(":")[2].lower() in _WANTED for name in names) else []


def _recognises(answer: FirstAnswer) -> bool:
    return answer.root in ("urlset", "sitemapindex")


def _below(url: str) -> Iterator[Question]:
    yield Question(joined(url, "sitemap.xml"))


PROTOCOL = Protocol(
    "sitemap",
    SitemapSource,
    SitemapOptions,
    "schema.org Dataset JSON-LD in the pages of a sitemap",
    "`lastmod`; ETag, Last-Modified",
    recognises=_recognises,
    below=_below,
)
