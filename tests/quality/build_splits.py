"""Makes the train and test ids of Climate-FEVER, Pirá and PubMedQA anew: ``python -m tests.quality.build_splits``.

``tests/quality/splits/README.md`` says what a document group is in each and how the ids are formed.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.quality.halves import Half, halve

SPLITS = Path(__file__).resolve().parent / "splits"
RELEVANT = ("SUPPORTS", "REFUTES")
SAME_SENTENCE = 60  # characters; shorter ones ("See Table 2.") say nothing about where a text is from


def climate_fever(judged: Path) -> dict[str, Half]:
    """Claims with a supporting or refuting sentence, by the Wikipedia articles of those sentences."""
    groups = {}
    with (judged / "climate_fever" / "climate-fever.jsonl").open(encoding="utf-8") as file:
        for claim in map(json.loads, file):
            articles = {one["article"] for one in claim["evidences"] if one["evidence_label"] in RELEVANT}
            if articles:
                groups[claim["claim_id"]] = frozenset(articles)
    return halve(groups)


def pira(judged: Path) -> dict[str, Half]:
    """The questions of both files that their text answers, by the source of that text.

    The other questions still say which texts belong together.
    """
    texts: dict[str, list[tuple[str, str]]] = {}  # question id -> source, text
    answered = set()
    for entry in json.loads((judged / "pira" / "reports_questions.json").read_text("utf-8")):
        texts.setdefault(entry["id_qa"], []).append(("", entry["text_excerpts_un_reports"]))
        answered |= {entry["id_qa"]} if entry["answer_in_text"] else set()
    with (judged / "pira" / "validation.csv").open(encoding="utf-8", newline="") as file:
        for entry in csv.DictReader(file):
            texts.setdefault(entry["id_qa"], []).append((entry["eid_article_scopus"], entry["abstract"]))
            answered |= {entry["id_qa"]} if entry["at_labels"] == "1.0" else set()
    groups = _connected({question: _marks(found) for question, found in texts.items()})
    return halve({question: group for question, group in groups.items() if question in answered})


def _marks(texts: Iterable[tuple[str, str]]) -> frozenset[str]:
    """What says where a question's texts are from: the article's number, and each sentence long enough."""
    found = set()
    for source, text in texts:
        if source:
            found.add(f"article {source}")
        found.update(_sentences(text))
    return frozenset(found)


def _sentences(text: str) -> Iterator[str]:
    plain = " ".join(re.sub(r"<[^>]+>", " ", text).split()).lower()
    sentences = [sentence for sentence in re.split(r"(?<=[.!?]) ", plain) if len(sentence) >= SAME_SENTENCE]
    yield from sentences or [plain]


def _connected(marks: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Question id -> the one group of questions it is in: those that share a mark, directly or through others."""
    parent = {question: question for question in marks}

    def root(question: str) -> str:
        while parent[question] != question:
            question = parent[question]
        return question

    first_with: dict[str, str] = {}
    for question in sorted(marks):
        for mark in sorted(marks[question]):
            parent[root(question)] = root(first_with.setdefault(mark, question))
    return {question: frozenset({root(question)}) for question in marks}


def pubmedqa(judged: Path) -> dict[str, Half]:
    """Every question has an abstract of its own (its PubMed id): the first bit of the id's SHA-256 decides."""
    with gzip.open(judged / "pubmedqa" / "ori_pqal.json.gz", "rt", encoding="utf-8") as file:
        return {
            name: "test" if hashlib.sha256(name.encode()).digest()[0] & 128 else "train" for name in json.load(file)
        }


SETS = {"climate_fever": climate_fever, "pira": pira, "pubmedqa": pubmedqa}


def text_of(halves: Mapping[str, Half]) -> str:
    """The file: a heading, then ``query-id`` and half by tab, sorted by id (numbers by value)."""
    rows = sorted(halves.items(), key=lambda row: (len(row[0]), row[0]))
    return "query-id\thalf\n" + "".join(f"{question}\t{half}\n" for question, half in rows)


def main() -> None:
    shared = Path(os.environ.get("SONDE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    for name, make in SETS.items():
        (SPLITS / f"{name}.tsv").write_text(text_of(make(shared / "data" / "judged")), "utf-8")


if __name__ == "__main__":
    main()
