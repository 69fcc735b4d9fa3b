"""Runs all arms in one request, then fetches missing scores, uncached fields and what others add in a second one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.hit import SignalName
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_gateway.searching import Later, SearchBatch
from search_api.ranking.candidates import Candidates
from search_api.ranking.fields import AnyColumn, RankingFields
from search_api.retrieval.arms import Arm, PassageKey, Scored, read_answer
from search_api.retrieval.asking import Asking
from search_api.retrieval.counting import (
    Matches,
    Nearness,
    counting_body,
    foreseen,
    matches_body,
    near_section,
    overflowing,
)
from search_api.retrieval.plan import Counting, RetrievalPlan
from search_api.retrieval.second_request import Beside, Completed, SecondRequest
from search_api.retrieval.versioned_cache import Version, VersionedCache

COUNTED = 21
"""Records with every word of the question are counted up to here: of so many, no word is a typing error."""

Signals = Mapping[SignalName, float | None]


@dataclass(frozen=True, slots=True)
class Counted:
    """What the requests counted beside the candidates: how many records have enough words of the question (up to
    ``COUNTED``), and how many match; None: not counted. ``near``: those by meaning alone included.
    """

    every_word: int = 0
    matching: int | None = None
    near: bool = False

    def without(self, dropped: int) -> Counted:
        """Of the counted ones, so many do not match."""
        return self if self.matching is None else replace(self, matching=self.matching - dropped)


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates of one search by record id: every arm's score, the ranking fields of each, and its version."""

    signals: Mapping[str, Signals]
    fields: Mapping[str, RankingFields]
    all_words: frozenset[str]
    """The records that are hits by their words: enough words of the question, or an asked name."""
    passages: Mapping[str, PassageKey]
    versions: Mapping[str, Version]
    named: Mapping[str, float] = field(default_factory=dict)
    """How prominently records name the asked place: 1 in the title, .5 elsewhere, absent if not at all."""
    overflowing: bool = False
    """Whether an arm other than meaning's found more than the window holds."""
    counted: Counted = field(default_factory=Counted)
    least: float = math.inf
    """The minimum cosine for a hit by meaning alone; infinite if there are none."""

    @property
    def with_every_word(self) -> int:
        """How many records are hits by their words; at least so many."""
        return max(len(self.all_words), self.counted.every_word)

    def above(self, nearness: Nearness) -> CandidateSet:
        """Drops the candidates that are neither near in meaning nor contain every word.

        A candidate without a measured meaning stays, because nothing contradicts it.
        """
        meant = {record: _meaning(signals) for record, signals in self.signals.items()}
        best = max((cosine for cosine in meant.values() if cosine is not None), default=-1.0)
        is_about_it = best >= nearness.answer_score or self.all_words & meant.keys()
        least = nearness.min_score if is_about_it else math.inf
        kept = {
            record: self.signals[record]
            for record, cosine in meant.items()
            if cosine is None or cosine >= least or record in self.all_words
        }
        dropped = len(self.signals) - len(kept)
        return replace(self, signals=kept, least=least, counted=self.counted.without(dropped))

    def kept_by_words(self, records: Iterable[str]) -> CandidateSet:
        """These count as hits by their words, whatever they say."""
        return replace(self, all_words=self.all_words.union(records))

    def with_signal(self, name: SignalName, values: Mapping[str, float]) -> CandidateSet:
        """With one more signal; ``values`` by record id. Unchanged if no candidate has a value."""
        if not self.signals.keys() & values.keys():
            return self
        return replace(
            self, signals={record: {**one, name: values.get(record)} for record, one in self.signals.items()}
        )

    def candidates(self, columns: Sequence[AnyColumn]) -> Candidates:
        """The same by column, as ranking takes them; ``columns``: those that they were read by."""
        ids = list(self.signals)
        names = list(next(iter(self.signals.values()))) if ids else []
        arms = {name: [self.signals[record].get(name) for record in ids] for name in names}
        return Candidates.of(ids, arms, [self.fields[record] for record in ids], columns, named=self.named)

    def meant(self) -> int:
        """The number of records that are near enough in their own meaning."""
        return sum((signals.get("dense") or -1.0) >= self.least for signals in self.signals.values())


def _meaning(signals: Signals) -> float | None:
    """The cosine of a record or of its best passage, whichever is higher; None if neither was measured."""
    own, passage = signals.get("dense"), signals.get("passage_dense")
    return passage if own is None or (passage is not None and passage > own) else own


_NOTHING = CandidateSet({}, {}, frozenset(), {}, {})


def retrieve(
    client: Elasticsearch,
    plan: RetrievalPlan,
    *,
    window: int,
    question: str,
    columns: Sequence[AnyColumn],
    memory: VersionedCache[RankingFields],
    beside: Beside | None = None,
    most_near: int | None = None,
) -> CandidateSet:
    """The best ``window`` of each arm, completed so that each candidate has each arm's score if there is one.

    ``columns``: what ranking reads of each candidate. ``beside`` may add searches to the second request. ``most_near``:
    all matches are counted if the window cannot hold them, at most so many by meaning alone; None: they are not.

    Candidates in ``memory`` are not fetched again; words alone with only cached records are one request.
    Raises Unavailable if Elasticsearch does not answer.
    """
    if not plan.arms:
        return _NOTHING
    asking = Asking.of(client, question)
    first, counted = _first(asking, plan, window)
    ids = sorted({record for scored in first for record in scored.scores})
    if not ids:
        return _NOTHING
    matches = None if counted.matching is not None else foreseen(plan.arms, first, plan.nearness, window)
    counting = None if matches is None or most_near is None else _counting(plan, ids, matches, most_near)
    second = SecondRequest.of(asking, plan, first, ids, columns, memory).sent(beside, counting)
    if matches is not None and second.matching is not None:
        counted = replace(counted, matching=second.matching, near=matches.least is not None)
    found = _merged(second, plan.arms, first)
    return replace(found, counted=counted, overflowing=overflowing(plan.arms, first, window))


def _first(asking: Asking, plan: RetrievalPlan, window: int) -> tuple[list[Scored], Counted]:
    batch = asking.batch()
    answers = [asking.add(batch, arm.index, arm.body(window, None)) for arm in plan.arms]
    counted = None if plan.counting is None else _ask_counted(asking, batch, plan.index, plan.counting)
    batch.send()
    pairs = zip(plan.arms, answers, strict=True)
    scored = [read_answer(arm, answer(), plan.uuid_of(arm), window) for arm, answer in pairs]
    return scored, Counted() if counted is None else counted()


def _ask_counted(asking: Asking, batch: SearchBatch, index: str, counting: Counting) -> Later[Counted]:
    every_word = asking.add(batch, index, counting_body(counting.every_word, COUNTED))
    matching = asking.add(batch, index, counting_body(counting.matching, True))
    return lambda: Counted(every_word()["hits"]["total"]["value"], matching()["hits"]["total"]["value"])


def _counting(plan: RetrievalPlan, ids: Sequence[str], matches: Matches, most_near: int) -> Json:
    near = {}
    if matches.least is not None and plan.vector is not None:
        near = near_section(plan.vector, most_near, matches.least, plan.filters)
    return matches_body(plan.filters, plan.matching, ids, near)


def _merged(second: Completed, arms: Sequence[Arm], first: Sequence[Scored]) -> CandidateSet:
    """Combines records with known fields: they exist and pass the filters."""
    ids = sorted(second.fields)
    signals: dict[str, dict[SignalName, float | None]] = {record: {} for record in ids}
    words = set(second.told.all_words)
    passages: dict[str, PassageKey] = {}
    for arm, found, completed in zip(arms, first, second.scored, strict=True):
        parts = [found] if completed is None else [completed, found]
        scores = {record: score for part in parts for record, score in part.scores.items()}
        if arm.signal is not None:
            for record in ids:
                signals[record][arm.signal] = scores.get(record, arm.missing)
        if arm.signal == "names":
            words |= {record for record, score in scores.items() if score > 0.0}
        for part in parts:
            passages.update(part.passages)
    return CandidateSet(signals, second.fields, frozenset(words), passages, second.versions, second.told.named)
