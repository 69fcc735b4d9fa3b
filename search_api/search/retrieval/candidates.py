"""Runs all arms in one request, then fetches missing scores, uncached fields and what others add in a second one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.hit import SignalName
from es_gateway.client import Elasticsearch
from es_gateway.searching import Later, SearchBatch
from search_api.search.ranking.candidates import Candidates
from search_api.search.ranking.fields import AnyColumn, RankingFields
from search_api.search.retrieval.arms import Arm, PassageKey, Scored
from search_api.search.retrieval.asking import Asking
from search_api.search.retrieval.counting import counting_body, matches_body, overflowing
from search_api.search.retrieval.drawn import Drawing, DrawMemory, Drawn
from search_api.search.retrieval.plan import Counting, RetrievalPlan
from search_api.search.retrieval.second_request import Beside, Completed, SecondRequest
from search_api.search.retrieval.versioned_cache import Version, VersionedCache

COUNTED = 21
"""Records with every word of the question are counted up to here: of so many, no word is a typing error."""

Signals = Mapping[SignalName, float | None]


@dataclass(frozen=True, slots=True)
class Counted:
    """What the requests counted beside the candidates: how many records have enough words of the question (up to
    ``COUNTED``), and how many match; None: not counted.
    """

    every_word: int = 0
    matching: int | None = None


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
    """Whether an arm that finds records by a condition found more than the window holds."""
    counted: Counted = field(default_factory=Counted)
    matching: frozenset[str] = frozenset()
    """The candidates that match by a condition; asked only if meaning judges the others."""
    drawn: frozenset[str] = frozenset()
    """The records that match without a condition, candidates or not, whether or not they pass the filters."""

    @property
    def with_every_word(self) -> int:
        """How many records are hits by their words; at least so many."""
        return max(len(self.all_words), self.counted.every_word)

    @property
    def is_whole(self) -> bool:
        """Whether every record that matches is a candidate."""
        return not self.overflowing and self.drawn <= self.signals.keys()

    def hits(self) -> CandidateSet:
        """Without the candidates that do not match: neither by a condition nor drawn."""
        kept = {record: one for record, one in self.signals.items() if record in self.matching or record in self.drawn}
        return replace(self, signals=kept)

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
    most_drawn: int = 0,
    draws: DrawMemory | None = None,
    count: bool = False,
) -> CandidateSet:
    """The best ``window`` of each arm, completed so that each candidate has each arm's score if there is one.

    ``columns``: what ranking reads of each candidate. ``beside`` may add searches to the second request.
    ``most_drawn``: how many records the meaning of the whole question draws; ``draws`` remembers them. ``count``: all
    matches are counted if the window cannot hold them.

    Candidates in ``memory`` are not fetched again; words alone with only cached records are one request.
    Raises Unavailable if Elasticsearch does not answer.
    """
    if not plan.arms:
        return _NOTHING
    asking = Asking.of(client, question)
    most = window if plan.nearness is None else max(most_drawn, window)
    first, drawn, counted = _first(asking, plan, Drawing(window, most, draws))
    ids = sorted({record for scored in first for record in scored.scores})
    if not ids and not plan.filters:
        return _NOTHING
    near = frozenset(plan.pinned) | drawn.ids(-1.0 if plan.nearness is None else plan.nearness.min_score)
    is_about = plan.nearness is None or drawn.best >= plan.nearness.answer_score
    overflows = overflowing(plan.arms, first, window)
    counts = count and counted.matching is None and (overflows or not near <= set(ids))
    counting = matches_body(plan.filters, plan.matching, near) if counts else None
    doubt = None if is_about else counting_body(plan.matching, 1)
    second = SecondRequest.of(asking, plan, first, ids, columns, memory).sent(beside, counting, doubt)
    if second.matching is not None:
        counted = replace(counted, matching=second.matching)
    is_about = is_about or second.any_matches
    found = replace(_merged(second, plan.arms, first), counted=counted, overflowing=overflows)
    if not is_about:  # the question is about something else, and nothing holds its words
        return replace(found, drawn=frozenset(plan.pinned), counted=replace(counted, matching=None)).hits()
    found = replace(found, drawn=near)
    return found if plan.nearness is None else found.hits()


def _first(asking: Asking, plan: RetrievalPlan, drawing: Drawing) -> tuple[list[Scored], Drawn, Counted]:
    batch = asking.batch()
    filtered = bool(plan.filters)
    asked = [drawing.ask(asking, batch, arm, plan.uuid_of(arm), filtered=filtered) for arm in plan.arms]
    counted = None if plan.counting is None else _ask_counted(asking, batch, plan.index, plan.counting)
    batch.send()
    answers = [one() for one in asked]
    drawn = Drawn.of(plan.arms, [scores for _, scores in answers], judged=plan.nearness is not None)
    return [scored for scored, _ in answers], drawn, Counted() if counted is None else counted()


def _ask_counted(asking: Asking, batch: SearchBatch, index: str, counting: Counting) -> Later[Counted]:
    every_word = asking.add(batch, index, counting_body(counting.every_word, COUNTED))
    matching = asking.add(batch, index, counting_body(counting.matching, True))
    return lambda: Counted(every_word()["hits"]["total"]["value"], matching()["hits"]["total"]["value"])


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
    told = second.told
    merged = CandidateSet(signals, second.fields, frozenset(words), passages, second.versions, told.named)
    return replace(merged, matching=told.matching)
