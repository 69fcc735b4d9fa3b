"""``python -m tests.freeze``: writes what the service answers, or compares it with what an earlier state answered."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import click

from sonde.cli.options import FILE, FOLDER, PRESENT_FILE, shown
from tests.freeze.calls import CHECKOUT, SOURCES
from tests.freeze.lines import differences, read_state, write_state
from tests.freeze.service import make_index
from tests.freeze.state import PARTS, state_lines

_shared_option = click.option("--shared", type=FOLDER, default=CHECKOUT.parent / "shared" / "data")
_ONLY = click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, help="Only these parts.")
_PROCESSES = shown("--processes", 3, "Parts at once.", click.IntRange(1, 16))


@click.group()
def main() -> None:
    """Freeze what the service answers, and compare two states of the code on the same index."""


@main.command()
@click.argument("file", type=FILE)
@click.option("--prefix", required=True, help="Indices with the data; they stay, and later states only read them.")
@_shared_option
@_ONLY
@_PROCESSES
def write(*, file: Path, prefix: str, shared: Path, parts: tuple[str, ...], processes: int) -> None:
    """Fill the indices (what is there and unchanged stays), and write the answers of this checkout to FILE (gzip, JSON
    lines).
    """
    key = make_index(prefix, shared, SOURCES)
    about = {"prefix": prefix, "parts": parts or PARTS, "key": key, "commit": _commit()}
    click.echo(f"{write_state(file, about, state_lines(about, parts or PARTS, shared, processes))} lines in {file}")


@main.command()
@click.argument("file", type=PRESENT_FILE)
@click.option("--allow", multiple=True, help="A pattern of differences that are meant: 'search *#sent'.")
@_shared_option
@_ONLY
@_PROCESSES
def compare(*, file: Path, allow: tuple[str, ...], shared: Path, parts: tuple[str, ...], processes: int) -> None:
    """Freeze this checkout on the index of FILE and list what differs; exit code 1 if anything does.

    FILE may have been written by an earlier commit.
    """
    about, before = read_state(file)
    parts = parts or tuple(about["parts"])
    after = {line["name"]: line for line in state_lines(about, parts, shared, processes)}
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
    return subprocess.run(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    main()
