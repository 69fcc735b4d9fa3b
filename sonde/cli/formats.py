"""`sonde formats`: surveys a folder or archive, and writes the tables of docs/stewards/formats.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from indexer.formats import field_table, survey
from indexer.raw import RawPage
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
    "--missed",
    is_flag=True,
    help="Name each document that is refused or passed over, and each that states a field which its record lacks.",
)
def formats(path: Path | None, *, fields: bool, write: Path | None, missed: bool) -> None:
    """Survey a folder or archive: records by format, how much of them was read, and why the rest was not.

    Two numbers stand for each field: the records from which Sonde read it / the records whose file states it.
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
    say(f"\n{surveyed.records.total()} records of {surveyed.documents} documents; {_share(surveyed)}")
    if left := _left_out(surveyed):
        say(f"{left}{'' if missed else ' (--missed names them)'}")
    for line in _missed(surveyed) if missed else ():
        say(line)


def _share(surveyed: survey.Survey) -> str:
    stated, given = surveyed.stated.total(), surveyed.given.total()
    if not stated:
        return "they state no title, abstract, extent or period"
    return f"of {stated} titles, abstracts, extents and periods that they state, {given} were read"


def _left_out(surveyed: survey.Survey) -> str:
    """The numbers that `sonde harvest` reports for the same files."""
    refused, other = sum(map(len, surveyed.refused.values())), sum(surveyed.passed_over.values())
    fields = len(surveyed.missed)
    counted = [
        f"{refused} refused" if refused else "",
        f"{other} passed over" if other else "",
        f"{fields} {'field' if fields == 1 else 'fields'} stated and not read" if fields else "",
    ]
    return ", ".join(part for part in counted if part)


def _missed(surveyed: survey.Survey) -> Iterator[str]:
    for reason, origins in surveyed.refused.items():
        yield from (f"{origin}: is refused: {reason}" for origin in origins)
    for reason, origins in surveyed.origins_passed_over.items():
        yield from (f"{origin}: is passed over: {reason}" for origin in origins)
        if (more := surveyed.passed_over[reason] - len(origins)) > 0:
            yield f"and {more} more: passed over: {reason}"
    for one in surveyed.missed:
        why = "; ".join(one.why) or f"the {one.format} reader does not read it"
        yield f"{one.origin}: the {survey.NAMES[one.name]} is stated, but not read: {why}"


def _written_into(document: str, path: Path | None) -> str:
    written = field_table.with_table(document)
    return written if path is None else survey.with_tables(written, survey.survey_of(_documents(path)))


def _documents(path: Path) -> Iterator[RawPage]:
    yield from FolderSource(path).pages()


COMMANDS = (formats,)
