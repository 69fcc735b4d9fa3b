"""Static STAC catalogues: JSON files that link to their children; returns collections, and items on request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from core.json_types import Json
from indexer.raw import WHOLE_SOURCE, FileVersion, RawPage, RawRecord, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, json_object
from indexer.sources.linked_walk import NothingToHarvest, join_path, rebase
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from indexer.sources.revisited_files import RevisitedFiles
from indexer.sources.stac_api import StacOptions
from net.errors import BadStatus, Refused
from net.exchange import HttpAnswer
from net.targets import address_of

_PAGE = 50


@dataclass(frozen=True, slots=True)
class _Node:
    """A catalogue or collection on the way down; ``following`` is the index of the child to visit next."""

    url: str
    following: int


@dataclass(frozen=True, slots=True)
class _Document:
    content: bytes
    body: Json

    def links(self, rels: tuple[str, ...]) -> list[str]:
        """Targets in the document's order, each once."""
        link_list = self.body.get("links")
        hrefs = [
            str(link["href"])
            for link in (link_list if isinstance(link_list, list) else [])
            if isinstance(link, dict) and link.get("rel") in rels and link.get("href")
        ]
        return list(dict.fromkeys(hrefs))


@dataclass(frozen=True, slots=True)
class _UnchangedRecord:
    """A record that has not changed."""

    native_id: str


@dataclass(frozen=True, slots=True)
class _VisitedDocument:
    """The content of one document, or that it has not changed, and its links."""

    record: RawRecord | _UnchangedRecord | None
    links: list[str]


_Outcome = RawRecord | _UnchangedRecord | SkippedMember


@dataclass(slots=True)
class StacStaticSource:
    """Depth first. A native id is the file's path below the root's folder; a position is the path down, as indices.

    A child that is missing or cannot be read is skipped and named; nothing below it counts as removed. A server that
    does not answer ends the run. For an unchanged document, the walk uses its stored links.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: StacOptions = field(default_factory=StacOptions)
    _visited_urls: set[str] = field(default_factory=set)
    _record_ids: set[str] = field(default_factory=set)  # ids of the records so far
    _notes: list[FileVersion] = field(default_factory=list)  # documents sent since the last page

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken (depth, robots), NothingToHarvest, and what the fetcher raises."""
        if not self.fetcher.allows(self.url):
            raise SourceBroken(f"{self.url}: robots.txt does not allow it (manners.robots: false overrides)")
        outcomes: list[_Outcome] = []
        stored_nodes = [_Node(url, index) for url, index in json.loads(position)] if position else []
        for outcome, trail in self._walk(self.url, stored_nodes, 0):
            outcomes.append(outcome)
            if len(outcomes) >= _PAGE:
                yield self._page(outcomes, json.dumps(trail))
                outcomes = []
        if not position and self.since is None:
            self._expect_collections()
        yield self._page(outcomes, None)

    def _page(self, outcomes: list[_Outcome], position: str | None) -> RawPage:
        visits, self._notes = tuple(self._notes), []
        return RawPage(
            tuple(outcome for outcome in outcomes if isinstance(outcome, RawRecord)),
            position,
            skipped=tuple(outcome for outcome in outcomes if isinstance(outcome, SkippedMember)),
            unchanged=tuple(outcome.native_id for outcome in outcomes if isinstance(outcome, _UnchangedRecord)),
            visits=visits,
        )

    def _walk(
        self, url: str, stored_nodes: list[_Node], depth: int
    ) -> Iterator[tuple[_Outcome, list[tuple[str, int]]]]:
        """Each document with the path for resuming after it."""
        if depth > self.options.depth:
            raise SourceBroken(f"{url}: deeper than {self.options.depth} levels")
        self._visited_urls.add(url)
        visited_document = self._look(url)
        begin = stored_nodes[0].following if stored_nodes else -1
        if not stored_nodes and visited_document.record is not None:
            yield visited_document.record, [(url, 0)]
        for index, href in enumerate(visited_document.links):
            if index < max(begin, 0):
                continue
            child = rebase(urljoin(url, href), self.url)
            stored_below = (
                stored_nodes[1:] if index == begin and len(stored_nodes) > 1 and stored_nodes[1].url == child else []
            )
            if child in self._visited_urls or not self.fetcher.allows(child):
                continue
            yield from self._child(child, stored_below, (url, index), depth)

    def _child(
        self, child: str, nodes_below: list[_Node], node: tuple[str, int], depth: int
    ) -> Iterator[tuple[_Outcome, list[tuple[str, int]]]]:
        try:
            for outcome, trail in self._walk(child, nodes_below, depth + 1):
                yield outcome, [node, *trail]
        except (BadStatus, Refused, BadAnswer) as error:
            skipped_member = SkippedMember(child, str(error), self._native_id(child), container=WHOLE_SOURCE)
            yield skipped_member, [(node[0], node[1] + 1)]

    def _look(self, url: str) -> _VisitedDocument:
        revisited_files = RevisitedFiles(self.fetcher)
        answer = revisited_files.get(url, _document, revisited_files.versions_of((url,)).get(url))
        if isinstance(answer, FileVersion):
            unchanged_record = next((_UnchangedRecord(native) for native in answer.natives), None)
            return _VisitedDocument(unchanged_record, json.loads(answer.note or "[]"))
        links = answer.content.links(self._rels)
        record = self._record(url, answer.content) if self._is_record(answer.content) else None
        natives = () if record is None else (record.native_id,)
        self._notes += revisited_files.versions_to_store(url, answer, natives, json.dumps(links))
        return _VisitedDocument(record, links)

    @property
    def _rels(self) -> tuple[str, ...]:
        return ("child", "item") if self.options.items else ("child",)

    def _is_record(self, document: _Document) -> bool:
        kind, id = document.body.get("type"), document.body.get("id")
        is_collection = kind == "Collection" or (kind != "Feature" and "extent" in document.body)
        if self.options.collections and is_collection:
            return id in self.options.collections
        return is_collection or kind == "Feature"

    def _record(self, url: str, document: _Document) -> RawRecord:
        self._record_ids.add(str(document.body.get("id", "")))
        return RawRecord(self._native_id(url), document.content, url, "application/json")

    def _native_id(self, url: str) -> str:
        root = urlsplit(self.url).path.rpartition("/")[0] + "/"
        return urlsplit(url).path.removeprefix(root)

    def _expect_collections(self) -> None:
        """Raises NothingToHarvest if the whole catalogue has none of the wanted collections, or lacks one."""
        missing_ids = [id for id in self.options.collections if id not in self._record_ids]
        if missing_ids:
            raise NothingToHarvest(f"{address_of(self.url)} has no collection {', '.join(missing_ids)}")


def _document(answer: HttpAnswer) -> _Document:
    body = json_object(answer)
    if "stac_version" not in body and "links" not in body:
        raise BadAnswer(f"{address_of(answer.url)} sent JSON that is no STAC document")
    return _Document(answer.content, body)


def _recognises(answer: FirstAnswer) -> bool:
    is_api = "data" in answer.link_rels or "conformsTo" in answer.json
    return "stac_version" in answer.json and not is_api


PROTOCOL = Protocol(
    "stac",
    StacStaticSource,
    StacOptions,
    "the same of static files",
    "ETag, Last-Modified",
    recognises=_recognises,
    questions_below=lambda url: [Question(join_path(url, "catalog.json"))],
)
