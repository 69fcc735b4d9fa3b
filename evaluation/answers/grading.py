"""The page for grading answers, and statistics of the grades, which ``evaluation.judgements`` stores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.resources import files
from statistics import fmean

from jinja2 import Environment, StrictUndefined

from evaluation.answers.measures import MeasuredAnswer
from evaluation.judgements import JudgementFile, agreement, qrels_of


def answer_id(answer: MeasuredAnswer) -> str:
    """Equal for the same answer to the same question, in any run."""
    return hashlib.sha256(f"{answer.question.id}\n{answer.answer.text}".encode()).hexdigest()[:16]


def grading_page(name: str, origin: str, answers: Iterable[MeasuredAnswer]) -> str:
    """A complete page; its script uses nothing external. ``origin``: a sentence on how the answers were made."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
    rows = [
        {
            "id": answer_id(answer),
            "question": answer.question,
            "text": answer.answer.text,
            "sentences": answer.answer.sentences,
            "passages": answer.answer.passages,
        }
        for answer in answers
    ]
    return template.render(name=name, made=origin, answers=rows)


def grade_statistics(file: JudgementFile) -> list[str]:
    """Statistics as lines: number of answers, mean grade (of medians, 0 to 3), agreement between graders."""
    grades = file.grades()
    if not grades:
        return ["Nobody has graded an answer yet."]
    median = [grade for answers in qrels_of(grades).values() for grade in answers.values()]
    lines = [f"{len(median)} answers are graded; mean {fmean(median):.2f} of 3, {_full(median):.0%} answer in full."]
    for pair in agreement(grades):
        weighted_text = "" if pair.weighted is None else f", weighted {pair.weighted:.2f}"
        lines.append(f"{' and '.join(pair.of)}: kappa {pair.kappa:.2f}{weighted_text} on {pair.pairs} answers")
    return lines


def _full(grades: Sequence[int]) -> float:
    return sum(grade == 3 for grade in grades) / len(grades)
