"""NASA's Common Metadata Repository: its collections as UMM-JSON, page by page with ``CMR-Search-After``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from core.json_types import Json
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, local, written_json, xml
from indexer.sources.linked_walk import NothingToHarvest, join_path, number_or_none
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import Protocol, Question, Start
from net.exchange import HttpAnswer, Outgoing
from net.targets import address_of

_AFTER = "cmr-search-after"


@dataclass(frozen=True, slots=True)
class CmrOptions:
    """``provider``: for example ``POCLOUD``; ``filter``: more parameters of the search, such as ``has_granules``."""

    provider: str = ""
    filter: Mapping[str, str] = field(default_factory=dict)
    page_size: int = 200


@dataclass(frozen=True, slots=True)
class _Collections:
    records: tuple[RawRecord, ...]
    skipped: tuple[SkippedMember, ...]
    hits: int
    after: str | None

    @property
    def size(self) -> int:
        return len(self.records) + len(self.skipped)


@dataclass(slots=True)
class CmrSource:
    """``url`` is the address of the search (``https://cmr.earthdata.nasa.gov/search``).

    With ``since``, collections that were deleted are named first; a native id is the concept id.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: CmrOptions = field(default_factory=CmrOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises NothingToHarvest, SourceBroken and what the fetcher raises."""
        state: Json = json.loads(position) if position else {}
        after, seen_count = state.get("after"), int(state.get("seen", 0))
        if self.since is not None and position is None:
            yield RawPage((), deleted=self._deleted(self.since))
        while True:
            page = self.collections(after)
            seen_count += page.size
            if not seen_count and self.since is None:
                raise NothingToHarvest(f"{address_of(self.url)} has no collections for these options")
            if not page.size or page.after is None:
                yield RawPage(page.records, total=page.hits, skipped=page.skipped, matched=page.hits)
                return
            if page.after == after:
                raise SourceBroken(f"{self.fetcher.source}: {_AFTER} leads to the same page again")
            after = page.after
            yield RawPage(page.records, json.dumps({"after": after, "seen": seen_count}), page.hits, page.skipped)

    def collections(self, after: str | None) -> _Collections:
        """One page of the search. Raises what the fetcher raises."""
        parameters = {"page_size": str(self.options.page_size), "sort_key": "revision_date", **self.options.filter}
        optional = {"provider": self.options.provider, "updated_since": self.since or ""}
        parameters |= {name: value for name, value in optional.items() if value}
        headers = {"accept": "application/vnd.nasa.cmr.umm_results+json, application/json"}
        if after is not None:
            headers[_AFTER] = after
        address = join_path(self.url, "collections.umm_json")
        return self.fetcher.read(Outgoing(address, params=parameters, headers=headers), self._parse)

    def _parse(self, answer: HttpAnswer) -> _Collections:
        body = json_object(answer)
        items, hits = body.get("items"), number_or_none(body.get("hits"))
        if not isinstance(items, list) or hits is None:
            raise BadAnswer(f"{address_of(answer.url)} did not answer as a search of CMR")
        records, skipped_members = [], []
        for number, item in enumerate(items, 1):
            id = _concept_id(item)
            if id:
                records.append(self._record(id, item))
            else:
                place = f"{address_of(answer.url)}#entry {number}"
                skipped_members.append(SkippedMember(place, "it has no concept-id", container=WHOLE_SOURCE))
        return _Collections(tuple(records), tuple(skipped_members), hits, answer.headers.get(_AFTER))

    def _record(self, id: str, item: Json) -> RawRecord:
        origin = join_path(self.url, f"concepts/{id}")
        modified = item["meta"].get("revision-date")
        return RawRecord(id, written_json(item), origin, "application/json", str(modified) if modified else None)

    def _deleted(self, since: str) -> tuple[str, ...]:
        return self.fetcher.get(join_path(self.url, "deleted-collections"), _deleted_ids, {"revision_date": since})


def _concept_id(item: object) -> str:
    meta = item.get("meta") if isinstance(item, dict) else None
    return str(meta.get("concept-id") or "") if isinstance(meta, dict) else ""


def _deleted_ids(answer: HttpAnswer) -> tuple[str, ...]:
    """The only format of this answer is XML with references."""
    references = (element for element in xml(answer).iter() if local(element) == "reference")
    ids = (next((child.text for child in reference if local(child) == "id"), None) for reference in references)
    return tuple(id for id in ids if id)


def _search(fetcher: Fetcher, url: str) -> object:
    return CmrSource(fetcher, url, options=CmrOptions(page_size=1)).collections(None)


def _base(url: str) -> str | None:
    """The address of the search, of any address of a CMR."""
    parts = urlsplit(url)
    before, separator, _ = parts.path.partition("/search")
    if separator:
        return f"{parts.scheme}://{parts.netloc}{before}{separator}"
    return f"{parts.scheme}://{parts.netloc}/search" if (parts.hostname or "").startswith("cmr.") else None


def _of_address(url: str) -> Start | None:
    """The address of a search for collections: its parameters become options."""
    parts, base = urlsplit(url), _base(url)
    if base is None or "/collections" not in parts.path.removeprefix(urlsplit(base).path)[:13]:
        return None
    filters = {name: value for name, value in parse_qsl(parts.query) if name not in _OWN_PARAMETERS}
    provider = filters.pop("provider", "")
    options = {"provider": provider, "filter": filters}
    return Start(base, {name: value for name, value in options.items() if value})


_OWN_PARAMETERS = ("page_size", "page_num", "offset", "sort_key", "sort_key[]", "pretty", "updated_since")

PROTOCOL = Protocol(
    "cmr",
    CmrSource,
    CmrOptions,
    "collections of NASA's CMR as UMM-JSON, with `CMR-Search-After`",
    "`updated_since`, and deleted collections",
    questions_at=lambda url: [Question(base, _search)] if (base := _base(url)) else [],
    of_address=_of_address,
    title=lambda _fetcher, _url: "CMR",
)
