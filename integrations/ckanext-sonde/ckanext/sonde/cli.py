"""``ckan sonde``: check the connection, send all data sets to Sonde."""

from __future__ import annotations

from collections.abc import Iterator

import ckan.plugins.toolkit as tk
import click
from ckanext.sonde.asking import SondeUnavailable
from ckanext.sonde.configured import mode, sonde
from ckanext.sonde.pushing import bring_up_to_date

_PAGE = 500


@click.group(name="sonde", short_help="Search by Sonde.")
def commands() -> None:
    """Search by Sonde."""


@commands.command()
def status() -> None:
    """Ask Sonde something, and say how it went."""
    service = sonde()
    try:
        ids = service.ranked_ids("data", "bm25")
    except SondeUnavailable as reason:
        raise click.ClickException(f"Sonde does not answer: {reason}") from reason
    click.echo(f"{service.address.url} answers. Source {service.address.source}, searched by {mode()}.")
    if not ids:
        click.echo("It found nothing of this source: harvest the portal, or run `ckan sonde push`.")


@commands.command()
def push() -> None:
    """Tell Sonde of every public data set now, without a harvest."""
    service = sonde()
    pushed = failed = 0
    for dataset in _ids():
        try:
            bring_up_to_date(service, dataset)
            pushed += 1
        except SondeUnavailable as reason:
            failed += 1
            click.echo(f"{dataset}: {reason}", err=True)
    click.echo(f"{pushed} sent, {failed} failed.")
    if failed:
        raise click.exceptions.Exit(1)


def _ids() -> Iterator[str]:
    start = 0
    while True:
        page = tk.get_action("package_search")(
            {"ignore_auth": True},
            {"q": "*:*", "fl": ["id"], "rows": _PAGE, "start": start, "sort": "id asc", "fq": "+dataset_type:dataset"},
        )["results"]
        yield from (dataset["id"] for dataset in page)
        if len(page) < _PAGE:
            return
        start += _PAGE
