"""The header of NetCDF classic (CDF-1), 64-bit offset (CDF-2) and 64-bit data (CDF-5), read from a stream.

https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html. The libraries for it want a file on a
disk, or read all data.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from core.json_types import Json
from indexer.data_files.grid import ArrayHeader, Stored, describe
from indexer.data_files.messages import ByteRanges, FileFault

_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}
_FORMATS = {1: "NetCDF-3 classic", 2: "NetCDF-3 64-bit offset", 5: "NetCDF-3 64-bit data"}
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
_MOST = 100_000
_LONGEST_VALUE = 64 << 20
_NEAR, _SAMPLE = 4096, 16
_STREAMING = 2**32 - 1


@dataclass(slots=True)
class _Header:
    file: ByteRanges
    version: int
    position: int = 4

    def bytes(self, count: int) -> bytes:
        if count > _LONGEST_VALUE:
            raise FileFault(f"its header claims a value of {count:,} bytes")
        content = self.file.part(self.position, count)
        if len(content) < count:
            raise FileFault("it breaks off in its header")
        self.position += count + -count % 4
        return content

    def int32(self) -> int:
        return int(struct.unpack(">I", self.bytes(4))[0])

    def count(self) -> int:
        return int(struct.unpack(">Q", self.bytes(8))[0]) if self.version == 5 else self.int32()

    def offset(self) -> int:
        return self.int32() if self.version == 1 else int(struct.unpack(">Q", self.bytes(8))[0])

    def name(self) -> str:
        return self.bytes(self.count()).decode("utf-8", "replace")

    def length_of_list(self, tag: int) -> int:
        found_tag, length = self.int32(), self.count()
        if (found_tag, length) == (0, 0):
            return 0
        if found_tag != tag or length > _MOST:
            raise FileFault("its header is damaged")
        return length

    def attributes(self) -> Json:
        values: Json = {}
        for _ in range(self.length_of_list(_ATTRIBUTES)):
            name, type = self.name(), self.type()
            content = self.bytes(self.count() * type.itemsize)
            values[name] = content.decode("utf-8", "replace") if type.kind == "S" else _numbers(content, type)
        return values

    def type(self) -> np.dtype[np.generic]:
        number = self.int32()
        if number not in _TYPES:
            raise FileFault("its header is damaged")
        return np.dtype(_TYPES[number])


def _numbers(content: bytes, type: np.dtype[np.generic]) -> object:
    numbers = np.frombuffer(content, type)
    return numbers[0].item() if numbers.size == 1 else numbers


@dataclass(frozen=True, slots=True)
class _Placement:
    """Where the values lie; ``record_step``: bytes from one record to the next, None without the record dimension."""

    begin: int
    type: np.dtype[np.generic]
    shape: tuple[int, ...]
    record_step: int | None = None


@dataclass(slots=True)
class _Variable:
    name: str
    dimensions: tuple[int, ...]
    attributes: Json
    type: np.dtype[np.generic]
    begin: int
    is_record: bool = field(default=False)


def read_netcdf3(file: ByteRanges, size: int) -> Json:
    """Raises FileFault."""
    version = file.part(3, 1)[0]
    if version not in _FORMATS:
        raise FileFault(f"it is NetCDF of an unknown version ({version})")
    header = _Header(file, version)
    records = header.count()
    dimensions = [(header.name(), header.count()) for _ in range(header.length_of_list(_DIMENSIONS))]
    attributes = header.attributes()
    variables = [_variable(header, dimensions) for _ in range(header.length_of_list(_VARIABLES))]
    record_variables = [variable for variable in variables if variable.is_record]
    sizes = [_bytes_of(variable, dimensions, slice(1, None)) for variable in record_variables]
    step = sum(count + -count % 4 for count in sizes) if len(sizes) != 1 else sizes[0]
    if records in (_STREAMING, 2**64 - 1):  # the writer did not close it
        first = min((variable.begin for variable in record_variables), default=size)
        records = (size - first) // step if step else 0
    lengths = [(name, length or records) for name, length in dimensions]
    ends = [v.begin + _bytes_of(v, lengths, slice(None)) for v in variables if not v.is_record]
    ends += [
        v.begin + (records - 1) * step + count for v, count in zip(record_variables, sizes, strict=True) if records
    ]
    if max(ends, default=0) > size:
        raise FileFault(f"it breaks off: {size:,} of {max(ends):,} bytes are there")
    arrays = [_array(file, variable, lengths, step) for variable in variables]
    return describe(_FORMATS[version], attributes, arrays)


def _variable(header: _Header, dimensions: list[tuple[str, int]]) -> _Variable:
    name = header.name()
    places = tuple(header.count() for _ in range(min(header.count(), _MOST)))
    if any(place >= len(dimensions) for place in places):
        raise FileFault("its header is damaged")
    attributes, type = header.attributes(), header.type()
    header.count()  # its size, which is wrong for large variables
    is_record = bool(places) and dimensions[places[0]][1] == 0
    return _Variable(name, places, attributes, type, header.offset(), is_record)


def _bytes_of(variable: _Variable, dimensions: list[tuple[str, int]], part: slice) -> int:
    return math.prod(dimensions[place][1] for place in variable.dimensions[part]) * variable.type.itemsize


def _array(file: ByteRanges, variable: _Variable, dimensions: list[tuple[str, int]], step: int) -> ArrayHeader:
    names = tuple(dimensions[place][0] for place in variable.dimensions)
    shape = tuple(dimensions[place][1] for place in variable.dimensions)
    placement = _Placement(variable.begin, variable.type, shape, step if variable.is_record else None)
    type = variable.type.newbyteorder("=").name
    return ArrayHeader(variable.name, names, shape, type, variable.attributes, partial(_values, file, placement))


def _values(file: ByteRanges, placement: _Placement, step: int) -> Stored:
    if placement.record_step is None:
        count = math.prod(placement.shape) * placement.type.itemsize
        values = _array_of(file.part(placement.begin, count), placement.type, placement.shape)
    else:
        inner_shape = placement.shape[1:]
        count = math.prod(inner_shape) * placement.type.itemsize
        records = _records(placement, step)
        starts = (placement.begin + record * placement.record_step for record in records)
        return np.stack([_array_of(file.part(start, count), placement.type, inner_shape) for start in starts])
    return values[tuple(slice(None, None, step) for _ in placement.shape)]


def _records(placement: _Placement, step: int) -> list[int]:
    """Of records that lie far apart only the first and last ones: each is a request."""
    records = list(range(0, placement.shape[0], step))
    is_wide = (placement.record_step or 0) > _NEAR and len(records) > 2 * _SAMPLE
    return [*records[:_SAMPLE], *records[-_SAMPLE:]] if is_wide else records


def _array_of(content: bytes, type: np.dtype[np.generic], shape: tuple[int, ...]) -> Stored:
    return np.frombuffer(content, type).reshape(shape)
