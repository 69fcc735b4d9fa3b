"""Makes the judged NCAR files anew from the questions and the rule: ``python -m tests.quality.build_ncar``.

Reads the two archives under ``$SONDE_SHARED`` (``../shared`` beside the checkout), writes queries, qrels, halves and
the ids of the quick subset into ``tests/quality/ncar``. The same questions and archives give the same bytes.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from core.record import Record
from indexer.formats.registry import read
from indexer.sources.folder import FolderSource
from tests.quality.ncar_groups import Half, kind_of, relevant_groups, split
from tests.quality.ncar_questions import FOLDER, load_questions
from tests.quality.ncar_rule import Question, extent_grade, period_grade, topic_grade

ARCHIVES = {"ncar_eol": "ncar_eol_9206.tar.gz", "ncar_rda": "ncar_rda_1669.tar.gz"}
OTHERS = 1_000  # records of the quick subset that no test question judges
OTHERS_SEED = 4

Qrels = dict[str, dict[str, int]]  # question id -> record id -> grade 1..3


def records(catalogues: Path) -> Iterator[Record]:
    """Every record of both archives, in the archives' order."""
    for source, archive in ARCHIVES.items():
        for page in FolderSource(catalogues / archive).pages():
            for raw in page.records:
                yield read(raw, source)


def judge(questions: Sequence[Question], catalogue: Sequence[Record]) -> Qrels:
    """Grades 1..3 by the rule; records of grade 0 are left out. The cheapest part is asked first."""
    on_topic: dict[str, list[tuple[int, Record]]] = {}
    qrels: Qrels = {}
    for question in questions:
        topic = question.topic
        if topic.name not in on_topic:
            graded = ((topic_grade(topic, record), record) for record in catalogue)
            on_topic[topic.name] = [(points, record) for points, record in graded if points]
        found = qrels.setdefault(question.id, {})
        for points, record in on_topic[topic.name]:
            relevance = min(points, period_grade(question.period, record.times))
            if relevance and (relevance := min(relevance, extent_grade(question, record))):
                found[record.id] = relevance
    return qrels


def halves(questions: Iterable[Question], qrels: Qrels, hand_checked: Iterable[str]) -> dict[str, Half]:
    """The questions that were checked by hand stay in the test half, where they were drawn."""
    south = {question.id: -90.0 if question.box is None else question.box.south for question in questions}
    groups = relevant_groups(qrels, south)
    kinds = {question: kind_of(groups[question], south[question]) for question in groups}
    return split(groups, kinds, frozenset(hand_checked))


def quick_subset(ids: Iterable[str], qrels: Qrels, half: Mapping[str, Half], pooled: Iterable[str]) -> list[str]:
    """Sorted ids: what a test question or a hand judges, and OTHERS more, drawn with a fixed seed."""
    judged = {record for question, found in qrels.items() if half[question] == "test" for record in found}
    judged |= set(pooled)
    rest = sorted(set(ids) - judged)
    return sorted(judged | set(random.Random(OTHERS_SEED).sample(rest, min(OTHERS, len(rest)))))


def read_hand_checked(folder: Path = FOLDER) -> Qrels:
    """Question id -> record id -> grade 0..3 given by a person who read the record."""
    graded: Qrels = {}
    for line in (folder / "hand_checked.tsv").read_text("utf-8").splitlines()[1:]:
        question, record, points, _reason = line.split("\t")
        graded.setdefault(question, {})[record] = int(points)
    return graded


def overruled(qrels: Qrels, by_hand: Qrels) -> Qrels:
    """The rule's grades of the questions that were checked by hand, replaced where a person graded the record."""
    merged = {question: {**qrels.get(question, {}), **graded} for question, graded in by_hand.items()}
    return {
        question: {record: points for record, points in found.items() if points} for question, found in merged.items()
    }


def write(folder: Path, questions: Sequence[Question], catalogue: Sequence[Record]) -> None:
    qrels = judge(questions, catalogue)
    by_hand = read_hand_checked(folder)
    half = halves(questions, qrels, by_hand)
    queries = (json.dumps({"_id": question.id, "text": question.text}, ensure_ascii=False) for question in questions)
    _lines(folder / "queries.jsonl", queries)
    _lines(folder / "qrels.tsv", _qrels_rows(qrels))
    _lines(folder / "qrels_hand.tsv", _qrels_rows(overruled(qrels, by_hand)))
    _lines(folder / "split.tsv", ["query-id\thalf", *(f"{question}\t{side}" for question, side in half.items())])
    pooled = {record for graded in by_hand.values() for record in graded}
    quick = quick_subset((record.id for record in catalogue), qrels, half, pooled)
    (folder / "ci_ids.txt.gz").write_bytes(gzip.compress("".join(f"{name}\n" for name in quick).encode(), mtime=0))


def _qrels_rows(qrels: Qrels) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore"
    for question, found in qrels.items():
        for record, points in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            yield f"{question}\t{record}\t{points}"


def _lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def main() -> None:
    shared = Path(os.environ.get("SONDE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    catalogue = list(records(shared / "data" / "catalogues"))
    write(FOLDER, load_questions(), catalogue)
    sys.stderr.write(f"{len(catalogue)} records judged; see git diff tests/quality/ncar\n")


if __name__ == "__main__":
    main()
