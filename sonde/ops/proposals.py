"""Proposes a catalogue found at an address as an entry of ``sources.yaml``; writes entries there and removes them."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from core.errors import SondeError
from core.json_types import Json
from indexer.formats.registry import read
from indexer.raw import RawRecord, RecordRefused
from indexer.sources.probe import DetectedSource
from workers.source_config import load_sources

_NO_ID = re.compile(r"[^a-z0-9]+")
_EMPTY = (
    "# Which catalogues are harvested, and when (UTC). docs/stewards/sources-and-schedules.md explains every key.\n"
    "sources:\n"
)


def entry(source: DetectedSource, id: str, interval: str) -> str:
    """The YAML lines of a list item, indented by two."""
    body: Json = {"id": id, "type": source.type, "url": source.url, "schedule": {"interval": interval}}
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


def write_entry(path: Path, lines: str) -> None:
    """Appends the entry to the file, which is created if necessary; comments stay.

    Raises SondeError and leaves the file unchanged if the result would be invalid: the list must come last.
    """
    old_text = path.read_text("utf-8") if path.exists() else _EMPTY
    text = old_text if old_text.endswith("\n") else f"{old_text}\n"
    _replace(path, re.sub(r"(?m)^sources:\s*\[\]\s*$", "sources:", text) + lines, f"The entry does not fit into {path}")


def remove_entry(path: Path, id: str) -> None:
    """Takes the entry out of the file; other entries and comments stay as they are.

    Raises SondeError and leaves the file unchanged if it cannot be taken out.
    """
    text = path.read_text("utf-8")
    place = _lines_of(yaml.compose(text), id)
    if place is None:
        raise SondeError(f"{path} has no entry {id!r}.")
    first, last = place
    lines = text.splitlines(keepends=True)
    remaining_lines = "".join([*lines[:first], *lines[last + 1 :]])
    if yaml.safe_load(remaining_lines).get("sources") is None:
        remaining_lines = re.sub(r"(?m)^sources:[ \t]*(#.*)?$", "sources: []", remaining_lines)
    _replace(path, remaining_lines, f"The entry {id!r} cannot be taken out of {path}")


def _lines_of(document: yaml.Node | None, id: str) -> tuple[int, int] | None:
    """The first and last line of the list item with this id."""
    pairs = document.value if isinstance(document, yaml.MappingNode) else []
    for name, items in pairs:
        for item in items.value if name.value == "sources" and isinstance(items, yaml.SequenceNode) else ():
            if any(key.value == "id" and value.value == id for key, value in item.value):
                return item.start_mark.line, max(_last_line(item), item.start_mark.line)
    return None


def _last_line(node: yaml.Node) -> int:
    """The last line with content: the end of a block is only where the next one begins."""
    if isinstance(node, yaml.ScalarNode) or getattr(node, "flow_style", False):
        end: yaml.Mark = node.end_mark
        return int(end.line) - (end.column == 0)
    children = [child for pair in node.value for child in (pair if isinstance(pair, tuple) else (pair,))]
    return max((_last_line(child) for child in children), default=int(node.start_mark.line))


def _replace(path: Path, text: str, failure: str) -> None:
    """Writes the file if it is a valid list of sources; otherwise raises SondeError and leaves it."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, "utf-8")
    try:
        load_sources(draft)
        draft.replace(path)
    except SondeError as error:
        reason = str(error).replace(str(draft), str(path))
        raise SondeError(f"{failure}; do it by hand. {reason}") from None
    finally:
        draft.unlink(missing_ok=True)
