"""Public judged collections: Climate-FEVER, Cranfield, Pirá and PubMedQA."""

from __future__ import annotations

import csv
import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from core.json_types import Json
from core.record import Record
from evaluation.collection import JudgedCollection, JudgedQuestion, check_collection
from evaluation.collections.beir import text_record

Language = Literal["en", "pt"]

_TAG = re.compile(r"<[^>]+>")
_SPACE = re.compile(r"\s+")
_RELEVANT = ("SUPPORTS", "REFUTES")


def load_pira(data: Path, language: Language = "en") -> JudgedCollection:
    """Questions about the ocean and the Brazilian coast, each with its text. From ``judged/pira`` under ``data``;
    ``language`` is the questions', the texts are English.

    The texts are excerpts of the two UN ocean reports and abstracts of articles. Questions that people marked as not
    answered by their text are left out; the text of a question is its only relevant document (grade 1).
    """
    rows = [row for row in pira_questions(data, language) if row.answerable]
    texts = {row.text_id: row.text for row in rows}
    records = {name: text_record(name, "", text) for name, text in texts.items()}
    # Ten questions occur twice in the file under one id: each is asked once, with all its texts as relevant.
    questions = {row.id: JudgedQuestion(row.id, row.question) for row in rows}
    qrels: dict[str, dict[str, int]] = {name: {} for name in questions}
    for row in rows:
        qrels[row.id][row.text_id] = 1
    return check_collection(
        JudgedCollection(
            name="pira" if language == "en" else f"pira_{language}",
            records=tuple(records.values()),
            questions=tuple(questions.values()),
            qrels=qrels,
            documents={record.id: name for name, record in records.items()},
        )
    )


@dataclass(frozen=True, slots=True)
class PiraQuestion:
    """A question with its text, which answers it or not; the reports' part has no ``answers``."""

    id: str
    question: str
    text: str
    answerable: bool
    answers: tuple[str, ...] = ()

    @property
    def text_id(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def pira_questions(data: Path, language: Language) -> Iterator[PiraQuestion]:
    """The questions of ``judged/pira`` under ``data`` that somebody judged."""
    folder = data / "judged" / "pira"
    for entry in json.loads((folder / "reports_questions.json").read_text(encoding="utf-8")):
        text, question = plain_text(entry["text_excerpts_un_reports"]), entry[f"question_{language}_origin"]
        yield PiraQuestion(entry["id_qa"], question, text, bool(entry["answer_in_text"]))
    with (folder / "validation.csv").open(encoding="utf-8", newline="") as file:
        for entry in csv.DictReader(file):
            if entry["at_labels"] not in ("0.0", "1.0"):
                continue
            answerable = entry["at_labels"] == "1.0"
            texts = (entry.get(f"answer_{language}_{by}") or "" for by in ("origin", "validate"))
            answers = tuple(answer.strip() for answer in texts if answer.strip()) if answerable else ()
            question = entry[f"question_{language}_origin"]
            yield PiraQuestion(entry["id_qa"], question, plain_text(entry["abstract"]), answerable, answers)


def plain_text(text: str) -> str:
    """Without HTML tags and entities, white space normalised."""
    return _SPACE.sub(" ", html.unescape(_TAG.sub(" ", text))).strip()


def load_climate_fever(data: Path) -> JudgedCollection:
    """Claims about the climate, searched in all distinct evidence sentences from Wikipedia.

    A sentence is relevant (grade 1) if it supports or refutes the claim; claims without one are left out. A sentence is
    searched alone, without its article's name. From ``judged/climate_fever`` under ``data``; ids of sentences have
    ``_`` for white space.
    """
    path = data / "judged" / "climate_fever" / "climate-fever.jsonl"
    with path.open(encoding="utf-8") as file:
        claims: list[Json] = [json.loads(line) for line in file]
    sentences = {_evidence_id(evidence): evidence["evidence"] for claim in claims for evidence in claim["evidences"]}
    records = {name: text_record(name, "", text) for name, text in sentences.items()}
    qrels = {
        claim["claim_id"]: {
            _evidence_id(evidence): 1 for evidence in claim["evidences"] if evidence["evidence_label"] in _RELEVANT
        }
        for claim in claims
    }
    return check_collection(
        JudgedCollection(
            name="climate_fever",
            records=tuple(records.values()),
            questions=tuple(JudgedQuestion(claim["claim_id"], claim["claim"]) for claim in claims),
            qrels={claim: grades for claim, grades in qrels.items() if grades},
            documents={record.id: name for name, record in records.items()},
        )
    )


def _evidence_id(evidence: Json) -> str:
    return "_".join(evidence["evidence_id"].split())


def load_cranfield(data: Path) -> JudgedCollection:
    """1,400 abstracts on aerodynamics, 225 questions. Only for testing, not for tuning. From ``judged/cranfield`` under
    ``data``.

    Cleverdon's positions 1 (a complete answer) to 4 (of minimum interest) all count as relevant, grade 1, as the
    collection is commonly used; unlisted documents are not relevant.
    """
    folder = data / "judged" / "cranfield"
    documents = _read(folder / "cranfield_data.json")
    # The first entry of the questions is the header of the source table.
    queries = [entry for entry in _read(folder / "cran.qry.json") if isinstance(entry["query"], str)]
    records = {str(entry["id"]): _record(entry) for entry in documents}
    qrels: dict[str, dict[str, int]] = {}
    for entry in _read(folder / "cranqrel.json"):
        qrels.setdefault(entry["query_num"], {})[entry["id"]] = 1
    return check_collection(
        JudgedCollection(
            name="cranfield",
            records=tuple(records.values()),
            questions=tuple(JudgedQuestion(str(entry["query number"]), entry["query"].strip()) for entry in queries),
            qrels=qrels,
            documents={record.id: name for name, record in records.items()},
        )
    )


def _record(entry: Json) -> Record:
    """As published: the body starts with the title again."""
    return text_record(str(entry["id"]), entry["title"].strip(), entry["body"].strip())


def _read(path: Path) -> list[Json]:
    entries: list[Json] = json.loads(path.read_text(encoding="utf-8"))
    return entries


def load_pubmedqa(data: Path) -> JudgedCollection:
    """Questions of the life sciences, each with its abstract, without the conclusion.

    From ``judged/pubmedqa`` under ``data``, plain or ``.gz``; a question and its only relevant text (grade 1) share the
    PubMed id."""
    path = data / "judged" / "pubmedqa" / "ori_pqal.json"
    text = path.read_bytes() if path.exists() else gzip.decompress(path.with_suffix(".json.gz").read_bytes())
    entries: dict[str, Json] = json.loads(text)
    records = {name: text_record(name, "", " ".join(entry["CONTEXTS"])) for name, entry in entries.items()}
    return check_collection(
        JudgedCollection(
            name="pubmedqa",
            records=tuple(records.values()),
            questions=tuple(JudgedQuestion(name, entry["QUESTION"]) for name, entry in entries.items()),
            qrels={name: {name: 1} for name in entries},
            documents={record.id: name for name, record in records.items()},
        )
    )
