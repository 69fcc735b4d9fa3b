"""Proposes a catalogue found at an address as an entry of ``sources.yaml``, and writes it there."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from core.errors import SondeError
from core.json_types import Json
from indexer.formats.reader import Refused
from indexer.formats.registry import read
from indexer.raw import RawRecord
from indexer.sources.probe import DetectedSource
from workers.registry import load_sources

_NO_ID = re.compile(r"[^a-z0-9]+")
_EMPTY = "# Which catalogues are harvested, and when (UTC). docs/harvesting.md explains every key.\nsources:\n"


def entry(found: DetectedSource, id: str, interval: str) -> str:
    """The YAML lines of a list item, indented by two."""
    body: Json = {"id": id, "type": found.type, "url": found.url, "schedule": {"interval": interval}}
    if found.options:
        body["options"] = dict(found.options)
    lines = yaml.safe_dump([body], sort_keys=False, allow_unicode=True).splitlines()
    return "".join(f"  {line}\n" for line in lines)


def id_for(url: str, taken: Collection[str], title: str = "") -> str:
    """``https://data.example.org/csw`` is ``data-example-org``; with a number if that is taken.

    An address on this machine or without a name is not descriptive: then the catalogue's own title is used.
    """
    host = (urlsplit(url).hostname or "catalogue").removeprefix("www.")
    nameless = host == "localhost" or host.replace(".", "").isdigit() or ":" in host
    named = title if nameless and _NO_ID.sub("", title.lower()) else host
    stem = _NO_ID.sub("-", named.lower())[:56].strip("-") or "catalogue"
    return next(id for id in (stem, *(f"{stem}-{n}" for n in range(2, 1000))) if id not in taken)


def described(raw: RawRecord) -> str:
    """The title that a reader finds in the document, or the reason why there is none."""
    try:
        return read(raw, "preview").title
    except Refused as refusal:
        return f"(not read: {refusal})"


def write_entry(path: Path, lines: str) -> None:
    """Appends the entry to the file, which is created if necessary; comments stay.

    Raises SondeError and leaves the file unchanged if the result would be invalid: the list must come last.
    """
    before = path.read_text("utf-8") if path.exists() else _EMPTY
    text = before if before.endswith("\n") else f"{before}\n"
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(re.sub(r"(?m)^sources:\s*\[\]\s*$", "sources:", text) + lines, "utf-8")
    try:
        load_sources(draft)
        draft.replace(path)
    except SondeError as error:
        reason = str(error).replace(str(draft), str(path))
        raise SondeError(f"The entry does not fit into {path}; add it by hand. {reason}") from None
    finally:
        draft.unlink(missing_ok=True)
