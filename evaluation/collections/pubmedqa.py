"""PubMedQA: questions of the life sciences, each with its abstract, without the conclusion."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from core.json_types import Json
from evaluation.collection import Collection, Question, checked
from evaluation.collections.beir import text_record

NAME = "pubmedqa"


def load(data: Path) -> Collection:
    """From ``judged/pubmedqa`` under ``data``; a question and its only relevant text (grade 1) share the PubMed id."""
    with gzip.open(data / "judged" / "pubmedqa" / "ori_pqal.json.gz", "rt", encoding="utf-8") as file:
        entries: dict[str, Json] = json.load(file)
    records = {name: text_record(name, "", " ".join(entry["CONTEXTS"])) for name, entry in entries.items()}
    return checked(
        Collection(
            name=NAME,
            records=tuple(records.values()),
            questions=tuple(Question(name, entry["QUESTION"]) for name, entry in entries.items()),
            qrels={name: {name: 1} for name in entries},
            documents={record.id: name for name, record in records.items()},
        )
    )
