"""Builds the library of users' documents for the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import structlog

from core.document import DocumentEntry
from core.errors import Unavailable, Unsupported
from es_gateway.client import Elasticsearch
from indexer.documents.index import library
from indexer.documents.index.ingest import prepare
from indexer.documents.index.store import DocumentStore
from indexer.documents.parse.limits import DocumentRefused, media_type
from search_api.ask.answerer import Answerer
from search_api.library.entries import LibraryEntries, LibrarySearch
from search_api.library.personal_library import PersonalLibrary, PersonalLibraryParts, Quota
from search_api.search.retrieval.serving import ServingResolver
from sonde.document_settings import LibrarySettings
from sonde.settings import Settings
from sonde.wiring.clients import index_shape
from sonde.wiring.file_store import FolderFiles, kept_readings
from sonde.wiring.models import Models

if TYPE_CHECKING:
    from workers.jobs import Jobs

log = structlog.get_logger(__name__)


def personal_library(
    settings: Settings,
    visible_client: Elasticsearch,
    admin_client: Elasticsearch,
    models: Models,
    jobs: Callable[[], Jobs],
) -> PersonalLibrary:
    """What the views of the library call; connects later. ``visible_client`` reads only what callers may see."""
    files = FolderFiles(settings.library.folder)
    store, readings = DocumentStore(admin_client, settings.index.prefix), kept_readings(settings)

    def delete(entry: DocumentEntry) -> None:
        library.remove_document(entry, store, files, readings)

    @cache
    def make_indices() -> None:
        prepare(admin_client, settings.index.prefix, models.embedder, index_shape(settings))

    return PersonalLibrary(
        PersonalLibraryParts(
            entries=LibraryEntries(visible_client, settings.index.prefix),
            files=files,
            prepare=make_indices,
            enqueue=_enqueue_document(jobs),
            delete=delete,
            retitle=store.retitle,
            media_type=_media_type,
            quota=quota(settings.library),
            accepts_uploads=settings.library.enabled,
        )
    )


def library_search(library: PersonalLibrary, answers: Answerer, resolver: ServingResolver) -> LibrarySearch:
    """``/search`` in a user's documents, with the same passages as answers."""
    return LibrarySearch(answers.retriever, resolver, library.parts.entries)


def quota(uploads: LibrarySettings) -> Quota:
    return Quota(uploads.max_file_bytes, uploads.max_documents, uploads.max_bytes)


def _media_type(data: bytes) -> str:
    try:
        return media_type(data)
    except DocumentRefused as refusal:
        raise Unsupported(str(refusal)) from refusal


def _enqueue_document(jobs: Callable[[], Jobs]) -> Callable[[str], None]:
    def enqueue(document: str) -> None:
        """A broker that is down loses nothing: beat finds queued documents."""
        try:
            jobs().read_document(document)
        except Unavailable as error:
            log.warning("library.queue_down", document=document, reason=str(error))

    return enqueue
