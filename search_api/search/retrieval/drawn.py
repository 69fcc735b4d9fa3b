"""What a question draws by meaning, and by the words of passages: the same records whatever the filters.

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

from core.json_types import Json
from es_gateway.searching import Later, SearchBatch
from search_api.search.retrieval.arms import Arm, Scored, read_answer
from search_api.search.retrieval.asking import Asking
from search_api.search.retrieval.remembered_answers import RememberedAnswers
from search_api.search.retrieval.serving import IndexState


@dataclass(frozen=True, slots=True)
class Drawn:
    """``cosines``: by record, the highest of its own and of its passages' in this draw. ``others``: drawn otherwise."""

    cosines: Mapping[str, float] = field(default_factory=dict)
    others: frozenset[str] = frozenset()

    @classmethod
    def of(cls, arms: Sequence[Arm], answers: Sequence[Mapping[str, float] | None], *, judged: bool) -> Drawn:
        """``answers``: scores by record id, None for an arm that draws nothing. ``judged``: whether meaning decides
        what is a hit; words of passages then draw nothing.
        """
        cosines: dict[str, float] = {}
        others: set[str] = set()
        for arm, scores in zip(arms, answers, strict=True):
            if scores is None:
                continue
            if judged and arm.is_meaning:
                for record, cosine in scores.items():
                    cosines[record] = max(cosine, cosines.get(record, -1.0))
            elif not judged:
                others |= scores.keys()
        return cls(cosines, frozenset(others))

    @property
    def best(self) -> float:
        """The highest cosine; -1 if nothing was drawn by meaning."""
        return max(self.cosines.values(), default=-1.0)

    def ids(self, least: float) -> frozenset[str]:
        """The records drawn by meaning from cosine ``least`` on, and the others; ``math.inf``: none by meaning."""
        near = (record for record, cosine in self.cosines.items() if cosine >= least)
        return self.others.union(near if least < math.inf else ())


@dataclass(frozen=True, slots=True)
class DrawMemory:
    """The draws of recent questions: who chooses one filter after another draws once."""

    answers: RememberedAnswers
    state: IndexState

    def known(self, body: Json) -> Mapping[str, float] | None:
        key = _key(body)
        return self.answers.known("draws", self.state, [key]).get(key)

    def keep(self, body: Json, scores: Mapping[str, float]) -> None:
        self.answers.keep(self.state, {_key(body): scores})


def _key(body: Json) -> bytes:
    return hashlib.sha256(orjson.dumps(body)).digest()


_NONE = Scored({}, {}, {})


@dataclass(frozen=True, slots=True)
class Drawing:
    """``window``: how many records of each arm are candidates; ``most``: how many are drawn by the whole question."""

    window: int
    most: int
    memory: DrawMemory | None = None

    def ask(
        self, asking: Asking, batch: SearchBatch, arm: Arm, index_uuid: str, *, filtered: bool
    ) -> Later[tuple[Scored, Mapping[str, float] | None]]:
        """The candidates of the arm, and what the question draws by it; None if the arm draws nothing.

        One search gives both without filters, and for passages, whose records are filtered later.
        """
        if arm.draws is None:
            answer = asking.add(batch, arm.index, arm.body(self.window, None))
            return lambda: (read_answer(arm, answer(), index_uuid, self.window), None)
        most = self.most if arm.signal == "dense" else self.window
        body = arm.draws(most)
        memory = None if arm.on_passages else self.memory
        known = memory.known(body) if memory is not None and filtered else None
        every = asking.add(batch, arm.index, body) if known is None else None
        narrow = filtered and not arm.on_passages
        passing = asking.add(batch, arm.index, arm.body(self.window, None)) if narrow else None

        def read() -> tuple[Scored, Mapping[str, float] | None]:
            whole = None if every is None else read_answer(arm, every(), index_uuid, most)
            if whole is not None and memory is not None:
                memory.keep(body, whole.scores)
            scores = known if whole is None else whole.scores
            if passing is None:
                return (whole or _NONE).best(self.window), scores
            found = read_answer(arm, passing(), index_uuid, self.window)
            return found.among(scores or {}), scores  # a filter finds further ones, which the question does not draw

        return read
