"""The parts that `sonde` passes to the tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from indexer.parts import no_lists
from reading.concepts import NameLists

if TYPE_CHECKING:  # the API makes some of these parts, without Celery and the protocols
    from indexer.documents.index.linked import FollowResult
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
    """Saved searches: ``match`` goes on with the matching of new records, ``send`` sends what is due; each for a number
    of seconds. They return whether there is more.
    """

    match: Callable[[float], bool]
    send: Callable[[float], bool]


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """``embedder`` loads the model with a name at its first call (and keeps it); ``open_source``: a catalogue.

    ``follow_links`` reads what the records of a source link to, ``check_links`` checks the links; each for a number of
    seconds. The second argument of ``open_source`` is the start time of the requested changes, None for everything.
    ``alerts`` None: nobody saves searches here. ``measure`` asks the judged questions of the running index.
    ``name_lists``: the loaded lists of names, which records then use.
    """

    client: Elasticsearch
    open_source: Callable[[SourceConfig, str | None], Source]
    embedder: Callable[[str], Embedder] | None = None
    follow_links: Callable[[SourceConfig, float], FollowResult] | None = None
    library: LibraryWork | None = None
    check_links: Callable[[str, float], RunReport] | None = None
    alerts: AlertWork | None = None
    measure: Callable[[], None] | None = None
    name_lists: Callable[[], NameLists] = no_lists
