"""OAI-PMH 2.0: ListRecords with resumption tokens, sets, from/until and tombstones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import structlog
from lxml import etree

from core.errors import SondeError
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, SkippedMember, skipped_id
from indexer.sources.fetching import (
    BadAnswer,
    Fetcher,
    fingerprint,
    local,
    parse_xml,
    text_of,
    written_xml,
    xml_fault,
    xml_of_any_status,
)
from indexer.sources.linked_walk import join_path
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import Protocol, Question
from net.exchange import HttpAnswer
from net.targets import address_of

log = structlog.get_logger(__name__)

_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_FAULT = "urn:sonde:fault"
_RECORD_START = re.compile(rb"<((?:[\w.-]+:)?)record(?:\s[^>]*)?>\s*<\1header\b")
_RECORD_END = re.compile(rb"</(?:[\w.-]+:)?record\s*>")
_GBIF = "https://api.gbif.org/v1/oai-pmh/registry"
_DATAVERSE_PAGE = re.compile(r"(.*?)/(?:dataverse/[^/]+/?|dataset\.xhtml|dataverse\.xhtml)$")
_PREFERRED_PREFIXES = (
    "iso19115-3.2018", "iso19115-3", "iso19139", "gmd", "iso", "oai_iso", "dif10", "dif", "oai_datacite4", "datacite",
    "oai_datacite", "fgdc", "csdgm", "eml", "dcat", "oai_dcat", "oai_dc",
)  # fmt: skip
_RESTARTS = 2
_MOST_SET_PAGES = 1000


class OaiError(SondeError):
    """An <error> of the protocol; ``code`` is its name."""

    def __init__(self, host: str, code: str, text: str) -> None:
        super().__init__(f"{host} says {code}: {text[:200]}")
        self.code = code


@dataclass(frozen=True, slots=True)
class OaiOptions:
    """``prefix``: a metadataPrefix instead of the best one offered; ``sets``: setSpecs, none means everything.

    ``trust_size``: a run with fewer records than completeListSize is incomplete.
    """

    prefix: str | None = None
    sets: tuple[str, ...] = ()
    until: str | None = None
    trust_size: bool = True


@dataclass(frozen=True, slots=True)
class Listing:
    """One answer of ListRecords. ``token`` is empty at the end."""

    records: tuple[RawRecord, ...]
    deleted: tuple[str, ...]
    token: str
    total: int | None
    skipped: tuple[SkippedMember, ...] = ()


@dataclass(slots=True)
class OaiSource:
    """After an expired token the listing starts again. Records read before are unchanged and cost little."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: OaiOptions = field(default_factory=OaiOptions)
    _restarts: int = 0
    _prefix_too: bool = False  # some servers want the metadataPrefix beside the token
    _deleted_count: int = 0
    _total: int | None = None
    _seen_ids: set[str] = field(default_factory=set)
    _count_before: int = 0  # records of earlier slices

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises OaiError, SourceBroken (the server repeats tokens) and what the fetcher raises."""
        position_json = json.loads(position) if position else {}
        self._deleted_count, self._total = position_json.get("deleted", 0), position_json.get("total")
        self._count_before = int(position_json.get("seen", 0))
        first = int(position_json.get("set", 0))
        prefix = position_json.get("prefix") or self.options.prefix or choose_prefix(self.fetcher, self.url)
        sets: tuple[str | None, ...] = self.options.sets or (None,)
        for index in range(first, len(sets)):
            token = position_json.get("token", "") if index == first else ""
            yield from self._pages_of_set(index, sets[index], prefix, token)
        if self._total is not None and self.options.trust_size and len(sets) == 1:
            yield RawPage((), matched=max(self._total - self._deleted_count, 0))

    def _pages_of_set(self, index: int, name: str | None, prefix: str, token: str) -> Iterator[RawPage]:
        used: set[str] = set()
        while True:
            listing = self._listing(name, prefix, token)
            if listing is None:
                token, self._deleted_count, self._count_before = "", 0, 0
                self._seen_ids.clear()
                used.clear()
                continue
            self._count(listing)
            used.add(token)
            token = self._next_token(listing.token, used)
            position_after = {"set": index if token else index + 1, "prefix": prefix, "token": token}
            position_after |= {
                "deleted": self._deleted_count,
                "total": self._total,
                "seen": self._count_before + len(self._seen_ids),
            }
            if listing.records or listing.deleted or listing.skipped:
                yield RawPage(
                    listing.records, json.dumps(position_after), self._total, listing.skipped, listing.deleted
                )
            if not token:
                return

    def _count(self, listing: Listing) -> None:
        self._total = listing.total if listing.total is not None else self._total
        self._deleted_count += len(listing.deleted)
        self._seen_ids |= {record.native_id for record in listing.records} | set(listing.deleted)
        self._seen_ids |= {skipped_id(skipped_member.origin) for skipped_member in listing.skipped}

    def _next_token(self, token: str, used: set[str]) -> str:
        """Empty at the end. If a server does not end its tokens (pycsw 2.6 repeats the last), the end is when all
        records were returned. Raises SourceBroken if tokens repeat before that.
        """
        if token not in used | {"0"}:
            return token
        if not token or (self._total is not None and self._count_before + len(self._seen_ids) >= self._total):
            return ""
        raise SourceBroken(f"{self.fetcher.source}: the server gives the same resumption token again")

    def _listing(self, name: str | None, prefix: str, token: str) -> Listing | None:
        """None if the token has expired and the listing must start again."""
        try:
            return self.fetcher.get(self.url, _listing, self._parameters(name, prefix, token), "text/xml")
        except OaiError as error:
            if error.code == "noRecordsMatch" and not token:
                self._expect_empty(name, error)
                return Listing((), (), "", 0)
            if error.code == "badArgument" and token and not self._prefix_too:
                self._prefix_too = True  # violates the protocol, but occurs (pycsw 2.6)
                return self._listing(name, prefix, token)
            if error.code != "badResumptionToken" or not token or self._restarts >= _RESTARTS:
                raise
            self._restarts += 1
            log.info("oai.restarted", source=self.fetcher.source, reason=str(error))
            return None

    def _expect_empty(self, name: str | None, error: OaiError) -> None:
        """A run for changes may find none, and a set may be empty. Raises SourceBroken for a set that is unknown."""
        if name is not None and name not in self._set_names():
            raise SourceBroken(f"{address_of(self.url)} has no set {name!r}")
        if name is None and self.since is None and self.options.until is None:
            raise SourceBroken(f"{address_of(self.url)} gives no records at all: {error}")

    def _set_names(self) -> set[str]:
        """The setSpecs of the server. A server without sets (noSetHierarchy) has none."""
        names: set[str] = set()
        token = ""
        for _ in range(_MOST_SET_PAGES):
            parameters = {"verb": "ListSets"} | ({"resumptionToken": token} if token else {})
            try:
                root = self.fetcher.get(self.url, _root, parameters, "text/xml")
            except OaiError as error:
                log.info("oai.no_sets", source=self.fetcher.source, reason=str(error))
                return names
            names |= {text_of(token_element) for token_element in root.iter(f"{_OAI}setSpec")}
            token_element = root.find(f"{_OAI}ListSets/{_OAI}resumptionToken")
            token = text_of(token_element) if token_element is not None else ""
            if not token:
                break
        return names

    def _parameters(self, name: str | None, prefix: str, token: str) -> dict[str, str]:
        if token:
            also = {"metadataPrefix": prefix} if self._prefix_too else {}
            return {"verb": "ListRecords", "resumptionToken": token, **also}
        parameters = {"verb": "ListRecords", "metadataPrefix": prefix}
        optional_parameters = {"set": name, "from": self._from(), "until": self.options.until}
        return parameters | {key: value for key, value in optional_parameters.items() if value}

    def _from(self) -> str | None:
        """Days, because some repositories do not support seconds."""
        return self.since[:10] if self.since else None


def choose_prefix(fetcher: Fetcher, url: str) -> str:
    """The richest metadataPrefix on offer. Raises SourceBroken if none is known."""
    prefixes = fetcher.get(url, _prefixes, {"verb": "ListMetadataFormats"}, "text/xml")
    for preferred_prefix in _PREFERRED_PREFIXES:
        for prefix in prefixes:
            if prefix.lower() == preferred_prefix:
                return prefix
    prefix_text = ", ".join(prefixes) or "none"
    raise SourceBroken(
        f"{fetcher.source}: no known metadataPrefix; the server offers {prefix_text}. Name one: options.prefix"
    )


def identify(fetcher: Fetcher, url: str) -> str:
    """The repository's name. Raises BadAnswer if this is not an OAI-PMH server."""
    root = fetcher.get(url, _root, {"verb": "Identify"}, "text/xml")
    name = root.find(f"{_OAI}Identify/{_OAI}repositoryName")
    return text_of(name) if name is not None else ""


def likely_addresses(url: str) -> list[str]:
    """Where the OAI-PMH of such an address is: of GBIF, of a page inside a Dataverse, else below it."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if host in ("gbif.org", "www.gbif.org", "api.gbif.org"):
        return [_GBIF]
    inside = _DATAVERSE_PAGE.match(parts.path)
    return [f"{parts.scheme}://{parts.netloc}{inside[1]}/oai"] if inside is not None else [join_path(url, "oai")]


def _prefixes(answer: HttpAnswer) -> list[str]:
    return [text_of(prefix_element) for prefix_element in _root(answer).iter(f"{_OAI}metadataPrefix")]


def _root(answer: HttpAnswer) -> etree._Element:
    return _checked_root(answer, xml_of_any_status(answer))


def _checked_root(answer: HttpAnswer, root: etree._Element) -> etree._Element:
    if root.tag != f"{_OAI}OAI-PMH":
        raise BadAnswer(f"{address_of(answer.url)} did not answer in OAI-PMH")
    error = root.find(f"{_OAI}error")
    if error is not None:
        raise OaiError(address_of(answer.url), error.get("code", ""), text_of(error))
    return root


def _list_root(answer: HttpAnswer) -> etree._Element:
    """As ``_root``, but one broken record does not cost the complete list around it."""
    try:
        return _root(answer)
    except BadAnswer:
        content = _without_broken_records(answer.content)
        if content is None:
            raise
    return _checked_root(answer, parse_xml(content, address_of(answer.url)))


def _without_broken_records(content: bytes) -> bytes | None:
    """The list with a fault for the metadata of each record that is not well-formed; None if more than that is broken,
    for example a list that is cut off.
    """
    starts = list(_RECORD_START.finditer(content))
    end = max((match.end() for match in _RECORD_END.finditer(content)), default=0)
    if not starts or starts[-1].start() > end:
        return None
    opening, ending = content[: starts[0].start()], content[end:]
    if xml_fault(opening + ending):
        return None
    stops = [*(match.start() for match in starts[1:]), end]
    records = ((start[1], content[start.start() : stop]) for start, stop in zip(starts, stops, strict=True))
    return opening + b"".join(_well_formed(prefix, record, opening, ending) for prefix, record in records) + ending


def _well_formed(prefix: bytes, record: bytes, opening: bytes, ending: bytes) -> bytes:
    """The record, or its header with the fault, or the fault alone if the header is broken too."""
    fault = xml_fault(opening + record + ending)
    if not fault:
        return record
    reason = escape(f"it is not well-formed XML: {fault}").encode("ascii", "xmlcharrefreplace")
    after = b'<fault xmlns="%b">%b</fault></%brecord>' % (_FAULT.encode(), reason, prefix)
    header, header_end, _ = record.partition(b"</%bheader>" % prefix)
    with_header = header + header_end + after
    return b"<%brecord>%b" % (prefix, after) if xml_fault(opening + with_header + ending) else with_header


def _listing(answer: HttpAnswer) -> Listing:
    records_element = _list_root(answer).find(f"{_OAI}ListRecords")
    if records_element is None:
        raise BadAnswer(f"{address_of(answer.url)} did not answer with a list of records")
    records: list[RawRecord] = []
    deleted_ids: list[str] = []
    skipped_members: list[SkippedMember] = []
    for record in records_element.iter(f"{_OAI}record"):
        header, fault = record.find(f"{_OAI}header"), record.findtext(f"{{{_FAULT}}}fault")
        id = (
            text_of(identifier_element)
            if header is not None and (identifier_element := header.find(f"{_OAI}identifier")) is not None
            else ""
        )
        if header is None or not id:
            place = f"{answer.url.partition('?')[0]}#{fingerprint(written_xml(record))}"
            skipped_members.append(
                SkippedMember(place, fault or "the record has no identifier in its header", container=WHOLE_SOURCE)
            )
        elif header.get("status") == "deleted":
            deleted_ids.append(id)
        elif (raw := _raw(record, header, id, answer.url)) is not None:
            records.append(raw)
        else:
            place = f"{answer.url.partition('?')[0]}#{id}"
            skipped_members.append(
                SkippedMember(place, fault or "the server gives no metadata for it, and does not call it deleted", id)
            )
    token = records_element.find(f"{_OAI}resumptionToken")
    if not records and not deleted_ids and not skipped_members and token is None:
        raise BadAnswer(f"{address_of(answer.url)} sent a list without records and without an end")
    next_token = text_of(token) if token is not None else ""
    return Listing(tuple(records), tuple(deleted_ids), next_token, _total(token), tuple(skipped_members))


def _raw(record: etree._Element, header: etree._Element, id: str, url: str) -> RawRecord | None:
    metadata = record.find(f"{_OAI}metadata")
    body = next((child for child in metadata if local(child)), None) if metadata is not None else None
    if body is None:
        return None
    stamp = header.find(f"{_OAI}datestamp")
    modified = text_of(stamp) if stamp is not None else None
    return RawRecord(id, written_xml(body), f"{url.partition('?')[0]}#{id}", "application/xml", modified)


def _total(token: etree._Element | None) -> int | None:
    size = token.get("completeListSize", "") if token is not None else ""
    return int(size) if size.isdigit() else None


PROTOCOL = Protocol(
    "oai-pmh",
    OaiSource,
    OaiOptions,
    "ListRecords, the richest metadataPrefix; an expired token begins again",
    "`from` (days) and tombstones",
    recognises=lambda answer: answer.root == "OAI-PMH",
    questions_at=lambda url: [Question(url, identify)],
    questions_below=lambda url: [Question(address, identify) for address in likely_addresses(url)],
)
