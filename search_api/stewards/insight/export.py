"""Questions of the log as a collection that people judge: `sonde judge run.trec --queries ... --corpus ...`."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256

from core.record import Record

RecordTexts = Callable[[Sequence[str]], Iterable[Record]]
"""The records with these ids that the steward may see."""

_RUN = "served"


def judged_collection(shown: Mapping[str, Sequence[str]], texts: RecordTexts) -> bytes:
    """A zip. ``shown``: the records of each question, best first; those that are gone are left out."""
    ids = list(dict.fromkeys(record for records in shown.values() for record in records))
    there = {record.id: record for record in texts(ids)}
    queries = [{"_id": question_id(question), "text": question} for question in shown]
    corpus = [{"_id": one.id, "title": one.title, "text": one.abstract} for one in there.values()]
    run = [
        f"{question_id(question)} Q0 {record} {rank} {1.0 / rank:.6f} {_RUN}\n"
        for question, records in shown.items()
        for rank, record in enumerate((one for one in records if one in there), 1)
    ]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("queries.jsonl", _lines(queries))
        archive.writestr("corpus.jsonl", _lines(corpus))
        archive.writestr("run.trec", "".join(run))
    return packed.getvalue()


def question_id(question: str) -> str:
    """The same in every export, so that judgements stay with their question."""
    return "q" + sha256(question.encode()).hexdigest()[:12]


def _lines(rows: Iterable[Mapping[str, str]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
