"""What was opened, as evidence: from the questions of the log to one value for a question and a record.

A hit at the top is looked at more often than one below, so an opening counts by the inverse of the chance that its
position is looked at (inverse propensity: Joachims, Swaminathan and Schnabel, WSDM 2017). People count, not clicks:
each person once for a question and a record, whatever a script does.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from reading.vocabulary.vocabulary import term_key
from search_api.search.ranking.signals.usage import Evidence
from search_api.search.usage.entry import OF_A_KEY

Values = Mapping[str, float]
"""Of a question: 0..1 by record, in steps; a record that is absent was not measured."""

_NONE: Values = {}


@dataclass(frozen=True, slots=True)
class Logged:
    """One asking of the log. ``shown``: its first hits, best first; ``day``: ISO 8601."""

    question: str
    who: str
    day: str
    shown: tuple[str, ...]
    opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UsageTable:
    """Values by the key of a question: case, accents and plurals do not matter, the order of the words does."""

    by_question: Mapping[str, Values] = field(default_factory=dict)

    def of(self, question: str) -> Values:
        return self.by_question.get(term_key(question), _NONE) if self.by_question else _NONE

    def __len__(self) -> int:
        return len(self.by_question)


NO_USAGE = UsageTable()


def usage_of(log: Iterable[Logged], evidence: Evidence) -> UsageTable:
    """Empty until the log holds enough openings. Says nothing of who opened what."""
    asked = _enough_by_question(log, evidence)
    found = {key: _values(rows, evidence) for key, rows in asked.items()}
    return UsageTable({key: values for key, values in found.items() if values})


def _enough_by_question(log: Iterable[Logged], evidence: Evidence) -> Mapping[str, Sequence[Logged]]:
    """The askings by the key of their question; nothing before the log holds enough openings."""
    rows = _by_people(list(log), evidence.most_a_day)
    if sum(len(row.opened) for row in rows) < evidence.openings:
        return {}
    by_question: defaultdict[str, list[Logged]] = defaultdict(list)
    for row in rows:
        by_question[term_key(row.question)].append(row)
    return {key: own for key, own in by_question.items() if key and _enough(own, evidence)}


def _by_people(rows: Sequence[Logged], most_a_day: int) -> list[Logged]:
    """Without the days on which one person opened more than people do."""
    opened: Counter[tuple[str, str]] = Counter()
    for row in rows:
        opened[_person(row), row.day] += len(row.opened)
    return [row for row in rows if opened[_person(row), row.day] <= most_a_day]


def _person(row: Logged) -> str:
    """Without a key, the log follows nobody from one question to the next."""
    return row.who if row.who.startswith(OF_A_KEY) else f"{row.who} {term_key(row.question)}"


def _enough(rows: Sequence[Logged], evidence: Evidence) -> bool:
    opening = [row for row in rows if row.opened]
    return _agreed(opening, evidence.people, evidence.days)


def _agreed(rows: Sequence[Logged], people: int, days: int) -> bool:
    return len({row.who for row in rows}) >= people and len({row.day for row in rows}) >= days


def _values(rows: Sequence[Logged], evidence: Evidence) -> Values:
    """``rows``: the askings of one question."""
    records = sorted(set(chain.from_iterable(row.shown for row in rows)))
    values = {record: _value(record, [row for row in rows if record in row.shown], evidence) for record in records}
    return {record: value for record, value in values.items() if value is not None}


def _value(record: str, rows: Sequence[Logged], evidence: Evidence) -> float | None:
    """``rows``: the askings that showed the record. None if too few people looked at it to say.

    The share of the people who opened it, each by the inverse of the chance that its best position was looked at.
    """
    position = _best_positions(record, rows)
    chances = {who: max(place**-evidence.examination, 1.0 / evidence.longest_odds) for who, place in position.items()}
    opening = [row for row in rows if record in row.opened]
    opened = 0.0
    if _agreed(opening, evidence.openers, evidence.days):
        opened = math.fsum(1.0 / chances[who] for who in {row.who for row in opening})
    elif math.fsum(chances.values()) < evidence.openers:  # exact: the order of the log must not decide
        return None
    share = min(opened / (len(position) + evidence.unopened), 1.0)
    return round(share * evidence.bins) / evidence.bins


def _best_positions(record: str, rows: Iterable[Logged]) -> dict[str, int]:
    """By person, from 1: where the record stood highest for them."""
    best: dict[str, int] = {}
    for row in rows:
        position = row.shown.index(record) + 1
        best[row.who] = min(position, best.get(row.who, position))
    return best
