"""All arms in one ``_msearch``, then the scores that candidates miss in a second one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from elasticsearch import ApiError, Elasticsearch, TransportError

from core.errors import Unavailable
from core.hit import Signal
from search_api.retrieval.arms import Arm, Scored, read_answer

Signals = Mapping[Signal, float | None]


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of one search by record id: every arm's score, and the doc values that ranking reads."""

    signals: Mapping[str, Signals]
    fields: Mapping[str, Mapping[str, list[Any]]]
    all_words: frozenset[str]
    passages: Mapping[str, str]

    def above(self, min_score: float) -> Found:
        """Without the candidates that neither mean what was asked nor hold its every word.

        ``min_score`` is a cosine. A candidate whose meaning was not measured stays: nothing speaks against it.
        """
        kept = {record: signals for record, signals in self.signals.items() if self._is_hit(record, signals, min_score)}
        return replace(self, signals=kept)

    def _is_hit(self, record: str, signals: Signals, min_score: float) -> bool:
        cosines = [signals.get("dense"), signals.get("passage_dense")]
        measured = [cosine for cosine in cosines if cosine is not None]
        return not measured or max(measured) >= min_score or record in self.all_words


def retrieve(client: Elasticsearch, arms: Sequence[Arm], *, window: int, question: str) -> Found:
    """The best ``window`` of each arm, completed so that each candidate has each arm's score where there is one.

    Raises Unavailable where Elasticsearch does not answer.
    """
    if not arms:
        return Found({}, {}, frozenset(), {})
    first = _msearch(client, [(arm, arm.body(window, None)) for arm in arms], question)
    ids = sorted({record for scored in first for record in scored.scores})
    missing = [
        [record for record in ids if record not in scored.scores] if arm.signal is not None else []
        for arm, scored in zip(arms, first, strict=True)
    ]
    asked = [(arm, arm.body(len(lack), lack)) for arm, lack in zip(arms, missing, strict=True) if lack]
    answers = iter(_msearch(client, asked, question) if asked else [])
    second = [next(answers) if lack else None for lack in missing]
    return _merged(ids, arms, first, second)


def _merged(ids: Sequence[str], arms: Sequence[Arm], first: Sequence[Scored], second: Sequence[Scored | None]) -> Found:
    signals: dict[str, dict[Signal, float | None]] = {record: {} for record in ids}
    fields: dict[str, Mapping[str, list[Any]]] = {}
    words: set[str] = set()
    passages: dict[str, str] = {}
    for arm, found, completed in zip(arms, first, second, strict=True):
        parts = [found] if completed is None else [completed, found]
        scores = {record: score for part in parts for record, score in part.scores.items()}
        if arm.signal is not None:
            for record in ids:
                signals[record][arm.signal] = scores.get(record, arm.missing)
        for part in parts:
            fields.update(part.fields)
            words |= part.all_words
            passages.update(part.passages)
    known = {record: signals[record] for record in ids if record in fields}
    return Found(known, fields, frozenset(words), passages)


def _msearch(client: Elasticsearch, asked: Sequence[tuple[Arm, dict[str, Any]]], question: str) -> list[Scored]:
    preference = hashlib.sha256(question.encode()).hexdigest()[:16]
    searches: list[dict[str, Any]] = []
    for arm, body in asked:
        searches.append({"index": arm.index, "preference": preference, "search_type": "dfs_query_then_fetch"})
        searches.append(body)
    answers = checked(client, searches)
    return [read_answer(arm, answer) for (arm, _), answer in zip(asked, answers, strict=True)]


def checked(client: Elasticsearch, searches: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The answers of an ``_msearch``; one failed search fails all, since half an answer would look like a whole one."""
    try:
        answers: list[dict[str, Any]] = client.msearch(searches=list(searches)).body["responses"]
    except (TransportError, ApiError) as error:
        raise Unavailable(f"Elasticsearch does not answer: {type(error).__name__}.") from error
    for answer in answers:
        if "error" in answer:
            raise _failure(answer["error"])
    return answers


def _failure(error: Mapping[str, Any]) -> Exception:
    cause = (error.get("root_cause") or [error])[0]
    if error.get("type") == "index_not_found_exception":
        return IndexGone(str(cause.get("index", "")))
    return Unavailable(f"Elasticsearch refused a search: {cause.get('type')}: {cause.get('reason')}")


class IndexGone(Unavailable):
    """The concrete index was deleted after it was resolved; resolving again finds the one that serves now."""

    def __init__(self, index: str) -> None:
        super().__init__(f"The index {index} is gone.")
