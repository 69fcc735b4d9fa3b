"""Reads and writes TREC files: runs and qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core.errors import SondeError
from evaluation.collection import Faults, Qrels, lines

Run = Mapping[str, Sequence[tuple[str, float]]]
"""Question id -> (document id, score), best first; no duplicate documents."""

_RUN_FIELDS = 6
_TREC_QRELS_FIELDS = 4
_BEIR_QRELS_FIELDS = 3


def write_run(path: Path, run: Run, tag: str) -> None:
    """``question Q0 document rank score tag``; scores decrease strictly, so that every evaluator sees the same order.

    Raises SondeError if an id contains white space, which this format cannot express.
    """
    bad_names = [name for question, hits in run.items() for name in (question, *dict(hits)) if len(name.split()) != 1]
    if bad_names:
        raise SondeError(f"A TREC run cannot hold the id {bad_names[0]!r}: white space separates its fields.")
    with path.open("w", encoding="utf-8") as file:
        for question, hits in run.items():
            scores = strictly_decreasing([score for _, score in hits])
            for rank, ((document, _), score) in enumerate(zip(hits, scores, strict=True), 1):
                file.write(f"{question} Q0 {document} {rank} {score:.9g} {tag}\n")


def strictly_decreasing(scores: Sequence[float]) -> list[float]:
    """Scores as float32 (which trec_eval reads), strictly decreasing: ties are lowered by the smallest step."""
    result: list[float] = []
    for score in np.asarray(scores, dtype=np.float32):
        if result and score >= result[-1]:
            score = np.nextafter(np.float32(result[-1]), np.float32(-np.inf))
        result.append(float(score))
    return result


def read_run(path: Path) -> Run:
    """The run of a file, each question's documents by score, ties by the larger id first, as in trec_eval.

    Raises BadCollection that names every malformed line and every duplicate document.
    """
    faults = Faults(path)
    scores_of: dict[str, dict[str, float]] = {}
    for number, line in lines(path):
        fields = line.split()
        if len(fields) != _RUN_FIELDS:
            faults.add(number, f"has {len(fields)} fields, not {_RUN_FIELDS}")
            continue
        question, _, document, _, score, _ = fields
        if document in scores_of.setdefault(question, {}):
            faults.add(number, f"names {document!r} twice for question {question!r}")
            continue
        try:
            scores_of[question][document] = float(score)
        except ValueError:
            faults.add(number, f"the score {score!r} is no number")
    faults.refuse()
    return {
        question: sorted(scores.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
        for question, scores in scores_of.items()
    }


def read_qrels(path: Path) -> Qrels:
    """Qrels in the form of BEIR (``query-id corpus-id score``, with its header) or TREC (``question 0 document
    grade``).

    Fields are separated by tabs if there are any, else by white space. Raises BadCollection that names every
    malformed line and every judgement that contradicts an earlier one.
    """
    faults = Faults(path)
    qrels: dict[str, dict[str, int]] = {}
    for number, line in lines(path):
        fields = line.split("\t") if "\t" in line else line.split()
        if number == 1 and fields[0].strip() in ("query-id", "query_id"):
            continue
        if len(fields) not in (_BEIR_QRELS_FIELDS, _TREC_QRELS_FIELDS):
            faults.add(number, f"has {len(fields)} fields, not 3 (BEIR) or 4 (TREC)")
            continue
        _judge(qrels, fields, faults, number)
    faults.refuse()
    return qrels


def _judge(qrels: dict[str, dict[str, int]], fields: Sequence[str], faults: Faults, number: int) -> None:
    question, document, text = fields[0].strip(), fields[-2].strip(), fields[-1].strip()
    grade = _integer(text)
    if grade is None:
        faults.add(number, f"the grade {text!r} is no whole number")
        return
    earlier_grade = qrels.setdefault(question, {}).setdefault(document, grade)
    if earlier_grade != grade:
        faults.add(number, f"grades {document!r} for question {question!r} as {grade}, earlier as {earlier_grade}")


def _integer(text: str) -> int | None:
    """Accepts 1.0 for 1, because some programs write it."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() else None


def write_qrels(path: Path, qrels: Qrels) -> None:
    """BEIR's form, sorted. Raises SondeError if an id contains a tab or a line break."""
    rows = [(question, document, grade) for question, grades in qrels.items() for document, grade in grades.items()]
    for question, document, _ in rows:
        if any(sign in question + document for sign in "\t\r\n"):
            raise SondeError(
                f"Qrels cannot hold the ids {question!r} and {document!r}: one holds a tab or a line break."
            )
    body = "".join(f"{question}\t{document}\t{grade}\n" for question, document, grade in sorted(rows))
    path.write_text(f"query-id\tcorpus-id\tscore\n{body}", encoding="utf-8")
