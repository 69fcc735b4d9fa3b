"""`sonde formats`: surveys a folder or archive, and writes the tables of docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from indexer.formats import field_table, survey
from indexer.raw import Page
from indexer.sources.folder import FolderSource
from sonde.cli.screen import say


@click.command()
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path), metavar="[FOLDER|ARCHIVE]")
@click.option(
    "--fields",
    is_flag=True,
    help="With a folder: how many records of each format have each field. Alone: where each field comes from.",
)
@click.option(
    "--write", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Write the tables into this file."
)
@click.option(
    "--missed", is_flag=True, help="Name each refused document, and each that has a field which its record lacks."
)
def formats(path: Path | None, *, fields: bool, write: Path | None, missed: bool) -> None:
    """Survey a folder or archive: records by format, how many give what they state, and why others are refused.

    Nothing is indexed. If a document holds several records (a data.json, a graph), each counts.
    """
    if write is not None:
        write.write_text(_written_into(write.read_text(encoding="utf-8"), path), encoding="utf-8")
        return
    if path is None:
        say(field_table.markdown())
        return
    surveyed = survey.survey_of(_documents(path))
    say(survey.by_field(surveyed) if fields else survey.markdown(surveyed))
    say(
        f"\n{sum(surveyed.records.values())} records of {surveyed.documents} documents; "
        f"of the titles, abstracts, extents and times that they seem to state, {surveyed.share():.2%} were read"
        f"{' (--missed names the documents)' if (surveyed.missed or surveyed.refused) and not missed else ''}"
    )
    if left := _left_out(surveyed):
        say(left)
    for line in _missed(surveyed) if missed else ():
        say(line)


def _left_out(surveyed: survey.Survey) -> str:
    """The numbers that `sonde harvest` reports for the same files."""
    refused, other = sum(map(len, surveyed.refused.values())), sum(surveyed.passed_over.values())
    counted = [f"{refused} refused" if refused else "", f"{other} passed over" if other else ""]
    return ", ".join(part for part in counted if part)


def _missed(surveyed: survey.Survey) -> Iterator[str]:
    for reason, origins in surveyed.refused.items():
        yield from (f"{origin}: is refused: {reason}" for origin in origins)
    for kind, name, origin in surveyed.missed:
        yield f"{origin}: {name} is stated, but the {kind} reader does not read it"


def _written_into(document: str, path: Path | None) -> str:
    written = field_table.with_table(document)
    return written if path is None else survey.with_tables(written, survey.survey_of(_documents(path)))


def _documents(path: Path) -> Iterator[Page]:
    yield from FolderSource(path).pages()


COMMANDS = (formats,)
