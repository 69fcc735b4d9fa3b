"""The second request of a search: what its candidates lack.

That is each arm's score of the candidates that only others returned (unless it returned all that it can score), what
every candidate is asked, ranking values that are not cached, and what other parts add.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.json_types import Json
from es_gateway.searching import Later, SearchBatch
from search_api.search.ranking.fields import AnyColumn, RankingFields
from search_api.search.retrieval import bm25
from search_api.search.retrieval.arms import Arm, Scored, fields_body, read_answer, read_fields
from search_api.search.retrieval.asking import Asking
from search_api.search.retrieval.plan import RetrievalPlan
from search_api.search.retrieval.telling import Told, read_told, telling_body
from search_api.search.retrieval.versioned_cache import Version, VersionedCache

Beside = Callable[[SearchBatch, Mapping[str, Version]], Later[object]]
"""Adds searches for the candidates whose version is known, most promising first; its result reads the answers."""


@dataclass(frozen=True, slots=True)
class Completed:
    """``scored``: of each arm what it lacked, None if nothing. ``fields`` has the candidates that pass the filters."""

    scored: Sequence[Scored | None]
    told: Told
    fields: Mapping[str, RankingFields]
    versions: Mapping[str, Version]
    matching: int | None = None
    """All matches; None if they were not to be counted."""
    any_matches: bool = False
    """Whether any record matches by a condition; False if it was not asked."""


@dataclass(slots=True)
class SecondRequest:
    """``seen``: versions that the arms brought. A candidate of passages alone has none; what is cached of it counts if
    the second request shows it in the same version.
    """

    asking: Asking
    plan: RetrievalPlan
    first: Sequence[Scored]
    ids: Sequence[str]
    columns: Sequence[AnyColumn]
    memory: VersionedCache[RankingFields]
    seen: Mapping[str, Version]
    known: Mapping[str, RankingFields]
    unsure: Mapping[str, tuple[Version, RankingFields]]
    batch: SearchBatch = field(init=False)

    def __post_init__(self) -> None:
        self.batch = self.asking.batch()

    @classmethod
    def of(
        cls,
        asking: Asking,
        plan: RetrievalPlan,
        first: Sequence[Scored],
        ids: Sequence[str],
        columns: Sequence[AnyColumn],
        memory: VersionedCache[RankingFields],
    ) -> SecondRequest:
        seen = {record: version for scored in first for record, version in scored.versions.items()}
        unsure = memory.last(record for record in ids if record not in seen)
        return cls(asking, plan, first, ids, columns, memory, seen, memory.known(seen), unsure)

    def sent(self, beside: Beside | None, counting: Json | None = None, doubt: Json | None = None) -> Completed:
        """Sends no request if nothing is missing. ``counting``: counts the matches; ``doubt``: whether there are any.

        Raises Unavailable if Elasticsearch does not answer.
        """
        completing = [self._completing(arm, scored) for arm, scored in zip(self.plan.arms, self.first, strict=True)]
        telling = self._telling()
        unknown = [record for record in self.ids if record not in self.known and record not in self.unsure]
        read = self._reading(self.batch, unknown)
        further = None if beside is None else beside(self.batch, self._most_promising())
        counted = None if counting is None else self.asking.add(self.batch, self.plan.index, counting)
        any_matches = None if doubt is None else self.asking.add(self.batch, self.plan.index, doubt)
        self.batch.send()
        if further is not None:
            further()
        told = telling()
        words = Scored(told.scores, {}, told.versions)
        pairs = zip(self.plan.arms, completing, strict=True)
        scored = [words if arm.signal == "bm25" else None if one is None else one() for arm, one in pairs]
        fields, versions = self._fields(told, *read())
        matching = None if counted is None else counted()["hits"]["total"]["value"]
        any_match = any_matches is not None and any_matches()["hits"]["total"]["value"] > 0
        return Completed(scored, told, fields, versions, matching, any_match)

    def _completing(self, arm: Arm, scored: Scored) -> Later[Scored] | None:
        lacking = [record for record in self.ids if record not in scored.scores]
        if arm.signal in (None, "bm25") or not lacking or scored.is_all:  # words are part of the telling
            return None
        answer = self.asking.add(self.batch, arm.index, arm.body(len(lacking), lacking))
        return lambda: read_answer(arm, answer(), self.plan.uuid_of(arm))

    def _telling(self) -> Later[Told]:
        """If no clause depends on more, only the candidates are asked whose words or version the arms did not bring."""
        by_words = [scored for arm, scored in zip(self.plan.arms, self.first, strict=True) if arm.signal == "bm25"]
        ids = self.ids
        if not self.plan.telling:
            brought = [self.seen, *(one.scores for one in by_words if not one.is_all)]
            ids = [record for record in ids if not all(record in found for found in brought)]
        if not ids:
            return Told
        scoring = [bm25.scoring(self.plan.words)] if by_words else []
        body = telling_body(self.plan.telling, scoring, self.plan.filters, ids)
        answer = self.asking.add(self.batch, self.plan.index, body)
        return lambda: read_told(answer(), self.plan.index_uuid)

    def _reading(
        self, batch: SearchBatch, ids: Sequence[str]
    ) -> Later[tuple[dict[str, RankingFields], dict[str, Version]]]:
        if not ids:
            return lambda: ({}, {})
        answer = self.asking.add(batch, self.plan.index, fields_body(ids, self.plan.filters, self.columns))

        def read() -> tuple[dict[str, RankingFields], dict[str, Version]]:
            fields, versions = read_fields(answer(), self.plan.index_uuid, self.columns)
            self.memory.keep(versions, fields)
            return fields, versions

        return read

    def _fields(
        self, told: Told, read: Mapping[str, RankingFields], read_at: Mapping[str, Version]
    ) -> tuple[dict[str, RankingFields], dict[str, Version]]:
        """Of the candidates that pass the filters. If a cached one has changed, a third request reads it again."""
        same, changed = {}, []
        for record, (version, kept) in self.unsure.items():
            if told.versions.get(record) == version:
                same[record] = kept
            elif record in told.versions:
                changed.append(record)
        batch = self.asking.batch()
        anew = self._reading(batch, changed)
        batch.send()
        fields, versions = anew()
        return {**self.known, **same, **read, **fields}, {**self.seen, **told.versions, **read_at, **versions}

    def _most_promising(self) -> dict[str, Version]:
        """The candidates by their best rank in any arm; without those of unknown version."""
        best: dict[str, int] = {}
        for scored in self.first:
            for rank, record in enumerate(scored.scores):
                best[record] = min(rank, best.get(record, rank))
        versions = {**{record: version for record, (version, _) in self.unsure.items()}, **self.seen}
        return {record: versions[record] for record in sorted(best, key=lambda one: best[one]) if record in versions}
