"""GeoNetwork: through its CSW, or through its search API (3: q, 4: _search) and each record's XML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import quote

from core.errors import SondeError
from core.json_types import Json
from indexer.formats.json_documents.parsing import first_object
from indexer.raw import RawPage, RawRecord, SkippedMember
from indexer.sources.counted_walk import CountedPage, CountedWalk
from indexer.sources.csw import CswOptions, CswSource, geonetwork_base
from indexer.sources.fetching import BadAnswer, Fetcher, expect_2xx, json_object, parse_xml
from indexer.sources.linked_walk import join_path, with_id
from indexer.sources.protocol import Protocol
from net.exchange import HttpAnswer, Outgoing
from net.targets import address_of

_ID = "uuid"


@dataclass(frozen=True, slots=True)
class GeoNetworkOptions:
    """``api``: csw, q (version 3) or search (version 4). ``portal``: the sub-portal in the address (``srv``)."""

    api: Literal["csw", "q", "search"] = "csw"
    portal: str = "srv"
    page_size: int = 50
    tolerate_missing: int = 0


@dataclass(slots=True)
class GeoNetworkSource:
    """``url`` is the catalogue's address up to ``/geonetwork``.

    Elasticsearch gives no hit after the 10,000th by its number, so a search continues after the last uuid.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: GeoNetworkOptions = field(default_factory=GeoNetworkOptions)
    _last_sort: list[Json] | None = field(default=None, init=False)  # the values by which the last hit is sorted

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises what the walk and the fetcher raise."""
        base, options = geonetwork_base(self.url), self.options
        if options.api == "csw":
            csw = CswOptions(page_size=options.page_size, tolerate_missing=options.tolerate_missing)
            yield from CswSource(self.fetcher, join_path(base, f"{options.portal}/eng/csw"), self.since, csw).pages(
                position
            )
            return
        ask = self._ask_q if options.api == "q" else self._ask_search
        walk = CountedWalk(
            self.fetcher.source, ask, options.page_size, options.tolerate_missing, may_be_empty=self.since is not None
        )
        self._last_sort = json.loads(position).get("after") if position else None
        for page in walk.pages(position):
            if page.position is not None and self._last_sort is not None:
                walked = {**json.loads(page.position), "after": self._last_sort}
                page = replace(page, position=json.dumps(walked))
            yield self._documents(page, base)

    def _ask_q(self, offset: int, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
        parameters = {
            "_content_type": "json",
            "fast": "index",
            "from": str(offset + 1),
            "to": str(offset + self.options.page_size),
            "sortBy": "changeDate",
            "sortOrder": "reverse",
            "resultType": "details",
        }
        if self.since is not None:
            parameters["dateFrom"] = self.since[:10]
        url = join_path(geonetwork_base(self.url), f"{self.options.portal}/eng/q")
        return self.fetcher.get(url, lambda answer: check(_of_q(answer)), parameters, "application/json")

    def _ask_search(self, offset: int, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
        filters: list[Json] = [{"term": {"isTemplate": "n"}}]
        if self.since is not None:
            filters.append({"range": {"changeDate": {"gte": self.since}}})
        if offset == 0:
            self._last_sort = None
        query: Json = {
            "size": self.options.page_size,
            "sort": [{_ID: "asc"}],
            "query": {"bool": {"filter": filters}},
            "track_total_hits": True,
            "_source": [_ID, "changeDate"],
            **({"from": offset} if self._last_sort is None else {"search_after": self._last_sort}),
        }
        url = join_path(geonetwork_base(self.url), f"{self.options.portal}/api/search/records/_search")
        headers = {"accept": "application/json", "content-type": "application/json"}
        request = Outgoing(url, "POST", None, headers, json.dumps(query).encode())
        page, last_sort = self.fetcher.read(request, lambda answer: _of_search(answer, offset, check))
        self._last_sort = last_sort or self._last_sort
        return page

    def _documents(self, page: RawPage, base: str) -> RawPage:
        """Each uuid's XML; one that cannot be fetched is skipped and named."""
        urls = {_record_url(base, self.options.portal, record.native_id): record for record in page.records}
        records: list[RawRecord] = []
        skipped_members = list(page.skipped)
        for url, document in self.fetcher.fetch_each(urls, _document):
            if isinstance(document, SondeError):
                skipped_members.append(SkippedMember(url, str(document), urls[url].native_id))
                continue
            records.append(RawRecord(urls[url].native_id, document, url, "application/xml", urls[url].modified))
        return RawPage(tuple(records), page.position, page.total, tuple(skipped_members), matched=page.matched)


def _record_url(base: str, portal: str, uuid: str) -> str:
    return join_path(base, f"{portal}/api/records/{quote(uuid, safe='')}/formatters/xml")


def _document(answer: HttpAnswer) -> bytes:
    content = expect_2xx(answer).content
    parse_xml(content, address_of(answer.url))
    return content


def _of_q(answer: HttpAnswer) -> CountedPage:
    body = json_object(answer)
    count, metadata = first_object(body.get("summary")).get("@count"), body.get("metadata", [])
    if count is None or not str(count).isdigit():
        raise BadAnswer(f"{address_of(answer.url)} does not answer as GeoNetwork's search")
    records = metadata if isinstance(metadata, list) else [metadata]  # a single record is an object, not a list
    infos: list[object] = [record.get("geonet:info") if isinstance(record, dict) else record for record in records]
    objects, skipped_members = with_id(infos, answer.url, _ID)
    return CountedPage(tuple(map(_stub, objects)), int(str(count)), skipped=skipped_members)


def _of_search(
    answer: HttpAnswer, offset: int, check: Callable[[CountedPage], CountedPage]
) -> tuple[CountedPage, list[Json] | None]:
    """The page, and the values by which its last hit is sorted."""
    hits = json_object(answer).get("hits")
    if not isinstance(hits, dict) or not isinstance(hits.get("hits"), list):
        raise BadAnswer(f"{address_of(answer.url)} does not answer as GeoNetwork's search")
    total = hits.get("total")
    count = total.get("value") if isinstance(total, dict) else total
    if not isinstance(count, int):
        raise BadAnswer(f"{address_of(answer.url)} does not say how many records it has")
    sources: list[object] = [
        {_ID: hit.get("_id"), **(hit.get("_source") or {})} if isinstance(hit, dict) else hit for hit in hits["hits"]
    ]
    objects, skipped_members = with_id(sources, answer.url, _ID, first=offset + 1)
    page = check(CountedPage(tuple(map(_stub, objects)), count, skipped=skipped_members))
    last_hit = hits["hits"][-1] if hits["hits"] else None
    return page, last_hit.get("sort") if isinstance(last_hit, dict) else None


def _stub(info: Json) -> RawRecord:
    """A record whose document is not yet fetched."""
    return RawRecord(str(info[_ID]), b"", "", None, str(info["changeDate"]) if info.get("changeDate") else None)


PROTOCOL = Protocol(
    "geonetwork",
    GeoNetworkSource,
    GeoNetworkOptions,
    "its CSW, or `q` (version 3), or `_search` (version 4) with each record's XML",
    "change date",
)
