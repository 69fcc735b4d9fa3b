"""A question made ready to be matched again and again: clauses of Elasticsearch and a vector, without any model.

A record matches if it passes the filters and has every word of the question, or an asked name, or a cosine to the
question of at least the model's ``min_score``. A place and a period in the question are conditions too: a record that
states others does not match.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidInput
from core.json_types import Json, JsonMapping
from search_api.search.pipeline import SearchPipeline
from search_api.search.ranking.words import WordWeights
from search_api.search.request import SearchRequest
from search_api.search.retrieval.bm25 import every_word_query
from search_api.search.retrieval.expansion import NO_EXPANSION
from search_api.search.retrieval.filters import Clause, area_clause, record_filters, span_clause
from search_api.search.retrieval.known_names import names_query
from search_api.search.retrieval.serving import Serving
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.meaning import meant_by
from search_api.search.understanding.topic import telling_words

_VERSION = 1
"""Raise it with every change of what is compiled: searches are then compiled again at their next evaluation."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """``filters``: all of them hold; ``either``: one of them holds, or the meaning is near. Both empty and no
    vector: every record.

    ``by``: what it was compiled with. ``vector``: (dims,) float32, unit norm; None if meaning does not count.
    """

    by: str
    filters: tuple[Clause, ...] = ()
    either: tuple[Clause, ...] = ()
    vector: NDArray[np.float32] | None = None

    def as_json(self) -> Json:
        said: Json = {"by": self.by, "filters": list(self.filters), "either": list(self.either)}
        if self.vector is not None:
            said["vector"] = base64.b64encode(self.vector.astype("<f4").tobytes()).decode("ascii")
        return said

    @classmethod
    def from_json(cls, said: JsonMapping) -> Compiled:
        vector = None
        if "vector" in said:
            vector = np.frombuffer(base64.b64decode(said["vector"]), "<f4").astype(np.float32)
        return cls(said["by"], tuple(said["filters"]), tuple(said["either"]), vector)

    def clauses(self, near: Sequence[str]) -> list[Clause]:
        """The conditions on a record; ``near``: the ids whose meaning is near enough."""
        if not self.either and self.vector is None:
            return list(self.filters)
        either = [*self.either, {"ids": {"values": list(near)}}] if near else list(self.either)
        return [*self.filters, {"bool": {"should": either, "minimum_should_match": 1}} if either else _NOTHING]


_NOTHING: Clause = {"match_none": {}}


def compiled_by(serving: Serving) -> str:
    """What questions are compiled with now: another mark says that they must be compiled again."""
    meta = serving.records.meta
    said = (
        _VERSION,
        meta.schema_version,
        meta.embedding_model,
        serving.embedder is not None,
        sorted(serving.structured),
    )
    return hashlib.sha256(repr(said).encode()).hexdigest()[:16]


def compile_question(pipeline: SearchPipeline, request: SearchRequest, serving: Serving) -> Compiled:
    """Raises InvalidInput for a question that can match nothing, Unavailable if the embedder does not answer."""
    filters = pipeline.located(request)
    located = replace(request, place=None, filters=filters)
    read = pipeline.with_names(pipeline.understood(located, serving.structured), serving)
    if read.is_stopwords_only:
        raise InvalidInput("search", "search.q: holds only small words; name what the records should be about")
    words = pipeline.parts.config.words
    either = _either(read, serving, words) if request.algorithm != "dense" else []
    vector = _vector(request, read, serving)
    if read.text.strip() not in ("", "*") and not either and vector is None and not (read.areas or read.span):
        raise InvalidInput("search", "search.q: nothing in it can be matched without the embedder, which is missing")
    conditions = _stated(read, located, strict=not either and vector is None)
    return Compiled(compiled_by(serving), (*record_filters(filters), *conditions), tuple(either), vector)


def _either(read: Interpretation, serving: Serving, words: WordWeights) -> list[Clause]:
    """Every word of the topic, or an asked name; empty for a question without a topic."""
    identifiers = tuple(one.value for one in read.identifiers)
    found: list[Clause] = []
    if read.thematic or identifiers:
        strict = replace(words, enough="100%")
        fields = serving.word_fields(words)
        found.append(every_word_query(strict, fields, read.parted, read.language, identifiers, NO_EXPANSION))
    length = len(telling_words(read.thematic).split())
    named = names_query(words.names, read.names, read.other_forms, length, alone=read.is_names_only)
    return [*found, named] if named is not None else found


def _vector(request: SearchRequest, read: Interpretation, serving: Serving) -> NDArray[np.float32] | None:
    if request.algorithm == "bm25" or serving.embedder is None or not read.thematic or read.is_names_only:
        return None
    return meant_by(serving.embedder, read).vector


def _stated(read: Interpretation, request: SearchRequest, *, strict: bool) -> list[Clause]:
    """The question's own place and period. ``strict``: also for a record that states none, where nothing else asks."""
    clauses: list[Clause] = []
    if request.spatial != "off" and request.filters.area is None and read.areas:
        areas = [area_clause(area, "intersects") for area in read.areas]
        clauses.append(_where(areas, "extent", strict))
    if request.temporal and request.filters.span is None and read.span is not None:
        clauses.append(_where([span_clause(read.span)], "time", strict))
    return clauses


def _where(clauses: list[Clause], field: str, strict: bool) -> Clause:
    unstated: list[Clause] = [] if strict else [{"bool": {"must_not": [{"exists": {"field": field}}]}}]
    return {"bool": {"should": [*clauses, *unstated], "minimum_should_match": 1}}
