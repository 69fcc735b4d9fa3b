"""Reads the headers of data files in a separate process, which has neither network nor files of ours.

The process asks for the bytes that it needs; this side reads them from the disk or over HTTP, and counts them. One
process reads many files, because starting it takes longer than most files. It is killed after the time limit of a
file, and another one reads the next file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

from core.errors import SondeError
from core.json_types import Json
from indexer.confinement import environment_for_child, kill_group
from indexer.data_files.containers import TO_INSTALL, DataFile, missing_libraries
from indexer.data_files.messages import FileFault, receive, send

T = TypeVar("T")
_MIB = 1 << 20
_ERRORS = "errors"
_MOST_ERRORS = 4096


@dataclass(frozen=True, slots=True)
class DataLimits:
    """Hard limits for one file; ``fetched_bytes`` of its content, ``files`` of one process."""

    seconds: float = 120.0
    memory_bytes: int = 2048 * _MIB
    fetched_bytes: int = 256 * _MIB
    files: int = 200


class ReaderBroken(SondeError):
    """The installation, not the file."""


@dataclass(slots=True)
class HeaderReader:
    """``read`` may be called by several threads; files are read one after the other. ``close`` ends the process."""

    limits: DataLimits = field(default_factory=DataLimits)
    fetched_bytes: int = 0
    """What the last file took."""
    _process: subprocess.Popen[bytes] | None = None
    _folder: Path | None = None
    _files: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, file: DataFile) -> Json:
        """The header as a JSON object. Raises FileFault, and the SondeError or OSError of ``file.read``."""
        return self._asked(file, {})

    def read_slabs(self, store: DataFile, slabs: Mapping[str, Sequence[Sequence[int]]]) -> Json:
        """``arrays`` and ``values`` of a Zarr store, as ``arrays.read_zarr_slabs``. Raises as ``read``."""
        return self._asked(store, {"slabs": slabs})

    def _asked(self, file: DataFile, question: Json) -> Json:
        if missing_libraries():
            raise FileFault(TO_INSTALL, is_data=False)
        with self._lock:
            return self._read(file, question)

    def _read(self, file: DataFile, question: Json) -> Json:
        process = self._started()
        is_late = threading.Event()

        def stop() -> None:
            is_late.set()
            kill_group(process)

        timer = threading.Timer(self.limits.seconds, stop)
        timer.start()
        try:
            return self._answer(process, file, question)
        except FileFault as fault:
            if fault.is_data:  # a library may keep what a damaged file left in it
                self._stop()
            raise
        except (EOFError, OSError, ValueError):
            kill_group(process)
            reason = (
                f"reading it took longer than {self.limits.seconds:g} s" if is_late.is_set() else self._last_words()
            )
            self._stop()
            raise FileFault(reason) from None
        except BaseException:
            self._stop()
            raise
        finally:
            timer.cancel()

    def _answer(self, process: subprocess.Popen[bytes], file: DataFile, question: Json) -> Json:
        to_child, from_child = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
        self.fetched_bytes = 0
        send(to_child, {"file": file.name, "size": file.size, "block": file.block, **question})
        while True:
            message = receive(from_child)
            if "header" in message:
                return dict(message["header"])
            if "fault" in message:
                raise FileFault(str(message["fault"])[:500], is_data=bool(message.get("is_data", True)))
            if "keys" in message:
                send(to_child, {"keys": _outside(file.keys)})
                continue
            key, offset, length = message["read"]
            content = _outside(partial(self._bytes, file, key, offset, length))
            send(to_child, {"bytes": None if content is None else len(content)}, content or b"")

    def _bytes(self, file: DataFile, key: str, offset: int, length: int | None) -> bytes | None:
        room = self.limits.fetched_bytes - self.fetched_bytes
        if room <= 0 or (length or 0) > room:
            raise FileFault(f"reading its header and coordinates takes more than {self.limits.fetched_bytes:,} bytes")
        content = file.read(str(key), int(offset), room + 1 if length is None else int(length))
        self.fetched_bytes += len(content or b"")
        return content

    def _last_words(self) -> str:
        with (cast(Path, self._folder) / _ERRORS).open("rb") as errors:
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - _MOST_ERRORS))
            lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        words = lines[-1].strip()[:300] if lines else "its process ended"
        if "MemoryError" in words:
            return f"reading it needs more than {self.limits.memory_bytes // _MIB} MiB of memory"
        return f"it is damaged, or not what its name says ({words})"

    def _started(self) -> subprocess.Popen[bytes]:
        self._files += 1
        if self._process is not None and (self._process.poll() is not None or self._files > self.limits.files):
            self._stop()
        if self._process is None:
            self._files = 1
            self._folder = Path(tempfile.mkdtemp(prefix="sonde-data-"))
            with (self._folder / _ERRORS).open("wb") as errors:
                self._process = subprocess.Popen(  # noqa: S603  # nosec B603 - our own module
                    [
                        sys.executable,
                        "-m",
                        "indexer.data_files.child",
                        str(self._folder),
                        str(self.limits.memory_bytes),
                    ],
                    cwd=self._folder,
                    env=environment_for_child(self._folder),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,
                )
            try:
                receive(cast(BinaryIO, self._process.stdout))
            except EOFError:
                raise ReaderBroken(f"The process that reads data files does not start: {self._last_words()}") from None
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            kill_group(process)
            for stream in (process.stdin, process.stdout):
                with suppress(OSError):
                    cast(BinaryIO, stream).close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def close(self) -> None:
        with self._lock:
            self._stop()


def _outside(read: Callable[[], T]) -> T:
    """An OSError of the file is not one of the pipe."""
    try:
        return read()
    except OSError as error:
        raise FileFault(f"it cannot be read: {error}") from error
