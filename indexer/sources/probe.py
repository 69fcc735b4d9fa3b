"""What kind of catalogue an address leads to: asked of the server itself, cheapest question first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import unquote

from core.errors import SondeError, Unavailable
from indexer.raw import RawRecord
from indexer.sources.answers import expect_2xx, json_value, local, parse_xml
from indexer.sources.ckan import action, portal, result_of
from indexer.sources.csw import fetch_capabilities
from indexer.sources.dcat import is_data_json
from indexer.sources.fetching import Fetcher
from indexer.sources.geonetwork import base_of
from indexer.sources.linked import joined
from indexer.sources.listings import NotAListing, entries
from indexer.sources.oai_pmh import identify
from indexer.sources.ogc_records import collections
from indexer.sources.protocols import SourceType, open_source
from indexer.sources.rdf_answers import rdf_format
from net.errors import BadStatus, Forbidden, Untrusted
from net.exchange import Answer

PREVIEW = 3
_COLLECTION = re.compile(r"(https?://[^?#]+?)/collections/([^/?#]+)(?:/items)?/?(?:[?#].*)?$")
_TITLE = re.compile(rb"<(?:title|repositoryName)>([^<]{1,200})</", re.IGNORECASE)
_AUTH = "write the entry into sources.yaml yourself, with `auth` (docs/harvesting.md)"


@dataclass(frozen=True, slots=True)
class Found:
    """A way to harvest the address, with the first records it gives."""

    type: SourceType
    url: str
    preview: tuple[RawRecord, ...]
    total: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Probe:
    """``found`` is None where nothing was recognised; ``tried`` says what was asked and what came of it.

    ``unreachable``: why the host could not be asked at all, so that nothing else was tried.
    """

    found: Found | None
    tried: tuple[str, ...]
    unreachable: str | None = None
    hint: str | None = None  # what the address itself answered with, and what to do, where that explains the failure


@dataclass(frozen=True, slots=True)
class _Guess:
    type: SourceType
    url: str
    collection: str | None = None


def probe(fetcher: Fetcher, url: str) -> Probe:
    """The first protocol that gives records. Raises nothing that a server does: that stands in ``tried``."""
    tried: list[str] = []
    hints: list[str] = []
    try:
        for guess in _guesses(fetcher, url, tried, hints):
            try:
                found = preview(fetcher, guess.type, guess.url, guess.collection)
            except SondeError as error:
                tried.append(f"{guess.type} at {guess.url}: {error}")
                continue
            if found.preview:
                return Probe(found, tuple(tried))
            tried.append(f"{guess.type} at {guess.url}: it gives no records")
    except _Unreachable as error:
        return Probe(None, (), str(error))
    return Probe(None, tuple(tried), hint=next(iter(hints), None))


def _is_silence(error: SondeError) -> bool:
    """Whether no answer came at all; subclasses of Unavailable tell of bad ones."""
    return type(error) is Unavailable or isinstance(error, Forbidden)


class _Unreachable(Exception):
    """The host cannot be asked: other questions would fail as the first did."""


def preview(fetcher: Fetcher, type: SourceType, url: str, collection: str | None = None) -> Found:
    """The first records of a source, or of one collection of it. Raises SondeError where there are none to be had."""
    chosen: dict[str, Any] = {} if collection is None else {"collections": [unquote(collection)]}
    options: dict[str, Any] = chosen | ({"page_size": PREVIEW} if type in _PAGED else {})
    fetcher.url = url
    records: list[RawRecord] = []
    total: int | None = None
    for page in open_source(type, fetcher, None, options).pages():
        records += page.records
        total = page.total if page.total is not None else total
        if len(records) >= PREVIEW:
            break
    return Found(type, url, tuple(records[:PREVIEW]), total, chosen)


def title_of(fetcher: Fetcher, found: Found) -> str:
    """What the catalogue calls itself; empty where it does not say."""
    try:
        if found.type == "csw":
            return fetch_capabilities(fetcher, found.url).title
        return fetcher.get(found.url, _title)
    except SondeError:
        return ""


def _title(answer: Answer) -> str:
    content = expect_2xx(answer).content
    if content.lstrip()[:1] == b"{":
        said = json_value(answer)
        return str(said.get("title") or "") if isinstance(said, dict) else ""
    found = _TITLE.search(content[:200_000])
    return "" if found is None else found[1].decode("utf-8", "replace").strip()


_PAGED = ("csw", "ogc-records", "ckan", "datacite", "invenio", "geonetwork")


def _guesses(fetcher: Fetcher, url: str, tried: list[str], hints: list[str]) -> Iterator[_Guess]:
    """By what the address itself answers, then by what usually lies at or below such an address."""
    collection = _COLLECTION.match(url)
    if collection is not None:
        yield _Guess("ogc-records", collection[1], collection[2])
    direct = _direct(fetcher, url, tried, hints)
    if direct is not None:
        yield _Guess(direct, url)
    for type, address, ask in islice(_questions(fetcher, url), 12):
        try:
            ask(address)
        except SondeError as error:
            tried.append(f"{type} at {address}: {error}")
            continue
        yield _Guess(type, address)


def _direct(fetcher: Fetcher, url: str, tried: list[str], hints: list[str]) -> SourceType | None:
    """What the address itself answers with. Raises _Unreachable where it need not be asked anything else."""
    try:
        found = fetcher.get(url, lambda answer: (_kind(answer), _what_else(answer)))
    except BadStatus as error:
        if error.status in (401, 403):
            raise _Unreachable(f"it needs credentials (HTTP status {error.status}): {_AUTH}") from None
        tried.append(f"{url}: {error}")
        hints.append(f"there is nothing at this address (HTTP status {error.status}): check it in a browser")
        return None
    except SondeError as error:
        if _is_silence(error) or isinstance(error, Untrusted):
            raise _Unreachable(str(error)) from None
        tried.append(f"{url}: {error}")
        hints.append(str(error))
        return None
    kind, hint = found
    hints.extend([] if hint is None else [hint])
    return kind


def _questions(fetcher: Fetcher, url: str) -> Iterator[tuple[SourceType, str, Callable[[str], object]]]:
    bare = url.partition("?")[0]

    def csw(address: str) -> object:
        return fetch_capabilities(fetcher, address)

    def oai(address: str) -> object:
        return identify(fetcher, address)

    def listed(address: str) -> object:
        return collections(fetcher, address)

    def kind(wanted: SourceType) -> Callable[[str], object]:
        def ask(address: str) -> object:
            if fetcher.get(address, _kind) != wanted:
                raise SondeError("something else lies there")
            return None

        return ask

    yield "csw", bare, csw
    yield "oai-pmh", url, oai
    yield "ckan", portal(bare), lambda address: fetcher.get(action(address, "package_search"), result_of, {"rows": "0"})
    yield "ogc-records", bare, listed
    yield "csw", joined(bare, "csw"), csw
    yield "csw", joined(base_of(bare), "srv/eng/csw"), csw
    yield "oai-pmh", joined(bare, "oai"), oai
    yield "dcat", joined(bare, "data.json"), kind("dcat")
    yield "stac", joined(bare, "catalog.json"), kind("stac")
    yield "invenio", joined(bare, "api/records"), kind("invenio")
    yield "sitemap", joined(bare, "sitemap.xml"), kind("sitemap")


def _what_else(answer: Answer) -> str | None:
    """A sentence on an answer that is no catalogue; None where there is nothing to say."""
    start = answer.content[:200_000].lower()
    if b"<html" not in start and b"<!doctype html" not in start:
        return None
    if b'type="password"' in start or b"type='password'" in start:
        return f"this is a login page, so it needs credentials: {_AUTH}"
    return "this is a web page, not a catalogue: look on it for the address of its CSW, OAI-PMH, CKAN, STAC or OGC API"


def _kind(answer: Answer) -> SourceType | None:
    """What the content of one answer shows; None where nothing. Raises BadStatus."""
    content = expect_2xx(answer).content
    start = content[:4000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in (b"{", b"["):
        return _kind_of_json(json_value(answer))
    if rdf_format(content, answer.headers.get("content-type", "")) in ("turtle", "xml", "nt", "n3"):
        return "dcat"
    if b"<html" in start.lower() or start.lower().startswith(b"<!doctype html"):
        return "waf" if _is_listing(content, answer.url) else None
    if start[:1] == b"<":
        return _kind_of_xml(content)
    return None


def _kind_of_json(body: Any) -> SourceType | None:
    if not isinstance(body, dict):
        return None
    links = body.get("links")
    rels = {link.get("rel") for link in (links if isinstance(links, list) else []) if isinstance(link, dict)}
    if "stac_version" in body:
        return "stac-api" if "data" in rels or "conformsTo" in body else "stac"
    if is_data_json(body) or "@graph" in body or "@context" in body:
        return "dcat"
    if isinstance(body.get("hits"), dict):
        return "invenio"
    if isinstance(body.get("data"), list) and any(each.get("type") == "dois" for each in body["data"][:1]):
        return "datacite"
    return "ogc-records" if "data" in rels or "conformance" in rels else None


def _kind_of_xml(content: bytes) -> SourceType | None:
    name = local(parse_xml(content, "it"))
    names: dict[str, SourceType] = {
        "Capabilities": "csw",
        "OAI-PMH": "oai-pmh",
        "urlset": "sitemap",
        "sitemapindex": "sitemap",
        "RDF": "dcat",
    }
    return names.get(name)


def _is_listing(content: bytes, url: str) -> bool:
    try:
        return bool(entries(content, url if url.endswith("/") else f"{url}/"))
    except NotAListing:
        return False
