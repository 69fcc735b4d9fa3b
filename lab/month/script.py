"""What the script of a month says happens, counted as it is written: the log must say the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lab.month.people import Grades
from search_api.search.usage.log import Requester, normal_question, person_hash, subject_hash
from search_api.search.usage.openings import LoggedSearch
from search_api.stewards.insight.questions import LEAST_PEOPLE


@dataclass(frozen=True, slots=True)
class Question:
    """A question that people ask, with the grades of records."""

    text: str
    grades: Grades = field(default_factory=dict)


class Check(NamedTuple):
    """One thing that the script says, beside what the service says."""

    what: str
    expected: object
    found: object

    @property
    def holds(self) -> bool:
        return self.expected == self.found


@dataclass(slots=True)
class Tally:
    """``secret``: the log's, by which it tells people apart."""

    secret: bytes
    rows: list[LoggedSearch] = field(default_factory=list)
    matched: list[int] = field(default_factory=list)

    def note(self, question: str, asker: Requester, day: str, shown: Sequence[str], matched: int) -> None:
        text = normal_question(question)
        self.rows.append(LoggedSearch(text, person_hash(self.secret, text, asker), day, tuple(shown[:10])))
        self.matched.append(matched)

    def opened(self, records: Sequence[str]) -> None:
        """By the person who asked last."""
        last = self.rows[-1]
        self.rows[-1] = LoggedSearch(last.question, last.who, last.day, last.shown, tuple(records))

    def of_person(self, subject: str) -> int:
        return sum(row.who == subject_hash(self.secret, subject) for row in self.rows)

    def by_day(self) -> Mapping[str, int]:
        return dict(Counter(row.day for row in self.rows))

    def insight(self) -> Mapping[str, Mapping[str, int]]:
        """By question that enough people asked, as `/insight/queries` says it."""
        own: defaultdict[str, list[int]] = defaultdict(list)
        for at, row in enumerate(self.rows):
            own[row.question].append(at)
        people = {text: len({self.rows[at].who for at in places}) for text, places in own.items()}
        return {
            text: {
                "asked": len(places),
                "people": people[text],
                "opened": sum(bool(self.rows[at].opened) for at in places),
                "not_found": sum(self.matched[at] == 0 for at in places),
            }
            for text, places in own.items()
            if people[text] >= LEAST_PEOPLE
        }

    def hidden(self) -> Mapping[str, int]:
        """Questions of fewer people, and how often they were asked."""
        told = self.insight()
        left = Counter(row.question for row in self.rows if row.question not in told)
        return {"questions": len(left), "asked": sum(left.values())}
