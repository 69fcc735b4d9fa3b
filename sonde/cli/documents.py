"""`sonde ingest` and `sonde ask`: documents into passages, and questions answered from them."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from indexer.documents.ingest import Ingested
from indexer.documents.state import State
from sonde.documents import DocumentIngester
from sonde.settings import load_settings


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--record", help="Id of the record that these documents explain; else found by their DOI, where one is.")
@click.option("--json", "as_json", is_flag=True, help="The documents' entries as JSON.")
def ingest(files: tuple[Path, ...], *, record: str | None, as_json: bool) -> None:
    """Read FILES (PDF, page image, HTML, DOCX, text; folders are walked) and index their passages.

    A file that was read before and did not change is left as it is. Exit code 1 where one could not be read.
    """
    console = Console(stderr=True)
    ingester = DocumentIngester(load_settings())
    done: list[tuple[Ingested, float]] = []
    with _bar(console) as bar:
        task = bar.add_task("", total=None)
        for path in _walked(files):
            started = time.perf_counter()

            found = ingester.file(path, record, partial(_shown, bar, task, path.name))
            done.append((found, time.perf_counter() - started))
    if as_json:
        click.echo(json.dumps([{"id": one.entry.id, **one.entry.as_document()} for one, _ in done], indent=2))
    else:
        Console().print(summary(done))
    if any(one.entry.state == "failed" for one, _ in done):
        sys.exit(1)


def _shown(bar: Progress, task: TaskID, name: str, state: State, done: int = 0, total: int = 0) -> None:
    bar.update(task, description=f"{name}: {state}", completed=done, total=total or None)


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


def _walked(files: tuple[Path, ...]) -> list[Path]:
    """Files as they are, folders as the files below them."""
    return [path for given in files for path in ([given] if given.is_file() else _below(given))]


def _below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def summary(done: list[tuple[Ingested, float]]) -> Table:
    """A line a document, then its reason where it failed."""
    table = Table(box=None, pad_edge=False)
    for column in ("file", "state"):
        table.add_column(column, overflow="fold")
    for column in ("pages", "ocr", "passages", "tables", "seconds"):
        table.add_column(column, justify="right", no_wrap=True, min_width=len(column))
    table.add_column("title", overflow="ellipsis", no_wrap=True, ratio=1)
    for one, seconds in done:
        entry = one.entry
        numbers = (entry.pages or "", entry.ocr_pages or "", entry.passages or "", len(entry.tables) or "")
        state = "same" if one.same else entry.state if entry.reason is None else f"failed: {entry.reason}"
        title = entry.message if entry.state == "failed" else entry.title
        table.add_row(entry.name, state, *map(str, numbers), f"{seconds:.1f}", title or "")
    return table


COMMANDS = (ingest,)
