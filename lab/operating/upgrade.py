"""``python -m lab.operating upgrade``: an earlier version with data in every index becomes this one, and back."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

import click

from core.errors import SondeError
from lab.chaos.catalogue_server import catalogue_server
from lab.cluster.harvested import made_titles
from lab.operating.filling import fill, folder_of_files, write_sources
from lab.operating.release import CHECKOUT, installed, this_one
from lab.operating.stack import BATCH, own_stack
from lab.operating.upgrading import UpgradeStep, Upgrade
from local_stack.login import made_login
from sonde.cli.signals import ended_by_signals
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client

BASES = {
    "0.1.0": "de8d5a74f0972c5a06c308041c14d52c526f791e",
    "0.2.0-rc1": "8a52e1f6bdbf28336b109e9e9d0e5e13c07bd4e7",
}
"""The states that upgrades are tested from (docs/releases)."""
_PAGE_S = 1.0
_HEADINGS = ("step", "took", "serves", "searches", "right", "degraded", "refused", "no connection", "bad", "lost")


@click.command()
@click.option("--base", type=click.Choice(list(BASES)), default="0.1.0", show_default=True)
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), required=True, help="Kept afterwards.")
@click.option("--tools", type=click.Path(path_type=Path), default=CHECKOUT / ".venv-tools" / "bin", help="Has uv.")
@click.option("--pdf", "pdfs", multiple=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--records", type=click.IntRange(100), default=400, show_default=True, help="Of the slow catalogue.")
def upgrade(*, base: str, folder: Path, tools: Path, pdfs: tuple[Path, ...], records: int) -> None:
    """Install an earlier version, fill every index, stop it during a harvest, start this version on its data, reindex,
    go back.

    Everything is compared after each step while somebody searches. Own ports; nothing is left running. The environment
    of the earlier version has 6 GB. Exit code 1 where something is lost.
    """
    folder = folder.absolute()
    data = folder / "data"
    if data.exists():
        raise SondeError(f"{data} is there already: remove it, or name another folder.")
    data.mkdir(parents=True)
    environment = own_stack(data)
    commit = BASES[base]
    old = installed(base, commit, folder / commit[:7], tools.absolute() / "uv", environment)
    new = this_one(environment)
    os.environ.update(environment)
    settings = load_settings()
    steps = []
    with ExitStack() as after:
        after.enter_context(ended_by_signals())
        after.callback(new.sonde, "down")
        slow = after.enter_context(catalogue_server(made_titles(records), BATCH, _PAGE_S))
        samples = old.checkout / "samples" / "records"
        files = after.enter_context(folder_of_files(samples, data / "files"))
        write_sources(Path(environment["SONDE_HARVEST__SOURCES"]), samples, files, slow)
        old.sonde("up")
        user = fill(old, settings.api_url, data, list(pdfs))
        made_login(settings.stack.folder)  # this version's node will ask for it; an earlier one does not look
        client = elasticsearch_client(settings, timeout_s=60.0, retry=True)
        after.callback(client.close)
        course = Upgrade(old, new, client, settings.index.prefix, settings.api_url, records)
        for step in course.steps(user):
            steps.append(step)
            click.echo(f"{time.strftime('%T')} {_row(step)} {step.trouble}", err=True)
        (folder / "upgrade.json").write_text(json.dumps([asdict(step) for step in steps], indent=1), "utf-8")
    click.echo("\n".join(_table(steps)))
    if not all(step.right for step in steps):
        sys.exit(1)


def _row(step: UpgradeStep) -> str:
    said = step.searches
    numbers = [said.get(name, 0) for name in ("right", "degraded", "refused", "unreachable")]
    bad = said.get("unmarked", 0) + said.get("failed", 0)
    cells = (step.name, f"{step.seconds:.0f} s", step.serves, sum(said.values()), *numbers, bad, step.lost)
    return "| " + " | ".join(map(str, cells)) + " |"


def _table(steps: Sequence[UpgradeStep]) -> list[str]:
    lines = ["| " + " | ".join(_HEADINGS) + " |", "|" + "---|" * len(_HEADINGS), *map(_row, steps), ""]
    found = [step for step in steps if step.kinds]
    if not found:
        return lines
    lines += ["| index | " + " | ".join(step.name for step in found) + " |", "|" + "---|" * (len(found) + 1)]
    for place, one in enumerate(found[0].kinds):
        cells = [step.kinds[place] for step in found]
        shown = " | ".join(f"{cell.before}: {cell.missing} missing, {cell.changed} changed" for cell in cells)
        lines.append(f"| {one.kind} | {shown} |")
    return lines
