"""``python -m lab.operating``: rehearses restoring a backup into an empty Elasticsearch, and upgrades (``upgrade``)."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import click
import httpx

from core.errors import SondeError
from lab.chaos.harvests import catalogue_server
from lab.cluster.chaos_cluster import made_titles
from lab.operating.filling import (
    SAMPLES,
    User,
    compare_contents,
    contents,
    fill,
    folder_of_files,
    write_sources,
)
from lab.operating.release import CHECKOUT, Release, own_stack, this_release
from lab.operating.upgrade import upgrade
from lab.waiting import wait_until
from local_stack.accounts import node_folder, unprivileged_account
from sonde.cli.options import FOLDER, PRESENT_FILE
from sonde.cli.screen import ended_by_signals
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client

_QUESTIONS = ("rainfall in southern Africa since 1990", "sea surface temperature", "glaciers of the Alps", "bathymetry")
_FOLDER_OF_SNAPSHOTS = json.dumps({"type": "fs", "settings": {"location": "sonde"}})
_REPOSITORY = ("--register", _FOLDER_OF_SNAPSHOTS)


@click.command()
@click.option("--folder", type=FOLDER, required=True, help="Kept afterwards.")
@click.option("--pdf", "pdfs", multiple=True, type=PRESENT_FILE)
def restore(*, folder: Path, pdfs: tuple[Path, ...]) -> None:
    """Fill every index, back up, lose Elasticsearch and Valkey, restore into empty ones, and compare.

    Only the folder of snapshots and the users' files are carried over. Exit code 1 if anything differs.
    """
    folder = folder.absolute()
    first, second = folder / "first", folder / "second"
    for stack_folder in (first, second):
        if stack_folder.exists():
            raise SondeError(f"{stack_folder} is there already: remove it, or name another folder.")
        stack_folder.mkdir(parents=True)
    with ExitStack() as cleanup:
        cleanup.enter_context(ended_by_signals())
        samples = CHECKOUT / "samples" / "records"
        slow_url = cleanup.enter_context(catalogue_server(made_titles(1)))
        files = cleanup.enter_context(folder_of_files(samples, folder / "files"))
        environment = own_stack(first)
        write_sources(Path(environment["SONDE_HARVEST__SOURCES"]), samples, files, slow_url)
        release = this_release(environment)
        cleanup.callback(release.sonde, "down")
        release.sonde("up")
        os.environ.update(environment)
        url, prefix = load_settings().api_url, load_settings().index.prefix
        user = fill(release, url, folder, list(pdfs))
        client = elasticsearch_client(load_settings(), timeout_s=60.0, retry=True)
        user_files, answers = user.files(), _answers(url)
        began = time.monotonic()
        backup_taken = release.sonde("backup", "take", *_REPOSITORY)
        took_s = time.monotonic() - began
        before = contents(client, prefix)
        client.close()
        release.sonde("down")
        _carry_over(first, second)
        click.echo(f"{backup_taken.strip()} ({took_s:.0f} s)")

        environment = own_stack(second)
        shutil.copyfile(first / "sources.yaml", second / "sources.yaml")
        release = this_release(environment)
        cleanup.callback(release.sonde, "down")
        os.environ.update(environment)
        settings = load_settings()
        wrong = _check_restore(release, settings.api_url, user, user_files, answers)
        client = elasticsearch_client(settings, timeout_s=60.0, retry=True)
        cleanup.callback(client.close)
        for row in compare_contents(before, contents(client, prefix)):
            click.echo(f"{row.kind}: {row.before} before, {row.missing} missing, {row.changed} changed")
            if row.missing or (row.changed and row.kind != "runs"):
                wrong.append(row.kind)
        wrong += _check_next_harvest(release)
    for fault in wrong:
        click.echo(f"WRONG: {fault}", err=True)
    if wrong:
        sys.exit(1)


def _check_restore(release: Release, url: str, user: User, files: object, answers: dict[str, list[str]]) -> list[str]:
    """What differs after a restore into the empty stack, whose Valkey never held anything."""
    release.sonde("up")
    release.sonde("down", "worker", "beat")
    empty = httpx.get(f"{url}/search", params={"q": "rainfall"}, timeout=60.0)
    click.echo(f"the empty stack answers a search with {empty.status_code}")
    began = time.monotonic()
    click.echo(release.sonde("backup", "restore", *_REPOSITORY, "--replace").strip())
    click.echo(f"restored in {time.monotonic() - began:.0f} s")
    release.sonde("up")
    wait_until(lambda: _answers(url) == answers, 120, "the same answers as before")
    restored_user = User(url, user.key)
    wrong = [] if restored_user.files() == files else ["the user's files"]
    if not restored_user.finds("glaciers of the Alps"):
        wrong.append("the user's documents do not answer")
    click.echo("doctor: " + release.sonde("doctor").strip().splitlines()[-1])
    return wrong


def _check_next_harvest(release: Release) -> list[str]:
    """What is wrong with the next harvest, which must find nothing new."""
    (report,) = json.loads(release.sonde("harvest", SAMPLES, "--json"))
    counts = {name: number for name, number in report["counts"].items() if number}
    click.echo(f"the next harvest of {SAMPLES}: {counts}")
    return [] if counts.get("same") == counts.get("seen") else ["the next harvest wrote records again"]


def _answers(url: str) -> dict[str, list[str]]:
    """The ids of the hits of each question, in their order."""
    answers = {question: httpx.get(f"{url}/search", params={"q": question}, timeout=60.0) for question in _QUESTIONS}
    return {
        question: [str(feature["id"]) for feature in answer.json()["features"]] if answer.is_success else []
        for question, answer in answers.items()
    }


def _carry_over(first: Path, second: Path) -> None:
    """What an operator keeps: the folder of snapshots, and the users' files. The prepared models save a minute."""
    for name in ("library", "models"):
        if (first / name).exists():
            shutil.copytree(first / name, second / name)
    account = unprivileged_account("nobody")
    source, target = (node_folder(stack_folder / "stack", account) / "snapshots" for stack_folder in (first, second))
    shutil.copytree(source, target)
    if account is not None:
        for path in (target, *target.rglob("*")):
            shutil.chown(path, account.uid, account.gid)


@click.group()
def main() -> None:
    """Rehearse what operators do once in a while. Own ports; nothing is left running."""


main.add_command(upgrade)
main.add_command(restore)


if __name__ == "__main__":
    try:
        main()
    except (SondeError, TimeoutError) as error:
        sys.exit(str(error))
