"""InvenioRDM repositories (such as Zenodo): the records' search, each record as DataCite XML or as its own JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, urlencode

from core.errors import SondeError
from core.json_types import Json
from indexer.raw import RawPage, RawRecord, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, parse_xml, written_json
from indexer.sources.linked_walk import LinkedPage, LinkedWalk, Part, join_path, number_or_none, with_id
from indexer.sources.protocol import Protocol, Question
from net.exchange import HttpAnswer, Outgoing
from net.targets import address_of

_DATACITE = "application/vnd.datacite.datacite+xml"


@dataclass(frozen=True, slots=True)
class InvenioOptions:
    """``query``: in the search's own language; ``community``: its id. ``form``: which document is stored."""

    query: str = ""
    community: str = ""
    form: Literal["datacite", "json"] = "datacite"
    page_size: int = 25


@dataclass(slots=True)
class InvenioSource:
    """The search returns at most 10,000 hits: narrow a larger repository with ``query``, or use its OAI-PMH."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: InvenioOptions = field(default_factory=InvenioOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken and what the fetcher raises."""
        base = self.url.partition("/api")[0].rstrip("/")
        path = (
            f"api/communities/{quote(self.options.community, safe='')}/records"
            if self.options.community
            else "api/records"
        )
        first = f"{join_path(base, path)}?{urlencode(self._parameters())}"
        walk = LinkedWalk(self.fetcher, [Part(first, _linked_page)], may_be_empty=self.since is not None)
        for page in walk.pages(position):
            yield self._documents(page) if self.options.form == "datacite" else page

    def _parameters(self) -> dict[str, str]:
        since = f"updated:[{self.since} TO *]" if self.since else ""
        query = " AND ".join(part for part in (f"({self.options.query})" if self.options.query else "", since) if part)
        parameters = {"size": str(self.options.page_size), "sort": "oldest", "page": "1"}
        return ({"q": query} if query else {}) | parameters

    def _documents(self, page: RawPage) -> RawPage:
        """The hits' DataCite documents; a hit without one is skipped and named."""
        records: list[RawRecord] = []
        skipped_members = list(page.skipped)
        for hit in page.records:
            try:
                content = self.fetcher.read(Outgoing(hit.origin, headers={"accept": _DATACITE}), _document)
            except SondeError as error:
                skipped_members.append(SkippedMember(hit.origin, str(error), hit.native_id))
                continue
            records.append(RawRecord(hit.native_id, content, hit.origin, "application/xml", hit.modified))
        return RawPage(tuple(records), page.position, page.total, tuple(skipped_members), matched=page.matched)


def _linked_page(answer: HttpAnswer) -> LinkedPage:
    body = json_object(answer)
    hits, links = body.get("hits"), body.get("links") or {}
    if not isinstance(hits, dict) or not isinstance(hits.get("hits"), list) or not isinstance(links, dict):
        raise BadAnswer(f"{address_of(answer.url)} did not answer as an InvenioRDM search")
    base = answer.url.partition("/api/")[0]
    objects, skipped_members = with_id(hits["hits"], answer.url)
    records = tuple(_record(hit, base) for hit in objects)
    next_url = links.get("next")
    return LinkedPage(records, str(next_url) if next_url else None, number_or_none(hits.get("total")), skipped_members)


def _record(hit: Json, base: str) -> RawRecord:
    id = str(hit["id"])
    modified = str(hit["updated"]) if hit.get("updated") else None
    return RawRecord(
        id, written_json(hit), join_path(base, f"api/records/{quote(id, safe='')}"), "application/json", modified
    )


def _document(answer: HttpAnswer) -> bytes:
    if not 200 <= answer.status < 300:
        answer.expect_ok()
    parse_xml(answer.content, address_of(answer.url))
    return answer.content


PROTOCOL = Protocol(
    "invenio",
    InvenioSource,
    InvenioOptions,
    "the records' search, each as DataCite XML or as its JSON; 10,000 hits at most",
    "`updated`",
    recognises=lambda answer: isinstance(answer.json.get("hits"), dict),
    questions_below=lambda url: [Question(join_path(url, "api/records"))],
)
