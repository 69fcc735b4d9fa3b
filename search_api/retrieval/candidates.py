"""Runs all arms in one ``_msearch``, then fetches missing scores and uncached fields in a second one."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.hit import SignalName
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.ranking.candidates import Candidates
from search_api.ranking.fields import AnyColumn, RankingFields
from search_api.retrieval.arms import Arm, PassageKey, Scored, fields_body, read_answer, read_fields
from search_api.retrieval.plan import RetrievalPlan
from search_api.retrieval.versioned_cache import Version, VersionedCache

Signals = Mapping[SignalName, float | None]


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates of one search by record id: every arm's score, the ranking fields of each, and its version."""

    signals: Mapping[str, Signals]
    fields: Mapping[str, RankingFields]
    all_words: frozenset[str]
    passages: Mapping[str, PassageKey]
    versions: Mapping[str, Version]
    named: Mapping[str, float] = field(default_factory=dict)
    """How prominently records name the asked place: 1 in the title, .5 elsewhere, absent if not at all."""
    overflowing: bool = False
    """Whether an arm other than meaning's found more than the window holds."""
    least: float = math.inf
    """The minimum cosine for a hit by meaning alone; infinite if there are none."""

    def above(self, min_score: float, answer_score: float = -1.0) -> CandidateSet:
        """Drops the candidates that are neither near in meaning nor contain every word.

        Both parameters are cosines. If no candidate reaches ``answer_score`` and none contains every word, the question
        is about something else, and the nearest records are not hits either. A candidate without a measured meaning
        stays, because nothing contradicts it.
        """
        meant = {record: _meaning(signals) for record, signals in self.signals.items()}
        best = max((cosine for cosine in meant.values() if cosine is not None), default=-1.0)
        least = min_score if best >= answer_score or self.all_words & meant.keys() else math.inf
        kept = {
            record: self.signals[record]
            for record, cosine in meant.items()
            if cosine is None or cosine >= least or record in self.all_words
        }
        return replace(self, signals=kept, least=least)

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
    cosines = [signals.get("dense"), signals.get("passage_dense")]
    return max((cosine for cosine in cosines if cosine is not None), default=None)


_NOTHING = CandidateSet({}, {}, frozenset(), {}, {})


def retrieve(
    client: Elasticsearch,
    plan: RetrievalPlan,
    *,
    window: int,
    question: str,
    columns: Sequence[AnyColumn],
    memory: VersionedCache[RankingFields],
) -> CandidateSet:
    """The best ``window`` of each arm, completed so that each candidate has each arm's score if there is one.

    ``columns``: what ranking reads of each candidate.

    Candidates in ``memory`` are not fetched again; one arm with only cached records is one request.
    Raises Unavailable if Elasticsearch does not answer.
    """
    arms = plan.arms
    if not arms:
        return _NOTHING
    ask = Asking.of(client, question)
    answers = ask([(arm.index, arm.body(window, None)) for arm in arms])
    first = [read_answer(arm, answer, plan.index_uuid) for arm, answer in zip(arms, answers, strict=True)]
    ids = sorted({record for scored in first for record in scored.scores})
    if not ids:
        return _NOTHING
    versions = {record: version for scored in first for record, version in scored.versions.items()}
    fields = memory.known(versions)
    unknown = [record for record in ids if record not in fields]
    lacking = _lacking(arms, first, ids)
    further = [(arms[place].index, arms[place].body(len(lack), lack)) for place, lack in lacking.items()]
    if unknown:
        further.append((plan.index, fields_body(unknown, plan.filters, columns)))
    answers = ask(further) if further else []
    if unknown:
        read, read_at = read_fields(answers[-1], plan.index_uuid, columns)
        memory.keep(read_at, read)
        fields, versions = {**fields, **read}, {**versions, **read_at}
    completed = {
        place: read_answer(arms[place], answer, plan.index_uuid)
        for place, answer in zip(lacking, answers, strict=False)  # one more answer: uncached fields
    }
    found = _merged(fields, versions, arms, first, [completed.get(place) for place in range(len(arms))])
    return replace(found, overflowing=_overflowing(arms, first, window))


def _overflowing(arms: Sequence[Arm], first: Sequence[Scored], window: int) -> bool:
    pairs = zip(arms, first, strict=True)
    return any(len(scored.scores) >= window for arm, scored in pairs if arm.signal in ("bm25", "names", None))


def _lacking(arms: Sequence[Arm], first: Sequence[Scored], ids: Sequence[str]) -> dict[int, list[str]]:
    """Maps the position of each arm to the candidates that it did not return."""
    lacking = {
        place: [record for record in ids if record not in scored.scores]
        for place, (arm, scored) in enumerate(zip(arms, first, strict=True))
        if arm.signal is not None
    }
    return {place: lack for place, lack in lacking.items() if lack}


def _merged(
    fields: Mapping[str, RankingFields],
    versions: Mapping[str, Version],
    arms: Sequence[Arm],
    first: Sequence[Scored],
    second: Sequence[Scored | None],
) -> CandidateSet:
    """Combines records with known fields: they exist and pass the filters."""
    ids = sorted(fields)
    signals: dict[str, dict[SignalName, float | None]] = {record: {} for record in ids}
    words: set[str] = set()
    passages: dict[str, PassageKey] = {}
    named: dict[str, float] = {}
    for arm, found, completed in zip(arms, first, second, strict=True):
        parts = [found] if completed is None else [completed, found]
        scores = {record: score for part in parts for record, score in part.scores.items()}
        if arm.signal is not None:
            for record in ids:
                signals[record][arm.signal] = scores.get(record, arm.missing)
        for part in parts:
            words |= part.all_words
            passages.update(part.passages)
            named.update(part.named)
    return CandidateSet(signals, fields, frozenset(words), passages, versions, named)


@dataclass(frozen=True, slots=True)
class Asking:
    """Several searches in one request; ``preference`` sends equal questions to the same shard copies."""

    client: Elasticsearch
    preference: str

    @classmethod
    def of(cls, client: Elasticsearch, question: str) -> Asking:
        return cls(client, hashlib.sha256(question.encode()).hexdigest()[:16])

    def __call__(self, asked: Sequence[tuple[str, Json]]) -> list[Json]:
        searches: list[Json] = []
        for index, body in asked:
            searches.append({"index": index, "preference": self.preference, "search_type": "dfs_query_then_fetch"})
            searches.append(body)
        return search_all(self.client, searches)
