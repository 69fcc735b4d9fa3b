"""Ranks the candidates of a search: all signals, what stewards decided, and the models that read only the best."""

from __future__ import annotations

from dataclasses import replace
from typing import cast, get_args

from core.deadlines import hurried
from core.errors import ModelMissing, Unavailable
from core.extent import BBox
from core.record import Resolution
from reading.language import sure_language
from search_api.search.parts import SearchParts
from search_api.search.ranking.curated import with_boosts, with_pins
from search_api.search.ranking.rank import Ranking, nearest_first, rank
from search_api.search.ranking.rerank import interact, interactions, rerank
from search_api.search.ranking.signals.best_only import CrossEncoderReading, LateInteraction
from search_api.search.ranking.target import Level, Target
from search_api.search.request import SearchRequest
from search_api.search.retrieval.page_records import fetch_records
from search_api.search.retrieval.token_vectors import fetch_token_vectors
from search_api.search.state import SearchState
from search_api.search.understanding.interpretation import Interpretation

_WORLD = BBox(-180.0, -90.0, 180.0, 90.0)


def rank_candidates(parts: SearchParts, state: SearchState) -> SearchState:
    """The state with its ranking, the stewards' boosts and pins in it. Raises Unavailable."""
    with state.watch.stage("rank"):
        ranking = with_boosts(_fused(parts, state), state.rules.boosts)
    with state.watch.stage("interact"):
        ranking = _with_late_interaction(parts, state, ranking)
    with state.watch.stage("rerank"):
        ranking, unread = _reranked(parts, state, ranking)
        ranking = with_pins(nearest_first(ranking), state.rules.pins)
    wants_meaning = state.request.algorithm != "bm25" and bool(state.request.q)
    without = ("dense",) if wants_meaning and state.serving.embedder is None else ()
    return replace(state, ranked=ranking, degraded=(*without, *unread, *state.interpretation.degraded))


def _fused(parts: SearchParts, state: SearchState) -> Ranking:
    config, target = parts.config, target_of(state.request, state.interpretation, parts.now_ms())
    share = config.words.foreign if state.serving.lacks(sure_language(state.interpretation.thematic)) else 1.0
    candidates = state.candidates.candidates(config.record_columns)
    return rank(candidates, target, config.records, state.serving.cosine_floor, share)


def _with_late_interaction(parts: SearchParts, state: SearchState, ranking: Ranking) -> Ranking:
    """Round two read the token vectors of nearly all of the best: missing ones are a request more."""
    signal, made_by, vectors = ranking.ranker.find(LateInteraction), state.serving.tokens, state.vectors
    if signal is None or made_by is None or vectors is None or vectors.tokens is None or not state.request.rerank:
        return ranking
    best = ranking.ids(0, signal.depth)
    versions = {record: state.candidates.versions[record] for record in best}
    texts = fetch_token_vectors(parts.client, state.plan.index, versions, made_by, parts.caches.tokens)
    return interact(ranking, interactions(vectors.tokens, [texts.get(record) for record in best]))


def _reranked(parts: SearchParts, state: SearchState, ranking: Ranking) -> tuple[Ranking, tuple[str, ...]]:
    """A reranker reads topics: a question with only a place or period is not reranked."""
    reading, load, read = ranking.ranker.find(CrossEncoderReading), parts.cross_encoder, state.interpretation
    if reading is None or load is None or not state.request.rerank or not read.thematic or len(ranking) == 0:
        return ranking, ()
    if hurried():
        return ranking, ("cross_encoder",)
    try:
        cross_encoder = load()
    except ModelMissing:
        return ranking, ("cross_encoder",)
    best = ranking.ids(0, reading.depth)
    versions = {record: state.candidates.versions[record] for record in best}
    records = fetch_records(parts.client, state.plan.index, versions, parts.caches.records)
    texts = [records[record].embedding_text if record in records else "" for record in best]
    try:
        logits = cross_encoder.score(read.text, texts)
    except Unavailable:
        return ranking, ("cross_encoder",)
    return rerank(ranking, logits, cross_encoder.card), ()


def target_of(request: SearchRequest, read: Interpretation, now_ms: int) -> Target:
    """The ranking target: parameters if given, else what the question says.

    ``spatial=off`` and ``temporal=off`` leave place and time out; ``now_ms`` is the time of the question.
    """
    filters = request.filters
    boxes = (filters.area,) if filters.area is not None else read.areas
    if not boxes and request.spatial == "hausdorff" and _level(read) == "global":
        boxes = (_WORLD,)  # in the distance mode the whole world is a valid box
    span = filters.span if filters.span is not None else read.span
    topological = filters.relation in ("within", "contains", "disjoint", "intersects")
    scale = _resolution(read)
    return Target(
        boxes=boxes if request.spatial != "off" else (),
        relation=filters.relation if topological else None,
        span=span if request.temporal else None,
        latest=read.latest and request.temporal,
        resolution=scale,
        level=_level(read),
        kind=read.kinds[0].kind if read.kinds else None,
        place=read.places[0].name if len(read.places) == 1 and filters.area is None else request.place,
        now_ms=now_ms,
        spatial=request.spatial,
    )


def _resolution(read: Interpretation) -> Resolution:
    """The first of each that the question names."""
    return Resolution(
        next((s.metres for s in read.scales if s.metres is not None), None),
        next((s.scale_denominator for s in read.scales if s.scale_denominator is not None), None),
        next((s.time_step for s in read.scales if s.time_step is not None), None),
    )


def _level(read: Interpretation) -> Level | None:
    """The first scale word that gives the size of an area ("high resolution" does not)."""
    known = get_args(Level)
    return cast(Level | None, next((scale.level for scale in read.scales if scale.level in known), None))
