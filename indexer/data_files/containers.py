"""Data files as the reader sees them: a name, a size, and bytes at an offset. A Zarr store has a key for each part."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

DATA_SUFFIXES = frozenset({
    ".nc", ".nc3", ".nc4", ".cdf", ".h5", ".hdf5", ".he5", ".tif", ".tiff", ".geotiff", ".gtiff", ".gpkg", ".csv",
    ".tsv", ".tab", ".grib", ".grib1", ".grib2", ".grb", ".grb1", ".grb2", ".gb2",
})  # fmt: skip
_FORECAST = re.compile(r"\.pgrb2?[a-z]?\.(?:[\w-]+\.)*(?:f\d{2,4}|anl)$")
"""GRIB as weather services name it: ``gfs.t00z.pgrb2.0p25.f006``."""
_WRF = re.compile(r"(?:^|/)wrf(?:out|input|bdy|rst|xtrm)_d\d\d[^/]*$")
"""The model names its NetCDF files without a suffix."""
ZARR = ".zarr"
ZARR_MARKS = ("zarr.json", ".zmetadata", ".zgroup", ".zarray")
"""The files of which one lies at the top of a Zarr store."""
LOCAL_BLOCK = 64 << 10
_LIBRARIES = ("cftime", "eccodes", "h5netcdf", "h5py", "tifffile", "zarr")
TO_INSTALL = "to read data files, install Sonde's extra `data` (`make env` in a checkout)"


def has_data_name(name: str) -> bool:
    """Whether a file's name looks like one of the formats that are read."""
    name = name.lower()
    return PurePosixPath(name).suffix in DATA_SUFFIXES or any(known.search(name) for known in (_FORECAST, _WRF))


def missing_libraries() -> tuple[str, ...]:
    """The libraries of the extra ``data`` that are not installed."""
    return tuple(name for name in _LIBRARIES if importlib.util.find_spec(name) is None)


class DataFile(Protocol):
    """``key`` is the path inside a Zarr store, and empty for a single file."""

    @property
    def name(self) -> str:
        """The file's name without its folder."""

    @property
    def size(self) -> int | None:
        """In bytes; None for a Zarr store."""

    @property
    def block(self) -> int:
        """Bytes that are read together: more where each reading is a request."""

    def read(self, key: str, offset: int, length: int | None) -> bytes | None:
        """At most ``length`` bytes (None: all); None if there is no such key. A negative offset counts from the end.

        Raises OSError, SondeError.
        """

    def keys(self) -> list[str] | None:
        """The paths of a Zarr store's metadata; None if they cannot be listed."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    path: Path
    block: int = LOCAL_BLOCK

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def size(self) -> int | None:
        return self.path.stat().st_size

    def read(self, key: str, offset: int, length: int | None) -> bytes | None:  # noqa: ARG002 - it has no keys
        with self.path.open("rb") as stream:
            stream.seek(offset, os.SEEK_SET if offset >= 0 else os.SEEK_END)
            return stream.read(-1 if length is None else length)

    def keys(self) -> list[str] | None:
        return None

    @property
    def version(self) -> str:
        """Changes when the file does."""
        status = self.path.stat()
        return f"{status.st_size}-{status.st_mtime_ns}"


@dataclass(frozen=True, slots=True)
class LocalStore:
    """A Zarr store in a folder. Links out of it are not followed."""

    path: Path
    block: int = LOCAL_BLOCK

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def size(self) -> int | None:
        return None

    def read(self, key: str, offset: int, length: int | None) -> bytes | None:
        path = (self.path / key).resolve()
        if not path.is_relative_to(self.path.resolve()) or not path.is_file():
            return None
        return LocalFile(path).read("", offset, length)

    def keys(self) -> list[str] | None:
        found_keys: list[str] = []
        for folder, folders, files in os.walk(self.path):
            folders[:] = sorted(name for name in folders if not is_chunk_folder(name))
            place = Path(folder).relative_to(self.path)
            found_keys += [(place / name).as_posix() for name in sorted(files) if is_metadata_key(name)]
        return found_keys

    @property
    def version(self) -> str:
        """Changes when the store's metadata do: a new time step changes the shape of an array."""
        statuses = [(self.path / key).stat() for key in self.keys() or ()]
        return f"{sum(status.st_size for status in statuses)}-{max((s.st_mtime_ns for s in statuses), default=0)}"


def is_chunk_folder(name: str) -> bool:
    """Whether a folder of a Zarr store holds only chunks, of which there may be millions."""
    return name == "c" or name.isdecimal()


def is_metadata_key(key: str) -> bool:
    return PurePosixPath(key).name in (*ZARR_MARKS, ".zattrs")


def is_store(names: Iterable[str]) -> bool:
    """Whether a folder with these names is a Zarr store."""
    return not set(ZARR_MARKS).isdisjoint(names)
