"""`sonde ingest` and `sonde ask`: index documents as passages, and answer questions from them."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

from core.document import State
from core.json_types import Json
from es_mappings.codecs import passages
from indexer.documents.index.ingest import IngestResult
from sonde.cli.screen import messages, progress_bars, say, say_json, screen
from sonde.cli.search import ask as ask_service
from sonde.cli.search import with_key
from sonde.settings import load_settings
from sonde.wiring.documents import DocumentIngester

_MOST_NOTES = 5
"""Of one document."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--record", help="Id of the record that these documents explain. Default: the record with their DOI.")
@click.option("--retry", is_flag=True, help="Also read parked documents, on which Sonde failed before.")
@click.option("--json", "as_json", is_flag=True, help="Print the documents' entries as JSON.")
def ingest(files: tuple[Path, ...], *, record: str | None, retry: bool, as_json: bool) -> None:
    """Read FILES (PDF, page image, HTML, DOCX, text; folders are walked) and index their passages.

    A file that was read before and has not changed is skipped, and so is one on which Sonde failed (it is parked until
    the next upgrade, or ``--retry``). Exit code 1 if a file could not be read.
    """
    console = messages()
    ingester = DocumentIngester(load_settings())
    results_and_seconds: list[tuple[IngestResult, float]] = []
    with progress_bars(console) as bar:
        task = bar.add_task("", total=None)
        paths = _files_of(files)
        for number, path in enumerate(paths, start=1):
            started = time.perf_counter()
            result = ingester.file(path, record, partial(_update_bar, bar, task, path.name), retry=retry)
            results_and_seconds.append((result, time.perf_counter() - started))
            if not console.is_terminal:  # a log shows no bar
                say(
                    f"{number} of {len(paths)}: {path.name}: {result.entry.state}, {results_and_seconds[-1][1]:.1f} s",
                    err=True,
                )
    if as_json:
        say_json(
            [{"id": result.entry.id, **passages.entry_to_document(result.entry)} for result, _ in results_and_seconds]
        )
    else:
        screen().print(summary(results_and_seconds))
        for line in notes([result for result, _ in results_and_seconds]):
            say(line, err=True)
    if any(result.entry.state == "failed" for result, _ in results_and_seconds):
        sys.exit(1)


def notes(results: Sequence[IngestResult]) -> list[str]:
    """What was not read of each document, and why a failed one failed: whole, where the table cuts it."""
    lines = []
    for result in results:
        entry = result.entry
        texts = [entry.message] if entry.state == "failed" and entry.message else list(entry.warnings)
        lines += [f"{entry.name}: {text}" for text in texts[:_MOST_NOTES]]
        if len(texts) > _MOST_NOTES:
            lines.append(f"{entry.name}: and {len(texts) - _MOST_NOTES} more (`sonde ingest --json` shows all)")
    return lines


def _update_bar(bar: Progress, task: TaskID, name: str, state: State, done_pages: int = 0, total: int = 0) -> None:
    bar.update(task, description=f"{name}: {state}", completed=done_pages, total=total or None)


def _files_of(files: tuple[Path, ...]) -> list[Path]:
    """The files, and for folders the files below them."""
    return [
        path for given_path in files for path in ([given_path] if given_path.is_file() else _files_below(given_path))
    ]


def _files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def summary(results_and_seconds: list[tuple[IngestResult, float]]) -> Table:
    """One line per document, then the reason if it failed."""
    table = Table(box=None, pad_edge=False)
    for column in ("file", "state"):
        table.add_column(column, no_wrap=True, min_width=12)
    for column in ("pages", "ocr", "passages", "tables", "seconds"):
        table.add_column(column, justify="right", no_wrap=True, min_width=len(column))
    table.add_column("title", overflow="ellipsis", no_wrap=True, max_width=50)
    for result, seconds in results_and_seconds:
        entry = result.entry
        numbers = (entry.pages or "", entry.ocr_pages or "", entry.passages or "", len(entry.tables) or "")
        state = f"failed: {entry.reason}" if entry.state == "failed" else "same" if result.is_same else entry.state
        title = entry.message if entry.state == "failed" else entry.title
        table.add_row(entry.name, state, *map(str, numbers), f"{seconds:.1f}", title or "")
    return table


@click.command()
@click.argument("question")
@click.option("--record", help="Only the documents of this record.")
@click.option("--document", help="Only this document.")
@click.option("--top-k", type=click.IntRange(1, 32), help="Number of passages for the answer.")
@click.option("--url", help="Address of the service. Default: from the settings.")
@with_key
@click.option("--json", "as_json", is_flag=True, help="Print the service's answer as JSON.")
def ask(question: str, *, url: str | None, key: str | None, as_json: bool, **options: object) -> None:
    """Ask the indexed documents a QUESTION; the answer cites page and section.

    Exit code 1 if nothing found answers it.
    """
    body = {"question": question, **{name: value for name, value in options.items() if value is not None}}
    answer = ask_service(f"{url or load_settings().api_url}/ask", method="POST", body=body, key=key, timeout_s=120.0)
    if as_json:
        say_json(answer)
    else:
        show_answer(screen(), answer)
    if answer["refused"]:
        sys.exit(1)


def show_answer(console: Console, answer: Json) -> None:
    """The answer, its unsupported sentences, then the cited passages."""
    console.print(answer["answer"])
    for entry in answer["sentences"]:
        if not entry["supported"]:
            console.print(f"  not supported: {entry['text']} ({entry.get('why', '')})", style="yellow")
    cited_numbers = {number for entry in answer["sentences"] for number in entry["citations"]}
    for entry in answer["passages"]:
        if entry["number"] in cited_numbers:
            console.print(f"[{entry['number']}] {source_line(entry)}", style="dim")
    if answer["degraded"]:
        console.print(f"without: {', '.join(answer['degraded'])}", style="yellow")


def source_line(passage: Json) -> str:
    """``Title, p. 4, 3 Results``, and its record."""
    pages = passage["pages"]
    place = "" if pages is None else f"p. {pages[0]}" if pages[0] == pages[1] else f"pp. {pages[0]}-{pages[1]}"
    section = " > ".join(passage["section"])
    record = f"record {passage['record']}" if passage["record"] else ""
    return ", ".join(part for part in (passage["title"], place, section, record) if part)


COMMANDS = (ingest, ask)
