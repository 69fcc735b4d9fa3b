"""The configuration of a worker, its queues, and the names of its tasks. Imports neither Celery nor the tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

HARVEST_TASK = "sonde.harvest_source"
EMBED_TASK = "sonde.embed_records"
REQUEUE_TASK = "sonde.requeue_lapsed"
REREAD_TASK = "sonde.reread_sources"
PURGE_TASK = "sonde.purge_removed"
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
"""Users' documents: in a queue of their own, so that nobody waits for the documents of a catalogue."""


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
