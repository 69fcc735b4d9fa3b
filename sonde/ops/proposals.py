"""Proposes a catalogue found at an address as an entry of ``sources.yaml``."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit

import yaml

from core.json_types import Json
from indexer.formats.registry import read
from indexer.raw import RawRecord, RecordRefused
from indexer.sources.probe import DetectedSource

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
