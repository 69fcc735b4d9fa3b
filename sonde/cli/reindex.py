"""`sonde reindex`: puts another model or schema in service, without a pause.

Models and pipeline are imported only to build an index: a rollback is urgent, and does not need them.
"""

from __future__ import annotations

import sys

import click

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from indexer.reindex.run import ReindexParts, ReindexReport, forget_others, rollback, serve_index
from indexer.reindex.run import reindex as reindex_now
from sonde.cli.options import shown
from sonde.cli.screen import messages, say, say_json
from sonde.settings import Settings, load_settings
from sonde.wiring.clients import elasticsearch_client

_TIMEOUT_S = 60.0


@click.command()
@click.option("--rollback", "back", is_flag=True, help="Put the index from before the last reindex back into service.")
@click.option("--forget", "drop", is_flag=True, help="Delete every index that is not in service. Prevents --rollback.")
@click.option(
    "--serve", "put_back", metavar="INDEX", help="Put the lost alias of this index back, and do nothing else."
)
@click.option("--dry-run", is_flag=True, help="Build and compare, but do not move the alias.")
@shown(
    "--least-overlap",
    0.5,
    "Minimum share of the first ten answers that both indices have in common, on average over sampled questions.",
    click.FloatRange(0, 1),
)
@click.option("--json", "as_json", is_flag=True)
def reindex(
    *, back: bool, drop: bool, put_back: str | None, dry_run: bool, least_overlap: float, as_json: bool
) -> None:
    """Build the next index for the embedder of the settings beside the serving one, compare, and move the alias.

    Searches and harvests continue meanwhile. An interrupted reindex continues where it stopped, even after the move.
    The old index is kept for --rollback until --forget. Exit code 1 if the comparison refused.
    """
    if sum((back, drop, dry_run, put_back is not None)) > 1:
        raise SondeError("Give one of --rollback, --forget, --serve and --dry-run.")
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    if put_back is not None:
        say(f"{put_back} serves as {serve_index(client, settings.index.prefix, put_back)}.")
        return
    if back:
        for old_index, new_index in rollback(client, settings.index.prefix):
            say(f"{new_index} serves again instead of {old_index}.")
        return
    if drop:
        deleted_indices = forget_others(client, settings.index.prefix)
        say("\n".join(f"{index} is deleted." for index in deleted_indices) or "Every index that is kept serves.")
        return
    report = _report_of(client, settings, least_overlap=least_overlap, dry_run=dry_run)
    _show(report, as_json=as_json)
    if report.refusal is not None:
        sys.exit(1)


def _report_of(client: Elasticsearch, settings: Settings, *, least_overlap: float, dry_run: bool) -> ReindexReport:
    from sonde.wiring.clients import index_shape
    from sonde.wiring.models import Models
    from sonde.wiring.search import sampled_answers

    models = Models(settings)
    with messages().status("reading") as line:
        parts = ReindexParts(
            client=client,
            prefix=settings.index.prefix,
            embedder=models.embedder(),
            probe=sampled_answers(settings, models, client),
            shape=index_shape(settings),
            progress=lambda kind, seen_count: line.update(f"{kind}: {seen_count} documents compared or copied"),
        )
        return reindex_now(parts, least_overlap=least_overlap, dry_run=dry_run)


def _show(report: ReindexReport, *, as_json: bool) -> None:
    comparison = report.comparison
    if as_json:
        facts = {
            "moved": report.moved,
            "refusal": report.refusal,
            "documents": comparison.documents,
            "overlap": comparison.overlap,
        }
        say_json({**facts, "old": report.old, "new": report.new})
        return
    for kind, count in comparison.documents.items():
        say(f"{kind}: {count} documents, {_comparison_sentence(comparison.rounds.get(kind))}")
    if comparison.overlap is not None:
        say(f"the first ten answers to the sampled questions share {comparison.overlap:.2f}")
    if report.refusal is not None:
        say(f"Not moved. {report.refusal}", err=True)
    elif report.moved:
        serve = "serve" if len(report.new) > 1 else "serves"
        say(f"{', '.join(report.new)} {serve}. `sonde reindex --rollback` goes back, --forget deletes the old one.")
    else:
        say("A dry run: nothing was moved.")


def _comparison_sentence(rounds: int | None) -> str:
    """``rounds`` is None if an earlier command compared, and was interrupted after it had moved the alias."""
    if rounds is None:
        return "compared and moved before it was cut off, and ended now"
    return f"alike after {rounds} round{'s' if rounds > 1 else ''}"


COMMANDS = (reindex,)
