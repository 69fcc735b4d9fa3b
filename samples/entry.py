"""The hand-written catalogue as values: one SampleEntry per record, read from ``catalogue/*.yaml``.

These files are the source of truth; ``records/*.xml`` is what ``python -m samples.render`` writes from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
Box = tuple[float, float, float, float]  # west, south, east, north; west > east crosses the antimeridian
Period = tuple[str, str]  # ISO 8601 dates of any precision; the end may be "now" or "unknown"


@dataclass(frozen=True, slots=True)
class SampleEntry:
    """One record as written by hand; what is empty is not said in the metadata."""

    id: str
    title: str
    abstract: str
    org: str  # key in registers.yaml: who answers for the data
    url: str  # landing page
    licence: str  # key in registers.yaml
    kind: str  # observation | simulation | projection | reanalysis | derived | unknown; told by the lineage
    lineage: str
    published: str
    topics: tuple[str, ...]
    boxes: tuple[Box, ...] = ()
    times: tuple[Period, ...] = ()
    type: str = "dataset"
    lang: str = "eng"
    alt: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    publisher: str = ""
    doi: str = ""
    polygon: tuple[tuple[float, float], ...] = ()  # longitude, latitude; first equals last
    vertical: tuple[float, float] | None = None  # metres, upwards positive
    grid: str = ""  # "0.25 degree", "30 m", "1 km"
    scale: int = 0  # denominator
    step: str = ""  # ISO 8601 duration
    gcmd: tuple[str, ...] = ()  # below EARTH SCIENCE
    gemet: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()  # ids of this catalogue, DOIs, or plain names
    parent: str = ""
    updates: str = ""  # ISO's MD_MaintenanceFrequencyCode
    restricted: str = ""  # what stands between a reader and the data
    download: str = ""
    service: str = ""  # "OGC:WMS 1.3.0" for type service
    metadata_date: str = "2026-11-22"


_TUPLES = ("topics", "alt", "authors", "gcmd", "gemet", "places", "words", "formats", "derived_from")


def entry_from(raw: Mapping[str, Any]) -> SampleEntry:
    """An SampleEntry from one YAML mapping.

    Raises ValueError for a key that SampleEntry has not and TypeError for a required one that is missing.
    """
    values = dict(raw)
    box = values.pop("box", None)
    values["boxes"] = tuple(tuple(map(float, each)) for each in ([box] if box else values.get("boxes", ())))
    values["times"] = tuple(_period(text) for text in _listed(values.pop("time", ())))
    values["polygon"] = tuple((float(lon), float(lat)) for lon, lat in values.get("polygon", ()))
    if "vertical" in values:
        low, high = values["vertical"]
        values["vertical"] = (float(low), float(high))
    for name in _TUPLES:
        values[name] = tuple(map(str, _listed(values.get(name, ()))))
    unknown = values.keys() - {field.name for field in fields(SampleEntry)}
    if unknown:
        raise ValueError(f"{values.get('id')}: unknown keys {sorted(unknown)}")
    for name in ("title", "abstract", "lineage", "published"):
        values[name] = " ".join(str(values[name]).split())
    return SampleEntry(**values)


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _period(text: str) -> Period:
    start, _, end = str(text).partition("/")
    return start, end or start


def load_catalogue(folder: Path = HERE / "catalogue") -> list[SampleEntry]:
    """All entries, in the order of file names and within them as written. Raises ValueError for an id used twice."""
    entries = [
        entry_from(raw)
        for path in sorted(folder.glob("*.yaml"))
        for raw in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]
    ids = [entry.id for entry in entries]
    twice = sorted({each for each in ids if ids.count(each) > 1})
    if twice:
        raise ValueError(f"ids used twice: {twice}")
    return entries


@dataclass(frozen=True, slots=True)
class Named:
    """A name with its page: an organisation or a licence."""

    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Registers:
    """What entries refer to by a short key."""

    organisations: Mapping[str, Named]
    licences: Mapping[str, Named]


def load_registers(path: Path = HERE / "registers.yaml") -> Registers:
    """Organisations and licences from ``registers.yaml``."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Registers(
        {key: Named(*value) for key, value in raw["organisations"].items()},
        {key: Named(*value) for key, value in raw["licences"].items()},
    )
