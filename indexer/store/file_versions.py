"""Stores the version of each file's last answer (ETag, Last-Modified), for conditional requests.

A version is used only while the ledger has every record of the file unchanged, so that a 304 never refers to a record
that is gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from core.batched import batched
from core.json_types import JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs.ledger import LedgerEntry, entry_key
from es_mappings.names import alias
from indexer.raw import FileVersion
from indexer.store import bulk
from indexer.store.ledger import Ledger

_AT_ONCE = 5000  # entries in one ledger lookup
LONGEST_NOTE = 1 << 18
MOST_NATIVES = 50_000
"""A file with more records is fetched each time: bookkeeping must stay smaller than what it saves."""


@dataclass(frozen=True, slots=True)
class FileVersions:
    """The visits index of one prefix."""

    client: Elasticsearch
    prefix: str

    @property
    def index(self) -> str:
        return alias(self.prefix, "visits")

    def save(self, source: str, visits: Sequence[FileVersion], now: str) -> None:
        """A refused entry only means that the file is fetched without conditions next time."""
        bulk.write(self.client, (self._operation(source, visit, now) for visit in visits if _is_small(visit)))

    def load(self, source: str, urls: Sequence[str]) -> dict[str, FileVersion]:
        if not urls:
            return {}
        ids = [_id(source, url) for url in urls]
        answer = self.client.mget(index=self.index, ids=ids)
        visits = (_file_version(item["_source"]) for item in answer["docs"] if item.get("found"))
        return {visit.url: visit for visit in visits}

    def forget_before(self, moment: str) -> None:
        """Deletes the versions of files that no full run has seen since."""
        query = {"range": {"visited": {"lt": moment}}}
        self.client.delete_by_query(index=self.index, query=query, conflicts="proceed", ignore_unavailable=True)

    def _operation(self, source: str, visit: FileVersion, now: str) -> bulk.Operation:
        fields = {name: value for name, value in asdict(visit).items() if value is not None}
        return bulk.index_operation(self.index, _id(source, visit.url), {**fields, "source": source, "visited": now})


@dataclass(frozen=True, slots=True)
class SourceVersions:
    """Implements indexer.sources.revisited_files.VersionStore for one source.

    ``tag``: how files are read now. ``only_changes`` False, in a full run: versions are stored but not used.
    """

    client: Elasticsearch
    prefix: str
    source: str
    tag: str
    only_changes: bool

    def versions_of(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
        """The versions for conditional requests. Raises core.errors.Unavailable."""
        if not self.only_changes:
            return {}
        visits = FileVersions(self.client, self.prefix).load(self.source, urls)
        same_versions = {url: visit for url, visit in visits.items() if visit.tag == self.tag}
        entries = self._entries([native for visit in same_versions.values() for native in visit.natives])
        return {
            url: visit
            for url, visit in same_versions.items()
            if all(_is_current(entries.get(n)) for n in visit.natives)
        }

    def _entries(self, natives: Sequence[str]) -> dict[str, LedgerEntry]:
        ledger, keys = Ledger(self.client, self.prefix), [entry_key(self.source, native) for native in natives]
        entries: dict[str, LedgerEntry] = {}
        for batch in batched(keys, _AT_ONCE):
            entries |= {entry.native_id: entry for entry in ledger.entries(batch).values()}
        return entries


def _is_current(entry: LedgerEntry | None) -> bool:
    """Whether the ledger has the document as it was read, and not as a duplicate of another one."""
    return entry is not None and entry.state in ("current", "refused") and entry.raw_hash != ""


def _is_small(visit: FileVersion) -> bool:
    return len(visit.natives) <= MOST_NATIVES and len(visit.note or "") <= LONGEST_NOTE


def _id(source: str, url: str) -> str:
    return hashlib.sha256(f"{source} {url}".encode()).hexdigest()


def _file_version(fields: JsonMapping) -> FileVersion:
    natives = fields.get("natives", [])
    return FileVersion(
        fields["url"],
        fields["tag"],
        tuple(natives),
        fields.get("etag"),
        fields.get("last_modified"),
        fields.get("note"),
    )
