"""`sonde sources`: proposes, lists, adds and removes catalogues, restores removed records, reports quality."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

import click
import yaml
from rich.console import Console

from core.errors import NotFound, SondeError
from core.json_types import Json
from es_gateway.client import Elasticsearch
from indexer.formats.registry import read
from indexer.quality.quality import QualityReport, measure, quality_page
from indexer.raw import RawRecord, RecordRefused
from indexer.remove.tombstones import holdings, list_removed
from indexer.sources.probe import DetectedSource, folder_at, probe, title_of
from indexer.store.ledger import Ledger
from sonde.cli.catalogue import id_of, show_reports
from sonde.cli.lazy_group import LazyGroup
from sonde.cli.options import shown
from sonde.cli.screen import messages, plain_table, say, say_json, screen
from sonde.settings import Settings, load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.harvesting import HARVEST_TIMEOUT_S, Harvester
from sonde.wiring.sources import Opener
from workers.source_config import known_sources, remove_entry, write_entry

_NO_ID = re.compile(r"[^a-z0-9]+")


def entry(source: DetectedSource, id: str, interval: str) -> str:
    """The YAML lines of a list item, indented by two."""
    place = "path" if source.type == "folder" else "url"
    body: Json = {"id": id, "type": source.type, place: source.url, "schedule": {"interval": interval}}
    if source.options:
        body["options"] = dict(source.options)
    lines = yaml.safe_dump([body], sort_keys=False, allow_unicode=True).splitlines()
    return "".join(f"  {line}\n" for line in lines)


def id_for(url: str, taken_ids: Collection[str], title: str = "") -> str:
    """``https://data.example.org/csw`` is ``data-example-org``; with a number if that is taken.

    An address on this machine or without a name is not descriptive: then the catalogue's own title is used.
    """
    host = (urlsplit(url).hostname or "catalogue").removeprefix("www.")
    nameless = host == "localhost" or host.replace(".", "").isdigit() or ":" in host
    base_name = title if nameless and _NO_ID.sub("", title.lower()) else host
    stem = _NO_ID.sub("-", base_name.lower())[:56].strip("-") or "catalogue"
    return next(id for id in (stem, *(f"{stem}-{n}" for n in range(2, 1000))) if id not in taken_ids)


def title_or_reason(raw: RawRecord) -> str:
    """The title that a reader finds in the document, or the reason why there is none."""
    try:
        return read(raw, "preview").title
    except RecordRefused as refusal:
        return f"(not read: {refusal})"


@click.group(cls=LazyGroup, modules={}, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True)
@click.pass_context
def sources(context: click.Context, *, as_json: bool) -> None:
    """List the sources of sources.yaml with their last run; the subcommands work on them."""
    if context.invoked_subcommand is None:
        _show(as_json=as_json)


@sources.command(name="list")
@click.option("--json", "as_json", is_flag=True)
def list_sources(*, as_json: bool) -> None:
    """The sources of sources.yaml, with their last run."""
    _show(as_json=as_json)


def _show(*, as_json: bool) -> None:
    rows: list[Json] = Harvester(load_settings()).overview()
    if as_json:
        say_json(rows)
        return
    table = plain_table("source", "type", "schedule", "last run", "state", "seen", "refused")
    for row in rows:
        table.add_row(
            *(str(row.get(name, "")) for name in ("id", "type", "schedule", "started", "state", "seen", "refused"))
        )
    screen().print(table)
    for row in rows:
        if row.get("message"):
            screen().print(f"{row['id']}: {row['message']}", soft_wrap=True, markup=False)


@sources.command()
@click.argument("url", metavar="URL|FOLDER")
@click.option("--id", "id", help="Id of the source. Default: from the name of the host or folder.")
@shown("--every", "24h", "Interval of its schedule.")
@click.option("--write", is_flag=True, help="Write the entry to the sources file.")
@click.option("--tried", is_flag=True, help="If nothing is found, also print every question and its answer.")
def add(url: str, *, id: str | None, every: str, write: bool, tried: bool) -> None:
    """Find the protocol of URL, show three of its records, and propose an entry for sources.yaml.

    URL is a catalogue, a directory listing of metadata or data files, or a public bucket. A catalogue on this machine
    or in a private network must be allowed first: SONDE_NET__ALLOWED_HOSTS.
    """
    settings = load_settings()
    console = messages()
    if Path(url).exists():
        _propose(console, settings, folder_at(Path(url)), id or id_of(Path(url)).lower(), every, write=write)
        return
    if "://" not in url:
        raise SondeError(f"{url} is no folder here, and has no scheme: did you mean https://{url} ?")
    fetcher = Opener(settings).probing(url)
    result = probe(fetcher, url)
    if result.unreachable is not None:
        raise SondeError(f"{url} cannot be reached: {result.unreachable}.")
    if result.found is None and (tried or result.hint is None):
        for line in result.tried:
            console.print(f"  {line}", style="dim")
    if result.found is None:
        reason = result.hint or "name its type in sources.yaml yourself"
        raise SondeError(f"No catalogue was recognised at {url}: {reason}.")
    path = settings.harvest.sources
    known_ids = known_sources(path) if path.exists() else {}  # a missing file is normal here
    chosen_id = id or id_for(url, known_ids, title_of(fetcher, result.found))
    _propose(console, settings, result.found, chosen_id, every, write=write)


def _propose(console: Console, settings: Settings, source: DetectedSource, id: str, every: str, *, write: bool) -> None:
    total = f"{source.total} records" if source.total is not None else "records"
    console.print(f"{source.type} at {source.url}: {total}, for example")
    for raw in source.preview:
        console.print(f"  {raw.native_id}: {title_or_reason(raw)}")
    path = settings.harvest.sources
    lines = entry(source, id, every)
    say(lines, nl=False)
    if write:
        write_entry(path, lines)
        console.print(f"written to {path}; workers use it within a minute")


@sources.command()
@click.argument("source_id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page for a data steward to this file.")
def report(source_id: str, *, as_json: bool, html: Path | None) -> None:
    """Show how complete the records of SOURCE_ID are, and what is missing, repaired and refused, with examples."""
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
    _refuse_unknown(settings, client, source_id)
    quality = measure(client, settings.index.prefix, source_id)
    if html is not None:
        html.write_text(quality_page(quality), "utf-8")
    if as_json:
        say_json(quality.as_dict())
    elif html is None:
        _show_quality(screen(), quality)


def _refuse_unknown(settings: Settings, client: Elasticsearch, source_id: str) -> None:
    """Raises NotFound, with the nearest id, for a source that is not in the file and was never harvested."""
    path = settings.harvest.sources
    known_ids = {*(known_sources(path) if path.exists() else ()), *Ledger(client, settings.index.prefix).sources()}
    if source_id in known_ids:
        return
    similar = get_close_matches(source_id, known_ids, n=1)
    suggestion = f"; did you mean {similar[0]}?" if similar else ""
    raise NotFound(
        f"There is no source {source_id!r}{suggestion or '.'} Known are: {', '.join(sorted(known_ids)) or 'none'}."
    )


def _show_quality(console: Console, quality: QualityReport) -> None:
    console.print(f"{quality.source}: {quality.records} records, completeness {quality.completeness:.1%} on average")
    for gap in quality.missing:
        console.print(f"  {gap.count} {gap.problem}, e.g. {', '.join(gap.examples)}")
    for broken_link in quality.broken_links:
        console.print(f"  {broken_link.count} links: {broken_link.sentence}, e.g. {broken_link.examples[0]}")
    for repair in quality.repaired:
        console.print(f"  {repair.count} x {repair.sentence}, e.g. {repair.examples[0]}", style="dim")
    for refusal in quality.refused:
        console.print(f"  {refusal.count} refused: {refusal.sentence}, e.g. {refusal.examples[0]}")
    for passed_over in quality.passed_over:
        console.print(f"  {passed_over.count} passed over: {passed_over.what}, e.g. {', '.join(passed_over.examples)}")


@sources.command()
@click.argument("source_id")
@click.option("--json", "as_json", is_flag=True)
def removed(source_id: str, *, as_json: bool) -> None:
    """List what was removed from SOURCE_ID and is still stored."""
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
    _refuse_unknown(settings, client, source_id)
    tombs = list_removed(client, settings.index.prefix, source_id)
    rows = [{"id": t.native_id, "record": t.record, "origin": t.origin, "removed": t.removed_at} for t in tombs]
    if as_json:
        say_json(rows)
        return
    for row in rows:
        say(f"{row['removed']}  {row['id']}  {row['origin']}")


@sources.command()
@click.argument("source_id")
@click.argument("records", nargs=-1, required=True)
@click.option("--no-embedding", is_flag=True, help="Write no vectors now; searches find the records by their words.")
def restore(source_id: str, records: tuple[str, ...], *, no_embedding: bool) -> None:
    """Put removed RECORDS of SOURCE_ID back in service; a sweep keeps them until the source lists them again."""
    outcome = Harvester(load_settings(), embedding=not no_embedding).restore(source_id, records)
    show_reports(screen(), [outcome])
    if outcome.state != "complete":
        sys.exit(1)


@sources.command()
@click.argument("source_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(source_id: str, *, yes: bool) -> None:
    """Remove SOURCE_ID: its entry in sources.yaml with its schedule, its records, and everything stored of them.

    Says first what will go, and asks. Nothing of it can be restored.
    """
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=HARVEST_TIMEOUT_S, retry=True)
    _refuse_unknown(settings, client, source_id)
    counts = holdings(client, settings.index.prefix, source_id)
    path = settings.harvest.sources
    is_entered = path.exists() and source_id in known_sources(path)
    entry_note = f"its entry in {path} with its schedule" if is_entered else f"no entry in {path}"
    say(f"{source_id}: {counts.records} records, {counts.documents} documents, {counts.runs} reports of runs,")
    say(f"{counts.tombstones} removed records that could be restored, and {entry_note}. Nothing of it can be restored.")
    if not yes:
        click.confirm(f"Remove {source_id}?", abort=True)

    def forget_entry() -> None:
        if is_entered:
            remove_entry(path, source_id)

    Harvester(settings).remove(source_id, forget_entry)
    say(f"{source_id} is removed")


COMMANDS = (sources,)
