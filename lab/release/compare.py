"""What differs between two releases of one commit: ``python -m lab.release.compare FIRST SECOND``.

The exit code is 1 if anything differs. Archives (tar, tgz) that differ are opened, and
their entries compared by name and SHA-256.
"""

from __future__ import annotations

import hashlib
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from lab.release.files import CHECKSUMS

_ARCHIVES = (".tar", ".tgz", ".tar.gz")


def differences(first: Path, second: Path) -> Iterator[str]:
    """Each file that differs between the folders. For an archive, its differing entries: ``ARCHIVE: ENTRY``."""
    before, after = _checksums(first), _checksums(second)
    for name in _differing_names(before, after):
        if name in before and name in after and name.endswith(_ARCHIVES):
            entries = list(_differing_names(_entries(first / name), _entries(second / name)))
            yield from (f"{name}: {entry}" for entry in entries or ["the order or the headers of its entries"])
        else:
            yield name


def _checksums(folder: Path) -> Mapping[str, str]:
    lines = (folder / CHECKSUMS).read_text("utf-8").splitlines()
    return {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}


def _entries(archive: Path) -> Mapping[str, str]:
    with tarfile.open(archive) as entries:
        files = ((entry.name, entries.extractfile(entry)) for entry in entries if entry.isfile())
        return {name: hashlib.file_digest(data, "sha256").hexdigest() for name, data in files if data}  # type: ignore[arg-type]


def _differing_names(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    return (name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name))


def main() -> int:
    lines = list(differences(Path(sys.argv[1]), Path(sys.argv[2])))
    sys.stdout.write("".join(f"{line}\n" for line in lines) or "Both have the same bytes.\n")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
