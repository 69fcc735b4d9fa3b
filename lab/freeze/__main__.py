"""``python -m lab.freeze``: writes what the service answers, or compares it with what an earlier state answered."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path

import click
import structlog

from core.json_types import Json
from lab.freeze.calls import CHECKOUT, SOURCES, Call, ask_calls, listing_calls, search_calls
from lab.freeze.lines import Line, differences, read_state, write_state
from lab.freeze.readings import pdf_lines, record_lines
from lab.freeze.service import FrozenService, frozen_service, make_index

_SHARED = click.option(
    "--shared", type=click.Path(path_type=Path, file_okay=False), default=CHECKOUT.parent / "shared" / "data"
)
_PARTS = ("search", "ask", "listings", "records", "pdfs")
_PARTS_OPTION = click.option("--part", "parts", type=click.Choice(_PARTS), multiple=True, help="Only these parts.")


@click.group()
def main() -> None:
    """Freeze what the service answers, and compare two states of the code on the same index."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))


@main.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--prefix", required=True, help="Indices with the data; they stay, and later states only read them.")
@click.option("--make/--no-make", default=True, help="Fill the indices first (what is there and unchanged stays).")
@click.option("--key", help="With --no-make: a key with all rights.")
@click.option("--whole", is_flag=True, help="Every judged question and every document, not a fixed share.")
@_SHARED
@_PARTS_OPTION
def write(
    *, file: Path, prefix: str, make: bool, key: str | None, whole: bool, shared: Path, parts: tuple[str, ...]
) -> None:
    """Write the answers of this checkout to FILE (gzip, JSON lines)."""
    key = make_index(prefix, shared, SOURCES) if make else key
    about = {"prefix": prefix, "whole": whole, "parts": parts or _PARTS, "key": key, "commit": _commit()}
    click.echo(f"{write_state(file, about, _frozen(about, shared))} lines in {file}")


@main.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--allow", multiple=True, help="A pattern of differences that are meant: 'search *#sent'.")
@click.option("--keep", type=click.Path(path_type=Path, dir_okay=False), help="Write this state to a file too.")
@_SHARED
@_PARTS_OPTION
def compare(*, file: Path, allow: tuple[str, ...], keep: Path | None, shared: Path, parts: tuple[str, ...]) -> None:
    """Freeze this checkout on the index of FILE and list what differs; exit code 1 if anything does.

    FILE may have been written by an earlier commit. ``--keep`` saves time later: `diff` compares two files.
    """
    about, before = read_state(file)
    asked = {**about, "parts": parts or about["parts"], "commit": _commit()}
    after = {line["name"]: line for line in _frozen(asked, shared)}
    if keep is not None:
        write_state(keep, asked, after.values())
    _tell(before, after, allow, asked["parts"])


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
    listed = differences(before, after, allow)
    for difference in listed:
        click.echo(difference.name)
        for place in difference.where:
            click.echo(f"    {place}")
    by_part = Counter(difference.name.rpartition("#")[2] for difference in listed)
    told = ", ".join(f"{count} {part}" for part, count in sorted(by_part.items())) or "none"
    click.echo(f"{len(before)} lines before, {len(after)} after; differences: {told}")
    sys.exit(1 if listed else 0)


def _frozen(about: Json, shared: Path) -> Iterator[Line]:
    parts, whole = about["parts"], about["whole"]
    if "search" in parts or "ask" in parts or "listings" in parts:
        with frozen_service(about["prefix"], datetime.now(UTC), about["key"]) as service:
            calls: dict[str, Callable[[], Iterator[Call]]] = {
                "search": lambda: search_calls(shared, whole),
                "ask": lambda: ask_calls(whole),
                "listings": lambda: _listings(service),
            }
            for part, of_part in calls.items():
                if part in parts:
                    yield from _timed(part, chain.from_iterable(service.lines(call) for call in of_part()))
    if "records" in parts:
        yield from _timed("records", record_lines(shared / "catalogues", whole))
    if "pdfs" in parts:
        yield from _timed("pdfs", pdf_lines(shared / "pdfs", whole))


def _listings(service: FrozenService) -> Iterator[Call]:
    @lru_cache
    def ids(source: str) -> list[str]:
        return service.ids(f"/collections/{source}/items?limit=100", every=40)

    items = service.ids("/stac/search?limit=100", every=40)
    return listing_calls(ids, items, service.ids("/documents?limit=100", most=6))


def _timed(part: str, lines: Iterator[Line]) -> Iterator[Line]:
    started, count = time.monotonic(), 0
    for line in lines:
        count += 1
        yield {**line, "part": part}
    click.echo(f"{part}: {count} lines, {time.monotonic() - started:.0f} s", err=True)


def _commit() -> str:
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()  # noqa: S603


if __name__ == "__main__":
    main()
