"""Builds the reading of documents from the settings, for the command line and the workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from core.document import PUBLIC, DocumentEntry
from core.errors import NotFound
from encoders.segmenter import load_segmenter
from es_gateway.client import Elasticsearch
from indexer.confinement import hide_from_children
from indexer.documents.index import library, repair_library
from indexer.documents.index.attempts import UnfinishedReadings, delete_interrupted
from indexer.documents.index.ingest import IncomingDocument, IngestResult, ingest, prepare
from indexer.documents.index.linked_documents import FollowResult, follow_links
from indexer.documents.index.registries import Registries, RegistryAddresses, RegistryName
from indexer.documents.index.steps import DocumentProgress, IngestParts, PassageReader, no_progress
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse.limits import DocumentRefused, Limits
from indexer.documents.segment.passages import uniform_coherence
from net.gate import Gate
from reading.places import PlaceReader
from reading.times import TimeReader
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client, index_shape, prepare_indices
from sonde.wiring.file_store import FolderFiles, file_keeper, unfinished_readings_of
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S
from sonde.wiring.models import Models
from sonde.wiring.part_watch import ocr_of
from workers.config import LibraryWork, WorkerParts
from workers.source_config import SourceConfig

_MIB = 1024 * 1024


def library_work(
    settings: Settings,
    client: Elasticsearch,
    reading: Callable[[], IngestParts],
    gate: Callable[[], Gate],
    readings: UnfinishedReadings | None,
) -> LibraryWork:
    """The workers' tasks for users' documents; ``reading`` makes its parts at the first task."""
    files = FolderFiles(settings.library.folder)
    uploads = settings.library

    def read_document(document: str, seconds: float) -> None:
        reading_now = library.LibraryReading(reading(), files, gate, uploads.max_file_bytes, uploads.max_bytes)
        library.read_queued(document, reading_now, seconds)

    def repair(is_read: Callable[[str], bool], enqueue: Callable[[str], bool]) -> repair_library.Repairs:
        return repair_library.repair_library(
            DocumentStore(client, settings.index.prefix),
            files,
            repair_library.Queue(is_read, enqueue),
            unfinished_readings=readings,
        )

    def unread() -> dict[str, list[str]]:
        return DocumentStore(client, settings.index.prefix).unread()

    return LibraryWork(unread, read_document, repair)


def document_parts(settings: Settings, models: Models, client: Elasticsearch) -> IngestParts:
    """The parts for reading and indexing documents. Raises ModelMissing if a configured segmenter does not exist."""
    documents = settings.documents
    coherence = load_segmenter(documents.segmenter, settings.models.folder) if documents.segmenter else None
    return IngestParts(
        client=client,
        prefix=settings.index.prefix,
        embedder=models.embedder,
        reader=passage_reader(models),
        limits=reading_limits(settings),
        ocr=ocr_of(settings),
        coherence=coherence or uniform_coherence,
        segmenter=coherence.digest if coherence is not None else "",
        keep_file=file_keeper(settings),
        registries=registries(settings, partial(models.gates, "registries")),
        unfinished=unfinished_readings_of(settings),
    )


def reading_limits(settings: Settings) -> Limits:
    """What one document may cost."""
    documents = settings.documents
    return Limits(
        seconds=documents.seconds,
        memory_bytes=documents.memory_mib * _MIB,
        max_bytes=documents.max_mib * _MIB,
        max_pages=documents.max_pages,
    )


def registries(settings: Settings, gate: Callable[[], Gate]) -> Registries | None:
    """None if no registry is asked: by the settings, or because they name no contact."""
    asked_registries = settings.registries
    if asked_registries.ask == "none" or not settings.net.contact:
        return None
    urls: dict[RegistryName, str] = {  # asked in this order, until one knows the DOI
        "crossref": asked_registries.crossref_url,
        "datacite": asked_registries.datacite_url,
    }
    addresses = RegistryAddresses(urls, settings.net.contact)
    return Registries(addresses, gate, private=asked_registries.ask == "all")


def passage_reader(models: Models) -> PassageReader:
    """Reads the places and times that a passage names."""
    return PassageReader(PlaceReader(models.gazetteer), TimeReader())


def with_documents(parts: WorkerParts, settings: Settings) -> WorkerParts:
    """A worker's parts with link following; its own parts are made at the first such task."""
    models = Models(settings)
    embedder = parts.embedder or models.embedder

    @cache
    def reading() -> IngestParts:
        prepare(parts.client, settings.index.prefix, models.embedder, index_shape(settings))
        return replace(document_parts(settings, models, parts.client), embedder=embedder)

    def follow(source: SourceConfig, seconds: float) -> FollowResult:
        return follow_links(source.id, source.documents, reading(), models.gates("records"), seconds=seconds)

    work = library_work(
        settings, parts.client, reading, partial(models.gates, "users"), unfinished_readings_of(settings)
    )
    return replace(parts, follow_links=follow, library=work)


class DocumentIngester:
    """Ingests files from the command line as public passages."""

    def __init__(self, settings: Settings, models: Models | None = None) -> None:
        hide_from_children()
        models = models or Models(settings)
        client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
        prepare_indices(client, settings, models)
        prepare(client, settings.index.prefix, models.embedder, index_shape(settings))
        self._parts = document_parts(settings, models, client)
        delete_interrupted(DocumentStore(client, settings.index.prefix))

    def file(
        self, path: Path, record: str | None = None, progress: DocumentProgress = no_progress, *, retry: bool = False
    ) -> IngestResult:
        """One file; ``retry`` reads it even if it is parked. Raises NotFound if the file or the record does not
        exist.
        """
        origin = path.resolve()
        if not origin.is_file():
            raise NotFound(f"{path} is not a file.")
        if origin.stat().st_size > self._parts.limits.max_bytes:
            refusal = DocumentRefused("too_large", f"The file has {origin.stat().st_size:,} bytes.")
            entry = DocumentEntry(
                "", PUBLIC, str(origin), path.name, "failed", reason="too_large", message=str(refusal)
            )
            return IngestResult(entry)
        document = IncomingDocument(origin.read_bytes(), str(origin), path.name, record=record, retry=retry)
        return ingest(document, self._parts, progress)
