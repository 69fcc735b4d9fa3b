"""DCAT catalogues: DCAT-US data.json, and RDF (Turtle, RDF/XML, JSON-LD) with hydra paging."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import urljoin

from core.json_types import Json
from indexer.formats.registry import report_members, with_unique_names
from indexer.formats.splitting.json_members import RecordPart
from indexer.formats.splitting.split import records_of_graph, split
from indexer.raw import WHOLE_SOURCE, FileVersion, PassedOver, RawPage, RawRecord, RecordRefused, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, expect_2xx, json_value
from indexer.sources.linked_walk import join_path, rebase
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from indexer.sources.rdf_answers import NotRdf, next_page, parse_rdf, rdf_format, total_items
from indexer.sources.revisited_files import RevisitedFiles
from net.exchange import HttpAnswer
from net.targets import address_of, host_of

_ACCEPT = "text/turtle, application/rdf+xml;q=0.9, application/ld+json;q=0.8, application/json;q=0.7, */*;q=0.1"
_SCHEMA_ORG = ("http://schema.org", "https://schema.org", "http://schema.org/", "https://schema.org/")
_PAGE = 100
_IPT = re.compile(r"//ipt\.|/ipt(?:/|$)", re.IGNORECASE)
"""GBIF's publishing toolkit, which writes all its data sets as DCAT."""


@dataclass(frozen=True, slots=True)
class DcatOptions:
    """``accept``: the media types to ask for, if the server answers ours with something else."""

    accept: str = _ACCEPT


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """``unchanged``: native ids that have not changed (304); ``visits``: of a catalogue in one answer."""

    records: tuple[RawRecord, ...]
    next: str | None = None
    total: int | None = None
    unchanged: tuple[str, ...] = ()
    visits: tuple[FileVersion, ...] = ()
    skipped: tuple[SkippedMember, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()


@dataclass(slots=True)
class DcatSource:
    """With ``since``, a catalogue in one answer is requested with its last version or, if the fetcher has no stored
    version, with that day; 304 ends the run without changes. A catalogue in several pages is read in full.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: DcatOptions = field(default_factory=DcatOptions)
    _contexts: Json = field(default_factory=dict)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken if the pages lead in a circle, and what the fetcher raises."""
        url, visited_urls, ids = position or self.url, set[str](), set[str]()
        total: int | None = None
        while url not in visited_urls:
            visited_urls.add(url)
            catalogue = self._fetch(url, ids)
            ids |= {record.native_id for record in catalogue.records}
            total = catalogue.total if catalogue.total is not None else total
            next_url = rebase(urljoin(url, catalogue.next), self.url) if catalogue.next else None
            yield from _in_pages(catalogue, next_url)
            if next_url is None:
                if position is None and total is not None:
                    yield RawPage((), total=total, matched=total)
                return
            url = next_url
        raise SourceBroken(f"{self.fetcher.source}: the next links lead in a circle")

    def _fetch(self, url: str, known_ids: set[str]) -> _Catalogue:
        def parse(answer: HttpAnswer) -> _Catalogue:
            found = self._read(expect_2xx(answer))
            ids = {record.native_id for record in found.records}
            if not ids and not known_ids:
                raise BadAnswer(f"{address_of(url)} sent a catalogue without data sets")
            if ids and ids <= known_ids:
                raise BadAnswer(f"{address_of(url)} sent a page again instead of the next")
            return found

        revisited_files = RevisitedFiles(self.fetcher)
        found = revisited_files.get(url, parse, self._file_version(revisited_files, url), self.options.accept)
        if isinstance(found, FileVersion):
            return _Catalogue((), unchanged=found.natives)
        if found.content.next is not None or url != self.url or found.content.skipped:
            return found.content
        natives = (record.native_id for record in found.content.records)
        return replace(found.content, visits=revisited_files.versions_to_store(url, found, natives))

    def _file_version(self, revisited_files: RevisitedFiles, url: str) -> FileVersion | None:
        if self.since is None or url != self.url:
            return None
        if self.fetcher.memory is None:
            return FileVersion(url, "", last_modified=http_date(self.since))
        return revisited_files.versions_of((url,)).get(url)

    def _read(self, answer: HttpAnswer) -> _Catalogue:
        form = rdf_format(answer.content, answer.headers.get("content-type", ""))
        if form == "json-ld" and is_data_json(json_value(answer)):
            return _of_data_json(answer, self.url)
        if form is None:
            raise BadAnswer(f"{address_of(answer.url)} sent neither data.json nor RDF")
        try:
            graph = parse_rdf(answer.content, form, answer.url, self._context)
        except NotRdf as error:
            raise BadAnswer(f"{address_of(answer.url)} sent RDF that cannot be read: {error}") from None
        return _Catalogue(_records(records_of_graph(graph), answer.url), next_page(graph), total_items(graph))

    def _context(self, url: str) -> object:
        """Fetches a remote context through the gate, each once. schema.org's is a vocabulary and needs no fetch."""
        if url in _SCHEMA_ORG or "schema.org" in host_of(url):
            return {"@context": {"@vocab": "http://schema.org/"}}
        if url not in self._contexts:
            self._contexts[url] = self.fetcher.get(urljoin(self.url, url), json_value, accept="application/ld+json")
        return self._contexts[url]


def is_data_json(body: object) -> bool:
    """DCAT-US: an object with a list ``dataset`` of plain objects (JSON-LD of DCAT-AP has another form)."""
    if not isinstance(body, dict) or not isinstance(body.get("dataset"), list):
        return False
    return "@graph" not in body


def http_date(moment: str) -> str:
    """``2024-05-01T...`` in HTTP's format: the beginning of that day, because servers' clocks differ."""
    return format_datetime(datetime.fromisoformat(moment[:10]).replace(tzinfo=UTC), usegmt=True)


def _of_data_json(answer: HttpAnswer, url: str) -> _Catalogue:
    """The data sets, also of nested catalogues, and the entries that are none. Raises BadAnswer."""
    try:
        document = split(answer.content)
    except RecordRefused as refusal:
        raise BadAnswer(f"{address_of(answer.url)} sent a data.json that cannot be read: {refusal}") from None
    skipped_members, passed_over = report_members(document.unreadable, "", url, WHOLE_SOURCE)
    skipped_members = tuple(
        replace(skipped_member, native_id=skipped_member.native_id and skipped_member.native_id[1:])
        for skipped_member in skipped_members
    )  # without "#"
    passed_over = tuple(
        replace(skipped_member, native_id=skipped_member.native_id and skipped_member.native_id[1:])
        for skipped_member in passed_over
    )
    records = _records(document.records, url, document.nameless)
    return _Catalogue(records, skipped=skipped_members, passed_over=passed_over)


def _records(records: list[RecordPart], url: str, nameless: Container[str] = ()) -> tuple[RawRecord, ...]:
    return tuple(
        RawRecord(
            record.name,
            record.content,
            record.name if record.name.startswith(("http://", "https://")) else f"{url}#{record.name}",
            "application/json",
            container=WHOLE_SOURCE if record.name in nameless else None,
            recognition=record.recognition,
        )
        for record in with_unique_names(records)
    )


def _in_pages(catalogue: _Catalogue, next_url: str | None) -> Iterator[RawPage]:
    """A catalogue in one file is one answer and many pages. A run can resume only after the last of them."""
    for start in range(0, len(catalogue.records), _PAGE):
        last = start + _PAGE >= len(catalogue.records)
        page = RawPage(catalogue.records[start : start + _PAGE], next_url if last else None, catalogue.total)
        if last:
            page = replace(page, visits=catalogue.visits, skipped=catalogue.skipped, passed_over=catalogue.passed_over)
        yield page
    for start in range(0, len(catalogue.unchanged), _PAGE):
        yield RawPage((), unchanged=catalogue.unchanged[start : start + _PAGE])


def _recognises(answer: FirstAnswer) -> bool:
    """RDF in any of its forms, and a data.json."""
    if answer.rdf or answer.root == "RDF":
        return True
    body = answer.json
    return "stac_version" not in body and (is_data_json(body) or "@graph" in body or "@context" in body)


PROTOCOL = Protocol(
    "dcat",
    DcatSource,
    DcatOptions,
    "DCAT-US data.json, catalogues inside it too; RDF (Turtle, RDF/XML, JSON-LD, N-Triples), hydra pages; one JSON-LD "
    "document for each data set",
    "ETag, Last-Modified of a catalogue in one answer",
    recognises=_recognises,
    questions_at=lambda url: [Question(join_path(url, "dcat"))] if _IPT.search(url) else [],
    questions_below=lambda url: [Question(join_path(url, "data.json"))],
)
