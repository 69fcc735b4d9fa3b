"""The process that reads the headers of data files: ``python -m indexer.data_files.child FOLDER MEMORY_BYTES``.

It has no network and no file but its empty folder; it asks the reader for every byte (``messages``). What a library
raises for a damaged file ends the process, and its last words are the fault.
"""

from __future__ import annotations

import io
import os
import re
import resource
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from core.json_types import Json
from indexer.confinement import confine_process
from indexer.data_files.containers import LOCAL_BLOCK
from indexer.data_files.messages import FileFault, receive, send

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

_MOST_KEPT = 32 << 20
_LARGEST_FILE = 1 << 40  # a sparse copy of a GeoPackage has the size of the whole
_HDF5 = b"\x89HDF\r\n\x1a\n"
_TIFF = (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")
_GRIB = re.compile(rb"GRIB...[\x01\x02]", re.DOTALL)
_NARROW = 4096
_KINDS = {
    b"\x1f\x8b": "it is compressed with gzip: unpack it, so that parts of it can be read",
    b"PK\x03\x04": "it is a zip archive: unpack it",
    b"\x0e\x03\x13\x01": "HDF4 is not read: convert it to NetCDF",
}
_TABLES = (".csv", ".tsv", ".tab")


class Inquirer:
    """Requests parts of the file from the reader."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests, self._answers = requests, answers

    def read(self, key: str, offset: int = 0, length: int | None = None) -> bytes | None:
        send(self._requests, {"read": [key, offset, length]})
        count = receive(self._answers)["bytes"]
        return None if count is None else self._answers.read(count)

    def keys(self) -> list[str] | None:
        send(self._requests, {"keys": True})
        keys = receive(self._answers)["keys"]
        return None if keys is None else [str(key) for key in keys]


class RangeFile(io.RawIOBase):
    """A file that is read in blocks, of which the last ones stay; blocks in a row are requested together."""

    def __init__(self, inquirer: Inquirer, size: int, block: int) -> None:
        self._inquirer, self._size, self._position, self._block = inquirer, size, 0, block
        self._blocks: dict[int, bytes] = {}

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, start + offset)
        return self._position

    def readinto(self, buffer: Buffer) -> int:
        target = memoryview(buffer).cast("B")
        content = self.part(self._position, len(target))
        target[: len(content)] = content
        self._position += len(content)
        return len(content)

    def part(self, offset: int, length: int) -> bytes:
        """The bytes at an offset; fewer at the end of the file. Raises FileFault where the file ends early."""
        end = min(offset + length, self._size)
        if end <= offset:
            return b""
        numbers = range(offset // self._block, (end - 1) // self._block + 1)
        missing_numbers = [number for number in numbers if number not in self._blocks]
        if missing_numbers:
            self._load(missing_numbers[0], missing_numbers[-1])
        content = b"".join(self._blocks[number] for number in numbers)
        for number in list(self._blocks)[: -_MOST_KEPT // self._block]:
            del self._blocks[number]
        start = offset - numbers[0] * self._block
        return content[start : start + end - offset]

    def _load(self, first: int, last: int) -> None:
        offset, end = first * self._block, min((last + 1) * self._block, self._size)
        content = self._inquirer.read("", offset, end - offset) or b""
        if len(content) < end - offset:
            raise FileFault(f"it breaks off: {offset + len(content):,} of {self._size:,} bytes could be read")
        for number in range(first, last + 1):
            start = number * self._block - offset
            self._blocks[number] = content[start : start + self._block]


def read_header(name: str, size: int | None, block: int, inquirer: Inquirer) -> Json:
    """The header of a file, or of a Zarr store if ``size`` is None. Raises FileFault and what the libraries raise."""
    if size is None:
        from indexer.data_files.arrays import read_zarr

        return read_zarr(inquirer)
    if size == 0:
        raise FileFault("it is empty")
    file = RangeFile(inquirer, size, block)
    start = file.part(0, 4096)
    if start[:3] == b"CDF":
        from indexer.data_files.netcdf3 import read_netcdf3

        return read_netcdf3(file, size)
    if start[:8] == _HDF5 or any(file.part(offset, 8) == _HDF5 for offset in (512, 1024, 2048)):
        from indexer.data_files.arrays import read_hdf5

        return read_hdf5(cast(IO[bytes], file))
    if start[:4] in _TIFF:
        from indexer.data_files.geotiff import read_geotiff

        return read_geotiff(cast(IO[bytes], file))
    if start[:16] == b"SQLite format 3\x00":
        from indexer.data_files.geopackage import read_geopackage

        return read_geopackage(file, size, Path("copy.gpkg"))
    if _GRIB.search(start[:256]):
        from indexer.data_files.grib import read_grib

        return read_grib(file, RangeFile(inquirer, size, _NARROW), size, is_remote=block > LOCAL_BLOCK)
    return _read_text(name, file, size, start)


def _read_text(name: str, file: RangeFile, size: int, start: bytes) -> Json:
    for signature, reason in _KINDS.items():
        if start.startswith(signature):
            raise FileFault(reason)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        raise FileFault("it is a web page or XML, not the data file that its name says")
    if name.lower().endswith(_TABLES):
        from indexer.data_files.table import read_table

        return read_table(cast(IO[bytes], file), size)
    raise FileFault("its first bytes are those of no data format that Sonde reads")


def _answer(message: Json, inquirer: Inquirer) -> Json:
    try:
        if "slabs" in message:
            from indexer.data_files.arrays import read_zarr_slabs

            return {"header": read_zarr_slabs(inquirer, message["slabs"])}
        return {"header": read_header(str(message["file"]), message["size"], message["block"], inquirer)}
    except FileFault as fault:
        return {"fault": str(fault), "is_data": fault.is_data}


def run(folder: Path, memory_bytes: int) -> None:
    import cftime  # noqa: F401 - everything is loaded before files are closed to this process
    import h5netcdf  # noqa: F401
    import pyproj  # before ecCodes, whose libraries bring another PROJ
    import tifffile  # noqa: F401

    from indexer.data_files import arrays, geopackage, geotiff, grib, netcdf3, table  # noqa: F401

    pyproj.CRS.from_epsg(3857)
    requests = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    answers = sys.stdin.buffer
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    arrays.start_loop()
    confine_process(folder)
    send(requests, {"ready": True})
    while True:
        try:
            message = receive(answers)
        except EOFError:
            return
        send(requests, _answer(message, Inquirer(requests, answers)))


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]))
