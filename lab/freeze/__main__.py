"""``python -m lab.freeze``: writes what the service answers, or compares it with what an earlier state answered.

Each part runs in a separate process, so its lines do not depend on other parts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

import click
import structlog

from core.json_types import Json
from es_mappings.codecs.records import to_document
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.formats.registry import read
from indexer.raw import RecordRefused
from indexer.sources.folder import FolderSource
from lab.freeze.calls import CHECKOUT, SOURCES, Call, ask_calls, course_calls, judged_calls, listing_calls, option_calls
from lab.freeze.lines import Line, differences, digest, read_state, write_state
from lab.freeze.service import FrozenService, frozen_service, make_index

EIGHTH = 8
_PDFS = (
    "10.21105.jose.00037.pdf", "10.21105.jose.00090.pdf", "NES_manuscript.pdf", "diversity-vegan.pdf", "gstat.pdf",
    "marelac.pdf", "rloadest-app1.pdf", "seawaveQ.pdf", "second/banta-damping.pdf", "second/clino-format.pdf",
    "second/euler-tutorial.pdf", "third/modflow-time-varying.pdf", "use-the-disturbance.pdf",
)  # fmt: skip


def record_lines(catalogues: Path, whole: bool) -> Iterator[Line]:
    """A line for each document of each archive, or for one in eight."""
    step, number = 1 if whole else EIGHTH, 0
    for archive in sorted(catalogues.glob("*.tar.gz")):
        for page in FolderSource(archive).pages():
            for raw in page.records:
                number += 1
                if number % step == 0:
                    name = f"record {archive.name} {number}: {raw.origin.rpartition('!')[2]} {raw.native_id}"
                    try:
                        yield {"name": name, "digest": digest(to_document(read(raw, "frozen")))}
                    except RecordRefused as refused:
                        yield {"name": name, "reason": str(refused)}


def pdf_lines(folder: Path, whole: bool) -> Iterator[Line]:
    """A line for each PDF of a dozen, or for all."""
    paths = sorted(folder.rglob("*.pdf")) if whole else [folder / name for name in _PDFS]
    for path in paths:
        name = f"pdf {path.relative_to(folder)}"
        try:
            yield {"name": name, "digest": digest(read_pdf(path.read_bytes(), Limits(), Ocr(command=None)))}
        except DocumentRefused as refused:
            yield {"name": name, "reason": refused.reason}


PARTS = ("courses", "courses-box", "judged", "listings", "options", "ask", "records", "pdfs")
"""The 360 questions without and in a box, judged sets, listing protocols, options of a search, answers; and what
documents are read as. The longest begin first.
"""
_BOX = "-20,-40,60,72"


def state_lines(about: Json, parts: Sequence[str], shared: Path, processes: int) -> Iterator[Line]:
    """Each line names its part. ``about``: prefix, whole and key, as a file of a state begins."""
    os.environ["PYTHONHASHSEED"] = "0"  # of the processes: prefixes of Turtle are numbered in the order of a set
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for lines in pool.map(partial(_part, about, shared), parts):
            yield from lines


def _part(about: Json, shared: Path, part: str) -> list[Line]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    started_s, whole = time.monotonic(), about["whole"]
    if part == "records":
        lines = list(record_lines(shared / "catalogues", whole))
    elif part == "pdfs":
        lines = list(pdf_lines(shared / "pdfs", whole))
    else:
        with frozen_service(about["prefix"], datetime.now(UTC), about["key"]) as service:
            lines = [line for call in _calls(part, service, shared, whole) for line in service.lines(call)]
    click.echo(f"{part}: {len(lines)} lines, {time.monotonic() - started_s:.0f} s", err=True)
    return [{**line, "part": part} for line in lines]


def _calls(part: str, service: FrozenService, shared: Path, whole: bool) -> Iterator[Call]:
    match part:
        case "courses":
            return course_calls(None)
        case "courses-box":
            return course_calls(_BOX)
        case "judged":
            return judged_calls(shared, whole)
        case "options":
            return option_calls()
        case "ask":
            return ask_calls(whole)
    return _listings(service)


def _listings(service: FrozenService) -> Iterator[Call]:
    @lru_cache
    def ids(source: str) -> list[str]:
        return service.ids(f"/collections/{source}/items?limit=100", step=40)

    items = service.ids("/stac/search?limit=100", step=40)
    return listing_calls(ids, items, service.ids("/documents?limit=100", limit=6))


_shared_option = click.option(
    "--shared", type=click.Path(path_type=Path, file_okay=False), default=CHECKOUT.parent / "shared" / "data"
)
_ONLY = click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, help="Only these parts.")
_PROCESSES = click.option(
    "--processes", type=click.IntRange(1, 16), default=3, show_default=True, help="Parts at once."
)


@click.group()
def main() -> None:
    """Freeze what the service answers, and compare two states of the code on the same index."""


@main.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--prefix", required=True, help="Indices with the data; they stay, and later states only read them.")
@click.option("--make/--no-make", default=True, help="Fill the indices first (what is there and unchanged stays).")
@click.option("--key", help="With --no-make: a key with all rights.")
@click.option("--whole", is_flag=True, help="Every judged question and every document, not a fixed share.")
@_shared_option
@_ONLY
@_PROCESSES
def write(
    *,
    file: Path,
    prefix: str,
    make: bool,
    key: str | None,
    whole: bool,
    shared: Path,
    parts: tuple[str, ...],
    processes: int,
) -> None:
    """Write the answers of this checkout to FILE (gzip, JSON lines)."""
    key = make_index(prefix, shared, SOURCES) if make else key
    about = {"prefix": prefix, "whole": whole, "parts": parts or PARTS, "key": key, "commit": _commit()}
    click.echo(f"{write_state(file, about, state_lines(about, parts or PARTS, shared, processes))} lines in {file}")


@main.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--allow", multiple=True, help="A pattern of differences that are meant: 'search *#sent'.")
@click.option("--keep", type=click.Path(path_type=Path, dir_okay=False), help="Write this state to a file too.")
@_shared_option
@_ONLY
@_PROCESSES
def compare(
    *, file: Path, allow: tuple[str, ...], keep: Path | None, shared: Path, parts: tuple[str, ...], processes: int
) -> None:
    """Freeze this checkout on the index of FILE and list what differs; exit code 1 if anything does.

    FILE may have been written by an earlier commit. `diff` compares two files.
    """
    about, before = read_state(file)
    about = {**about, "parts": parts or about["parts"], "commit": _commit()}
    after = {line["name"]: line for line in state_lines(about, about["parts"], shared, processes)}
    if keep is not None:
        write_state(keep, about, after.values())
    _tell(before, after, allow, about["parts"])


@main.command()
@click.argument("before", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.argument("after", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--allow", multiple=True, help="A pattern of differences that are meant.")
def diff(*, before: Path, after: Path, allow: tuple[str, ...]) -> None:
    """List what differs between two frozen files."""
    _, first = read_state(before)
    about, second = read_state(after)
    _tell(first, second, allow, about["parts"])


def _tell(before: dict[str, Line], after: dict[str, Line], allow: Sequence[str], parts: Sequence[str]) -> None:
    before = {name: line for name, line in before.items() if line["part"] in parts}
    differing = differences(before, after, allow)
    for difference in differing:
        click.echo(difference.name)
        for place in difference.where:
            click.echo(f"    {place}")
    by_part = Counter(difference.name.rpartition("#")[2] for difference in differing)
    summary = ", ".join(f"{count} {part}" for part, count in sorted(by_part.items())) or "none"
    click.echo(f"{len(before)} lines before, {len(after)} after; differences: {summary}")
    sys.exit(1 if differing else 0)


def _commit() -> str:
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()  # noqa: S603


if __name__ == "__main__":
    main()
