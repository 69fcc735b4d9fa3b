"""`sonde backup`: takes and thins out snapshots of all indices of a prefix, and restores them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import click

from core.errors import NotFound, SondeError
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.names import KINDS, alias
from sonde.cli.options import shown
from sonde.cli.screen import plain_table, say, screen
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client

LATEST = "latest"
_COUNTS, _PREFIX = "sonde_documents", "sonde_prefix"
_HOURS_S, _LOOK_S = 24 * 3600.0, 0.5


@dataclass(frozen=True, slots=True)
class Backup:
    """``started_at``: when the snapshot began, ISO 8601. ``documents``: by index, how many there were then."""

    name: str
    started_at: str
    state: str
    indices: tuple[str, ...]
    documents: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Backups:
    """Those of one prefix in one repository; other snapshots there are never changed."""

    client: Elasticsearch
    repository: str
    prefix: str

    def register(self, body: JsonMapping) -> None:
        """Creates the repository, or changes it to ``body`` (``type``, ``settings``); each node checks that it can
        write there.
        """
        self.client.snapshot.create_repository(name=self.repository, repository=dict(body))

    def take(self, now: datetime) -> Backup:
        """A new, complete backup. Raises SondeError if a shard could not be written; the incomplete snapshot stays.
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
            indices=",".join(self._indices()),  # a pattern would take those of another prefix, such as sonde-test
            include_global_state=False,
            metadata={_PREFIX: self.prefix, _COUNTS: counts},
        )
        snapshot = self._final_state(name)
        if snapshot["state"] != "SUCCESS":
            failed_shards = "; ".join(
                f"{failure['index']}: {failure['reason']}" for failure in snapshot.get("failures", [])[:3]
            )
            raise SondeError(f"The snapshot {name} is not whole ({snapshot['state']}). {failed_shards}")
        return _backup(snapshot)

    def _final_state(self, name: str) -> JsonMapping:
        """Asks again and again: between here and Elasticsearch a connection without traffic may not live for hours."""
        while True:
            (snapshot,) = self.client.snapshot.get(repository=self.repository, snapshot=name)["snapshots"]
            if snapshot["state"] != "IN_PROGRESS":
                return dict(snapshot)
            time.sleep(_LOOK_S)

    def list_backups(self) -> Sequence[Backup]:
        """The backups that were taken, oldest first. Raises NotFound if there is no such repository."""
        self._require_repository()
        snapshots = self.client.snapshot.get(repository=self.repository, snapshot="_all")["snapshots"]
        own_snapshots = (
            snapshot for snapshot in snapshots if (snapshot.get("metadata") or {}).get(_PREFIX) == self.prefix
        )
        return sorted(map(_backup, own_snapshots), key=lambda snapshot: snapshot.started_at)

    def _require_repository(self) -> None:
        repositories = self.client.options(ignore_status=404).snapshot.get_repository(name=self.repository)
        if self.repository not in repositories:
            raise NotFound(
                f"Elasticsearch knows no snapshot repository {self.repository!r}. Create it once, with --register."
            )

    def thin_out(self, keep: int) -> Sequence[str]:
        """Keeps the ``keep`` newest complete backups and deletes older ones, complete or not; returns their names."""
        finished = [backup for backup in self.list_backups() if backup.state != "IN_PROGRESS"]
        complete_backups = [backup for backup in finished if backup.state == "SUCCESS"]
        if len(complete_backups) <= keep:
            return []
        names_to_delete = [backup.name for backup in finished if backup.started_at < complete_backups[-keep].started_at]
        for name in names_to_delete:
            self.client.options(request_timeout=_HOURS_S).snapshot.delete(repository=self.repository, snapshot=name)
        return names_to_delete

    def restore(self, name: str, *, replace: bool = False) -> tuple[Backup, Mapping[str, int]]:
        """All indices and aliases as they were; the documents by index that are there now.

        ``name`` may be ``latest``. Indices of the prefix that exist are deleted first if ``replace``: workers and beat
        must not run. Raises SondeError if some exist otherwise, or a shard could not be read; NotFound for a name that
        is not there.
        """
        backup = self._backup_of(name)
        if present := self._indices():
            if not replace:
                raise SondeError(
                    f"There are indices already, {present[0]} among them. Stop workers and beat, then restore with "
                    "--replace, which deletes them first."
                )
            for index in present:
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

    def _backup_of(self, name: str) -> Backup:
        complete_backups = [backup for backup in self.list_backups() if backup.state == "SUCCESS"]
        for backup in reversed(complete_backups):
            if name in (LATEST, backup.name):
                return backup
        known_note = (
            f"there are {', '.join(backup.name for backup in complete_backups)}"
            if complete_backups
            else "there is none"
        )
        raise NotFound(f"No whole backup {name!r} of {self.prefix} is in {self.repository}; {known_note}.")

    def _counts(self) -> dict[str, int]:
        kinds = [kind for kind in KINDS if self.client.indices.exists_alias(name=alias(self.prefix, kind))]
        if kinds:
            self.client.indices.refresh(index=[alias(self.prefix, kind) for kind in kinds])
        return {kind: int(self.client.count(index=alias(self.prefix, kind))["count"]) for kind in kinds}

    def _indices(self) -> list[str]:
        indices = self.client.indices.get(index=f"{self.prefix}-*", features=["aliases"], allow_no_indices=True)
        own_aliases = {alias(self.prefix, kind) for kind in KINDS}
        return sorted(
            index
            for index, body in indices.items()
            if index.rpartition("-")[0] in own_aliases or own_aliases & {*body["aliases"]}
        )


def _backup(snapshot: JsonMapping) -> Backup:
    metadata = snapshot.get("metadata") or {}
    return Backup(
        snapshot["snapshot"],
        snapshot["start_time"],
        snapshot["state"],
        tuple(snapshot["indices"]),
        metadata.get(_COUNTS, {}),
    )


_TIMEOUT_S = 60.0
_REPOSITORY = shown("--repository", "backups", "Snapshot repository of Elasticsearch.")


@click.group()
def backup() -> None:
    """Back up all indices by Elasticsearch's snapshots, and restore them. Users' files are not among them."""


@backup.command()
@_REPOSITORY
@click.option("--register", help='Create the repository first: {"type": "fs", "settings": {"location": "sonde"}}')
@click.option("--keep", type=click.IntRange(1), help="Delete older backups than so many. Default: none.")
def take(*, repository: str, register: str | None, keep: int | None) -> None:
    """Take a snapshot while the service works. Exit code 2 if it is not whole."""
    backups = _backups(repository)
    if register is not None:
        backups.register(_body(register))
    snapshot = backups.take(datetime.now(UTC))
    say(f"{snapshot.name}: {sum(snapshot.documents.values())} documents in {len(snapshot.indices)} indices.")
    for name in backups.thin_out(keep) if keep is not None else ():
        say(f"{name} is deleted.")


@backup.command("list")
@_REPOSITORY
def list_(*, repository: str) -> None:
    """List the backups of this installation, the oldest first."""
    table = plain_table("name", "taken", "state", "documents", fold=True)
    for snapshot in _backups(repository).list_backups():
        table.add_row(snapshot.name, snapshot.started_at, snapshot.state, str(sum(snapshot.documents.values())))
    screen().print(table)


@backup.command()
@click.argument("name", default=LATEST)
@_REPOSITORY
@click.option("--register", help="Create the repository first, as for `take`.")
@click.option("--replace", is_flag=True, help="Delete the indices that are there. Stop workers and beat before.")
def restore(*, name: str, repository: str, register: str | None, replace: bool) -> None:
    """Restore a backup (default: the latest) with its aliases, and compare the numbers of documents."""
    backups = _backups(repository)
    if register is not None:
        backups.register(_body(register))
    snapshot, counts = backups.restore(name, replace=replace)
    say(f"{snapshot.name} of {snapshot.started_at} is restored.")
    _show(snapshot, counts)


def _show(snapshot: Backup, counts: Mapping[str, int]) -> None:
    for kind, count in counts.items():
        count_before = snapshot.documents.get(kind)
        say(f"{kind}: {count}" + ("" if count_before == count else f" ({count_before} when the backup began)"))


def _backups(repository: str) -> Backups:
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S)
    return Backups(client, repository, settings.index.prefix)


def _body(text: str) -> Json:
    try:
        body = json.loads(text)
    except ValueError as error:
        raise SondeError(f"--register is no JSON: {error}") from error
    if not isinstance(body, dict) or "type" not in body:
        raise SondeError('--register needs a JSON object with "type" and "settings".')
    return body


COMMANDS = (backup,)
