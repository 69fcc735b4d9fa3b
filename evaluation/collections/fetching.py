"""Fetches public judged collections into a folder, each file checked by its SHA-256, and keeps them there."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import quote

from core.errors import SondeError, Unavailable
from core.json_types import Json
from evaluation.collections.homes import (
    ARCHIVES_AT,
    FILES_AT,
    HOMES,
    PIRA,
    PIRA_FIRST_EDITION,
    PIRA_REPORTS,
    PIRA_TEST_SPLIT,
    Home,
    PublicFile,
    RecordFolder,
)
from net.exchange import Outgoing, expect_ok
from net.gate import Gate

_MIB = 1024 * 1024
_LARGEST_FILE, _LARGEST_ARCHIVE, _LARGEST_RECORD = 64 * _MIB, 512 * _MIB, 8 * _MIB
_TIMEOUT_S = 1800.0
_TAKEN_FROM_PIRA = (
    "id_qa",
    "corpus",
    "question_en_origin",
    "question_pt_origin",
    "text_excerpts_un_reports",
    "answer_in_text",
)


class NotFetched(SondeError):
    """A collection is not on this machine and could not be fetched."""


@dataclass(frozen=True, slots=True)
class Fetching:
    """``folder``: where collections are kept. ``mirror`` answers instead of the public homes, with their paths."""

    folder: Path
    gate: Gate
    mirror: str | None
    say: Callable[[str], None]
    homes: Mapping[str, Home] = field(default_factory=lambda: HOMES)

    def file_url(self, home: Home, path: str) -> str:
        return f"{self.mirror or FILES_AT}/{home.repository}/{home.commit}/{quote(path)}"

    def archive_url(self, home: Home) -> str:
        return f"{self.mirror or ARCHIVES_AT}/{home.repository}/tar.gz/{home.commit}"


def fetch_collection(name: str, fetching: Fetching) -> Path:
    """The data folder, with the collection's files. Files that are there are not fetched again.

    Raises NotFetched with a sentence that says what to do.
    """
    home = fetching.homes.get(name)
    if home is None:
        raise NotFetched(f"The collection {name} has no public home: name a folder that holds it with --shared.")
    folder = fetching.folder / home.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in home.files:
            _fetch_file(home, file, folder, fetching)
        if any(not (folder / records.local_name).exists() for records in home.records):
            _fetch_records(home, folder, fetching)
    except (SondeError, OSError) as error:
        raise NotFetched(_advice(name, home, str(error), fetching)) from error
    if home.folder == PIRA.folder and not (folder / PIRA_REPORTS).exists():
        _keep(folder / PIRA_REPORTS, _pira_reports(folder))
    return fetching.folder


def _advice(name: str, home: Home, why: str, fetching: Fetching) -> str:
    url = fetching.archive_url(home) if home.records else fetching.file_url(home, home.files[0].path)
    return (
        f"The collection {name} was not fetched from {url.split('/')[2]}: {why.rstrip('.')}. Try again with network, "
        "or set SONDE_EVALUATION__MIRROR to a server that has "
        f"github.com/{home.repository} at {home.commit[:12]}, or name a folder that holds its files with --shared."
    )


def _fetch_file(home: Home, file: PublicFile, folder: Path, fetching: Fetching) -> None:
    if (folder / file.local_name).exists():
        return
    url = fetching.file_url(home, file.path)
    fetching.say(f"fetching {url} ({home.licence})")
    with tempfile.TemporaryFile(dir=folder) as draft:
        sha256 = _download(fetching.gate, Outgoing(url, max_bytes=_LARGEST_FILE, timeout_s=_TIMEOUT_S), draft)
        if sha256 != file.sha256:
            raise SondeError(f"{file.path} has the SHA-256 {sha256[:12]} instead of {file.sha256[:12]}")
        draft.seek(0)
        _keep(folder / file.local_name, draft.read())


def _download(gate: Gate, outgoing: Outgoing, into: IO[bytes]) -> str:
    """The SHA-256 of the written content. Raises the gate's errors, and BadStatus or Unavailable by the status."""
    digest = hashlib.sha256()
    with gate.stream(outgoing) as answer:
        expect_ok(answer.url, answer.status)
        for piece in answer.pieces:
            digest.update(piece)
            into.write(piece)
    return digest.hexdigest()


def _fetch_records(home: Home, folder: Path, fetching: Fetching) -> None:
    url = fetching.archive_url(home)
    fetching.say(f"fetching {url} ({home.licence}); this may take minutes")
    with tempfile.TemporaryFile(dir=folder) as draft:
        _download(fetching.gate, Outgoing(url, max_bytes=_LARGEST_ARCHIVE, timeout_s=_TIMEOUT_S), draft)
        draft.seek(0)
        members = _members(draft, {records.folder for records in home.records})
    for records in home.records:
        _keep(folder / records.local_name, _archive_of(records, members[records.folder]))


def _members(archive: IO[bytes], folders: set[str]) -> Mapping[str, dict[str, bytes]]:
    """Folder -> name -> content, of the XML files in these folders. Raises SondeError for a damaged archive."""
    contents: dict[str, dict[str, bytes]] = {folder: {} for folder in folders}
    try:
        with tarfile.open(fileobj=archive, mode="r|gz") as members:
            for member in members:
                _, _, name = member.name.partition("/")  # the first folder is the repository's name and commit
                folder, _, file = name.partition("/")
                if folder not in folders or not member.isfile() or not file.endswith(".xml"):
                    continue
                content = members.extractfile(member)
                if content is None or member.size > _LARGEST_RECORD:
                    raise SondeError(f"{name} cannot be read")
                contents[folder][name] = content.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise Unavailable(f"the archive cannot be read ({error})") from error
    return contents


def _archive_of(records: RecordFolder, members: Mapping[str, bytes]) -> bytes:
    """An archive of the files, the same bytes each time. Raises SondeError if they are not those expected."""
    if digest_of(members) != records.digest:
        raise SondeError(f"the {len(members)} files of {records.folder}/ are not those that were judged")
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, compresslevel=6) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as archive,
    ):
        for name, content in sorted(members.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def digest_of(members: Mapping[str, bytes]) -> str:
    """As ``RecordFolder.digest``."""
    lines = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(members.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _pira_reports(folder: Path) -> bytes:
    """The questions with an excerpt of the reports, as a list, without those of the test split."""
    with (folder / PIRA_TEST_SPLIT).open(encoding="utf-8", newline="") as file:
        test_ids = {row["id_qa"] for row in csv.DictReader(file)}
    entries: list[Json] = json.loads((folder / PIRA_FIRST_EDITION).read_text("utf-8"))
    train_entries = [
        {name: entry[name] for name in _TAKEN_FROM_PIRA}
        for entry in entries
        if entry["text_excerpts_un_reports"] and entry["id_qa"] not in test_ids
    ]
    return json.dumps(train_entries, ensure_ascii=False).encode()


def _keep(path: Path, content: bytes) -> None:
    """Writes the file atomically."""
    draft = path.with_name(f".{path.name}.new")
    draft.write_bytes(content)
    draft.replace(path)
