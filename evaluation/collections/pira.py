"""Pirá: questions about the ocean and the Brazilian coast, each with its text.

The texts are excerpts of the two UN ocean reports and abstracts of articles. Questions that people marked as not
answered by their text are left out; the text of a question is its only relevant document (grade 1).
"""

from __future__ import annotations

import csv
import hashlib
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from evaluation.collection import Collection, Question, checked
from evaluation.collections.beir import text_record

NAME = "pira"

Language = Literal["en", "pt"]

_TAG = re.compile(r"<[^>]+>")
_SPACE = re.compile(r"\s+")


def load(data: Path, language: Language = "en") -> Collection:
    """From ``judged/pira`` under ``data``; ``language`` is the questions', the texts are English."""
    folder = data / "judged" / "pira"
    rows = [
        *_of_reports(folder / "reports_questions.json", language),
        *_of_articles(folder / "validation.csv", language),
    ]
    texts = {_text_id(text): text for _, _, text in rows}
    records = {name: text_record(name, "", text) for name, text in texts.items()}
    # Ten questions occur twice in the file under one id: each is asked once, with all its texts as relevant.
    questions = {name: Question(name, question) for name, question, _ in rows}
    qrels: dict[str, dict[str, int]] = {name: {} for name in questions}
    for name, _, text in rows:
        qrels[name][_text_id(text)] = 1
    return checked(
        Collection(
            name=NAME if language == "en" else f"{NAME}_{language}",
            records=tuple(records.values()),
            questions=tuple(questions.values()),
            qrels=qrels,
            documents={record.id: name for name, record in records.items()},
        )
    )


def _of_reports(path: Path, language: Language) -> Iterator[tuple[str, str, str]]:
    """Question id, question, text."""
    for entry in json.loads(path.read_text(encoding="utf-8")):
        if entry["answer_in_text"]:
            yield entry["id_qa"], entry[f"question_{language}_origin"], plain(entry["text_excerpts_un_reports"])


def _of_articles(path: Path, language: Language) -> Iterator[tuple[str, str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        for entry in csv.DictReader(file):
            if entry["at_labels"] == "1.0":
                yield entry["id_qa"], entry[f"question_{language}_origin"], plain(entry["abstract"])


def plain(text: str) -> str:
    """Without HTML tags and entities, white space normalised."""
    return _SPACE.sub(" ", html.unescape(_TAG.sub(" ", text))).strip()


def _text_id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
