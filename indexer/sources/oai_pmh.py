"""OAI-PMH 2.0: ListRecords with resumption tokens, sets, from/until and tombstones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import structlog
from lxml import etree

from core.errors import SondeError
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, Skipped, skipped_id
from indexer.sources.fetching import BadAnswer, Fetcher, fingerprint, local, parse_xml, text_of, written_xml
from indexer.sources.linked import joined
from indexer.sources.members import SourceBroken
from indexer.sources.protocol import FirstAnswer, Protocol, Question
from net.exchange import HttpAnswer
from net.targets import address_of

log = structlog.get_logger(__name__)

_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_PREFERRED = (
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
    skipped: tuple[Skipped, ...] = ()


@dataclass(slots=True)
class OaiSource:
    """After an expired token the listing starts again. Records read before are unchanged and cost little."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: OaiOptions = field(default_factory=OaiOptions)
    _restarts: int = 0
    _prefix_too: bool = False  # some servers want the metadataPrefix beside the token
    _deleted: int = 0
    _total: int | None = None
    _seen: set[str] = field(default_factory=set)
    _before: int = 0  # records of earlier slices

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises OaiError, SourceBroken (the server repeats tokens) and what the fetcher raises."""
        stored = json.loads(position) if position else {}
        self._deleted, self._total = stored.get("deleted", 0), stored.get("total")
        self._before = int(stored.get("seen", 0))
        first = int(stored.get("set", 0))
        prefix = stored.get("prefix") or self.options.prefix or choose_prefix(self.fetcher, self.url)
        sets: tuple[str | None, ...] = self.options.sets or (None,)
        for index in range(first, len(sets)):
            token = stored.get("token", "") if index == first else ""
            yield from self._of_set(index, sets[index], prefix, token)
        if self._total is not None and self.options.trust_size and len(sets) == 1:
            yield RawPage((), matched=max(self._total - self._deleted, 0))

    def _of_set(self, index: int, name: str | None, prefix: str, token: str) -> Iterator[RawPage]:
        used: set[str] = set()
        while True:
            listing = self._listing(name, prefix, token)
            if listing is None:
                token, self._deleted, self._before = "", 0, 0
                self._seen.clear()
                used.clear()
                continue
            self._count(listing)
            used.add(token)
            token = self._next_token(listing.token, used)
            here = {"set": index if token else index + 1, "prefix": prefix, "token": token}
            here |= {"deleted": self._deleted, "total": self._total, "seen": self._before + len(self._seen)}
            if listing.records or listing.deleted or listing.skipped:
                yield RawPage(listing.records, json.dumps(here), self._total, listing.skipped, listing.deleted)
            if not token:
                return

    def _count(self, listing: Listing) -> None:
        self._total = listing.total if listing.total is not None else self._total
        self._deleted += len(listing.deleted)
        self._seen |= {record.native_id for record in listing.records} | set(listing.deleted)
        self._seen |= {skipped_id(one.origin) for one in listing.skipped}

    def _next_token(self, token: str, used: set[str]) -> str:
        """Empty at the end. If a server does not end its tokens (pycsw 2.6 repeats the last), the end is when all
        records were returned. Raises SourceBroken if tokens repeat before that.
        """
        if token not in used | {"0"}:
            return token
        if not token or (self._total is not None and self._before + len(self._seen) >= self._total):
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
            asked = {"verb": "ListSets"} | ({"resumptionToken": token} if token else {})
            try:
                root = self.fetcher.get(self.url, _root, asked, "text/xml")
            except OaiError as error:
                log.info("oai.no_sets", source=self.fetcher.source, reason=str(error))
                return names
            names |= {text_of(found) for found in root.iter(f"{_OAI}setSpec")}
            found = root.find(f"{_OAI}ListSets/{_OAI}resumptionToken")
            token = text_of(found) if found is not None else ""
            if not token:
                break
        return names

    def _parameters(self, name: str | None, prefix: str, token: str) -> dict[str, str]:
        if token:
            also = {"metadataPrefix": prefix} if self._prefix_too else {}
            return {"verb": "ListRecords", "resumptionToken": token, **also}
        asked = {"verb": "ListRecords", "metadataPrefix": prefix}
        given = {"set": name, "from": self._from(), "until": self.options.until}
        return asked | {key: value for key, value in given.items() if value}

    def _from(self) -> str | None:
        """Days, because some repositories do not support seconds."""
        return self.since[:10] if self.since else None


def choose_prefix(fetcher: Fetcher, url: str) -> str:
    """The richest metadataPrefix on offer. Raises SourceBroken if none is known."""
    offered = fetcher.get(url, _prefixes, {"verb": "ListMetadataFormats"}, "text/xml")
    for wanted in _PREFERRED:
        for prefix in offered:
            if prefix.lower() == wanted:
                return prefix
    known = ", ".join(offered) or "none"
    raise SourceBroken(
        f"{fetcher.source}: no known metadataPrefix; the server offers {known}. Name one: options.prefix"
    )


def identify(fetcher: Fetcher, url: str) -> str:
    """The repository's name. Raises BadAnswer if this is not an OAI-PMH server."""
    root = fetcher.get(url, _root, {"verb": "Identify"}, "text/xml")
    name = root.find(f"{_OAI}Identify/{_OAI}repositoryName")
    return text_of(name) if name is not None else ""


def _prefixes(answer: HttpAnswer) -> list[str]:
    return [text_of(found) for found in _root(answer).iter(f"{_OAI}metadataPrefix")]


def _root(answer: HttpAnswer) -> etree._Element:
    root = parse_xml(answer.content, address_of(answer.url))
    if root.tag != f"{_OAI}OAI-PMH":
        raise BadAnswer(f"{address_of(answer.url)} did not answer in OAI-PMH")
    error = root.find(f"{_OAI}error")
    if error is not None:
        raise OaiError(address_of(answer.url), error.get("code", ""), text_of(error))
    return root


def _listing(answer: HttpAnswer) -> Listing:
    listed = _root(answer).find(f"{_OAI}ListRecords")
    if listed is None:
        raise BadAnswer(f"{address_of(answer.url)} did not answer with a list of records")
    records: list[RawRecord] = []
    deleted: list[str] = []
    skipped: list[Skipped] = []
    for record in listed.iter(f"{_OAI}record"):
        header = record.find(f"{_OAI}header")
        id = text_of(found) if header is not None and (found := header.find(f"{_OAI}identifier")) is not None else ""
        if header is None or not id:
            place = f"{answer.url.partition('?')[0]}#{fingerprint(written_xml(record))}"
            skipped.append(Skipped(place, "the record has no identifier in its header", container=WHOLE_SOURCE))
        elif header.get("status") == "deleted":
            deleted.append(id)
        elif (raw := _raw(record, header, id, answer.url)) is not None:
            records.append(raw)
        else:
            place = f"{answer.url.partition('?')[0]}#{id}"
            skipped.append(Skipped(place, "the server gives no metadata for it, and does not call it deleted", id))
    token = listed.find(f"{_OAI}resumptionToken")
    if not records and not deleted and not skipped and token is None:
        raise BadAnswer(f"{address_of(answer.url)} sent a list without records and without an end")
    following = text_of(token) if token is not None else ""
    return Listing(tuple(records), tuple(deleted), following, _total(token), tuple(skipped))


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


def _recognises(answer: FirstAnswer) -> bool:
    return answer.root == "OAI-PMH"


def _at(url: str) -> Iterator[Question]:
    yield Question(url, identify)


def _below(url: str) -> Iterator[Question]:
    yield Question(joined(url, "oai"), identify)


PROTOCOL = Protocol(
    "oai-pmh",
    OaiSource,
    OaiOptions,
    "ListRecords, the richest metadataPrefix; an expired token begins again",
    "`from` (days) and tombstones",
    recognises=_recognises,
    at=_at,
    below=_below,
)
