"""NCAR's archives cut down to the records that tests need: to read all 10,875 takes a processor a minute."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Collection
from pathlib import Path

from evaluation.collections import ncar
from evaluation.trec import read_qrels
from tests.quality.keyword_cases import CASES
from tests.quality.ncar_questions import FOLDER
from tests.shared_data import shared_data

OTHERS = 300
"""Of the records of the keyword questions: those that nobody judged."""

_FOLDERS = {"dash-eol-prod": "ncar_eol", "rda": "ncar_rda"}


def _ids_by_file() -> dict[str, str]:
    """The ids of the records by their files, with the source, in the archives' order."""
    manifest = gzip.decompress(shared_data("catalogues", "ncar_manifest.tsv.gz").read_bytes()).decode("utf-8")
    rows = [line.split("\t")[:3] for line in manifest.splitlines()[1:]]
    in_order = sorted((row for row in rows if row[0] in _FOLDERS), key=lambda row: list(_FOLDERS).index(row[0]))
    return {file: f"{_FOLDERS[folder]}:{identifier}" for folder, file, identifier in in_order}


def all_ids() -> list[str]:
    """The records' ids with the source, in the archives' order."""
    return list(_ids_by_file().values())


def bare(record: str) -> str:
    """Without the source: the judgements of keywords name one source for both archives."""
    return record.partition(":")[2]


def keyword_ids() -> tuple[frozenset[str], frozenset[str]]:
    """Of the keyword questions: the ids without source of the records that are judged or that a case names, and every
    nth other one.
    """
    qrels = read_qrels(shared_data("judged", "keyword_questions", "qrels.tsv"))
    named = {bare(record) for grades in qrels.values() for record in grades} | {
        one.record for one in CASES if one.record
    }
    others = [id for record in all_ids() if (id := bare(record)) not in named]
    return frozenset(named), frozenset(others[:: max(len(others) // OTHERS, 1)])


def quick_subset() -> frozenset[str]:
    """Ids of the judged records and of a thousand others."""
    return frozenset(gzip.decompress((FOLDER / "ci_ids.txt.gz").read_bytes()).decode("utf-8").split("\n")) - {""}


def needed_ids() -> frozenset[str]:
    """Without source: what the questions of place and time judge, their quick subset, and the keyword questions'."""
    judged = {record for grades in read_qrels(FOLDER / "qrels.tsv").values() for record in grades}
    return frozenset(map(bare, judged | quick_subset())).union(*keyword_ids())


def cut_archives(folder: Path, ids: Collection[str]) -> Path:
    """``folder`` as a folder of data: archives with only these records (without source), and all judgements."""
    (folder / "catalogues").mkdir(parents=True)
    (folder / "judged").symlink_to(shared_data("judged"))
    kept = {file for file, record in _ids_by_file().items() if bare(record) in ids}
    for name in ncar.ARCHIVES.values():
        with (
            tarfile.open(shared_data("catalogues", name), "r|*") as whole,
            tarfile.open(folder / "catalogues" / name, "w:gz", compresslevel=1) as part,
        ):
            for member in whole:
                if member.name in kept:
                    part.addfile(member, whole.extractfile(member))
    return folder
