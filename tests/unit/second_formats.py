"""The real files in which the findings of harvest.md were made: read in tests, never copied."""

from __future__ import annotations

import tarfile
from functools import cache

from core.record import Record
from indexer.formats.registry import read
from indexer.formats.splitting.split import split
from indexer.raw import RawRecord
from tests.shared_data import shared_data


@cache
def files() -> dict[str, bytes]:
    """Path in the archive -> bytes, without the archive's own folder and SOURCE.md."""
    with tarfile.open(shared_data("catalogues", "second_formats.tar.gz")) as archive:
        held = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        return {
            name.removeprefix("./").removeprefix("second_formats/"): opened.read()
            for name, opened in held.items()
            if opened is not None and not name.endswith("SOURCE.md")
        }


def of(folder: str) -> dict[str, bytes]:
    return {name: content for name, content in files().items() if name.startswith(folder)}


def records(content: bytes, name: str = "file") -> list[Record]:
    parts = [(record.name, record.content) for record in split(content).records] or [("", content)]
    return [read(RawRecord(native_id or name, part, name), "second") for native_id, part in parts]
