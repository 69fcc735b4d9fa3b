"""Users' documents as the front door puts them together: the shelf of the API, the reading of the workers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import redis
import structlog
from celery import Celery
from kombu.exceptions import OperationalError

from core.document import DocumentEntry
from core.errors import SondeError, Unsupported
from es_gateway.client import Elasticsearch
from indexer.documents import library, tidy
from indexer.documents.detect_format import media_type
from indexer.documents.failures import DocumentRefused
from indexer.documents.ingest import IngestParts, prepare
from indexer.documents.store import DocumentStore
from net.gate import Gate
from search_api.answers.answerer import Answerer
from search_api.library.entries import LibraryEntries
from search_api.library.search import LibrarySearch
from search_api.library.shelf import Quota, Shelf, ShelfParts
from search_api.serving import ServingResolver
from sonde.file_store import FolderFiles
from sonde.settings import LibrarySettings, Settings
from sonde.worker_settings import worker_config
from workers.app import create_celery
from workers.documents import READ_TASK
from workers.parts import LibraryWork, WorkerParts

if TYPE_CHECKING:  # wiring imports this module
    from sonde.wiring import Models

log = structlog.get_logger(__name__)

_MIB = 1024 * 1024
_ANSWER_S = 5


def shelf(settings: Settings, seen: Elasticsearch, all_of_it: Elasticsearch, models: Models) -> Shelf:
    """What the views of the library call; opens no connection yet. ``seen``: the client of what callers may see."""
    files = FolderFiles(settings.library.folder)
    store = DocumentStore(all_of_it, settings.index.prefix)

    def take_away(entry: DocumentEntry) -> None:
        library.take_away(entry, store, files)

    @cache
    def make_indices() -> None:
        prepare(all_of_it, settings.index.prefix, models.embedder, settings.index.vector_index)

    return Shelf(
        ShelfParts(
            entries=LibraryEntries(seen, settings.index.prefix),
            files=files,
            prepare=make_indices,
            read_soon=_read_soon(settings),
            take_away=take_away,
            media_type=_media_type,
            quota=quota(settings.library),
            takes_more=settings.library.enabled,
        )
    )


def library_search(chosen: Shelf, answers: Answerer, resolver: ServingResolver) -> LibrarySearch:
    """``/search`` in a user's documents, by the passages that answers are made from."""
    return LibrarySearch(answers.retriever, resolver, chosen.parts.entries)


def quota(given: LibrarySettings) -> Quota:
    return Quota(given.max_file_mib * _MIB, given.max_documents, given.max_mib * _MIB)


def library_work(
    settings: Settings, client: Elasticsearch, reading: Callable[[], IngestParts], gate: Callable[[], Gate]
) -> LibraryWork:
    """What the workers do for users' documents; ``reading`` makes its parts at the first of them."""
    files = FolderFiles(settings.library.folder)
    most = quota(settings.library)

    def read(document: str) -> None:
        library.read_queued(document, library.Shelf(reading(), files, gate, most.file_bytes, most.bytes))

    def mend(is_read: Callable[[str], bool], again: Callable[[str], bool]) -> tidy.Tidied:
        return tidy.tidy(DocumentStore(client, settings.index.prefix), files, tidy.Queue(is_read, again))

    return LibraryWork(read, mend)


def _media_type(data: bytes) -> str:
    try:
        return media_type(data)
    except DocumentRefused as refused:
        raise Unsupported(str(refused)) from refused


def _read_soon(settings: Settings) -> Callable[[str], None]:
    @cache
    def app() -> Celery:
        made = create_celery(worker_config(settings), _no_worker)
        limits = {"socket_timeout": _ANSWER_S, "socket_connect_timeout": _ANSWER_S}
        made.conf.broker_transport_options = {**made.conf.broker_transport_options, **limits}
        made.conf.task_publish_retry = False
        return made

    def read_soon(document: str) -> None:
        """A broker that is down loses nothing: the clockwork finds what is queued."""
        try:
            app().send_task(READ_TASK, args=[document])
        except (redis.RedisError, OperationalError) as error:
            log.warning("library.queue_down", document=document, reason=type(error).__name__)

    return read_soon


def _no_worker() -> WorkerParts:
    raise SondeError("The API runs no tasks.")
