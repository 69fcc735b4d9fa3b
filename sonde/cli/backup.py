"""`sonde backup`: takes snapshots of all indices, and restores them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import click

from core.errors import SondeError
from core.json_types import Json
from sonde.cli.screen import plain_table, say, screen
from sonde.ops.backup import LATEST, Backup, Backups
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client

_TIMEOUT_S = 60.0
_REPOSITORY = click.option(
    "--repository", default="backups", show_default=True, help="Snapshot repository of Elasticsearch."
)


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
    for snapshot in _backups(repository).taken():
        table.add_row(snapshot.name, snapshot.taken, snapshot.state, str(sum(snapshot.documents.values())))
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
    say(f"{snapshot.name} of {snapshot.taken} is restored.")
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
