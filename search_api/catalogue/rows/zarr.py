"""The arrays of a Zarr store behind HTTP: its parts come through the gate, and a process without rights reads them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, prod
from typing import Protocol
from urllib.parse import quote

from core.errors import InvalidInput, Unavailable
from core.json_types import JsonMapping
from core.record import Link
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of
from search_api.catalogue.rows.dap import DapVariable, Dimension, Values
from search_api.catalogue.rows.grids import Attributes, Range, Slab

_NAME = re.compile(r"^https?://[^?#]+\.zarr/?(?:\?|$)", re.IGNORECASE)
_METADATA = re.compile(r"(?:^|/)(?:zarr\.json|\.z(?:metadata|group|array|attrs))$")
_ABSENT = (403, 404, 410)  # S3 answers 403 for a missing key that may not be listed
_MOST_PART_BYTES = 16 << 20
_MOST_CHUNKS = 64
_TIMEOUT_S = 20.0


class StoreReader(Protocol):
    """Reads stores one after the other in a process; ``close`` ends it."""

    def read_slabs(self, store: StoreParts, slabs: Mapping[str, Sequence[Range]]) -> JsonMapping:
        """``arrays``: all of the store; ``values``: those of the slabs. Raises SondeError."""

    def close(self) -> None: ...


def store_address(link: Link) -> str | None:
    """The address of a Zarr store; None if the link leads to none."""
    label = f"{link.protocol or ''} {link.media_type or ''}".lower()
    href = link.href.partition("#")[0]
    is_named = "zarr" in label and href.startswith(("http://", "https://"))
    return href if is_named or _NAME.match(href) else None


@dataclass(slots=True)
class StoreParts:
    """The store as the process asks for it. A part of a shard is requested as a range."""

    url: str
    gate: Gate
    timeout_s: float
    size: None = None
    block: int = 0
    _metadata: dict[str, bytes | None] = field(default_factory=dict)
    _ends_at: float = field(default_factory=lambda: time.monotonic() + _TIMEOUT_S)

    @property
    def name(self) -> str:
        return "store.zarr"

    def keys(self) -> list[str] | None:
        return None  # a web server does not list what it has

    def read(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Raises SondeError."""
        if not _METADATA.search(key):
            return self._fetched(key, offset, length)
        if key not in self._metadata:
            self._metadata[key] = self._fetched(key, 0, None)
        content = self._metadata[key]
        return None if content is None else content[offset:][:length]

    def _fetched(self, key: str, offset: int, length: int | None) -> bytes | None:
        seconds = min(self.timeout_s, self._ends_at - time.monotonic())
        if seconds <= 0:
            raise Unavailable(f"{host_of(self.url)} did not send the values within {_TIMEOUT_S:g} s.")
        base, mark, query = self.url.partition("?")
        url = f"{base.rstrip('/')}/{quote(key)}{mark}{query}"
        is_part = bool(offset) or (length is not None and length <= _MOST_PART_BYTES)
        last = "" if length is None or offset < 0 else str(offset + length - 1)
        headers = {"range": f"bytes={offset}-{last}" if offset >= 0 else f"bytes={offset}"} if is_part else {}
        answer = self.gate.request(
            Outgoing(
                url,
                headers={"accept-encoding": "identity", **headers},
                max_bytes=_MOST_PART_BYTES,
                timeout_s=seconds,
            )
        )
        if answer.status in _ABSENT:
            return None
        content = answer.expect_ok().content
        return content if answer.status == 206 else content[offset:][:length]


@dataclass(frozen=True, slots=True)
class _Array:
    variable: DapVariable
    chunks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ZarrData:
    """A store that has been opened; ``arrays`` by their names."""

    read: Callable[[Mapping[str, Sequence[Range]]], JsonMapping]
    arrays: Mapping[str, _Array]
    attributes: Attributes

    @classmethod
    def opened(cls, store: StoreParts, reader: StoreReader) -> ZarrData:
        """Raises SondeError."""

        def read(slabs: Mapping[str, Sequence[Range]]) -> JsonMapping:
            return reader.read_slabs(store, slabs)

        described = read({})["arrays"]
        names = {str(array["name"]) for array in described}
        return cls(
            read,
            {array["name"]: _array(array, names) for array in described},
            {array["name"]: array["attributes"] for array in described},
        )

    @property
    def variables(self) -> tuple[DapVariable, ...]:
        return tuple(array.variable for array in self.arrays.values())

    def values(self, slabs: Sequence[Slab]) -> dict[str, Values]:
        """Raises InvalidInput where they lie in too many chunks, SondeError."""
        ranges = {slab.variable.name: slab.ranges or _whole(slab.variable) for slab in slabs}
        for name, parts in ranges.items():
            self._check(self.arrays[name], parts)
        return {str(name): tuple(values) for name, values in self.read(ranges)["values"].items()}

    def _check(self, array: _Array, ranges: Sequence[Range]) -> None:
        counts = [_chunks_of(part, chunk) for part, chunk in zip(ranges, array.chunks, strict=True)]
        if prod(counts) > _MOST_CHUNKS:
            raise InvalidInput(
                "limit",
                f"The values of {array.variable.name!r} lie in {prod(counts):,} chunks of the store; at most "
                f"{_MOST_CHUNKS} are read. Ask for fewer values.",
            )


def _array(described: JsonMapping, names: set[str]) -> _Array:
    """A dimension of a group has the coordinate of that group, if there is one."""
    name, group = str(described["name"]), str(described["name"]).rpartition("/")[0]
    dimensions = [
        Dimension(inner if (inner := f"{group}/{dimension}") in names else str(dimension), int(size))
        for dimension, size in zip(described["dimensions"], described["shape"], strict=True)
    ]
    path = quote(name, safe="").replace(".", "%2E")
    return _Array(DapVariable(path, str(described["type"]), tuple(dimensions)), tuple(described["chunks"]))


def _whole(variable: DapVariable) -> tuple[Range, ...]:
    return tuple((0, 1, dimension.size - 1) for dimension in variable.dimensions)


def _chunks_of(part: Range, chunk: int) -> int:
    """How many chunks of this length a range touches."""
    first, step, last = part
    values = max(0, (last - first) // step + 1)
    return min(values, ceil((last + 1) / chunk) - first // chunk)
