"""Compiles a question once for repeated matching: clauses of Elasticsearch and a vector; matching needs no model.

A record matches if it passes the filters and has every word of the question, or a name in it, or a cosine to the
question of at least the model's ``min_score``. A place and a period in the question are conditions too: a record with
another place or period does not match.
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
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import WordWeights
from search_api.search.request import SearchRequest
from search_api.search.retrieval.bm25 import NO_EXPANSION, every_word_query
from search_api.search.retrieval.clauses import Clause, area_clause, record_filters, span_clause
from search_api.search.retrieval.known_names import names_query
from search_api.search.retrieval.serving import Serving
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.topic import query_vectors, significant_words

_VERSION = 1
"""Raise it when compiling changes: searches are then compiled again at their next evaluation."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A record matches all ``filters``, and one of ``either`` or the vector. No clause and no vector: every record.

    ``by``: the mark of model and schema. ``vector``: (dims,) float32, unit norm; None: meaning does not count.
    """

    by: str
    filters: tuple[Clause, ...] = ()
    either: tuple[Clause, ...] = ()
    vector: NDArray[np.float32] | None = None

    def as_json(self) -> Json:
        members: Json = {"by": self.by, "filters": list(self.filters), "either": list(self.either)}
        if self.vector is not None:
            members["vector"] = base64.b64encode(self.vector.astype("<f4").tobytes()).decode("ascii")
        return members

    @classmethod
    def from_json(cls, members: JsonMapping) -> Compiled:
        vector = None
        if "vector" in members:
            vector = np.frombuffer(base64.b64decode(members["vector"]), "<f4").astype(np.float32)
        return cls(members["by"], tuple(members["filters"]), tuple(members["either"]), vector)

    def clauses(self, nearest: Sequence[str]) -> list[Clause]:
        """The conditions on a record; ``nearest``: ids of records whose vectors are near enough."""
        if not self.either and self.vector is None:
            return list(self.filters)
        either = [*self.either, {"ids": {"values": list(nearest)}}] if nearest else list(self.either)
        return [*self.filters, {"bool": {"should": either, "minimum_should_match": 1}} if either else _NOTHING]


_NOTHING: Clause = {"match_none": {}}


def compiled_by(serving: Serving) -> str:
    """The current mark of model and schema; a question with another mark must be compiled again."""
    meta = serving.records.meta
    recipe = (
        _VERSION,
        meta.schema_version,
        meta.embedding_model,
        serving.embedder is not None,
        sorted(serving.structured),
    )
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def compile_question(pipeline: SearchPipeline, request: SearchRequest, serving: Serving) -> Compiled:
    """Raises InvalidInput for a question that can match nothing, Unavailable if the embedder does not answer."""
    filters = pipeline.locate(request)
    located_request = replace(request, place=None, filters=filters)
    interpretation = pipeline.interpret(located_request, serving.structured)
    interpretation = pipeline.with_contacts(located_request, interpretation, serving)
    if interpretation.is_stopwords_only:
        raise InvalidInput("search", "search.q: holds only small words; name what the records should be about")
    words = pipeline.parts.config.words
    clauses = _topic_clauses(interpretation, serving, words) if request.algorithm != "dense" else []
    vector = _vector(request, interpretation, serving)
    if (
        interpretation.text.strip() not in ("", "*")
        and not clauses
        and vector is None
        and not (interpretation.areas or interpretation.spans)
    ):
        raise InvalidInput("search", "search.q: nothing in it can be matched without the embedder, which is missing")
    conditions = _place_and_period(interpretation, located_request, strict=not clauses and vector is None)
    return Compiled(compiled_by(serving), (*record_filters(filters), *conditions), tuple(clauses), vector)


def _topic_clauses(interpretation: Interpretation, serving: Serving, words: WordWeights) -> list[Clause]:
    """Clauses for every word of the topic, or a name; empty for a question without a topic."""
    identifiers = tuple(identifier.value for identifier in interpretation.identifiers)
    clauses: list[Clause] = []
    if interpretation.thematic or identifiers:
        strict = replace(words, minimum_should_match="100%")
        fields = serving.word_fields(words)
        clauses.append(
            every_word_query(
                strict, fields, interpretation.split_topic, interpretation.language, identifiers, NO_EXPANSION
            )
        )
    length = len(significant_words(interpretation.thematic).split())
    by_name = names_query(
        words.names, interpretation.names, interpretation.other_forms, length, alone=interpretation.is_names_only
    )
    return [*clauses, by_name] if by_name is not None else clauses


def _vector(request: SearchRequest, interpretation: Interpretation, serving: Serving) -> NDArray[np.float32] | None:
    if (
        request.algorithm == "bm25"
        or serving.embedder is None
        or not interpretation.thematic
        or interpretation.is_names_only
    ):
        return None
    return query_vectors(serving.embedder, interpretation).question


def _place_and_period(interpretation: Interpretation, request: SearchRequest, *, strict: bool) -> list[Clause]:
    """Conditions for the question's place and period. ``strict``: a record without one does not match."""
    clauses: list[Clause] = []
    if request.spatial != "off" and request.filters.area is None and interpretation.areas:
        areas = [area_clause(area, "intersects") for area in interpretation.areas]
        clauses.append(_any_or_missing(areas, "extent", strict))
    if request.temporal and request.filters.span is None and interpretation.spans:
        clauses.append(_any_or_missing([span_clause(span) for span in interpretation.spans], "time", strict))
    return clauses


def _any_or_missing(clauses: list[Clause], field: str, strict: bool) -> Clause:
    missing_clauses: list[Clause] = [] if strict else [{"bool": {"must_not": [{"exists": {"field": field}}]}}]
    return {"bool": {"should": [*clauses, *missing_clauses], "minimum_should_match": 1}}
