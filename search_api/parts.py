"""The parts of the app; ``sonde/wiring`` builds them, tests build their own.

``RecordSink`` is the port for pushed records; its implementation uses the indexer, which this package does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from prometheus_client import generate_latest

from core.access import Authenticator
from core.record import Record
from search_api.ask.answerer import Answerer
from search_api.catalogue.catalogues import Catalogues
from search_api.catalogue.documents.reader import DocumentFiles, DocumentReader
from search_api.catalogue.fair.reader import FairReader
from search_api.catalogue.federation import Federation
from search_api.catalogue.granules.searches import GranuleSearches
from search_api.catalogue.listing import RecordReader
from search_api.catalogue.previews import Previews
from search_api.catalogue.related.citations import CitationEvents, MentionReader
from search_api.catalogue.related.relations import RelationReader
from search_api.catalogue.rows.tables import TableReader
from search_api.http.limits import NO_LIMITS, AdmissionLimits, LimitPolicy
from search_api.http.responses import HttpPolicy
from search_api.library.entries import LibrarySearch
from search_api.library.notebooks import Notebooks
from search_api.library.personal_library import PersonalLibrary
from search_api.page.shell import PortalLook
from search_api.search.flow import SearchPipeline
from search_api.search.query_log import QueryLog
from search_api.search.retrieval.serving import ReadinessReport, ServingResolver
from search_api.search.suggester import Suggester
from search_api.stewards.alerts.desk import AlertDesk
from search_api.stewards.curation.desk import CurationDesk
from search_api.stewards.harvests import Harvests
from search_api.stewards.insight import MeasurementStore, QualityOf, QuestionReader, RecordTexts

Check = Callable[[str], None]
"""Called with the record's full id before it is written, under the lock; an exception stops the write."""


def unchecked(record: str) -> None:
    """Writes without a condition."""


class RecordSink(Protocol):
    """Writes single documents to a source and deletes them. ``id``: a full record id, or the name within the source.

    Both raise core.errors.Conflict if the source or the record is being written by another process, Unavailable, and
    the errors of ``check``.
    """

    def put(
        self, source: str, id: str, content: bytes, media_type: str | None, check: Check = unchecked
    ) -> tuple[str, bool]:
        """The record's full id, and whether it is new; searchable when this returns.

        Raises InvalidInput (parameter ``body``) if the body is not one record of a known format.
        """
        ...

    def delete(self, source: str, id: str, check: Check = unchecked) -> None:
        """Raises NotFound."""
        ...

    def read(self, source: str, content: bytes, media_type: str | None) -> Record:
        """What the document describes, without writing it; ``identifier`` is empty if it names none.

        Raises InvalidInput (parameter ``body``).
        """
        ...

    def holds(self, source: str, id: str) -> bool:
        """Whether the record exists, even if the caller may not see it."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that a view may call."""

    search: SearchPipeline
    serving: ServingResolver
    readiness: Callable[[], ReadinessReport]
    version: str
    records: RecordReader
    catalogues: Catalogues
    suggester: Suggester
    http: HttpPolicy
    answerer: Answerer
    personal_library: PersonalLibrary
    library: LibrarySearch
    notebooks: Notebooks
    documents: DocumentReader
    document_files: DocumentFiles
    harvests: Harvests
    pushed: RecordSink
    curation: CurationDesk
    queries: QueryLog
    questions: QuestionReader
    texts: RecordTexts
    relations: RelationReader
    mentions: MentionReader
    citations: CitationEvents
    record_quality: QualityOf
    fair: FairReader
    alerts: AlertDesk
    measurements: MeasurementStore
    now_ms: Callable[[], int]
    authenticator: Authenticator
    limits: AdmissionLimits = field(default_factory=AdmissionLimits)
    metrics: Callable[[], bytes] = generate_latest
    rates: LimitPolicy = NO_LIMITS
    embeddings_characters: int = 100_000
    broken_links: Callable[[str], frozenset[str]] = lambda _source: frozenset()
    """Of a source, by its id: addresses that led nowhere at the last check."""
    portal: PortalLook = field(default_factory=PortalLook)
    previews: Previews = field(default_factory=lambda: Previews(None))
    granules: GranuleSearches = field(default_factory=lambda: GranuleSearches(None))
    tables: TableReader = field(default_factory=lambda: TableReader(None))
    federation: Federation = field(default_factory=Federation)
