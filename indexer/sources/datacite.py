"""DataCite's REST API: DOIs of a client, a prefix or a query, as DataCite XML if available."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

from core.json_types import Json
from indexer.formats.json_documents.parsing import first_object
from indexer.raw import RawPage, RawRecord
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, written_json
from indexer.sources.linked_walk import LinkedPage, LinkedWalk, Part, join_path, number_or_none, with_id
from indexer.sources.protocol import FirstAnswer, Protocol
from net.exchange import HttpAnswer
from net.targets import address_of


@dataclass(frozen=True, slots=True)
class DataCiteOptions:
    """``client``: a repository id; ``prefix``: a DOI prefix; ``query``: in DataCite's query language."""

    client: str = ""
    prefix: str = ""
    query: str = ""
    resource_type: str = ""
    page_size: int = 200


@dataclass(slots=True)
class DataCiteSource:
    """``url`` is the address of the API, or of its ``dois``. Pages follow the cursor."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: DataCiteOptions = field(default_factory=DataCiteOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises SourceBroken and what the fetcher raises."""
        base = self.url.partition("?")[0].rstrip("/").removesuffix("/dois")
        first = f"{join_path(base, 'dois')}?{urlencode(self._parameters())}"
        walk = LinkedWalk(self.fetcher, [Part(first, _linked_page)], may_be_empty=self.since is not None)
        yield from walk.pages(position)

    def _parameters(self) -> dict[str, str]:
        options = self.options
        since = f"updated:[{self.since} TO *]" if self.since else ""
        query = " AND ".join(part for part in (f"({options.query})" if options.query else "", since) if part)
        parameters = {
            "client-id": options.client,
            "prefix": options.prefix,
            "query": query,
            "resource-type-id": options.resource_type,
        }
        used_parameters = {name: value for name, value in parameters.items() if value}
        return {**used_parameters, "page[size]": str(options.page_size), "page[cursor]": "1", "detail": "true"}


def _linked_page(answer: HttpAnswer) -> LinkedPage:
    body = json_object(answer)
    items, meta, links = body.get("data"), body.get("meta") or {}, body.get("links") or {}
    if not isinstance(items, list) or not isinstance(meta, dict) or not isinstance(links, dict):
        raise BadAnswer(f"{address_of(answer.url)} did not answer as DataCite's API")
    objects, skipped_members = with_id(items, answer.url)
    records = tuple(_record(item, answer.url) for item in objects)
    next_url = links.get("next")
    return LinkedPage(records, str(next_url) if next_url else None, number_or_none(meta.get("total")), skipped_members)


def _record(doi: Json, url: str) -> RawRecord:
    id = str(doi["id"]).lower()
    attributes = first_object(doi.get("attributes"))
    origin = f"{url.partition('?')[0]}/{id}"
    modified = str(attributes["updated"]) if attributes.get("updated") else None
    document = _xml(attributes.get("xml"))
    if document is not None:
        return RawRecord(id, document, origin, "application/xml", modified)
    return RawRecord(id, written_json(attributes), origin, "application/json", modified)


def _xml(text: object) -> bytes | None:
    try:
        content = base64.b64decode(text, validate=False) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        return None
    return content if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else None


def _recognises(answer: FirstAnswer) -> bool:
    items = answer.json.get("data")
    return isinstance(items, list) and any(isinstance(item, dict) and item.get("type") == "dois" for item in items[:1])


PROTOCOL = Protocol(
    "datacite",
    DataCiteSource,
    DataCiteOptions,
    "DOIs of a client, prefix or query, as DataCite XML",
    "`updated`",
    recognises=_recognises,
)
