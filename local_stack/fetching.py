"""Downloads: from the Maven repository that this machine is set up with (no host is named here), and single files of a
large zip archive by HTTP range."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile

from remotezip import RemoteZip, RemoteZipError

from local_stack.accounts import make_shared_folder
from local_stack.errors import FetchFailed, RequirementMissing

_URL = re.compile(r"https?://[^\s\x1b]+")
_MAVEN_TIMEOUT_S = 300
_CONNECTIONS = 8
_ATTEMPTS = 4
_TIMEOUT_S = 60
Value = TypeVar("Value")
_FETCH_ERRORS = (RemoteZipError, BadZipFile, OSError, EOFError)


def repository_url(environment: Mapping[str, str]) -> str:
    """Its address without a slash at the end, mirrors and proxies of Maven's settings included."""
    expression = "project.repositories[0].url"
    output = _maven(environment, "-q", "help:evaluate", f"-Dexpression={expression}", "-DforceStdout")
    match = _URL.search(output)
    if match is None:
        raise FetchFailed("Maven does not say which repository it uses (mvn help:evaluate): look at its settings.xml")
    return match[0].rstrip("/")


def copy_artifact(environment: Mapping[str, str], coordinates: str, folder: Path) -> Path:
    """Fetches one artifact (``group:name:version``) into a folder, verified by Maven; its path there."""
    _maven(environment, "-q", "dependency:copy", f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}")
    _, name, version = coordinates.split(":")
    return folder / f"{name}-{version}.jar"


def _maven(environment: Mapping[str, str], *arguments: str) -> str:
    program = shutil.which("mvn", path=environment.get("PATH"))
    if program is None:
        raise RequirementMissing(
            "Maven is needed once, to fetch Elasticsearch: install it (Debian: apt-get install maven), "
            "or name a running Elasticsearch in its url setting"
        )
    try:
        run = subprocess.run(  # noqa: S603 - mvn from the PATH we were given
            [program, "-B", *arguments],
            env=dict(environment),
            capture_output=True,
            text=True,
            timeout=_MAVEN_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise FetchFailed(f"Maven did not answer within {_MAVEN_TIMEOUT_S} s") from error
    if run.returncode != 0:
        raise FetchFailed(f"Maven failed: {' '.join(run.stdout.split())[:400]}")
    return run.stdout


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file in the archive: its name there, where it goes (relative), bytes unpacked, CRC-32, permissions."""

    name: str
    path: str
    size: int
    crc: int
    mode: int


def list_entries(url: str) -> list[ArchiveEntry]:
    """All files of the archive, in its order. Raises FetchFailed where the server does not give them."""
    with _retry(lambda: RemoteZip(url, timeout=_TIMEOUT_S)) as archive:
        return [
            ArchiveEntry(info.filename, info.filename, info.file_size, info.CRC, (info.external_attr >> 16) & 0o777)
            for info in archive.infolist()
            if not info.is_dir()
        ]


def fetch_entries(
    url: str, entries: Sequence[ArchiveEntry], folder: Path, digests: Mapping[str, str], progress: Callable[[int], None]
) -> None:
    """Writes each entry below ``folder``, readable by everyone; ``progress`` gets the number of bytes written so far.

    zipfile compares each file's CRC while it reads; a damaged one is fetched again, four times at most. A file whose
    SHA-256 is not that of ``digests`` (hexadecimal, by path) is another file, and is not written.
    Raises FetchFailed with the reason if an entry cannot be fetched.
    """
    readers = threading.local()  # one archive, and so one connection, for each thread
    largest_first = sorted(entries, key=lambda entry: -entry.size)
    done_bytes = 0
    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        entry_by_future = {
            pool.submit(_fetch_entry, url, readers, entry, folder, digests): entry for entry in largest_first
        }
        try:
            for future in as_completed(entry_by_future):
                future.result()
                done_bytes += entry_by_future[future].size
                progress(done_bytes)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _fetch_entry(
    url: str, readers: threading.local, entry: ArchiveEntry, folder: Path, digests: Mapping[str, str]
) -> None:
    def read() -> bytes:
        if not hasattr(readers, "archive"):
            readers.archive = RemoteZip(url, timeout=_TIMEOUT_S)
        try:
            content: bytes = readers.archive.read(entry.name)
        except _FETCH_ERRORS:
            del readers.archive  # its connection may be broken
            raise
        return content

    content = _retry(read)
    if hashlib.sha256(content).hexdigest() != digests.get(entry.path):
        raise FetchFailed(f"{entry.path} is not the file that was tried: its SHA-256 is another")
    path = folder / entry.path
    make_shared_folder(path.parent)
    path.write_bytes(content)
    path.chmod((entry.mode or 0o644) | 0o444)


def _retry(call: Callable[[], Value]) -> Value:
    for attempt in range(_ATTEMPTS):
        try:
            return call()
        except _FETCH_ERRORS as error:
            if attempt == _ATTEMPTS - 1:
                raise FetchFailed(f"Elasticsearch could not be fetched: {type(error).__name__}") from error
            time.sleep(0.5 * 2**attempt)
    raise AssertionError("unreachable")
