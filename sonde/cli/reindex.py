"""`sonde reindex`: another model or schema in service, without a pause."""

from __future__ import annotations

import json
import sys

import click
from rich.console import Console

from core.errors import SondeError
from indexer.reindex import ReindexParts, ReindexReport, forget_others, rollback
from indexer.reindex import reindex as reindex_now
from sonde.harvesting import HARVEST_TIMEOUT_S
from sonde.probing import sampled_answers
from sonde.settings import load_settings
from sonde.wiring import Models, elasticsearch_client


@click.command()
@click.option("--rollback", "back", is_flag=True, help="Put the index before the last reindex back in service.")
@click.option(
    "--forget", "drop", is_flag=True, help="Delete every index that does not serve; there is no way back then."
)
@click.option("--dry-run", is_flag=True, help="Build and compare, leave the alias where it is.")
@click.option(
    "--least-overlap",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Share of the first ten answers that both must have, on average over sampled questions.",
)
@click.option("--json", "as_json", is_flag=True)
def reindex(*, back: bool, drop: bool, dry_run: bool, least_overlap: float, as_json: bool) -> None:
    """Build the next index for the embedder of the settings beside the serving one, compare, and move the alias.

    Searches and harvests go on meanwhile. An interrupted one goes on where it stopped. The old index is kept for
    --rollback until --forget. Exit code 1 where the comparison refused.
    """
    if sum((back, drop, dry_run)) > 1:
        raise SondeError("Give one of --rollback, --forget and --dry-run.")
    settings = load_settings()
    console = Console(stderr=True)
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S)
    if back:
        for left, taken in rollback(client, settings.index.prefix):
            click.echo(f"{taken} serves again instead of {left}.")
        return
    if drop:
        for index in forget_others(client, settings.index.prefix):
            click.echo(f"{index} is deleted.")
        return
    models = Models(settings)
    with console.status("reading") as line:
        parts = ReindexParts(
            client=client,
            prefix=settings.index.prefix,
            embedder=models.embedder(),
            probe=sampled_answers(settings, models),
            vector_index=settings.index.vector_index,
            progress=lambda kind, seen: line.update(f"{kind}: {seen} documents compared or copied"),
        )
        report = reindex_now(parts, least_overlap=least_overlap, dry_run=dry_run)
    _show(report, as_json=as_json)
    if report.refusal is not None:
        sys.exit(1)


def _show(report: ReindexReport, *, as_json: bool) -> None:
    found = report.comparison
    if as_json:
        told = {
            "moved": report.moved,
            "refusal": report.refusal,
            "documents": found.documents,
            "overlap": found.overlap,
        }
        click.echo(json.dumps({**told, "old": report.old, "new": report.new}, indent=2))
        return
    for kind, count in found.documents.items():
        click.echo(f"{kind}: {count} documents, alike after {found.rounds[kind]} rounds")
    if found.overlap is not None:
        click.echo(f"the first ten answers to the sampled questions share {found.overlap:.2f}")
    if report.refusal is not None:
        click.echo(f"Not moved. {report.refusal}", err=True)
    elif report.moved:
        click.echo(
            f"{', '.join(report.new)} serves. `sonde reindex --rollback` goes back, --forget deletes the old one."
        )
    else:
        click.echo("A dry run: nothing was moved.")


COMMANDS = (reindex,)
