"""``python -m lab.results``: puts the figures of ``results/VERSION`` into the guides, and takes new ones."""

from __future__ import annotations

import json
from pathlib import Path

import click

from core.errors import NotFound
from lab.results.pages import format_figure, pages, with_figures
from lab.results.tables import keys, load_tables, newest_results, save_table, take_figures
from sonde.wiring.checkout import CHECKOUT


@click.group(invoke_without_command=True)
@click.pass_context
def results(context: click.Context) -> None:
    """Write the figures of the newest results into all guides."""
    if context.invoked_subcommand is not None:
        return
    tables = load_tables(newest_results())
    for page in pages():
        text = page.read_text("utf-8")
        try:
            current = with_figures(text, tables)
        except (NotFound, ValueError) as error:
            raise click.ClickException(f"{page.relative_to(CHECKOUT)}: {error}") from error
        if current != text:
            page.write_text(current, "utf-8")
            click.echo(page.relative_to(CHECKOUT))


@results.command("list")
def list_keys() -> None:
    """Print every key with its figure."""
    for key, value in keys(load_tables(newest_results())):
        click.echo(f"{key} {format_figure(value)}")


@results.command()
@click.argument("row")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def record(row: str, file: Path) -> None:
    """Take the figures of ROW (TABLE.ROW) from FILE, which a command's --json wrote."""
    name, _, entry = row.partition(".")
    folder = newest_results()
    table = load_tables(folder).get(name)
    if table is None or entry not in table.rows:
        raise NotFound(f"No row is called {row}.")
    table.rows[entry] = take_figures(table.rows[entry], json.loads(file.read_text("utf-8")))
    save_table(folder / f"{name}.json", table)
    click.echo(
        f"{row}: " + ", ".join(f"{key} {format_figure(value)}" for key, value in table.rows[entry].figures.items())
    )


if __name__ == "__main__":
    results()
