"""The configuration of a worker, its queues, and the names of its tasks. Imports neither Celery nor the tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from core.document import DocumentEntry
from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from indexer.parts import no_lists
from reading.concepts import NameLists

HARVEST_TASK = "sonde.harvest_source"
EMBED_TASK = "sonde.embed_records"
REQUEUE_TASK = "sonde.requeue_lapsed"
REREAD_TASK = "sonde.reread_sources"
PURGE_TASK = "sonde.purge_removed"
REMOVE_TASK = "sonde.remove_source"
INHERIT_TASK = "sonde.inherit_again"
"""In the queue ``harvest``: it takes seconds, and filters should not wait for hours of reading."""
DOCUMENTS_TASK = "sonde.read_linked_documents"
READ_TASK = "sonde.read_document"
REPAIR_LIBRARY_TASK = "sonde.tidy_library"
LINKS_TASK = "sonde.check_links"
ALL_LINKS_TASK = "sonde.check_all_links"
MATCH_TASK = "sonde.match_saved_searches"
SEND_TASK = "sonde.send_alerts"
MEASURE_TASK = "sonde.measure_answers"

OF_DOCUMENTS_QUEUE = (DOCUMENTS_TASK, LINKS_TASK, ALL_LINKS_TASK)
OF_LIBRARY_QUEUE = (READ_TASK, REPAIR_LIBRARY_TASK)
"""Users' documents have their own queue, so that users do not wait for documents of catalogues."""


Queue = Literal["harvest", "documents", "library", "embed"]
QUEUES: tuple[Queue, ...] = get_args(Queue)


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Times in seconds. A slice ends well before the task limit, and the task limit ends before the broker gives the
    message to another worker. Raises ValueError if these times do not fit together.

    ``library_slice_s``: how long one document of a user is read before another user's document has its turn.
    ``lease_s``: another worker may take the source after this time without a renewal; the owner renews it every
    ``heartbeat_s``. ``requeue_every_s`` and ``reread_every_s``: how often beat checks for lapsed runs and reads the
    sources file. ``links_every_s``: how often all links of all records are checked; 0: never.
    ``alerts_hour`` and ``measure_hour``: when saved searches are matched, and when the answers are measured (0 to 23,
    UTC); None: never. ``memory_bytes``: the limit of each process; None: none.
    """

    broker_url: str
    prefix: str
    sources: Path
    visibility_timeout_s: int = 1800
    slice_s: float = 240.0
    library_slice_s: float = 20.0
    lease_s: float = 15.0
    heartbeat_s: float = 5.0
    requeue_every_s: float = 5.0
    reread_every_s: float = 60.0
    batch: int = 256
    max_removal_share: float = 0.2
    links_every_s: float = 0.0
    alerts_hour: int | None = None
    measure_hour: int | None = None
    memory_bytes: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.heartbeat_s <= 20:
            raise ValueError("heartbeat_s must be above 0 and at most 20 seconds")
        if self.lease_s < 2.5 * self.heartbeat_s:
            raise ValueError("lease_s must be at least 2.5 times heartbeat_s, so that one missed beat loses nothing")
        if self.slice_s >= self.task_limit_s:
            raise ValueError("slice_s must end before three quarters of visibility_timeout_s")

    @property
    def task_limit_s(self) -> float:
        """A task that takes longer is killed. Its run lapses, and a worker continues it."""
        return 0.75 * self.visibility_timeout_s


if TYPE_CHECKING:  # the API makes some of these parts, without Celery and the protocols
    from indexer.documents.index.linked_documents import FollowResult
    from indexer.documents.index.repair_library import Repairs
    from indexer.raw import Source
    from workers.source_config import SourceConfig


@dataclass(frozen=True, slots=True)
class LibraryWork:
    """``unread``: the documents of each user that are not finished, the one that waits longest first. ``read`` reads
    one of them for a number of seconds.

    ``repair_library`` finishes interrupted work. It asks whether a worker has a document now, and queues a document
    again (False if it was queued just now).
    """

    unread: Callable[[], Mapping[str, Sequence[str]]]
    read: Callable[[str, float], None]
    repair_library: Callable[[Callable[[str], bool], Callable[[str], bool]], Repairs]


@dataclass(frozen=True, slots=True)
class AlertWork:
    """Saved searches: ``match`` continues the matching of new records, ``send`` sends what is due; each for a number
    of seconds. They return whether there is more.
    """

    match: Callable[[float], bool]
    send: Callable[[float], bool]


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """``embedder`` loads the model with a name at its first call (and keeps it); ``open_source``: a catalogue.

    ``follow_links`` reads what the records of a source link to, ``check_links`` checks the links; each for a number of
    seconds. The second argument of ``open_source`` is the start time of the requested changes, None for everything.
    ``remove_document`` removes a document completely.
    ``alerts`` None: there are no saved searches. ``measure`` asks the judged questions of the running index.
    ``name_lists``: the loaded lists of names, which records then use.
    """

    client: Elasticsearch
    open_source: Callable[[SourceConfig, str | None], Source]
    remove_document: Callable[[DocumentEntry], None]
    embedder: Callable[[str], Embedder] | None = None
    follow_links: Callable[[SourceConfig, float], FollowResult] | None = None
    library: LibraryWork | None = None
    check_links: Callable[[str, float], RunReport] | None = None
    alerts: AlertWork | None = None
    measure: Callable[[], None] | None = None
    name_lists: Callable[[], NameLists] = no_lists
