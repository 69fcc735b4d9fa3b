"""Reading of users' own documents in slices, the users in turn: the work of the ``library`` queue.

A message is a turn, not a document: the worker that takes it serves the user whose last turn is longest ago. So two
large files of one user delay no other user. The queue has as many turns as there are unread documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import redis

from core.document import owner_routing
from workers.broker import broker_errors
from workers.slices import Worker

_TURNS_KEPT_S = 86_400


@dataclass(frozen=True, slots=True)
class UserTurns:
    """When each user was served last, as numbers that all workers count up together in Redis."""

    client: redis.Redis
    prefix: str

    def in_order(self, owners: Iterable[str]) -> list[str]:
        """The user whose last turn is longest ago first; then by name."""
        by_name = sorted(owners)
        if not by_name:
            return []
        with broker_errors():
            last_turns = self.client.zmscore(self._key, [owner_routing(owner) for owner in by_name])
        return [owner for _, owner in sorted(zip((last_turn or 0.0 for last_turn in last_turns), by_name, strict=True))]

    def take(self, owner: str) -> None:
        with broker_errors():
            number = int(self.client.incr(f"{self._key}:count"))
            self.client.zadd(self._key, {owner_routing(owner): number})
            self.client.expire(self._key, _TURNS_KEPT_S)

    def waiting_count(self) -> int:
        """The turns in the queue."""
        with broker_errors():
            return int(self.client.llen(f"{self.prefix}:library"))

    @property
    def _key(self) -> str:
        return f"{self.prefix}:turns"


def read_turn(worker: Worker) -> str | None:
    """Reads a slice of one document; returns a document to name in the next turn, None if enough turns wait.

    A lease keeps two workers from the same document.
    """
    library = worker.parts.library
    if library is None:
        return None
    turns_of_users = UserTurns(worker.leases.client, worker.config.prefix)
    unread = library.unread()
    in_order = turns_of_users.in_order(unread)
    for owner, document in ((name, document) for name in in_order for document in unread[name]):
        with worker.leases.hold(_lease(document)) as lease:
            if lease is None:
                continue
            turns_of_users.take(owner)
            worker.leases.clear_requeued(_lease(document))
            library.read(document, worker.config.library_slice_s)
            break
    remaining = [document for documents in library.unread().values() for document in documents]
    return remaining[0] if remaining and turns_of_users.waiting_count() < len(remaining) else None


def repair_library(worker: Worker, queue: Callable[[str], object]) -> None:
    """Repairs the library after a crash or a dead worker. Queues a document at most once until a worker takes it."""
    if worker.parts.library is None:
        return

    def requeue(document: str) -> bool:
        if not worker.leases.mark_requeued(_lease(document), worker.config.visibility_timeout_s):
            return False
        queue(document)
        return True

    worker.parts.library.repair_library(lambda document: worker.leases.is_held(_lease(document)), requeue)


def _lease(document: str) -> str:
    return f"document:{document}"
