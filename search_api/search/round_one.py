"""Round one: the arms of a search, what its question draws, and how many records match, in one request.

By its words, a record matches or not. By meaning, every record is near to some degree, so the nearest ones of the whole
catalogue are drawn first, and filters, counts and facets apply to them. If each filter drew its own nearest records, a
facet could not say what choosing a value gives (ADR 0054).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from core.json_types import Json, JsonMapping
from es_gateway.searching import Search, SearchSession
from search_api.search.caches import AnswerCache, IndexState, VersionedCache
from search_api.search.ranking.candidates import AnyColumn, RankingFields
from search_api.search.retrieval.arms import Arm, ArmScores, read_answer
from search_api.search.retrieval.clauses import Clause
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.retrieval.record_reads import TokenPrefetch

COUNTED = 21
"""Records with every word of the question are counted up to here: of so many, no word is a typing error."""


@dataclass(frozen=True, slots=True)
class Draw:
    """``cosines``: by record, the highest cosine of it and its passages. ``others``: records that other arms draw."""

    cosines: Mapping[str, float] = field(default_factory=dict)
    others: frozenset[str] = frozenset()

    @classmethod
    def of(cls, arms: Sequence[Arm], answers: Sequence[Mapping[str, float] | None], *, judged: bool) -> Draw:
        """``answers``: scores by record id, None for an arm that draws nothing. ``judged``: whether meaning decides
        what is a hit; words of passages then draw nothing.
        """
        cosines: dict[str, float] = {}
        other_ids: set[str] = set()
        for arm, scores in zip(arms, answers, strict=True):
            if scores is None:
                continue
            if judged and arm.is_meaning:
                known = cosines.keys() & scores.keys()
                cosines |= {**scores, **{record: max(cosines[record], scores[record]) for record in known}}
            elif not judged:
                other_ids |= scores.keys()
        return cls(cosines, frozenset(other_ids))

    @property
    def best(self) -> float:
        """The highest cosine; -1 if nothing was drawn by meaning."""
        return max(self.cosines.values(), default=-1.0)

    def ids(self, min_cosine: float) -> frozenset[str]:
        """The records drawn by meaning from cosine ``min_cosine`` on, and the others; ``math.inf``: none by meaning."""
        if min_cosine == math.inf:
            return self.others
        return self.others.union([record for record, cosine in self.cosines.items() if cosine >= min_cosine])


@dataclass(frozen=True, slots=True)
class DrawCache:
    """The draws of recent questions: a user who chooses one filter after another draws once."""

    answers: AnswerCache
    state: IndexState

    def get(self, body: Json) -> Mapping[str, float] | None:
        key = _key(body)
        return self.answers.get("draws", self.state, [key]).get(key)

    def put(self, body: Json, scores: Mapping[str, float]) -> None:
        self.answers.put(self.state, {_key(body): scores})


def _key(body: Json) -> bytes:
    return hashlib.sha256(orjson.dumps(body)).digest()


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """What the rounds one and two search: the best ``window`` of each arm.

    ``columns``: what ranking reads of each candidate; ``fields``: the cache of it. ``most_drawn``: how many records the
    meaning of the whole question draws; ``draws`` caches them. ``counts``: all matches are counted if the window cannot
    hold them.
    """

    session: SearchSession
    plan: RetrievalPlan
    window: int
    columns: Sequence[AnyColumn]
    fields: VersionedCache[RankingFields]
    most_drawn: int = 0
    draws: DrawCache | None = None
    counts: bool = False
    tokens: TokenPrefetch | None = None


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many records have enough words of the question (up to ``COUNTED``), and how many match; None: not counted."""

    every_word: int = 0
    matching: int | None = None


@dataclass(frozen=True, slots=True)
class ArmAnswers:
    """``scored``: of each arm, its best candidates. ``overflowing``: an arm that finds records by a condition found as
    many as the window holds. ``has_whole_draw``: every drawn record that passes the filters is a candidate.
    """

    scored: Sequence[ArmScores]
    draw: Draw
    counts: MatchCounts
    overflowing: bool
    has_whole_draw: bool

    @property
    def ids(self) -> list[str]:
        """All candidates, sorted."""
        return sorted({record for arm_scores in self.scored for record in arm_scores.scores})


@dataclass(frozen=True, slots=True)
class RoundOne:
    """``draws``: the bodies of draws by the number of their arm, and what is cached of them."""

    search: CandidateSearch
    draws: Mapping[int, tuple[Json, Mapping[str, float] | None]]
    searches: Mapping[str, Search]

    @classmethod
    def of(cls, search: CandidateSearch) -> RoundOne:
        """One search gives candidates and draw of an arm without filters, and of passages, whose records are filtered
        later; else there are two.
        """
        plan, session = search.plan, search.session
        searches: dict[str, Search] = {}
        draw_bodies: dict[int, tuple[Json, Mapping[str, float] | None]] = {}
        for number, arm in enumerate(plan.arms):
            if arm.draws is not None:
                body = arm.draws(_most_drawn(search, arm))
                from_cache = search.draws.get(body) if search.draws and plan.filters and not arm.on_passages else None
                draw_bodies[number] = body, from_cache
                if from_cache is None:
                    searches[f"draw {number}"] = session.search(arm.index, body)
            if arm.draws is None or (plan.filters and not arm.on_passages):
                searches[f"arm {number}"] = session.search(arm.index, arm.body(search.window, None))
        if plan.arms and plan.counting is not None:
            searches["every word"] = session.search(plan.index, counting_body(plan.counting.every_word, COUNTED))
            searches["matching"] = session.search(plan.index, counting_body(plan.counting.matching, True))
        return cls(search, draw_bodies, searches)

    def read(self, answers: Mapping[str, JsonMapping]) -> ArmAnswers:
        plan = self.search.plan
        draws = [self._draw(number, answers) for number in range(len(plan.arms))]
        arm_scores = [self._candidates(number, draw, answers) for number, draw in enumerate(draws)]
        counts = MatchCounts()
        if "matching" in answers:
            counts = MatchCounts(*(answers[name]["hits"]["total"]["value"] for name in ("every word", "matching")))
        return ArmAnswers(
            arm_scores,
            Draw.of(plan.arms, [None if draw is None else draw.scores for draw in draws], judged=bool(plan.nearness)),
            counts,
            any(
                len(scores.scores) >= self.search.window
                for arm, scores in zip(plan.arms, arm_scores, strict=True)
                if arm.draws is None
            ),
            all(
                self._has_whole_draw(number, draw, answers)
                for number, draw in enumerate(draws)
                if draw is not None and (plan.nearness is None or plan.arms[number].is_meaning)
            ),
        )

    def _draw(self, number: int, answers: Mapping[str, JsonMapping]) -> ArmScores | None:
        """What the question draws by an arm; None: nothing."""
        if number not in self.draws:
            return None
        arm, (body, from_cache) = self.search.plan.arms[number], self.draws[number]
        if from_cache is not None:
            return ArmScores(from_cache, {}, {})
        uuid, limit = self.search.plan.uuid_of(arm), _most_drawn(self.search, arm)
        draw = read_answer(arm, answers[f"draw {number}"], uuid, limit)
        if self.search.draws is not None and not arm.on_passages:
            self.search.draws.put(body, draw.scores)
        return draw

    def _candidates(self, number: int, draw: ArmScores | None, answers: Mapping[str, JsonMapping]) -> ArmScores:
        plan, window = self.search.plan, self.search.window
        if f"arm {number}" not in answers:
            return ArmScores({}, {}, {}) if draw is None else draw.best(window)
        arm = plan.arms[number]
        arm_scores = read_answer(arm, answers[f"arm {number}"], plan.uuid_of(arm), window)
        # A filter finds more records than were drawn.
        return arm_scores if draw is None else arm_scores.among(draw.scores)

    def _has_whole_draw(self, number: int, draw: ArmScores, answers: Mapping[str, JsonMapping]) -> bool:
        """Whether the arm's candidates end after the last drawn record that passes the filters."""
        window = self.search.window
        if f"arm {number}" not in answers:
            return len(draw.scores) <= window
        hits = answers[f"arm {number}"]["hits"]["hits"]
        return len(hits) < window or hits[-1]["fields"]["id"][0] not in draw.scores


def _most_drawn(search: CandidateSearch, arm: Arm) -> int:
    nearest = search.window if search.plan.nearness is None else max(search.most_drawn, search.window)
    return nearest if arm.signal == "dense" else search.window


def counting_body(query: Clause, limit: int | bool) -> Json:
    """Counts the records that match, and stops at ``limit``; True: counts all."""
    return {"query": {"bool": {"filter": [query]}}, "size": 0, "track_total_hits": limit}
