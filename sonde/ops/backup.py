"""Backups: snapshots of all indices of a prefix in a repository of Elasticsearch, taken, thinned out and restored."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from core.errors import NotFound, SondeError
from core.json_types import JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.names import KINDS, alias

LATEST = "latest"
_COUNTS, _PREFIX = "sonde_documents", "sonde_prefix"
_HOURS_S, _LOOK_S = 24 * 3600.0, 0.5


@dataclass(frozen=True, slots=True)
class Backup:
    """``documents``: by index, how many there were when the snapshot began."""

    name: str
    taken: str
    state: str
    indices: tuple[str, ...]
    documents: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Backups:
    """Those of one prefix in one repository; other snapshots there are left alone."""

    client: Elasticsearch
    repository: str
    prefix: str

    def register(self, body: JsonMapping) -> None:
        """Creates the repository, or changes it to ``body`` (``type``, ``settings``); each node checks that it can
        write there.
        """
        self.client.snapshot.create_repository(name=self.repository, repository=dict(body))

    def take(self, now: datetime) -> Backup:
        """A new one, whole. Raises SondeError if a shard could not be written; what was is kept, and not counted.
        Raises NotFound if there is no such repository.
        """
        counts = self._counts()
        if not counts:
            raise SondeError(f"There is nothing to back up: no index has the prefix {self.prefix}.")
        self._require_repository()
        name = f"{self.prefix}-{now.astimezone(UTC):%Y%m%d-%H%M%S}"
        self.client.snapshot.create(
            repository=self.repository,
            snapshot=name,
            indices=f"{self.prefix}-*",
            include_global_state=False,
            metadata={_PREFIX: self.prefix, _COUNTS: counts},
        )
        found = self._ended(name)
        if found["state"] != "SUCCESS":
            failed = "; ".join(f"{one['index']}: {one['reason']}" for one in found.get("failures", [])[:3])
            raise SondeError(f"The snapshot {name} is not whole ({found['state']}). {failed}")
        return _backup(found)

    def _ended(self, name: str) -> JsonMapping:
        """Asks again and again: between here and Elasticsearch a connection without traffic may not live for hours."""
        while True:
            (found,) = self.client.snapshot.get(repository=self.repository, snapshot=name)["snapshots"]
            if found["state"] != "IN_PROGRESS":
                return dict(found)
            time.sleep(_LOOK_S)

    def taken(self) -> Sequence[Backup]:
        """The oldest first. Raises NotFound if there is no such repository."""
        self._require_repository()
        found = self.client.snapshot.get(repository=self.repository, snapshot="_all")["snapshots"]
        own = (one for one in found if (one.get("metadata") or {}).get(_PREFIX) == self.prefix)
        return sorted(map(_backup, own), key=lambda one: one.taken)

    def _require_repository(self) -> None:
        found = self.client.options(ignore_status=404).snapshot.get_repository(name=self.repository)
        if self.repository not in found:
            raise NotFound(
                f"Elasticsearch knows no snapshot repository {self.repository!r}. Create it once, with --register."
            )

    def thin_out(self, keep: int) -> Sequence[str]:
        """Deletes whole ones older than the ``keep`` newest whole ones, and unfinished ones older than these; names."""
        there = [one for one in self.taken() if one.state != "IN_PROGRESS"]
        whole = [one for one in there if one.state == "SUCCESS"]
        if len(whole) <= keep:
            return []
        gone = [one.name for one in there if one.taken < whole[-keep].taken]
        for name in gone:
            self.client.options(request_timeout=_HOURS_S).snapshot.delete(repository=self.repository, snapshot=name)
        return gone

    def restore(self, name: str, *, replace: bool = False) -> tuple[Backup, Mapping[str, int]]:
        """All indices and aliases as they were; the documents by index that are there now.

        ``name`` may be ``latest``. Indices of the prefix that exist are deleted first if ``replace``: workers and beat
        must not run. Raises SondeError if some exist otherwise, or a shard could not be read; NotFound for a name that
        is not there.
        """
        backup = self._named(name)
        if there := self._indices():
            if not replace:
                raise SondeError(
                    f"There are indices already, {there[0]} among them. Stop workers and beat, then restore with "
                    "--replace, which deletes them first."
                )
            for index in there:
                self.client.indices.delete(index=index)
        answer = self.client.options(request_timeout=_HOURS_S).snapshot.restore(
            repository=self.repository,
            snapshot=backup.name,
            indices=",".join(backup.indices),
            include_global_state=False,
            include_aliases=True,
            wait_for_completion=True,
        )
        shards = answer["snapshot"]["shards"]
        if shards["failed"]:
            raise SondeError(f"{shards['failed']} of {shards['total']} shards of {backup.name} were not restored.")
        return backup, self._counts()

    def _named(self, name: str) -> Backup:
        whole = [one for one in self.taken() if one.state == "SUCCESS"]
        for one in reversed(whole):
            if name in (LATEST, one.name):
                return one
        known = f"there are {', '.join(one.name for one in whole)}" if whole else "there is none"
        raise NotFound(f"No whole backup {name!r} of {self.prefix} is in {self.repository}; {known}.")

    def _counts(self) -> dict[str, int]:
        there = [kind for kind in KINDS if self.client.indices.exists_alias(name=alias(self.prefix, kind))]
        if there:
            self.client.indices.refresh(index=[alias(self.prefix, kind) for kind in there])
        return {kind: int(self.client.count(index=alias(self.prefix, kind))["count"]) for kind in there}

    def _indices(self) -> list[str]:
        found = self.client.indices.get(index=f"{self.prefix}-*", features=["aliases"], allow_no_indices=True)
        ours = {alias(self.prefix, kind) for kind in KINDS}
        return sorted(
            index for index, body in found.items() if index.rpartition("-")[0] in ours or ours & {*body["aliases"]}
        )


def _backup(found: JsonMapping) -> Backup:
    metadata = found.get("metadata") or {}
    return Backup(
        found["snapshot"], found["start_time"], found["state"], tuple(found["indices"]), metadata.get(_COUNTS, {})
    )
