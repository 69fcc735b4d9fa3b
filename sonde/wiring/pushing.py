"""Writes pushed records for the API: one writer per record at a time, and not while its source is being harvested."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from core.document import PUBLIC, DocumentEntry, document_of_record
from core.errors import Conflict, InvalidInput, NotFound, Unavailable
from core.record import Record, id_of_address
from es_gateway.blocks import WriteBlock, explain
from es_gateway.errors import WritesBlocked
from indexer.documents.index.store import DocumentStore
from indexer.parts import HarvestParts
from indexer.raw import RecordRefused
from indexer.write import push
from search_api.parts import Check, unchecked
from sonde.settings import Settings
from workers.lease import Leases
from workers.sources_file import source_entries

log = structlog.get_logger(__name__)
_PATIENCE_S = 5.0
_PAUSE_S = 0.05


def groups_of_source(settings: Settings, source: str) -> tuple[str, ...] | None:
    """The groups that may see the source's records now; empty: everybody; None: nothing says so.

    Raises SondeError where the file cannot be read: the groups are then unknown, and nothing may be written openly.
    """
    try:
        config = source_entries(settings.harvest.sources).get(source)
    except NotFound:
        return None
    return None if config is None else config.access.groups


@dataclass(slots=True)
class Pusher:
    """``prepare`` creates missing indices; called once, before the first record. ``blocks``: what stops writes, so that
    a caller learns it at once and not after all retries. ``groups_of``: the groups that may see the records of a
    source, empty for everybody; None: nothing says, so records keep theirs. ``remove_document`` removes a document
    completely.

    Without a broker there are no harvests; writers of this process then take turns, and it must be the only process.
    """

    parts: HarvestParts
    leases: Leases
    prepare: Callable[[], object]
    groups_of: Callable[[str], tuple[str, ...] | None]
    remove_document: Callable[[DocumentEntry], None]
    blocks: Callable[[], Sequence[WriteBlock]] = tuple
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _is_prepared: bool = False

    def put(
        self, source: str, id: str, content: bytes, media_type: str | None, check: Check = unchecked
    ) -> tuple[str, bool]:
        """See search_api.parts.RecordSink."""
        self.ready()
        record = id_of_address(source, id)
        with self.exclusive(source, record):
            check(record)
            try:
                document = push.PushedDocument(record, content, media_type, self.groups_of(source))
                result = push.put(source, document, self.parts)
            except RecordRefused as refusal:
                raise InvalidInput("body", f"body: {refusal}") from None
        return result.record, result.created

    def delete(self, source: str, id: str, check: Check = unchecked) -> None:
        """See search_api.parts.RecordSink."""
        self.ready()
        record = id_of_address(source, id)
        with self.exclusive(source, record):
            check(record)
            document = self._document_of(record)
            if document is not None:
                self.remove_document(document)
            else:
                push.delete(source, record, self.parts)

    def _document_of(self, record: str) -> DocumentEntry | None:
        """The public document that is found by this record; None for any other record."""
        id = document_of_record(record)
        entry = DocumentStore(self.parts.client, self.parts.prefix).entry(id) if id else None
        return entry if entry is not None and entry.owner == PUBLIC else None

    def read(self, source: str, content: bytes, media_type: str | None) -> Record:
        """See search_api.parts.RecordSink."""
        try:
            return push.read(source, content, media_type, self.parts)
        except RecordRefused as refusal:
            raise InvalidInput("body", f"body: {refusal}") from None

    def holds(self, source: str, id: str) -> bool:
        """See search_api.parts.RecordSink."""
        self.ready()
        return push.holds(source, id_of_address(source, id), self.parts)

    def ready(self) -> None:
        """Creates missing indices before the first write. Raises WritesBlocked while Elasticsearch is read-only."""
        if blocks := self.blocks():
            raise WritesBlocked(explain(blocks))
        with self._turn:
            if not self._is_prepared:
                self.prepare()
                self._is_prepared = True

    @contextmanager
    def exclusive(self, source: str, record: str) -> Iterator[None]:
        """Holds the record for one writer.

        Raises Conflict if the source is being harvested, or another writer holds the record for too long.
        """
        try:
            is_being_harvested = self.leases.is_held(source)
        except Unavailable:
            log.info("push.without_broker", source=source)
            with self._turn:
                yield
            return
        if is_being_harvested:
            raise Conflict(f"{source} is being harvested now; push again when that is done (/harvest/runs shows it).")
        until = time.monotonic() + _PATIENCE_S
        while True:
            with self.leases.hold(f"push:{record}") as lease:
                if lease is not None:
                    yield
                    return
            if time.monotonic() > until:
                raise Conflict(f"{record} is being written by somebody else; push again in a moment.")
            time.sleep(_PAUSE_S)
