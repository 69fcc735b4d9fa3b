"""Questions with the text that answers them, or judged unanswerable; and Pirá in this form."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, Field

from evaluation.collection import BadCollection, Faults, Half, json_lines
from evaluation.collections.public import Language, pira_questions


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """``text``: the id of its text. ``answers``: reference answers by people; empty if unknown.

    ``answerable`` False: people judged that its text does not answer it. ``pages``: those that answer it, from 1.
    ``kind``: of the question, for figures by kind; ``also``: the other texts that are needed for its answer.
    ``off_topic``: it is about something else than all the texts, so it is not answerable either.
    """

    id: str
    question: str
    text: str
    answers: tuple[str, ...] = ()
    answerable: bool = True
    pages: tuple[int, ...] = ()
    kind: str = ""
    also: tuple[str, ...] = ()
    off_topic: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The ids of all its texts."""
        return (self.text, *self.also)


@dataclass(frozen=True, slots=True)
class AnswerCollection:
    """All questions, and all texts by id."""

    name: str
    questions: tuple[AnswerQuestion, ...]
    texts: Mapping[str, str]

    def half(self, half: Half, halves: Mapping[str, Half | None]) -> AnswerCollection:
        """The questions of one half over all the texts. ``halves`` names no unanswerable question, so none is kept."""
        questions = tuple(question for question in self.questions if halves.get(question.id) == half)
        return AnswerCollection(f"{self.name}, {half} half", questions, self.texts)

    def with_questions(self, questions: Sequence[AnswerQuestion]) -> AnswerCollection:
        return replace(self, questions=(*self.questions, *questions))

    def sample(self, count: int) -> AnswerCollection:
        """This many of the questions with all texts; the same ones each time, independent of the file's order."""
        questions = sorted(self.questions, key=lambda question: hashlib.sha256(question.id.encode()).digest())[:count]
        return AnswerCollection(f"{self.name} (sample of {len(questions)})", tuple(questions), self.texts)


class _Line(BaseModel, extra="allow"):
    """A line of a file of questions; keys for other programs are ignored."""

    question: str = Field(min_length=1)
    document: str = ""
    also: list[str] = []
    kind: str = ""
    id: str | None = None
    answers: list[str] = []
    answerable: bool = True
    pages: list[int] = []
    off_topic: bool = False


def load_questions(path: Path, report: Callable[[str], object] = str) -> tuple[AnswerQuestion, ...]:
    """Questions of a file, one JSON object on each line: ``question``, and if known ``document`` (id or file name),
    ``answers``, ``pages``, ``answerable``, ``off_topic``, ``kind`` and ``also`` (more documents). ``report`` gets a
    sentence if lines have other keys, which are ignored.

    Raises BadCollection that names the bad lines, and SondeError for a file that cannot be read.
    """
    faults = Faults(path)
    lines = list(json_lines(path, _Line, faults))
    faults.refuse()
    questions = [_question(number, line) for number, line in lines]
    unknown_keys = sorted({key for _, line in lines for key in line.model_extra or ()})
    if unknown_keys:
        report(f"{path.name}: ignored the keys {', '.join(unknown_keys)}; read are {', '.join(_Line.model_fields)}.")
    if not questions:
        raise BadCollection(str(path), ["holds no question"])
    return tuple(questions)


def _question(number: int, line: _Line) -> AnswerQuestion:
    """A line without an id gets its number as id."""
    return AnswerQuestion(
        line.id or str(number),
        line.question,
        line.document,
        tuple(line.answers),
        line.answerable and not line.off_topic,
        tuple(line.pages),
        line.kind,
        tuple(line.also),
        line.off_topic,
    )


def load_pira(data: Path, language: Language = "en") -> AnswerCollection:
    """``judged/pira`` under ``data``, with its unanswerable questions; unjudged questions are left out.

    The reports' part has no answers. The texts are English in both ``language`` versions.
    """
    rows = list(pira_questions(data, language))
    questions = tuple(AnswerQuestion(row.id, row.question, row.text_id, row.answers, row.answerable) for row in rows)
    name = "pira" if language == "en" else f"pira_{language}"
    return AnswerCollection(name, questions, {row.text_id: row.text for row in rows})
