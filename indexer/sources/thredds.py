"""THREDDS: catalogue by catalogue; each data set as the ISO that the server writes of it, else as its own entry."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode, urljoin, urlsplit

from lxml import etree

from core.batched import batched
from core.errors import SondeError
from indexer.formats.readers.thredds import NAMESPACE, services_of
from indexer.formats.xml_documents import find, find_all, local_name, text_at
from indexer.raw import WHOLE_SOURCE, PassedOver, RawPage, RawRecord, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, RetryLater, expect_2xx, written_xml, xml
from indexer.sources.linked_walk import NothingToHarvest, join_path
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from net.errors import BadStatus, Refused
from net.exchange import HttpAnswer
from net.targets import address_of

_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
_PAGE = 50
_OF_ONE_DOCUMENT = frozenset({500, 501})
"""What a server answers whose ISO service cannot read this data set; 502 to 504 are of the host."""
_MOST_ISO_FAULTS = 20
_NESTED = ("dataset", "catalogRef")


@dataclass(frozen=True, slots=True)
class ThreddsOptions:
    """``most_files``: a folder with more data sets than this is one record. ``iso``: ask the server for ISO metadata.

    ``depth``: of catalogues inside catalogues.
    """

    most_files: int = 20
    iso: bool = True
    depth: int = 8


@dataclass(frozen=True, slots=True)
class _Entry:
    """One data set: its own catalogue with what it inherits, and the address of its ISO metadata, if there is one."""

    id: str
    document: bytes
    origin: str
    iso: str | None = None
    modified: str | None = None


@dataclass(frozen=True, slots=True)
class _Catalogue:
    entries: list[_Entry]
    children: list[str]


_Trail = tuple[tuple[str, int], ...]
"""The way down: each catalogue's address with the index of the child to visit next."""


@dataclass(slots=True)
class ThreddsSource:
    """Depth first, only on the catalogue's own host. A native id is a data set's ``urlPath``, of a folder its ``ID``.

    A catalogue that cannot be read is skipped and named; nothing below it counts as removed. With ``since``, data sets
    with an older date are left out; those without a date are always read. After ``_MOST_ISO_FAULTS`` data sets in a row
    whose ISO metadata the server cannot write, it is not asked for more of them in this run.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: ThreddsOptions = field(default_factory=ThreddsOptions)
    _visited_urls: set[str] = field(default_factory=set)
    _ids: set[str] = field(default_factory=set)
    _iso_faults: int = 0  # in a row

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken (depth, robots), NothingToHarvest, and what the fetcher raises."""
        if not self.fetcher.allows(self.url):
            raise SourceBroken(f"{self.url}: robots.txt does not allow it (manners.robots: false overrides)")
        stored_trail = tuple((url, index) for url, index in json.loads(position)) if position else ()
        yield from self._walk(self.url, stored_trail, ())
        if position is None and self.since is None and not self._ids:
            raise NothingToHarvest(f"{address_of(self.url)} has no data sets")

    def _walk(self, url: str, stored: _Trail, above: _Trail) -> Iterator[RawPage]:
        """``stored``: where an earlier run stopped, from this catalogue on."""
        if len(above) > self.options.depth:
            raise SourceBroken(f"{url}: deeper than {self.options.depth} catalogues")
        self._visited_urls.add(url)
        catalogue = self.fetcher.get(url, lambda answer: _read_catalogue(answer, self.options.most_files))
        if not stored:
            yield from self._pages_of(catalogue, (*above, (url, 0)))
        first = stored[0][1] if stored else 0
        for index, child in enumerate(catalogue.children):
            if index >= first and child not in self._visited_urls:
                is_resumed = index == first and len(stored) > 1 and stored[1][0] == child
                yield from self._child(child, stored[1:] if is_resumed else (), (*above, (url, index)))

    def _child(self, url: str, stored: _Trail, above: _Trail) -> Iterator[RawPage]:
        if urlsplit(url).netloc != urlsplit(self.url).netloc:
            yield RawPage((), passed_over=(PassedOver(url, "a catalogue of another server: add it by itself"),))
            return
        if not self.fetcher.allows(url):
            return
        try:
            yield from self._walk(url, stored, above)
        except (BadStatus, Refused, BadAnswer, RetryLater) as error:
            yield RawPage((), skipped=(SkippedMember(url, str(error), container=WHOLE_SOURCE),))

    def _pages_of(self, catalogue: _Catalogue, trail: _Trail) -> Iterator[RawPage]:
        entries = [entry for entry in catalogue.entries if entry.id not in self._ids]
        self._ids |= {entry.id for entry in entries}
        batches = list(batched([entry for entry in entries if self._is_new(entry)], _PAGE))
        for number, batch in enumerate(batches, 1):
            page = self._page(batch)
            position = json.dumps(trail) if number == len(batches) else None
            yield RawPage(page.records, position, skipped=page.skipped)

    def _is_new(self, entry: _Entry) -> bool:
        """By the day: the servers' clocks and zones differ."""
        return self.since is None or entry.modified is None or entry.modified[:10] >= self.since[:10]

    def _page(self, entries: list[_Entry]) -> RawPage:
        """With ISO metadata where the server writes them. A server that fails there is no reason to drop them."""
        records = {entry.id: _record(entry, entry.document) for entry in entries}
        skipped_members = []
        asks_iso = self.options.iso and self._iso_faults < _MOST_ISO_FAULTS
        entry_by_iso = {entry.iso: entry for entry in entries if entry.iso and asks_iso}
        for url, outcome in self.fetcher.fetch_each_with(entry_by_iso, self._fetch_iso):
            entry = entry_by_iso[url]
            self._iso_faults = self._iso_faults + 1 if isinstance(outcome, BadStatus) else 0
            if isinstance(outcome, bytes):
                records[entry.id] = _record(entry, outcome)
            elif isinstance(outcome, SondeError) and not isinstance(outcome, (BadStatus, Refused)):
                skipped_members.append(SkippedMember(url, str(outcome), entry.id))
                del records[entry.id]
        return RawPage(tuple(records.values()), skipped=tuple(skipped_members))

    def _fetch_iso(self, url: str) -> bytes | None:
        return self.fetcher.get(url, _iso, final=_OF_ONE_DOCUMENT)


def _record(entry: _Entry, content: bytes) -> RawRecord:
    return RawRecord(entry.id, content, entry.origin, "application/xml", entry.modified)


def _iso(answer: HttpAnswer) -> bytes | None:
    """The metadata; None for another document, such as a page with an error."""
    content = expect_2xx(answer).content
    return content if re.search(rb"<(?:\w+:)?M[DI]_Metadata", content[:2000]) else None


def _read_catalogue(answer: HttpAnswer, most_files: int) -> _Catalogue:
    root = xml(answer)
    if local_name(root) != "catalog":
        raise BadAnswer(f"{address_of(answer.url)} sent {local_name(root)}, not a catalogue of THREDDS")
    catalogue = _Catalogue([], [])
    _Reader(answer.url, root, most_files, catalogue).read(root, (), ())
    return catalogue


@dataclass(frozen=True, slots=True)
class _Reader:
    """Fills a catalogue from its document."""

    url: str
    root: etree._Element
    most_files: int
    catalogue: _Catalogue

    def read(self, parent: etree._Element, names: tuple[str, ...], inherited: tuple[etree._Element, ...]) -> None:
        """``names`` and ``inherited``: the names of the data sets above, and the metadata that they hand down."""
        datasets = list(find_all(parent, "dataset"))
        files = [dataset for dataset in datasets if _has_access(dataset)]
        is_folder = len(files) > self.most_files and local_name(parent) == "dataset" and not _has_access(parent)
        if is_folder:
            from_above = tuple(metadata for metadata in inherited if metadata.getparent() is not parent)
            self._add(parent, names[:-1], from_above, files)
        for dataset in datasets:
            handed_down = (*inherited, *_inherited_metadata(dataset))
            if _has_access(dataset) and not is_folder:
                self._add(dataset, names, inherited, ())
            self.read(dataset, (*names, dataset.get("name", "")), handed_down)
        for reference in find_all(parent, "catalogRef"):
            if href := reference.get(_HREF):
                child = urljoin(self.url, href).partition("#")[0]
                self.catalogue.children.append(re.sub(r"catalog\.html(?=$|\?)", "catalog.xml", child))

    def _add(
        self,
        dataset: etree._Element,
        names: tuple[str, ...],
        inherited: tuple[etree._Element, ...],
        files: list[etree._Element] | tuple[()],
    ) -> None:
        id = dataset.get("urlPath") or dataset.get("ID") or "/".join([*names, dataset.get("name", "")])
        named_id = dataset.get("ID") or id
        origin = f"{self.url.partition('?')[0]}?{urlencode({'dataset': named_id})}"
        document = self._document(dataset, names, inherited, files)
        modified = next(
            (text_at(date, ".") for date in dataset.iter("{*}date") if date.get("type") == "modified"), None
        )
        iso = None if files else self._iso_address(dataset, named_id, inherited)
        self.catalogue.entries.append(_Entry(id, written_xml(document), origin, iso, modified or None))

    def _document(
        self,
        dataset: etree._Element,
        names: tuple[str, ...],
        inherited: tuple[etree._Element, ...],
        files: list[etree._Element] | tuple[()],
    ) -> etree._Element:
        """A catalogue of this data set alone, as the server itself answers for ``?dataset=ID``."""
        document = etree.fromstring(f'<catalog xmlns="{NAMESPACE}" xmlns:xlink="{_XLINK}"/>')
        document.extend(copy.deepcopy(service) for service in find_all(self.root, "service"))
        alone = etree.SubElement(
            document, f"{{{NAMESPACE}}}dataset", {str(name): str(value) for name, value in dataset.attrib.items()}
        )
        alone.extend(copy.deepcopy(child) for child in dataset if local_name(child) not in _NESTED)
        alone.extend(copy.deepcopy(metadata) for metadata in reversed(inherited))  # the nearest first
        properties = {"path": " > ".join(name for name in names if name), "files": str(len(files) or "")}
        for name, value in properties.items():
            if value:
                etree.SubElement(alone, f"{{{NAMESPACE}}}property", name=name, value=value)
        return document

    def _iso_address(self, dataset: etree._Element, id: str, inherited: tuple[etree._Element, ...]) -> str | None:
        path = dataset.get("urlPath")
        services = services_of(self.root, dataset, inherited)
        iso = next((service for service in services if service.get("serviceType", "").upper() == "ISO"), None)
        if path is None or iso is None:
            return None
        page = re.sub(r"catalog\.xml$", "catalog.html", self.url.partition("?")[0])
        address = urljoin(self.url, f"{iso.get('base', '')}{quote(path, safe='/:')}{iso.get('suffix', '')}")
        return f"{address}?{urlencode({'catalog': page, 'dataset': id})}"


def _inherited_metadata(dataset: etree._Element) -> list[etree._Element]:
    return [metadata for metadata in find_all(dataset, "metadata") if metadata.get("inherited") == "true"]


def _has_access(dataset: etree._Element) -> bool:
    return dataset.get("urlPath") is not None or find(dataset, "access") is not None


def _questions_at(url: str) -> list[Question]:
    bare_url = url.partition("?")[0]
    if bare_url.endswith("/catalog.html"):
        return [Question(f"{bare_url.removesuffix('html')}xml")]
    return []


def _questions_below(url: str) -> list[Question]:
    before, separator, _ = url.partition("?")[0].partition("/thredds")
    base = f"{before}{separator}" if separator else url
    return [Question(join_path(base, "catalog.xml"))] if separator or "thredds" in url else []


def _recognises(answer: FirstAnswer) -> bool:
    return answer.root == "catalog" and b"InvCatalog" in answer.content[:4000]


PROTOCOL = Protocol(
    "thredds",
    ThreddsSource,
    ThreddsOptions,
    "the data sets of catalogues in catalogues, as the server's ISO metadata or as their entries; a folder of many "
    "files is one record",
    "the data sets' `modified` dates",
    recognises=_recognises,
    questions_at=_questions_at,
    questions_below=_questions_below,
)
