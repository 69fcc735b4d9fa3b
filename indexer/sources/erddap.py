"""ERDDAP: each data set of its own list, as the ISO 19115 that it writes, else as its page with schema.org."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from core.batched import batched
from core.errors import SondeError
from indexer.formats.json_documents.parsing import first_object
from indexer.raw import FileVersion, RawPage, RawRecord, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, expect_2xx, json_object
from indexer.sources.linked_walk import NothingToHarvest, join_path
from indexer.sources.protocol import Protocol, Question
from indexer.sources.revisited_files import RevisitedFiles
from indexer.sources.unsupported_address import erddap_base
from net.exchange import HttpAnswer
from net.targets import address_of

_LIST = "tabledap/allDatasets.json?datasetID,title,iso19115"
_ITSELF = "allDatasets"  # the list is one of its data sets
_PAGE = 50


@dataclass(frozen=True, slots=True)
class ErddapOptions:
    """``datasets``: ids, none means all."""

    datasets: tuple[str, ...] = ()


@dataclass(slots=True)
class ErddapSource:
    """``url`` is the address of the ERDDAP (``https://host/erddap``). A native id is a ``datasetID``."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: ErddapOptions = field(default_factory=ErddapOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """In the order of the ids. Raises NothingToHarvest and what the fetcher raises."""
        addresses = self._addresses()
        remaining_ids = [id for id in sorted(addresses) if position is None or id > position]
        for batch in batched(remaining_ids, _PAGE):
            yield self._page({addresses[id]: id for id in batch}, len(addresses))

    def _addresses(self) -> dict[str, str]:
        """The document of each data set: the ISO metadata, or its page where ERDDAP writes none (without a place)."""
        wanted_ids = self.options.datasets
        addresses = {
            id: join_path(
                self.url, f"metadata/iso19115/xml/{quote(id)}_iso19115.xml" if iso else f"info/{quote(id)}/index.html"
            )
            for id, iso in self.fetcher.get(join_path(self.url, _LIST), _rows)
            if not wanted_ids or id in wanted_ids
        }
        missing_ids = [id for id in wanted_ids if id not in addresses]
        if missing_ids or not addresses:
            raise NothingToHarvest(f"{address_of(self.url)} has no data set {', '.join(missing_ids)}".rstrip())
        return addresses

    def _page(self, id_by_url: dict[str, str], total: int) -> RawPage:
        records: list[RawRecord] = []
        skipped_members: list[SkippedMember] = []
        unchanged_ids: list[str] = []
        visits: list[FileVersion] = []
        revisited_files = RevisitedFiles(self.fetcher)
        for url, outcome in revisited_files.fetch_each(tuple(id_by_url), lambda answer: expect_2xx(answer).content):
            id = id_by_url[url]
            if isinstance(outcome, SondeError):
                skipped_members.append(SkippedMember(url, str(outcome), id))
            elif isinstance(outcome, FileVersion):
                unchanged_ids.append(id)
            else:
                media_type = "application/xml" if url.endswith(".xml") else "text/html"
                records.append(RawRecord(id, outcome.content, url, media_type))
                visits += revisited_files.versions_to_store(url, outcome, (id,))
        last = next(reversed(id_by_url.values()))
        return RawPage(
            tuple(records), last, total, tuple(skipped_members), unchanged=tuple(unchanged_ids), visits=tuple(visits)
        )


def _rows(answer: HttpAnswer) -> list[tuple[str, str]]:
    """The id of each data set, and the address of its ISO metadata, which may be empty."""
    columns = first_object(json_object(answer).get("table"))
    names, rows = columns.get("columnNames"), columns.get("rows")
    if not isinstance(names, list) or not isinstance(rows, list) or "datasetID" not in names:
        raise BadAnswer(f"{address_of(answer.url)} did not answer as the list of an ERDDAP")
    entries = [dict(zip(names, row, strict=False)) for row in rows if isinstance(row, list)]
    pairs = [(str(entry.get("datasetID") or ""), str(entry.get("iso19115") or "")) for entry in entries]
    return [(id, iso) for id, iso in pairs if id and id != _ITSELF]


def _ask(fetcher: Fetcher, url: str) -> object:
    return fetcher.get(join_path(url, _LIST), _rows)


PROTOCOL = Protocol(
    "erddap",
    ErddapSource,
    ErddapOptions,
    "each data set of an ERDDAP's own list, as ISO 19115 or as its page with schema.org",
    "ETag, Last-Modified",
    questions_at=lambda url: [Question(base, _ask)] if (base := erddap_base(url)) else [],
    questions_below=lambda url: [] if erddap_base(url) else [Question(join_path(url, "erddap"), _ask)],
)
