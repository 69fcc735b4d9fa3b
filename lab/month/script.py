"""The script of a simulated month: who asks what and opens which hits, who saves which search, and the result.

People follow a position-based click model (Craswell et al., WSDM 2008): a hit is opened if its position is looked at,
with the chance position^-attention, and if it pleases: by its grade, or by mistake with the chance ``noise``.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.json_types import Json
from es_mappings.names import KINDS
from evaluation.collections.beir import questions_of
from evaluation.trec import read_qrels
from indexer.formats.registry import read
from indexer.raw import RecordRefused
from indexer.sources.folder import FolderSource
from search_api.search.openings import LoggedSearch
from search_api.search.query_log import Requester, normal_question, person_hash, subject_hash
from search_api.stewards.insight import LEAST_PEOPLE
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client

Grades = Mapping[str, int]
"""Of one question: the grade by document; 0 or absent is not relevant."""

HITS_SHOWN = 10
EDITION = "Second edition"
"""What the source puts before the titles that it changes."""
PREFIX = "sonde-month-"


@dataclass(frozen=True, slots=True)
class Habits:
    """``attention``: how fast it falls with the position; ``skew``: how much more often the usual questions are asked
    than the rare ones (Zipf).
    """

    people: int = 200
    questions: int = 20_000
    days: int = 30
    attention: float = 1.0
    noise: float = 0.1
    skew: float = 0.8
    seed: int = 22


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Person ``who`` (from 0) asks question number ``question`` (from 0)."""

    who: int
    question: int


@dataclass(slots=True)
class People:
    """Draws from one seed, in one order: the same month each time."""

    habits: Habits
    _random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.habits.seed)

    def inquiries_by_day(self, count: int) -> Iterator[list[Inquiry]]:
        """Day after day; ``count`` different questions, the first is asked most."""
        habits = self.habits
        popularity = np.arange(1, count + 1) ** -habits.skew
        per_day, remainder = divmod(habits.questions, habits.days)
        for day in range(habits.days):
            size = per_day + (day < remainder)
            people = self._random.integers(habits.people, size=size)
            questions = self._random.choice(count, size=size, p=popularity / popularity.sum())
            yield [Inquiry(int(person), int(question)) for person, question in zip(people, questions, strict=True)]

    def open_hits(self, hits: Sequence[str], grades: Grades) -> tuple[str, ...]:
        """Which of the hits somebody opens, best first."""
        chances = np.arange(1, len(hits) + 1, dtype=float) ** -self.habits.attention
        chances *= [opening_chance(grades.get(record, 0), self.habits.noise) for record in hits]
        return tuple(record for record, hit in zip(hits, self._random.random(len(hits)) < chances, strict=True) if hit)


def opening_chance(grade: int, noise: float, best: int = 2) -> float:
    """The chance that a hit of this grade is opened by somebody who looks at it."""
    return noise + (1.0 - noise) * (2.0 ** max(min(grade, best), 0) - 1.0) / (2.0**best - 1.0)


def script(question: str, hits: Sequence[str], record: str, day: str, times: int) -> list[LoggedSearch]:
    """One key that asks and opens its own record all day, whatever the ranking."""
    return [LoggedSearch(question, "k-script", day, tuple(hits), (record,)) for _ in range(times)]


@dataclass(frozen=True, slots=True)
class MonthQuestion:
    """A question that people ask, with the grades of records."""

    text: str
    grades: Grades = field(default_factory=dict)


class Expectation(NamedTuple):
    """A figure of the script (``expected``) and of the service (``found``)."""

    what: str
    expected: object
    found: object

    @property
    def holds(self) -> bool:
        return self.expected == self.found


@dataclass(slots=True)
class ScriptTally:
    """``secret``: the log's, by which it tells people apart."""

    secret: bytes
    rows: list[LoggedSearch] = field(default_factory=list)
    matched: list[int] = field(default_factory=list)

    def note(self, question: str, asker: Requester, day: str, hits: Sequence[str], matched: int) -> None:
        text = normal_question(question)
        self.rows.append(LoggedSearch(text, person_hash(self.secret, text, asker), day, tuple(hits[:10])))
        self.matched.append(matched)

    def note_opened(self, records: Sequence[str]) -> None:
        """By the person who asked last."""
        last = self.rows[-1]
        self.rows[-1] = LoggedSearch(last.question, last.who, last.day, last.shown, tuple(records))

    def count_of_person(self, subject: str) -> int:
        return sum(row.who == subject_hash(self.secret, subject) for row in self.rows)

    def by_day(self) -> Mapping[str, int]:
        return dict(Counter(row.day for row in self.rows))

    def insight(self) -> Mapping[str, Mapping[str, int]]:
        """By question that enough people asked, as `/insight/queries` says it."""
        rows_by_question: defaultdict[str, list[int]] = defaultdict(list)
        for row_number, row in enumerate(self.rows):
            rows_by_question[row.question].append(row_number)
        people = {
            text: len({self.rows[row_number].who for row_number in places}) for text, places in rows_by_question.items()
        }
        return {
            text: {
                "asked": len(places),
                "people": people[text],
                "opened": sum(bool(self.rows[row_number].opened) for row_number in places),
                "not_found": sum(self.matched[row_number] == 0 for row_number in places),
            }
            for text, places in rows_by_question.items()
            if people[text] >= LEAST_PEOPLE
        }

    def hidden_questions(self) -> Mapping[str, int]:
        """Questions of fewer people, and how often they were asked."""
        shown_questions = self.insight()
        counts = Counter(row.question for row in self.rows if row.question not in shown_questions)
        return {"questions": len(counts), "asked": sum(counts.values())}


@dataclass(frozen=True, slots=True)
class Watch:
    """``tells``: the records it is told of, out of those that changed and the one that a steward corrected (which
    keeps the source's title as another one).
    """

    what: str
    who: int
    body: Json
    tells: Callable[[frozenset[str], str], frozenset[str]]


def watches(keyword: str) -> Sequence[Watch]:
    """``keyword``: one that only the corrected record has. People with even numbers have a key."""

    def by_words(title: str, words: str, *, changes: bool) -> Json:
        return {"title": title, "search": {"q": words, "algorithm": "bm25"}, "changes": changes}

    return (
        Watch("changed records", 0, by_words("Editions", EDITION, changes=True), lambda all, _: all),
        Watch("new records alone", 2, by_words("New ones", EDITION, changes=False), lambda *_: frozenset()),
        Watch(
            "a steward's word",
            4,
            by_words("Corrected", keyword, changes=True),
            lambda _, overlaid: frozenset({overlaid}),
        ),
    )


def read_announcement(answer: Json) -> tuple[int, frozenset[str], frozenset[str]]:
    """How many records a saved search announced; the first 50 of each night by id; their titles."""
    records: list[Mapping[str, str]] = [record for night in answer["found"] for record in night["records"]]
    total = sum(night["total"] for night in answer["found"])
    return total, frozenset(night["id"] for night in records), frozenset(night["title"] for night in records)


def judged_questions(queries: Path, qrels: Path) -> list[MonthQuestion]:
    grades = read_qrels(qrels)
    return [
        MonthQuestion(question.text, grades[question.id]) for question in questions_of(queries) if question.id in grades
    ]


def copy_documents(
    archive: Path, source: str, folder: Path, questions: Sequence[MonthQuestion], limit: int
) -> list[MonthQuestion]:
    """Writes at most ``count`` documents to ``folder``: half of them right answers, the others as they come.

    Returns the questions of which a right answer is among them.
    """
    right = {record for question in questions for record, grade in question.grades.items() if grade > 0}
    ids: set[str] = set()
    for only_right, count in ((True, limit // 2), (False, limit)):
        for id, content in _documents(archive, source):
            if len(ids) < count and id not in ids and (not only_right or id in right):
                (folder / f"{len(ids):05d}.xml").write_bytes(content)
                ids.add(id)
    return [question for question in questions if any(grade > 0 and id in ids for id, grade in question.grades.items())]


def _documents(archive: Path, source: str) -> Iterator[tuple[str, bytes]]:
    for page in FolderSource(archive).pages():
        for raw in page.records:
            try:
                yield read(raw, source).id, raw.content
            except RecordRefused:
                continue


@contextmanager
def own_indices(settings: Settings) -> Iterator[Settings]:
    """The settings with a temporary prefix, whose indices are deleted afterwards."""
    prefix = f"{PREFIX}{uuid.uuid4().hex[:12]}"
    try:
        yield settings.model_copy(update={"index": settings.index.model_copy(update={"prefix": prefix})})
    finally:
        client = elasticsearch_client(settings, retry=True)
        aliases = client.options(ignore_status=404).indices.get_alias(
            index=",".join(f"{prefix}-{kind}-*" for kind in KINDS)
        )
        if names := [name for name in aliases.body if name.startswith(f"{prefix}-")]:
            client.indices.delete(index=",".join(names))
        client.close()
