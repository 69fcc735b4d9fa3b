"""Questions as scientists type them: keywords, places, acronyms, over the records of two NCAR catalogues.

One judge graded the first five answers of seven variants of the search, so what a new variant finds may not be judged.
"""

from __future__ import annotations

from pathlib import Path

from core.timespan import instant_ms
from evaluation.collection import JudgedCollection, check_collection
from evaluation.collections import ncar
from evaluation.collections.beir import questions_of
from evaluation.collections.catalogue import records_of
from evaluation.trec import read_qrels

NAME = "keyword_questions"
SOURCE = "ncar"
"""Its judgements name one source for both archives."""


def load(data: Path) -> JudgedCollection:
    """Questions and qrels from ``judged/keyword_questions`` under ``data``, records from ``catalogues``."""
    folder = data / "judged" / NAME
    questions, qrels = questions_of(folder / "questions.jsonl"), read_qrels(folder / "qrels.tsv")
    archives = (data / "catalogues" / archive for archive in ncar.ARCHIVES.values())
    records = {record.id: record for path in archives for record in records_of(path, SOURCE)}
    return check_collection(
        JudgedCollection(
            name=NAME,
            records=tuple(records.values()),
            questions=questions,
            qrels=qrels,
            documents={name: name for name in records},
            as_of_ms=instant_ms(ncar.AS_OF, at_end=True),
        )
    )
