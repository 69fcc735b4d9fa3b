"""Downloads: from the Maven repository that this machine is set up with (no host is named here), and single files of a
large zip archive by HTTP range; and the plugin for geo_shape, which is built from them.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile

import requests
from remotezip import RemoteZip, RemoteZipError
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from local_stack.accounts import make_shared_folder
from local_stack.errors import FetchFailed, RequirementMissing
from local_stack.java import MINIMUM_VERSION, Java
from local_stack.part import Reporter

_URL = re.compile(r"https?://[^\s\x1b]+")
_MAVEN_TIMEOUT_S = 300
_CONNECTIONS = 8
_TIMEOUT_S = 60
Value = TypeVar("Value")
_FETCH_ERRORS = (RemoteZipError, BadZipFile, OSError, EOFError)
_RETRYING = Retrying(
    retry=retry_if_exception_type(_FETCH_ERRORS), stop=stop_after_attempt(4), wait=wait_exponential(0.5), reraise=True
)


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
            # With a session: without, each of the files would make a new connection.
            readers.archive = RemoteZip(url, session=requests.Session(), timeout=_TIMEOUT_S)
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
    try:
        return _RETRYING(call)
    except _FETCH_ERRORS as error:
        raise FetchFailed(f"Elasticsearch could not be fetched: {type(error).__name__}") from error


PLUGIN_NAME = "sonde-geo-shape"
_SOURCES = Path(__file__).parent / "geo_shape"
COMPILER_ARTIFACT = "org.eclipse.jdt:ecj:3.43.0"  # only where a Java has no javac; never part of what we ship
_STAMP = "source.sha256"
_COMPILE_TIMEOUT_S = 180


def descriptor(elasticsearch_version: str) -> str:
    """``plugin-descriptor.properties``: the node refuses a plugin built for another version."""
    values = {
        "name": PLUGIN_NAME,
        "description": "geo_shape field type for a node without the spatial module",
        "version": "1",
        "java.version": str(MINIMUM_VERSION),
        "elasticsearch.version": elasticsearch_version,
        "classname": "org.sonde.geoshape.GeoShapePlugin",
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def sources(elasticsearch_version: str) -> list[Path]:
    """What both majors share, and what the major of this version needs."""
    major = elasticsearch_version.partition(".")[0]
    return [*sorted(_SOURCES.glob("*.java")), *sorted((_SOURCES / major).glob("*.java"))]


def plugin_digest(elasticsearch_version: str) -> str:
    """Says whether an installed plugin is still the one these sources make."""
    texts = b"".join(source.read_bytes() for source in sources(elasticsearch_version))
    return hashlib.sha256(texts + descriptor(elasticsearch_version).encode()).hexdigest()


def is_installed(home: Path, elasticsearch_version: str) -> bool:
    stamp = home / "plugins" / PLUGIN_NAME / _STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == plugin_digest(elasticsearch_version)


def install_plugin(
    home: Path, elasticsearch_version: str, java: Java, environment: Mapping[str, str], report: Reporter
) -> None:
    """Compiles it and puts it into ``plugins/``, in one step and in place of an older one.

    Raises FetchFailed with the compiler's words where it does not compile.
    """
    report("elasticsearch.compiling_plugin", plugin=PLUGIN_NAME, javac=java.compiler is not None)
    partial_folder = home / f".{PLUGIN_NAME}.partial"
    shutil.rmtree(partial_folder, ignore_errors=True)
    make_shared_folder(partial_folder)
    with tempfile.TemporaryDirectory(prefix="sonde-plugin-") as scratch:
        classes = Path(scratch) / "classes"
        command = _compiler(java, environment, Path(scratch))
        jars = os.pathsep.join(str(jar) for jar in sorted((home / "lib").glob("*.jar")))  # ecj knows no "lib/*"
        _run([*command, "-cp", jars, "-d", str(classes), *map(str, sources(elasticsearch_version))])
        pack(classes, partial_folder / f"{PLUGIN_NAME}.jar")
    (partial_folder / "plugin-descriptor.properties").write_text(descriptor(elasticsearch_version), encoding="utf-8")
    (partial_folder / _STAMP).write_text(plugin_digest(elasticsearch_version), encoding="utf-8")
    _move(partial_folder, home / "plugins" / PLUGIN_NAME)


def _move(built: Path, folder: Path) -> None:
    for file in built.iterdir():
        file.chmod(0o644)
    make_shared_folder(folder.parent)
    shutil.rmtree(folder, ignore_errors=True)
    built.rename(folder)


def _compiler(java: Java, environment: Mapping[str, str], scratch: Path) -> list[str]:
    release = str(MINIMUM_VERSION)
    if java.compiler is not None:
        return [str(java.compiler), "--release", release, "-nowarn"]
    ecj = copy_artifact(environment, COMPILER_ARTIFACT, scratch)
    return [str(java.program), "-jar", str(ecj), "-source", release, "-target", release, "-nowarn"]


def _run(command: list[str]) -> None:
    completed = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_TIMEOUT_S, check=False)  # noqa: S603 - a compiler that was found
    if completed.returncode != 0:
        raise FetchFailed(
            f"the geo_shape plugin does not compile: {(completed.stderr or completed.stdout).strip()[:600]}"
        )


def pack(classes: Path, jar: Path) -> None:
    """All compiled classes of a folder; the same classes make the same bytes."""
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(classes.rglob("*.class")):
            # Without the moment of the compilation, so that two releases of one commit hold the same file.
            entry = zipfile.ZipInfo(file.relative_to(classes).as_posix())
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
