"""The headers of NetCDF-4 and other HDF5 files (h5netcdf), and of Zarr stores (zarr)."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import IO, TYPE_CHECKING, Protocol

import h5netcdf
import h5py
import numpy as np
import zarr
from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest
from zarr.core.buffer import Buffer, BufferPrototype

from core.json_types import Json, JsonMapping
from indexer.data_files.grid import ArrayHeader, Stored, describe
from indexer.data_files.messages import FileFault

if TYPE_CHECKING:
    from zarr.types import AnyArray

_MOST_ARRAYS = 2000
_MOST_GROUPS = 500
_NOT_SHOWN = frozenset({"DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_Netcdf4Dimid", "_Netcdf4Coordinates"})


def read_hdf5(stream: IO[bytes]) -> Json:
    """Raises FileFault and what h5py raises."""
    with h5netcdf.File(stream, "r", phony_dims="access", decode_vlen_strings=True) as dataset:
        file = dataset._h5file
        is_netcdf = "_NCProperties" in file.attrs or any(
            "CLASS" in member.attrs for member in islice(file.values(), 100)
        )
        arrays = list(islice(_hdf5_arrays(dataset), _MOST_ARRAYS))
        return describe("NetCDF-4" if is_netcdf else "HDF5", _attributes(dataset.attrs), arrays)


def _hdf5_arrays(dataset: h5netcdf.File) -> Iterator[ArrayHeader]:
    groups, count = [dataset], 0
    while groups and count < _MOST_GROUPS:
        group, count = groups.pop(0), count + 1
        groups += group.groups.values()
        prefix = "" if group is dataset else f"{group.name.strip('/')}/"
        for name, variable in group.variables.items():
            shape = tuple(int(length) for length in variable.shape)
            read = partial(_hdf5_values, variable)
            attributes = _attributes(variable.attrs)
            yield ArrayHeader(f"{prefix}{name}", variable.dimensions, shape, str(variable.dtype), attributes, read)


def _hdf5_values(variable: h5netcdf.Variable, step: int) -> Stored:
    return np.asarray(
        variable[tuple(slice(None, None, step) for _ in variable.shape)] if variable.shape else variable[...]
    )


def _attributes(attributes: JsonMapping) -> Json:
    """Those that can be read: a reference or an empty value has nothing to say."""
    values: Json = {}
    for name in list(attributes):
        if name in _NOT_SHOWN:
            continue
        try:
            value = attributes[name]
        except (OSError, TypeError, ValueError, UnicodeDecodeError):
            continue
        if not isinstance(value, h5py.Empty | h5py.Reference):
            values[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return values


class ZarrKeys(Protocol):
    def read(self, key: str, offset: int = 0, length: int | None = None) -> bytes | None:
        """The bytes of a key; None if there is none. A negative offset counts from the end."""

    def keys(self) -> list[str] | None:
        """The paths of the metadata; None if they cannot be listed."""


def start_loop() -> None:
    """Starts the event loop of zarr, which needs what a confined process cannot open."""
    zarr.open_group(zarr.storage.MemoryStore(), mode="w")


def read_zarr(inquirer: ZarrKeys) -> Json:
    """Raises FileFault and what zarr raises."""
    node = _opened(inquirer)
    arrays = [_zarr_array(name, array) for name, array in _zarr_arrays(node)]
    return describe(f"Zarr v{node.metadata.zarr_format}", _attributes(dict(node.attrs)), arrays)


def read_zarr_slabs(inquirer: ZarrKeys, slabs: Mapping[str, Sequence[Sequence[int]]]) -> Json:
    """``arrays`` describes all of them; ``values`` holds those of the slabs: first index, step and last of each axis.

    Raises FileFault and what zarr raises.
    """
    arrays = dict(_zarr_arrays(_opened(inquirer)))
    values = {
        name: _listed(arrays[name][tuple(slice(first, last + 1, step) for first, step, last in ranges)])
        for name, ranges in slabs.items()
    }
    return {"arrays": [_listing(_zarr_array(name, array), array) for name, array in arrays.items()], "values": values}


def _listing(header: ArrayHeader, array: AnyArray) -> Json:
    texts = {str(name): str(value) for name, value in header.attributes.items() if isinstance(value, str | int | float)}
    return {
        "name": header.name,
        "type": header.type,
        "dimensions": header.dimensions,
        "shape": header.shape,
        "chunks": array.chunks,
        "attributes": texts,
    }


def _listed(values: object) -> list[object]:
    """In row-major order; instants as RFC 3339, and what is neither number nor text as text."""
    flat = np.ravel(np.asarray(values))
    if flat.dtype.kind == "M":
        texts = np.datetime_as_string(flat.astype("datetime64[s]"))
        return ["" if text == "NaT" else f"{text}Z" for text in texts]
    numbers: list[object] = flat.tolist()
    return [value if isinstance(value, int | float | str) else _text_of(value) for value in numbers]


def _text_of(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _opened(inquirer: ZarrKeys) -> zarr.Group | AnyArray:
    try:
        return zarr.open(_InquiredStore(inquirer), mode="r")
    except FileNotFoundError:
        raise FileFault("no Zarr metadata lie at its top (zarr.json, .zmetadata, .zgroup)") from None


def _zarr_arrays(node: zarr.Group | AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Up to a limit."""
    members = (("data", node),) if isinstance(node, zarr.Array) else node.members(max_depth=8)
    arrays = ((name, member) for name, member in members if isinstance(member, zarr.Array))
    yield from islice(arrays, _MOST_ARRAYS)


def _zarr_array(name: str, array: AnyArray) -> ArrayHeader:
    attributes: Json = dict(array.attrs)
    names = attributes.pop("_ARRAY_DIMENSIONS", None) or getattr(array.metadata, "dimension_names", None) or ()
    dimensions = tuple(str(part) for part in names) or tuple(f"dim_{place}" for place in range(array.ndim))
    fill = _fill_value(array, attributes.get("_FillValue"))
    if fill is not None:
        attributes["_FillValue"] = fill
    return ArrayHeader(name, dimensions, array.shape, array.dtype.name, attributes, partial(_zarr_values, array))


def _fill_value(array: AnyArray, stated: object) -> float | None:
    """What stands for a missing value. Of Zarr v3 it is the attribute alone, which xarray writes in base64."""
    is_packed = array.dtype.kind == "f" or "scale_factor" in array.attrs
    if stated is None and array.metadata.zarr_format == 2 and is_packed and array.fill_value is not None:
        return float(array.fill_value)
    if not isinstance(stated, str):
        return float(stated) if isinstance(stated, int | float) else None
    try:
        (value,) = struct.unpack("<d", base64.b64decode(stated, validate=True))
    except (binascii.Error, struct.error):
        return None
    return float(value)


def _zarr_values(array: AnyArray, step: int) -> Stored:
    return np.asarray(array[tuple(slice(None, None, step) for _ in array.shape)] if array.shape else array[...])


class _InquiredStore(Store):
    """A read-only store whose parts the reader sends."""

    supports_writes = supports_deletes = supports_listing = True
    supports_consolidated_metadata = True

    def __init__(self, inquirer: ZarrKeys) -> None:
        super().__init__(read_only=True)
        self._inquirer = inquirer
        self._keys: list[str] | None = None

    def __eq__(self, other: object) -> bool:
        return self is other

    async def get(self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None) -> Buffer | None:
        offset, length = 0, None
        if isinstance(byte_range, RangeByteRequest):
            offset, length = byte_range.start, byte_range.end - byte_range.start
        elif isinstance(byte_range, OffsetByteRequest):
            offset = byte_range.offset
        elif isinstance(byte_range, SuffixByteRequest):
            offset, length = -byte_range.suffix, byte_range.suffix
        content = self._inquirer.read(key, offset, length)
        return None if content is None else prototype.buffer.from_bytes(content)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        return [await self.get(key, prototype, byte_range) for key, byte_range in key_ranges]

    async def exists(self, key: str) -> bool:
        return self._inquirer.read(key, 0, 1) is not None

    async def set(self, key: str, value: Buffer) -> None:  # noqa: ARG002 - the names are zarr's
        raise PermissionError("the store is only read")

    async def delete(self, key: str) -> None:  # noqa: ARG002
        raise PermissionError("the store is only read")

    def _all_keys(self) -> list[str]:
        if self._keys is None:
            keys = self._inquirer.keys()
            if keys is None:
                raise FileFault("its metadata are not consolidated, and the server does not list the store")
            self._keys = keys
        return self._keys

    async def list(self) -> AsyncIterator[str]:
        for key in self._all_keys():
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        for key in self._all_keys():
            if key.startswith(prefix):
                yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        folder = f"{prefix.rstrip('/')}/" if prefix.strip("/") else ""
        names = {key.removeprefix(folder).partition("/")[0] for key in self._all_keys() if key.startswith(folder)}
        for name in sorted(names):
            yield name
