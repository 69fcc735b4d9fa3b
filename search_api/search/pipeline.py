"""A search from question to answer: understand, retrieve, rank, re-rank, fetch. Serving and evaluation both run it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.deadlines import hurried
from core.errors import InvalidInput, ModelMissing, Unavailable
from core.json_types import Json, JsonMapping
from core.ports import CrossEncoder, Geocoder
from es_gateway.client import Elasticsearch
from es_gateway.searching import Later, SearchBatch, on_current
from reading.language import sure_language
from reading.relations import Relation as SpokenRelation
from reading.targets import target_box
from search_api.http.telemetry import span
from search_api.search.answer import Answer, FoundRecord
from search_api.search.arranging import Arranged, arranged
from search_api.search.curation.curated import ActiveRules, CurationDecisions
from search_api.search.curation.live import no_rules
from search_api.search.deciding import with_pinned, without_blocked
from search_api.search.listed import Listed, ask_following, listed
from search_api.search.ranking.config import RankingConfig
from search_api.search.ranking.curated import boosted, with_pins
from search_api.search.ranking.interact import interact, interactions
from search_api.search.ranking.rank import Ranking, nearest_first, rank
from search_api.search.ranking.rerank import rerank
from search_api.search.ranking.signals.cross_encoder import CrossEncoderReading
from search_api.search.ranking.signals.late_interaction import LateInteraction
from search_api.search.ranking.signals.usage import Usage
from search_api.search.ranking.target import Relation
from search_api.search.reordering import reordered
from search_api.search.request import Filters, SearchRequest
from search_api.search.retrieval.asking import Asking
from search_api.search.retrieval.beyond import BeyondWindow, Following, Outside
from search_api.search.retrieval.candidates import CandidateSet, retrieve
from search_api.search.retrieval.drawn import DrawMemory
from search_api.search.retrieval.facet_counts import Choices, FacetCounts, region_boxes
from search_api.search.retrieval.facets import read_facets
from search_api.search.retrieval.fetch import Fetched, ask_passages, ask_records, fetch_records
from search_api.search.retrieval.passage_found import PassageFound
from search_api.search.retrieval.plan import RetrievalPlan, plan_retrieval
from search_api.search.retrieval.second_request import Beside
from search_api.search.retrieval.serving import Resolver, Serving
from search_api.search.retrieval.spelling import Spelling, WordCheck
from search_api.search.retrieval.token_vectors import ask_token_vectors, fetch_token_vectors
from search_api.search.retrieval.versioned_cache import RecordCaches, Version
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.meaning import Meant, is_nonsense, may_be_foreign, meant_by, understood_by
from search_api.search.understanding.refinement import is_meant, looked_up, named, words_checked
from search_api.search.understanding.targets import target_of
from search_api.search.understanding.understand import STRUCTURED_FIELDS, StructuredField, Understander
from search_api.search.usage.openings import UsageTable, no_usage

_SHAPING: dict[Relation, SpokenRelation] = {
    "near": "near",
    "north_of": "north_of",
    "south_of": "south_of",
    "east_of": "east_of",
    "west_of": "west_of",
}
"""Relations that move or grow the requested area; the record then only has to intersect it."""


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds by stage."""

    took_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            with span(f"search.{name}"):
                yield
        finally:
            self.took_ms[name] = self.took_ms.get(name, 0.0) + (time.perf_counter() - started) * 1000.0


@dataclass(frozen=True, slots=True)
class SearchParts:
    """The parts of a search. ``cross_encoder`` is None if none is configured; it raises ModelMissing if it cannot be
    loaded.
    """

    client: Elasticsearch
    resolver: Resolver
    understander: Understander
    geocoder: Geocoder
    cross_encoder: Callable[[], CrossEncoder] | None
    config: RankingConfig
    now_ms: Callable[[], int]
    caches: RecordCaches = field(default_factory=RecordCaches)
    curation: Callable[[], ActiveRules] = no_rules
    usage: Callable[[], UsageTable] = no_usage


@dataclass(frozen=True, slots=True)
class Ordered:
    """A search before its page is fetched: the ranking of the whole window and its inputs.

    ``request`` is the request that was answered: a place given by name is a box in its filters.
    """

    ranking: Ranking
    interpretation: Interpretation
    request: SearchRequest
    found: CandidateSet
    plan: RetrievalPlan
    degraded: tuple[str, ...]
    took_ms: Mapping[str, float]

    def served(self) -> list[tuple[str, float]]:
        """The ids of the window with their scores, in the order of the list: duplicates folded, siblings spread."""
        ids, scores = self.ranking.ids(), self.ranking.score[self.ranking.order].tolist()
        order, _ = arranged(self.ranking, self.found.fields, self.request)
        return [(ids[place], scores[place]) for place in order]


@dataclass(frozen=True, slots=True)
class FoundPage:
    """What a page shows of its ids."""

    ids: tuple[str, ...]
    fetched: Fetched
    passages: Mapping[str, PassageFound]


class SearchPipeline:
    """Answers searches; thread-safe."""

    def __init__(self, parts: SearchParts) -> None:
        self.parts = parts

    def search(self, request: SearchRequest) -> Answer:
        """The requested page. Raises InvalidInput, Unavailable, ModelMissing (``algorithm=dense`` only)."""
        answer = on_current(self.parts.resolver, lambda serving: self._corrected(request, serving))
        _refuse_past_the_end(request, answer.matched)
        return answer

    def ordered(self, request: SearchRequest) -> Ordered:
        """The whole window in order, without fetching records, as evaluation needs it. Raises as ``search`` does."""
        return on_current(self.parts.resolver, lambda serving: self._ordered(request, serving, Stopwatch()))

    def understood(
        self, request: SearchRequest, structured: frozenset[StructuredField] = STRUCTURED_FIELDS
    ) -> Interpretation:
        """The interpretation of the question, without a search."""
        parts = request.interpret if request.expand else request.interpret - {"terms"}
        return self.parts.understander.understand(request.q, parts, structured)

    def _corrected(self, request: SearchRequest, serving: Serving) -> Answer:
        """If a misspelling is certain, the answer to the corrected question, if it has one.

        A word that was already read as the beginning or a slip of a name is none.
        """
        answer, spelling = self._search(request, serving)
        if spelling is None or not (spelling.sure and request.correct) or is_meant(answer.interpretation, spelling):
            return answer
        if may_be_foreign(answer.interpretation, spelling, serving):
            return answer
        meant, _ = self._search(replace(request, q=spelling.question), serving)
        if not meant.matched:
            return answer
        read = replace(meant.interpretation, corrected=spelling.replaced)
        return replace(meant, interpretation=read, corrected_from=request.q, did_you_mean=None)

    def _search(self, request: SearchRequest, serving: Serving) -> tuple[Answer, Spelling | None]:
        watch = Stopwatch()
        one = self._ordered(request, serving, watch)
        asking, index = Asking.of(self.parts.client, request.q), serving.records.index
        fields = serving.word_fields(self.parts.config.words)
        check = WordCheck(index, fields, serving.state, self.parts.caches.answers)
        beyond = BeyondWindow(asking, one.plan, one.found, self.parts.config.records)
        choices = self._choices(request, one)
        with watch.stage("fetch"):
            batch = asking.batch()
            names = serving.countable(request.facets)
            counted = beyond.counted(batch, FacetCounts.of(names, choices))
            asked_words = words_checked(batch, check, one.interpretation, one.found)
            marked_identifiers = looked_up(batch, index, one.interpretation)
            window = arranged(one.ranking, one.found.fields, one.request)
            every = one.ranking.ids()
            first = window.order[request.offset : request.offset + request.limit]
            ids = [] if request.sortby else [every[place] for place in first]
            found = self._ask_page(batch, one, ids, one.found.versions, serving)
            following = ask_following(beyond, batch, None if names else beyond.known(), _paged(one), window)
            batch.send()
            outside, words, read = counted(), asked_words(), marked_identifiers()
            whole = _listed(one, beyond, outside, window, following())
            page = self._page(one, whole, serving, found())
        facets = read_facets(names, outside.aggregations, choices) if names else {}
        better = words.spelling.question if words.spelling is not None else None
        answer = Answer(
            page,
            whole.matched,
            read,
            one.degraded,
            facets,
            better,
            watch.took_ms,
            whole.total,
            unknown_words=tuple(dict.fromkeys((*one.interpretation.unknown, *words.unknown))),
        )
        return answer, words.spelling

    def _choices(self, request: SearchRequest, one: Ordered) -> Choices:
        """The inputs that decide the values of facets."""
        regions = region_boxes(self.parts.geocoder) if "region" in request.facets else {}
        return Choices(one.request.filters, request.place, self.parts.now_ms(), regions, request.cells)

    def _ordered(self, request: SearchRequest, serving: Serving, watch: Stopwatch) -> Ordered:
        with watch.stage("understand"):
            request = replace(request, place=None, filters=self.located(request))
            read = self.understood(request, serving.structured)
        with watch.stage("names"):
            read = self.with_names(read, serving)
        decided = self.parts.curation().decided(request.q)
        request = without_blocked(request, decided)
        meant, serving = self._meant(request, read, serving, watch)
        found, plan = self._retrieved(request, read, serving, None if meant is None else meant.vector, watch, decided)
        with watch.stage("rank"):
            ranking = boosted(self._ranked(request, read, found, serving), decided.boosts)
        with watch.stage("interact"):
            ranking = self._interacted(request, meant, ranking, found, serving)
        with watch.stage("rerank"):
            ranking, unread = self._reread(request, read, ranking, found, serving)
            ranking = with_pins(nearest_first(ranking), decided.pins)
        degraded = (*_degraded(request, serving), *unread, *read.degraded)
        return Ordered(ranking, read, request, found, plan, degraded, watch.took_ms)

    def with_names(self, read: Interpretation, serving: Serving) -> Interpretation:
        """With the names that the catalogue bears, if its records have keys of names."""
        return named(partial(self._asked_all, serving), read) if serving.has_names else read

    def _asked_all(self, serving: Serving, bodies: Sequence[Json]) -> Sequence[JsonMapping]:
        return self.parts.caches.answers.ask(self.parts.client, serving.records.index, serving.state, bodies)

    def located(self, request: SearchRequest) -> Filters:
        """The filters with ``place`` replaced by its box, shaped by a direction if one is given."""
        filters = request.filters
        if request.place is not None:
            places = self.parts.geocoder.lookup(request.place)
            if not places:
                raise InvalidInput("place", f"place: no place named {request.place!r} is known; give a bbox instead")
            filters = replace(filters, area=places[0].bbox)
        if filters.area is not None and filters.relation in _SHAPING:
            shaped = target_box(_SHAPING[filters.relation], (filters.area,))
            filters = replace(filters, area=shaped or filters.area)
        return filters

    def _meant(
        self, request: SearchRequest, read: Interpretation, serving: Serving, watch: Stopwatch
    ) -> tuple[Meant | None, Serving]:
        """The question's vectors if meaning is used; if the embedder is down, continues without them."""
        if request.algorithm == "dense" and serving.embedder is None:
            raise ModelMissing(serving.embedder_problem or "No embedder is loaded; ask with algorithm=bm25.")
        if serving.embedder is not None and is_nonsense(serving.embedder, read):
            return None, serving
        meant = not read.is_empty and (bool(read.thematic) or not read.identifiers) and not read.is_names_only
        if request.algorithm == "bm25" or serving.embedder is None or not meant:
            return None, serving
        # For a model without German, a German question is noise: it would hide what the words find. Place names, which
        # are not in the topic, do not show a question's language.
        if request.algorithm == "hybrid" and not serving.embedder.card.reads(sure_language(read.thematic)):
            return None, serving
        try:
            with watch.stage("embed"):
                return meant_by(serving.embedder, understood_by(serving.embedder, read)), serving
        except Unavailable as error:
            if request.algorithm == "dense":
                raise
            return None, replace(serving, embedder=None, embedder_problem=str(error))

    def _retrieved(
        self,
        request: SearchRequest,
        read: Interpretation,
        serving: Serving,
        vector: NDArray[np.float32] | None,
        watch: Stopwatch,
        decided: CurationDecisions,
    ) -> tuple[CandidateSet, RetrievalPlan]:
        config = self.parts.config
        plan = with_pinned(plan_retrieval(request, read, serving, vector, config.words), decided)
        with watch.stage("retrieve"):
            found = retrieve(
                self.parts.client,
                plan,
                window=config.records.candidate_window,
                question=request.q,
                columns=config.record_columns,
                memory=self.parts.caches.fields,
                beside=self._token_vectors_beside(request, serving, vector),
                most_drawn=config.records.max_results,
                draws=DrawMemory(self.parts.caches.draws, serving.state),
                count=not request.facets,
            )
        return found.with_signal(Usage.name, self.parts.usage().of(request.q)), plan

    def _token_vectors_beside(
        self, request: SearchRequest, serving: Serving, vector: NDArray[np.float32] | None
    ) -> Beside | None:
        """Asks for those of the most promising candidates, which will probably be the best ones."""
        signal, made_by = self.parts.config.records.find(LateInteraction), serving.tokens
        if signal is None or made_by is None or vector is None or not request.rerank:
            return None

        def beside(batch: SearchBatch, promising: Mapping[str, Version]) -> Later[object]:
            first = dict(islice(promising.items(), signal.depth))
            return ask_token_vectors(batch, serving.records.index, first, made_by, self.parts.caches.tokens)

        return beside

    def _ranked(self, request: SearchRequest, read: Interpretation, found: CandidateSet, serving: Serving) -> Ranking:
        config, target = self.parts.config, target_of(request, read, self.parts.now_ms())
        share = config.words.foreign if serving.lacks(sure_language(read.thematic)) else 1.0
        return rank(found.candidates(config.record_columns), target, config.records, serving.cosine_floor, share)

    def _interacted(
        self, request: SearchRequest, meant: Meant | None, ranking: Ranking, found: CandidateSet, serving: Serving
    ) -> Ranking:
        signal, made_by = ranking.ranker.find(LateInteraction), serving.tokens
        if signal is None or made_by is None or meant is None or meant.tokens is None or not request.rerank:
            return ranking
        best = ranking.ids(0, signal.depth)
        versions = {record: found.versions[record] for record in best}
        memory = self.parts.caches.tokens
        texts = fetch_token_vectors(self.parts.client, serving.records.index, versions, made_by, memory)
        return interact(ranking, interactions(meant.tokens, [texts.get(record) for record in best]))

    def _reread(
        self, request: SearchRequest, read: Interpretation, ranking: Ranking, found: CandidateSet, serving: Serving
    ) -> tuple[Ranking, tuple[str, ...]]:
        # A reranker reads topics: a question with only a place or period is not reranked.
        reading, load = ranking.ranker.find(CrossEncoderReading), self.parts.cross_encoder
        if reading is None or load is None or not request.rerank or not read.thematic or len(ranking) == 0:
            return ranking, ()
        if hurried():
            return ranking, ("cross_encoder",)
        try:
            cross_encoder = load()
        except ModelMissing:
            return ranking, ("cross_encoder",)
        best = ranking.ids(0, reading.depth)
        versions = {record: found.versions[record] for record in best}
        records = fetch_records(self.parts.client, serving.records.index, versions, self.parts.caches.records)
        texts = [records[record].embedding_text if record in records else "" for record in best]
        try:
            logits = cross_encoder.score(read.text, texts)
        except Unavailable:
            return ranking, ("cross_encoder",)
        return rerank(ranking, logits, cross_encoder.card), ()

    def _ask_page(
        self, batch: SearchBatch, one: Ordered, ids: Sequence[str], known: Mapping[str, Version], serving: Serving
    ) -> Later[FoundPage]:
        versions = {record: known[record] for record in ids}
        marked = one.plan.marked if one.request.highlight else None
        records = ask_records(batch, serving.records.index, versions, self.parts.caches.records, marked)
        keys = {record: one.found.passages[record] for record in ids if record in one.found.passages}
        memory = self.parts.caches.passages
        passages = None if serving.passages is None else ask_passages(batch, serving.passages.index, keys, memory)
        return lambda: FoundPage(tuple(ids), records(), {} if passages is None else passages())

    def _page(self, one: Ordered, whole: Listed, serving: Serving, found: FoundPage) -> tuple[FoundRecord, ...]:
        """``found``: the page if nothing follows the window; what follows may change it."""
        request = one.request
        positions = whole.order[request.offset : request.offset + request.limit]
        hits = {position: whole.hit(position) for position in positions}
        ids = tuple(hit.id for hit in hits.values())
        if ids != found.ids:
            batch = SearchBatch(self.parts.client)
            asked = self._ask_page(batch, one, ids, whole.versions(one.found.versions), serving)
            batch.send()
            found = asked()
        return tuple(
            FoundRecord(
                hit=hit,
                record=found.fetched.records[hit.id],
                highlights=found.fetched.highlights.get(hit.id, {}),
                passages=(found.passages[hit.id],) if hit.id in found.passages else (),
                explanation=whole.explanation(position) if request.explain else None,
                folded=tuple(whole.folded.get(hit.id, ())),
            )
            for position, hit in hits.items()
            if hit.id in found.fetched.records
        )


def _paged(one: Ordered) -> SearchRequest:
    """Another order than the best first needs all hits that can be paged."""
    if one.request.sortby is None:
        return one.request
    return replace(one.request, offset=0, limit=one.ranking.ranker.max_results)


def _listed(
    one: Ordered, beyond: BeyondWindow, outside: Outside, window: Arranged, following: Following | None
) -> Listed:
    """In the order that the request asks for."""
    whole = listed(one.ranking, beyond, outside, _paged(one), window, following)
    return whole if one.request.sortby is None else reordered(whole, one.request.sortby, beyond.ask, one.plan.index)


def _degraded(request: SearchRequest, serving: Serving) -> tuple[str, ...]:
    wants_meaning = request.algorithm != "bm25" and bool(request.q)
    return ("dense",) if wants_meaning and serving.embedder is None else ()


def _refuse_past_the_end(request: SearchRequest, matched: int) -> None:
    if request.offset and request.offset >= matched:
        raise InvalidInput(
            "cursor",
            f"cursor: is past the last of the {matched} hits; a search returns only the best",
        )
