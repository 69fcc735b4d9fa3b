"""Round two: what the candidates of round one lack, in one request.

That is each arm's score of the candidates that only others returned (unless it returned all that it can score), which
of them match the whole question, ranking values and token vectors that are not cached, and the number of all matches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.hit import SignalName
from core.json_types import Json, JsonMapping
from es_gateway.searching import Search
from search_api.search.caches import Version
from search_api.search.ranking.candidates import AnyColumn, Candidates, Floats, RankingFields
from search_api.search.retrieval import bm25
from search_api.search.retrieval.arms import (
    ArmScores,
    CandidateMatches,
    PassageKey,
    fields_body,
    matches_of_candidates,
    read_answer,
    read_fields,
    read_matches,
)
from search_api.search.retrieval.clauses import Clause, any_of
from search_api.search.retrieval.record_reads import TokenVectors
from search_api.search.round_one import ArmAnswers, CandidateSearch, MatchCounts, RoundOne, counting_body


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates of one search, sorted by id; ``arms``: of each signal a column (n,) of scores, NaN where not
    measured. By record id: what ranking reads, and the version.

    ``all_words``: the records that are hits by their words: enough words of the question, or an asked name.
    ``place_names``: how prominently records name the asked place: 1 in the title, .5 elsewhere, absent if not at all.
    ``overflowing``: whether an arm that finds records by a condition found more than the window holds. ``matching``:
    the candidates that match by a condition; asked only if meaning judges the others. ``drawn``: the records that match
    without a condition, candidates or not, whether or not they pass the filters; only candidates if these are all that
    pass, and facets, which have other filters, are not counted.
    """

    ids: tuple[str, ...]
    arms: Mapping[SignalName, Floats]
    fields: Mapping[str, RankingFields]
    all_words: frozenset[str]
    passages: Mapping[str, PassageKey]
    versions: Mapping[str, Version]
    place_names: Mapping[str, float] = field(default_factory=dict)
    overflowing: bool = False
    counts: MatchCounts = field(default_factory=MatchCounts)
    matching: frozenset[str] = frozenset()
    drawn: frozenset[str] = frozenset()

    @property
    def with_every_word(self) -> int:
        """How many records are hits by their words; at least so many."""
        return max(len(self.all_words), self.counts.every_word)

    @property
    def is_whole(self) -> bool:
        """Whether every record that matches is a candidate."""
        return not self.overflowing and self.drawn.issubset(self.ids)

    def hits(self) -> CandidateSet:
        """Without the candidates that do not match: neither by a condition nor drawn."""
        matches = self.matching | self.drawn
        rows = [row for row, record in enumerate(self.ids) if record in matches]
        if len(rows) == len(self.ids):
            return self
        arms = {name: scores[rows] for name, scores in self.arms.items()}
        return replace(self, ids=tuple([self.ids[row] for row in rows]), arms=arms)

    def with_signal(self, name: SignalName, values: Mapping[str, float]) -> CandidateSet:
        """With one more signal; ``values`` by record id. Unchanged if no candidate has a value."""
        if values.keys().isdisjoint(self.ids):
            return self
        return replace(self, arms={**self.arms, name: _column(self.ids, values, None)})

    def candidates(self, columns: Sequence[AnyColumn]) -> Candidates:
        """As ranking takes them; ``columns``: those that the fields were read by."""
        fields = [self.fields[record] for record in self.ids]
        arms = self.arms if self.ids else {}
        return Candidates.of(self.ids, arms, fields, columns, place_prominence=self.place_names)


def _column(ids: Sequence[str], scores: Mapping[str, float], missing: float | None) -> Floats:
    """(n,) the score of each id, or ``missing``; NaN for None."""
    return np.array([scores.get(record, missing) for record in ids], dtype=np.float64)


NO_CANDIDATES = CandidateSet((), {}, {}, frozenset(), {}, {})


def find_candidates(search: CandidateSearch) -> CandidateSet:
    """Both rounds: the candidates of each arm, with each arm's score if there is one. Raises Unavailable."""
    first = RoundOne.of(search)
    return complete(search, first.read(search.session.ask(first.searches)))


def complete(search: CandidateSearch, first: ArmAnswers) -> CandidateSet:
    """Round two: the candidates with what they lacked. Words alone with only cached records need no request.

    Raises Unavailable.
    """
    if not first.scored or (not first.ids and not search.plan.filters):
        return NO_CANDIDATES
    second = RoundTwo.of(search, first)
    answers = search.session.ask(second.searches)
    answers |= search.session.ask(second.searches_for_changed(answers))
    return second.read(answers)


@dataclass(frozen=True, slots=True)
class RoundTwo:
    """``seen_versions``: the versions of the records that the arms found. A candidate that only passages found has no
    version; ``unverified`` has its cached values, which are used if this round finds the same version.
    ``nearest_ids``: the records drawn by meaning, and the pins.
    """

    search: CandidateSearch
    first: ArmAnswers
    nearest_ids: frozenset[str]
    seen_versions: Mapping[str, Version]
    cached_fields: Mapping[str, RankingFields]
    unverified: Mapping[str, tuple[Version, RankingFields]]
    tokens: TokenVectors | None
    searches: Mapping[str, Search]

    @classmethod
    def of(cls, search: CandidateSearch, first: ArmAnswers) -> RoundTwo:
        plan, ids = search.plan, first.ids
        nearest = frozenset(plan.pinned) | first.draw.ids(-1.0 if plan.nearness is None else plan.nearness.min_score)
        seen_versions = {
            record: version for arm_scores in first.scored for record, version in arm_scores.versions.items()
        }
        from_cache = search.fields.get(seen_versions)
        unverified = search.fields.last([record for record in ids if record not in seen_versions])
        tokens = None
        if (prefetch := search.tokens) is not None:
            known_versions = {**{record: version for record, (version, _) in unverified.items()}, **seen_versions}
            best_ids = [record for record in _most_promising(first.scored) if record in known_versions][
                : prefetch.depth
            ]
            versions = {record: known_versions[record] for record in best_ids}
            tokens = TokenVectors.of(plan.index, versions, prefetch.made_by, prefetch.cache)
        bodies = {
            **_missing_scores(search, first, ids),
            **_matches(search, first, ids, seen_versions),
            **_values(search, [record for record in ids if record not in from_cache and record not in unverified]),
        }
        counts: dict[str, Search] = {}
        if search.counts and first.has_whole_draw:
            nearest &= frozenset(ids)
        if search.counts and first.counts.matching is None and (first.overflowing or not nearest <= set(ids)):
            counts["count"] = search.session.search(plan.index, matches_body(plan.filters, plan.matching, nearest))
        if not _is_about(search, first):
            counts["any match"] = search.session.search(plan.index, counting_body(plan.matching, 1))
        searches = {**bodies, **({} if tokens is None else tokens.searches), **counts}
        return cls(search, first, nearest, seen_versions, from_cache, unverified, tokens, searches)

    def searches_for_changed(self, answers: Mapping[str, JsonMapping]) -> dict[str, Search]:
        """Reads the values of candidates again that were written since they were cached; usually nothing."""
        if not self.unverified:
            return {}
        versions = self._matches(answers).versions
        changed_records = [
            record for record, (version, _) in self.unverified.items() if versions.get(record, version) != version
        ]
        return _values(self.search, changed_records, "changed values")

    def read(self, answers: Mapping[str, JsonMapping]) -> CandidateSet:
        """The candidates that match the question and pass the filters."""
        plan, counts = self.search.plan, self.first.counts
        if self.tokens is not None:
            self.tokens.read(answers)  # into the cache, for the ranking
        candidates = self._merge(answers)
        if "count" in answers:
            counts = replace(counts, matching=answers["count"]["hits"]["total"]["value"])
        any_matches = "any match" in answers and answers["any match"]["hits"]["total"]["value"] > 0
        if not (_is_about(self.search, self.first) or any_matches):
            # the question is about something else, and nothing contains its words
            return replace(candidates, drawn=frozenset(plan.pinned), counts=replace(counts, matching=None)).hits()
        drawn = self.nearest_ids
        if self.search.counts and self.first.has_whole_draw:
            drawn = drawn.intersection(candidates.ids)
        candidates = replace(candidates, counts=counts, drawn=drawn)
        return candidates if plan.nearness is None else candidates.hits()

    def _matches(self, answers: Mapping[str, JsonMapping]) -> CandidateMatches:
        return read_matches(answers["matches"], self.search.plan.index_uuid) if "matches" in answers else _NO_MATCHES

    def _merge(self, answers: Mapping[str, JsonMapping]) -> CandidateSet:
        """The candidates with known values: they exist and pass the filters."""
        plan, matches = self.search.plan, self._matches(answers)
        fields, versions = self._fields(answers, matches)
        ids = tuple(sorted(fields))
        columns: dict[SignalName, Floats] = {}
        words = set(matches.all_words)
        passages: dict[str, PassageKey] = {}
        for number, (arm, arm_scores) in enumerate(zip(plan.arms, self.first.scored, strict=True)):
            scores: Mapping[str, float] = arm_scores.scores
            if arm.signal == "bm25":
                scores = {**matches.scores, **scores}
            elif f"arm {number}" in answers:
                missing_scores = read_answer(arm, answers[f"arm {number}"], plan.uuid_of(arm))
                scores = {**missing_scores.scores, **scores}
                passages.update(missing_scores.passages)
            if arm.signal is not None:
                columns[arm.signal] = _column(ids, scores, arm.missing)
            if arm.signal == "names":
                words |= {record for record, score in scores.items() if score > 0.0}
            passages.update(arm_scores.passages)
        return CandidateSet(
            ids,
            columns,
            fields,
            frozenset(words),
            passages,
            versions,
            matches.place_names,
            overflowing=self.first.overflowing,
            matching=matches.matching,
        )

    def _fields(
        self, answers: Mapping[str, JsonMapping], matches: CandidateMatches
    ) -> tuple[dict[str, RankingFields], dict[str, Version]]:
        unchanged_fields = {
            record: values
            for record, (version, values) in self.unverified.items()
            if matches.versions.get(record) == version
        }
        fields = {**self.cached_fields, **unchanged_fields}
        versions = {**self.seen_versions, **matches.versions}
        for name in ("values", "changed values"):
            if name in answers:
                fresh, at = read_fields(answers[name], self.search.plan.index_uuid, self.search.columns)
                self.search.fields.put(at, fresh)
                fields |= fresh
                versions |= at
        return fields, versions


_NO_MATCHES = CandidateMatches()


def _is_about(search: CandidateSearch, first: ArmAnswers) -> bool:
    """Whether some record is near enough that the question is about the catalogue."""
    nearness = search.plan.nearness
    return nearness is None or first.draw.best >= nearness.answer_score


def _missing_scores(search: CandidateSearch, first: ArmAnswers, ids: Sequence[str]) -> dict[str, Search]:
    """Words are searched with the matches."""
    searches: dict[str, Search] = {}
    for number, (arm, arm_scores) in enumerate(zip(search.plan.arms, first.scored, strict=True)):
        missing_ids = [record for record in ids if record not in arm_scores.scores]
        if missing_ids and arm.signal not in (None, "bm25") and not arm_scores.is_all:
            searches[f"arm {number}"] = search.session.search(arm.index, arm.body(len(missing_ids), missing_ids))
    return searches


def _matches(
    search: CandidateSearch, first: ArmAnswers, ids: Sequence[str], versions: Mapping[str, Version]
) -> dict[str, Search]:
    """If no clause depends on more, only the candidates whose words or version the arms did not bring."""
    plan = search.plan
    by_words = [arm_scores for arm, arm_scores in zip(plan.arms, first.scored, strict=True) if arm.signal == "bm25"]
    if not plan.match_clauses:
        known = [versions, *(arm_scores.scores for arm_scores in by_words if not arm_scores.is_all)]
        ids = [record for record in ids if not all(record in records for records in known)]
    if not ids:
        return {}
    scoring_clauses = [bm25.scoring(plan.words)] if by_words else []
    body = matches_of_candidates(plan.match_clauses, scoring_clauses, plan.filters, ids)
    return {"matches": search.session.search(plan.index, body)}


def _values(search: CandidateSearch, ids: Sequence[str], name: str = "values") -> dict[str, Search]:
    if not ids:
        return {}
    body = fields_body(ids, search.plan.filters, search.columns)
    return {name: search.session.search(search.plan.index, body)}


def _most_promising(scores_by_arm: Sequence[ArmScores]) -> list[str]:
    """The candidates by their best rank in any arm."""
    best: dict[str, int] = {}
    for arm_scores in scores_by_arm:
        for rank, record in enumerate(arm_scores.scores):
            best[record] = min(rank, best.get(record, rank))
    return sorted(best, key=best.__getitem__)


def matches_clause(topic_clause: Clause, drawn_ids: Collection[str]) -> Clause:
    """The records that match by their words, place, time or names, and those that the question drew."""
    clauses = [topic_clause, {"ids": {"values": sorted(drawn_ids)}}] if drawn_ids else [topic_clause]
    return any_of(*clauses)


def matches_body(filters: Sequence[Clause], topic_clause: Clause, drawn_ids: Collection[str]) -> Json:
    """Counts the records that match and pass the filters."""
    query = {"bool": {"filter": [*filters, matches_clause(topic_clause, drawn_ids)]}}
    return {"query": query, "size": 0, "track_total_hits": True}
