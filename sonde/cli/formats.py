"""`sonde formats`: surveys a folder or archive, and writes the tables of docs/stewards/formats.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from indexer.formats import field_table, survey
from indexer.raw import RawPage
from indexer.sources.folder import FolderSource
from sonde.cli.options import PRESENT_FILE
from sonde.cli.screen import say


@click.command()
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path), metavar="[FOLDER|ARCHIVE]")
@click.option(
    "--fields",
    is_flag=True,
    help="With a folder: how many records of each format have each field. Alone: where each field comes from.",
)
@click.option("--write", type=PRESENT_FILE, help="Write the tables into this file.")
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
    result = survey.survey_of(_documents(path))
    say(survey.by_field(result) if fields else survey.markdown(result))
    say(f"\n{result.records.total()} records of {result.documents} documents; {_share(result)}")
    if left_out_note := _left_out_note(result):
        say(f"{left_out_note}{'' if missed else ' (--missed names them)'}")
    for line in _missed_lines(result) if missed else ():
        say(line)


def _share(result: survey.Survey) -> str:
    stated_count, read_count = result.stated_counts.total(), result.read_counts.total()
    if not stated_count:
        return "they state no title, abstract, extent or period"
    return f"of {stated_count} titles, abstracts, extents and periods that they state, {read_count} were read"


def _left_out_note(result: survey.Survey) -> str:
    """The numbers that `sonde harvest` reports for the same files."""
    refused_count, passed_over_count = sum(map(len, result.refusals.values())), sum(result.passed_over.values())
    fields = len(result.missed_fields)
    note_parts = [
        f"{refused_count} refused" if refused_count else "",
        f"{passed_over_count} passed over" if passed_over_count else "",
        f"{fields} {'field' if fields == 1 else 'fields'} stated and not read" if fields else "",
    ]
    return ", ".join(part for part in note_parts if part)


def _missed_lines(result: survey.Survey) -> Iterator[str]:
    for reason, origins in result.refusals.items():
        yield from (f"{origin}: is refused: {reason}" for origin in origins)
    for reason, origins in result.origins_passed_over.items():
        yield from (f"{origin}: is passed over: {reason}" for origin in origins)
        if (unlisted_count := result.passed_over[reason] - len(origins)) > 0:
            yield f"and {unlisted_count} more: passed over: {reason}"
    for missed_field in result.missed_fields:
        why = "; ".join(missed_field.reasons) or f"the {missed_field.format} reader does not read it"
        yield f"{missed_field.origin}: the {survey.NAMES[missed_field.name]} is stated, but not read: {why}"


def _written_into(document: str, path: Path | None) -> str:
    new_page = field_table.with_table(document)
    return new_page if path is None else survey.with_tables(new_page, survey.survey_of(_documents(path)))


def _documents(path: Path) -> Iterator[RawPage]:
    yield from FolderSource(path).pages()


COMMANDS = (formats,)
