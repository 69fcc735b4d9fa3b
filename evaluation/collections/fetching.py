"""Public judged collections: where each is, by commit, SHA-256 and licence, and fetching them into a folder."""

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
from net.exchange import Outgoing, expect_ok
from net.gate import Gate

FILES_AT, ARCHIVES_AT = "https://raw.githubusercontent.com", "https://codeload.github.com"


@dataclass(frozen=True, slots=True)
class PublicFile:
    """``path`` in the repository; ``local_name`` in the collection's folder."""

    path: str
    sha256: str
    local_name: str


@dataclass(frozen=True, slots=True)
class RecordFolder:
    """A folder of metadata files in a repository, kept as an archive.

    ``digest``: SHA-256 of the lines ``SHA-256 of the content, two spaces, name``, sorted by name.
    """

    folder: str
    digest: str
    local_name: str


@dataclass(frozen=True, slots=True)
class Home:
    """``folder``: where the files are kept, under the data folder."""

    repository: str
    commit: str
    licence: str
    folder: str
    files: tuple[PublicFile, ...] = ()
    records: tuple[RecordFolder, ...] = ()


CRANFIELD = Home(
    "feroshjacob/cranfield",
    "d9d5324f03a128bafb33a9165b1457077284e3f4",
    "distributed for research; the repository states no licence",
    "judged/cranfield",
    (
        PublicFile(
            "src/main/resources/cran.qry.json",
            "0d28ea319c0a04fc5e09b6d99b09abd47edb0e17816a4cc2928b206947cc83a2",
            "cran.qry.json",
        ),
        PublicFile(
            "src/main/resources/cranfield_data.json",
            "8cc447e428b09fc6578e0920a2e310be743ce19e0f02bc6e4e44e3ba91de24d2",
            "cranfield_data.json",
        ),
        PublicFile(
            "src/main/resources/cranqrel.json",
            "c551a82fffa85e9d22f400e2f219ea905b14d645a4ffacf0990a2a1a03ea181e",
            "cranqrel.json",
        ),
    ),
)
CLIMATE_FEVER = Home(
    "tdiggelm/climate-fever-dataset",
    "03de61617b10a5c1935f8e08bb0e8ac1ee775356",
    "evidence of Wikipedia, CC BY-SA; the repository states no licence",
    "judged/climate_fever",
    (
        PublicFile(
            "dataset/climate-fever.jsonl",
            "8a4b9032d861be482ffb49dddfd283ffa6089e654f1e968040011882c5eb6e0b",
            "climate-fever.jsonl",
        ),
    ),
)
# The questions over excerpts of the two UN ocean reports are in the first edition only; those of the second edition's
# test split are left out.
PIRA_FIRST_EDITION, PIRA_TEST_SPLIT, PIRA_REPORTS = "first_edition.json", "test.csv", "reports_questions.json"
PIRA = Home(
    "C4AI/Pira",
    "4666d88f1ecec8c3662de3ffaa0d313d924529c2",
    "CC0 1.0",
    "judged/pira",
    (
        PublicFile(
            "Data/validation.csv",
            "f6cf524ce76572086a7a540810326a69d0fa633a236191eb309342893304ef24",
            "validation.csv",
        ),
        PublicFile(
            "Data/test.csv", "29013cdc302139e18f0610d549321b203b1cb01bf901e90f796a24bb58d78841", PIRA_TEST_SPLIT
        ),
        PublicFile(
            "Pira1.0/JSON/Pirá-T-Total.json",
            "bdfc956ee73187d8b5e25c6025e0165528b00e5add397d261440c3753da06cb9",
            PIRA_FIRST_EDITION,
        ),
    ),
)
PUBMEDQA = Home(
    "pubmedqa/pubmedqa",
    "1cbae8e92f72f20c8d3747cbb3bf5bc53554d997",
    "MIT",
    "judged/pubmedqa",
    (
        PublicFile(
            "data/ori_pqal.json",
            "8b3276be8942ebbd77f3ddcda12c1749bf0e490045a736fd8438ee40cf37a41d",
            "ori_pqal.json",
        ),
    ),
)
NCAR = Home(
    "NCAR/dset-web-accessible-folder-dev",
    "1e6e5a99cf4a1fe610783d2c3a4a54a99ef54d98",
    "CC BY 4.0",
    "catalogues",
    records=(
        RecordFolder(
            "dash-eol-prod",
            "2f7cf24a5cad1a57c76afefe096220604672e1031ba9435581c71c6c466387c2",
            "ncar_eol_9206.tar.gz",
        ),
        RecordFolder(
            "rda",
            "ad0f0c1059d52a9ce05fc7e11c01578fde9711777b813c79deeedd59aa4b7120",
            "ncar_rda_1669.tar.gz",
        ),
    ),
)

HOMES: Mapping[str, Home] = {
    "cranfield": CRANFIELD,
    "climate_fever": CLIMATE_FEVER,
    "pira": PIRA,
    "pira_pt": PIRA,
    "pubmedqa": PUBMEDQA,
    "ncar": NCAR,
    "ncar_hand": NCAR,
    "typed_quick": NCAR,
}
"""Collections by name. The samples are in the repository; ``typed`` also needs files without one public home."""


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
