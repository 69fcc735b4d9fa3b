"""What a frozen state consists of: named lines of normalised values, and how two states differ."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from core.json_types import Json

DIGITS = 6
_LONG = 64
"""A list of more numbers is a vector, kept as its digest."""
_NOISE = frozenset(("took", "took_ms", "request_id", "requestId", "_scroll_id", "pit_id"))
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?")
_TOOK = re.compile(r'"took_ms": ?\{[^}]*\}')  # in server-sent events
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_MAX_PLACES = 3

Line = Json
"""``name`` and the parts that are compared: ``status``, ``headers``, ``answer``, ``sent``, ``digest``, ``reason``."""


@dataclass(frozen=True, slots=True)
class Normaliser:
    """Removes what differs between two runs of the same code: moments of the run itself, addresses, durations.

    A moment before ``since`` is stored data and stays.
    """

    since: datetime

    def value(self, value: Any) -> Any:
        """JSON values with sorted members, floats of six decimals and long vectors as digests."""
        if isinstance(value, Mapping):
            return {
                key: "REST OF TIME" if key == "timeout" else "ID" if key == "pit" else self.value(value[key])
                for key in sorted(value)
                if _plain_name(key) not in _NOISE
            }
        if isinstance(value, list | tuple):
            values = [self.value(item) for item in value]
            long = len(values) > _LONG and all(isinstance(item, float) for item in values)
            return {"vector": digest(values)} if long else values
        if isinstance(value, float):
            return _round(value)
        return self.text(value) if isinstance(value, str) else value

    def text(self, text: str) -> str:
        return _ADDRESS.sub("ADDRESS", _TOOK.sub('"took_ms": {}', _MOMENT.sub(self._moment, text)))

    def _moment(self, match: re.Match[str]) -> str:
        try:
            moment = datetime.fromisoformat(match[0])
        except ValueError:
            return match[0]
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return "NOW" if self.since <= moment <= datetime.now(UTC) else match[0]


def _plain_name(key: object) -> str:
    """``took_ms`` of ``sonde:took_ms``."""
    return str(key).rpartition(":")[2]


def _round(value: float) -> float:
    return round(value, DIGITS) + 0.0 if math.isfinite(value) else value  # -0.0 is 0.0


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON; of dataclasses the values in their order, so that names do not count."""
    return hashlib.sha256(json.dumps(plain_values(value), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def plain_values(value: object) -> Any:
    """Dataclasses as lists of their values; floats rounded."""
    if is_dataclass(value) and not isinstance(value, type):
        return [plain_values(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    if isinstance(value, float):
        return _round(value)
    return value if isinstance(value, str | int | bool | None) else str(value)


def write_state(path: Path, about: Json, lines: Iterable[Line]) -> int:
    """Number of lines; ``about`` is the first line of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    unfinished = path.with_name(f"{path.name}.part")
    with gzip.open(unfinished, "wt", encoding="utf-8", compresslevel=6) as file:
        file.write(json.dumps(about, sort_keys=True) + "\n")
        for line in lines:
            file.write(json.dumps(line, sort_keys=True, ensure_ascii=False) + "\n")
            count += 1
    unfinished.replace(path)
    return count


def read_state(path: Path) -> tuple[Json, dict[str, Line]]:
    """The facts of the first line, and the other lines by name."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        about: Json = json.loads(file.readline())
        return about, {line["name"]: line for line in map(json.loads, file)}


@dataclass(frozen=True, slots=True)
class Difference:
    """``name``: line and part, as ``search 360 hybrid: sea ice#answer``; ``where``: the first places that differ."""

    name: str
    where: tuple[str, ...]


def differences(before: Mapping[str, Line], after: Mapping[str, Line], allowed: Sequence[str]) -> list[Difference]:
    """Sorted by part and name; names that match a pattern of ``allowed`` are left out."""
    differing = [
        difference
        for name in sorted(before.keys() | after.keys())
        for difference in _line_differences(name, before.get(name), after.get(name))
        if not any(fnmatchcase(difference.name, pattern) for pattern in allowed)
    ]
    return sorted(differing, key=lambda difference: (difference.name.rpartition("#")[2], difference.name))


def _line_differences(name: str, before: Line | None, after: Line | None) -> Iterator[Difference]:
    if before is None or after is None:
        yield Difference(f"{name}#missing", ("only after" if before is None else "only before",))
        return
    for part in sorted((before.keys() | after.keys()) - {"name"}):
        a, b = before.get(part), after.get(part)
        if a != b:
            yield Difference(f"{name}#{part}", tuple(_places(a, b))[:_MAX_PLACES])


def _places(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Where two JSON values differ, with both values cut short."""
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from _places(before.get(key), after.get(key), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (a, b) in enumerate(zip(before, after, strict=True)):
            yield from _places(a, b, f"{path}/{number}")
    else:
        yield f"{path or '/'}: {_around(before, after)}"


def _around(before: Any, after: Any) -> str:
    """Both values, of long texts what begins shortly before the first difference."""
    a, b = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in (before, after))
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, start - 30)
    return f"{a[start : start + 120]!r} -> {b[start : start + 120]!r}"
