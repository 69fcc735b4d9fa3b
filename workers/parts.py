"""The parts that `sonde` gives to the tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.ports import Embedder
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from indexer.documents.linked import Followed
from indexer.documents.repair_library import Repairs
from indexer.raw import Source
from workers.source_config import SourceConfig


@dataclass(frozen=True, slots=True)
class LibraryWork:
    """``read`` reads a queued document of a user.

    ``repair_library`` finishes what was left half done. It asks whether a worker has a document now, and puts a
    document in the queue again (False where it just was).
    """

    read: Callable[[str], None]
    repair_library: Callable[[Callable[[str], bool], Callable[[str], bool]], Repairs]


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """``embedder`` loads the model of a name when it is first called (and keeps it); ``open_source``: a catalogue.

    ``follow_links`` reads what the records of a source link to, ``check_links`` asks whether it is still there; each
    for so many seconds.
    The second argument of ``open_source`` is the moment since when changes are wanted, None for everything.
    """

    client: Elasticsearch
    open_source: Callable[[SourceConfig, str | None], Source]
    embedder: Callable[[str], Embedder] | None = None
    follow_links: Callable[[SourceConfig, float], Followed] | None = None
    library: LibraryWork | None = None
    check_links: Callable[[str, float], RunReport] | None = None
