"""schema.org data sets in the pages of a sitemap, which data portals publish for search engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin

from core.batched import batched
from core.errors import SondeError
from core.json_types import Json
from indexer.formats.json_documents.linked_data import types_of
from indexer.formats.json_documents.web_pages import JsonLdScript, page_scripts
from indexer.raw import FileVersion, PassedOver, RawPage, RawRecord, SkippedMember
from indexer.sources.archives import UnpackFailed, unpack
from indexer.sources.fetching import BadAnswer, Fetcher, expect_2xx, local, parse_xml, text_of, written_json
from indexer.sources.linked_walk import join_path
from indexer.sources.members import LimitReached, SourceBroken
from indexer.sources.protocol import Protocol, Question
from indexer.sources.revisited_files import RevisitedFiles
from indexer.sources.waf import ListingEntry
from net.errors import BadStatus
from net.exchange import HttpAnswer
from net.targets import address_of

_PAGE = 50
_WANTED_TYPES = frozenset({"dataset", "datacatalog", "datafeed"})
_DESCRIBING_FIELDS = frozenset({"name", "description"})
_MOST_UNPACKED = 64 << 20


@dataclass(frozen=True, slots=True)
class SitemapOptions:
    """``contains``: only pages whose address holds this text. ``most_pages``: a limit against endless sitemaps."""

    contains: str = ""
    depth: int = 3
    most_pages: int = 200_000


@dataclass(slots=True)
class SitemapSource:
    """Sorted by address; a position is the last page visited. With ``since``, pages whose lastmod is more than a day
    older are left out, and the others are requested with their last version.

    Pages without a data set are counted as passed over: a sitemap lists other pages too. A page with JSON-LD that
    cannot be read is reported, and its records stay; so do those of a page that had a data set before, until the server
    says that the page is gone.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: SitemapOptions = field(default_factory=SitemapOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken, LimitReached, and what the fetcher raises for the sitemaps themselves."""
        places = {place.url: place for place in self._places(self.url, 0) if self.options.contains in place.url}
        todo = (places[url] for url in sorted(places) if position is None or url > position)
        new_places = [place for place in todo if place.is_new(self.since)]
        for batch in batched(new_places, _PAGE):
            yield self._page(batch, [place for place in batch if self.fetcher.allows(place.url)])

    def _places(self, url: str, depth: int) -> Iterator[ListingEntry]:
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
            else:
                yield ListingEntry(target, text_of(modified) if modified is not None else None)

    def _page(self, all_places: list[ListingEntry], places: list[ListingEntry]) -> RawPage:
        records: list[RawRecord] = []
        skipped_members: list[SkippedMember] = []
        unchanged_ids: list[str] = []
        visits: list[FileVersion] = []
        passed_over = [
            PassedOver(one.url, "robots.txt does not allow the page", native_id=one.url)
            for one in all_places
            if one not in places
        ]
        modified = {place.url: place.modified for place in places}
        revisited_files = RevisitedFiles(self.fetcher)
        for url, outcome in revisited_files.fetch_each(tuple(modified), json_ld):
            if isinstance(outcome, SondeError):
                if isinstance(outcome, BadStatus) and outcome.status in (404, 410):
                    passed_over.append(PassedOver(url, "the page is gone (HTTP status 404 or 410)"))
                else:
                    skipped_members.append(SkippedMember(url, str(outcome), url))
            elif isinstance(outcome, FileVersion):
                unchanged_ids += outcome.natives
                passed_over += [] if outcome.natives else [_page_without_dataset(url)]
            else:
                page_records = _records(url, modified[url], outcome.content)
                records += page_records
                skipped_members += _unreadable(url, outcome.content)
                if all(isinstance(one, dict) for one in outcome.content):
                    visits += revisited_files.versions_to_store(
                        url, outcome, (record.native_id for record in page_records)
                    )
                if not outcome.content:
                    passed_over.append(_page_without_dataset(url))
        page = RawPage(
            tuple(records), all_places[-1].url, skipped=tuple(skipped_members), passed_over=tuple(passed_over)
        )
        return replace(page, unchanged=tuple(unchanged_ids), visits=tuple(visits))


def _records(url: str, modified: str | None, documents: list[Json | JsonLdScript]) -> list[RawRecord]:
    """A script that cannot be read keeps its number, so that the data sets behind it keep their ids."""
    return [
        RawRecord(_native_id(url, index), written_json(dataset), url, "application/ld+json", modified)
        for index, dataset in enumerate(documents)
        if isinstance(dataset, dict)
    ]


def _page_without_dataset(url: str) -> PassedOver:
    return PassedOver(url, "the page has no data set", native_id=url)


def _unreadable(url: str, documents: list[Json | JsonLdScript]) -> Iterator[SkippedMember]:
    for index, script in enumerate(documents):
        if isinstance(script, JsonLdScript):
            yield SkippedMember(_native_id(url, index), f"{script.place}: {script.reason}", _native_id(url, index))


def _native_id(url: str, index: int) -> str:
    return url if index == 0 else f"{url}#{index}"


def _sitemap(answer: HttpAnswer) -> Any:
    content = expect_2xx(answer).content
    try:
        content = unpack(content, _MOST_UNPACKED)
    except UnpackFailed as error:
        raise BadAnswer(f"{address_of(answer.url)} sent a sitemap that cannot be read: {error}") from None
    root = parse_xml(content, address_of(answer.url))
    if local(root) not in ("urlset", "sitemapindex"):
        raise BadAnswer(f"{address_of(answer.url)} did not answer with a sitemap")
    return root


def json_ld(answer: HttpAnswer) -> list[Json | JsonLdScript]:
    """The data sets in a page's JSON-LD, in order; a script that cannot be read in its place.

    Raises BadStatus, BadAnswer.
    """
    content = expect_2xx(answer).content
    if not content.strip():
        raise BadAnswer(f"{address_of(answer.url)} sent an empty page")
    documents: list[Json | JsonLdScript] = []
    for script in page_scripts(content):
        documents += [script] if script.reason else _datasets(script.document)
    return documents if any(isinstance(document, dict) or document.document is None for document in documents) else []


def _datasets(node: object) -> list[Json | JsonLdScript]:
    """Data sets at the top, in a list or in an @graph, or the main entity of a page, with the context of the whole."""
    if isinstance(node, list):
        return [dataset for item in node for dataset in _datasets(item)]
    if not isinstance(node, dict):
        return []
    context = {"@context": node["@context"]} if "@context" in node else {}
    if isinstance(node.get("@graph"), list):
        return [_with_context(context, dataset) for dataset in _datasets(node["@graph"])]
    if any(name.lower() in _WANTED_TYPES for name in types_of(node)):
        return [node]
    if not types_of(node) and node.keys() >= _DESCRIBING_FIELDS:  # it keeps its number, as a script that cannot be read
        return [
            JsonLdScript(f"the node {str(node['name'])[:60]!r}", node, "it has no @type, so that it is no data set")
        ]
    return [_with_context(context, dataset) for dataset in _datasets(node.get("mainEntity"))]


def _with_context(context: Json, document: Json | JsonLdScript) -> Json | JsonLdScript:
    return {**context, **document} if isinstance(document, dict) else document


PROTOCOL = Protocol(
    "sitemap",
    SitemapSource,
    SitemapOptions,
    "schema.org Dataset JSON-LD in the pages of a sitemap",
    "`lastmod`; ETag, Last-Modified",
    recognises=lambda answer: answer.root in ("urlset", "sitemapindex"),
    questions_below=lambda url: [Question(join_path(url, "sitemap.xml"))],
)
