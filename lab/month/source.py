"""The source of a simulated month: documents of a real catalogue in a folder, and the judged questions about them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from es_mappings.names import KINDS
from evaluation.collections.beir import questions_of
from evaluation.trec import read_qrels
from indexer.formats.reader import Refused
from indexer.formats.registry import read
from indexer.sources.folder import FolderSource
from lab.month.script import JudgedQuestion
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client

PREFIX = "sonde-month-"


def judged_questions(queries: Path, qrels: Path) -> list[JudgedQuestion]:
    grades = read_qrels(qrels)
    return [JudgedQuestion(one.text, grades[one.id]) for one in questions_of(queries) if one.id in grades]


def copied(
    archive: Path, source: str, folder: Path, questions: Sequence[JudgedQuestion], most: int
) -> list[JudgedQuestion]:
    """Writes at most ``most`` documents to ``folder``: half of them right answers, the others as they come.

    Returns the questions of which a right answer is among them.
    """
    right = {record for one in questions for record, grade in one.grades.items() if grade > 0}
    written: set[str] = set()
    for wanted, limit in ((True, most // 2), (False, most)):
        for id, content in _documents(archive, source):
            if len(written) < limit and id not in written and (not wanted or id in right):
                (folder / f"{len(written):05d}.xml").write_bytes(content)
                written.add(id)
    return [one for one in questions if any(grade > 0 and id in written for id, grade in one.grades.items())]


def _documents(archive: Path, source: str) -> Iterator[tuple[str, bytes]]:
    for page in FolderSource(archive).pages():
        for raw in page.records:
            try:
                yield read(raw, source).id, raw.content
            except Refused:
                continue


@contextmanager
def own_indices(settings: Settings) -> Iterator[Settings]:
    """The settings with a prefix of its own, whose indices are deleted afterwards."""
    prefix = f"{PREFIX}{uuid.uuid4().hex[:12]}"
    try:
        yield settings.model_copy(update={"index": settings.index.model_copy(update={"prefix": prefix})})
    finally:
        client = elasticsearch_client(settings, retry=True)
        found = client.options(ignore_status=404).indices.get_alias(
            index=",".join(f"{prefix}-{one}-*" for one in KINDS)
        )
        if names := [name for name in found.body if name.startswith(f"{prefix}-")]:
            client.indices.delete(index=",".join(names))
        client.close()
