"""A search from question to answer: understand, three rounds of requests to Elasticsearch, present.

Serving and evaluation both run it. README.md beside this file has a picture.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from core.deadlines import is_hurried
from core.errors import InvalidInput, ModelMissing, Unavailable
from core.geo import BBox, Place, box_array, shared_km2
from core.json_types import Json, JsonMapping
from core.timespan import TimeSpan
from es_gateway.searching import SearchSession, with_current_index
from reading.related_boxes import target_box
from reading.relations import Relation as SpokenRelation
from reading.sentences import detect_language, sure_language
from search_api.search.answer import Answer, FoundRecord, Shared
from search_api.search.curation import curated_request
from search_api.search.parts import SearchParts
from search_api.search.ranking.candidates import Relation
from search_api.search.ranking.rank import (
    Ranking,
    interact,
    interactions,
    nearest_first,
    rank,
    rerank,
    with_boosts,
    with_pins,
)
from search_api.search.ranking.signals.arms import AnswerRelevance, CrossEncoderReading, LateInteraction
from search_api.search.ranking.signals.record import Usage
from search_api.search.request import PERSON, Filters, SearchRequest
from search_api.search.retrieval.conditions import exclusion_clauses
from search_api.search.retrieval.plan import plan_retrieval
from search_api.search.retrieval.record_reads import TokenPrefetch, fetch_records, fetch_token_vectors
from search_api.search.retrieval.refinement import with_catalogue_names
from search_api.search.retrieval.serving import Serving
from search_api.search.retrieval.spelling import (
    CorrectedQuestion,
    PlaceSpelling,
    corrected_question,
    likely_correction,
    sure_correction,
)
from search_api.search.round_one import CandidateSearch, DrawCache, RoundOne
from search_api.search.round_three import RoundThree
from search_api.search.round_two import complete
from search_api.search.state import SearchState, Stopwatch
from search_api.search.understanding.interpretation import Interpretation, TextSpan, UnknownWord, target_of
from search_api.search.understanding.topic import (
    QueryVectors,
    is_mostly_known,
    is_nonsense,
    query_vectors,
    real_words,
    unknown_to_model,
)
from search_api.search.understanding.understand import STRUCTURED_FIELDS, StructuredField

_SHAPING: dict[Relation, SpokenRelation] = {
    "near": "near",
    "north_of": "north_of",
    "south_of": "south_of",
    "east_of": "east_of",
    "west_of": "west_of",
}
"""Relations that move or grow the requested area; the record then only has to intersect it."""


class SearchPipeline:
    """Answers searches; thread-safe."""

    def __init__(self, parts: SearchParts) -> None:
        self.parts = parts

    def search(self, request: SearchRequest) -> Answer:
        """The requested page. Raises InvalidInput, Unavailable, ModelMissing (``algorithm=dense`` only)."""
        answer = with_current_index(self.parts.resolver, lambda serving: self._answer(request, serving))
        if request.offset and request.offset >= answer.matched:
            raise InvalidInput(
                "cursor", f"cursor: is past the last of the {answer.matched} hits; a search returns only the best"
            )
        return answer

    def rank_all(self, request: SearchRequest) -> SearchState:
        """The whole window in order, without fetching records, as evaluation needs it. Raises as ``search`` does."""
        return with_current_index(self.parts.resolver, lambda serving: self._rank(request, serving))

    def _answer(self, request: SearchRequest, serving: Serving) -> Answer:
        return present(self.round_three(self._rank(request, serving)), self.parts.config.relevance)

    def _rank(self, request: SearchRequest, serving: Serving) -> SearchState:
        state = self._ranked(self.understand(request, serving))
        return self.fallback(state) if len(state.ranking) == 0 else state

    def _ranked(self, state: SearchState) -> SearchState:
        return rank_candidates(self.parts, self.round_two(self.round_one(state)))

    def fallback(self, state: SearchState) -> SearchState:
        """For a question without hits: records of its place and time, else the answer to its likely correction, else
        the nearest by meaning, if records have half of its words. Raises Unavailable.
        """
        interpretation = state.interpretation
        if not interpretation.thematic or interpretation.identifiers:
            return state
        if interpretation.areas or interpretation.spans:
            return self.by_place_and_time(state)
        if state.request.correct and not interpretation.corrected:
            corrected = self._ranked(self.understand(state.request, state.serving, likely_correction))
            if len(corrected.ranking):
                return replace(corrected, typed=state.typed)
        nearness = state.plan.nearness
        if nearness is None or not is_mostly_known(interpretation):
            return state
        plan = replace(state.plan, nearness=replace(nearness, answer_score=nearness.min_score))
        return self._ranked(replace(state, plan=plan, is_off_topic=True))

    def understand(
        self,
        request: SearchRequest,
        serving: Serving,
        correction_of: Callable[[UnknownWord], str | None] = sure_correction,
    ) -> SearchState:
        """The question as what, where and when, and the searches to send. Names are looked up in the index."""
        if not self.parts.finds_people:
            refuse_people(request)
        watch, place, typed = Stopwatch(), request.place, request.q
        with watch.stage("understand"):
            request = replace(request, place=None, filters=self.locate(request))
            interpretation = self.interpret(request, serving.structured)
        with watch.stage("names"):
            interpretation = self.with_contacts(request, interpretation, serving, spelling=request.correct)
            if request.correct and (corrected := self._corrected(interpretation, serving, correction_of)) is not None:
                request = replace(request, q=corrected.text)
                interpretation = self.interpret(request, serving.structured)
                interpretation = self.with_contacts(request, interpretation, serving)
                interpretation = replace(interpretation, corrected=corrected.pairs)
        rules = self.parts.curation().decide(request.q)
        request = without_excluded(curated_request(request, rules), interpretation)
        vectors, serving = self._vectors(request, interpretation, serving, watch)
        vector = None if vectors is None else vectors.question
        plan = plan_retrieval(request, interpretation, serving, vector, self.parts.config.words)
        least_share = 1.0 if serving.has_passages else 0.5
        if serving.embedder is not None and is_nonsense(serving.embedder, interpretation, least_share):
            plan = plan.without_meaning()
        session = SearchSession.of(self.parts.client, request.q)
        return SearchState(request, place, serving, session, interpretation, rules, vectors, plan, watch, typed=typed)

    def by_place_and_time(self, state: SearchState) -> SearchState:
        """For a question whose topic no record has: records of its place and time, and the nearest by meaning.

        Meaning counts only if some record has a word of the topic. Raises Unavailable.
        """
        without_topic = replace(
            state.interpretation, thematic="", other_words="", names=(), terms=(), unknown_words=(), is_title=False
        )
        is_known = not set(state.interpretation.thematic.lower().split()) <= set(state.interpretation.unknown)
        vector = state.vectors.question if state.vectors is not None and is_known else None
        plan = plan_retrieval(state.request, without_topic, state.serving, vector, self.parts.config.words)
        state = replace(state, plan=plan, is_off_topic=True)
        return self._ranked(state)

    def round_one(self, state: SearchState) -> SearchState:
        """The arms and counts. Raises Unavailable."""
        with state.watch.stage("retrieve"):
            first = RoundOne.of(self._candidate_search(state))
            return replace(state, arms=first.read(state.session.ask(first.searches)))

    def round_two(self, state: SearchState) -> SearchState:
        """Missing scores, ranking values and token vectors of the candidates. Raises Unavailable."""
        if state.arms is None:
            raise ValueError("round one of this search is missing")
        with state.watch.stage("retrieve"):
            candidates = complete(self._candidate_search(state), state.arms)
        return replace(state, candidates=candidates.with_signal(Usage.name, self.parts.usage().of(state.request.q)))

    def round_three(self, state: SearchState) -> SearchState:
        """The page, facets, spelling and what is beyond the window. Raises Unavailable."""
        with state.watch.stage("fetch"):
            third = RoundThree.of(self.parts, state)
            return replace(state, results=third.results(third.read(state.session.ask(third.searches))))

    def interpret(
        self,
        request: SearchRequest,
        structured: frozenset[StructuredField] = STRUCTURED_FIELDS,
        contacts: Sequence[TextSpan] = (),
    ) -> Interpretation:
        """The interpretation of the question, without a search; ``contacts`` contain no places and times."""
        parts = request.interpret if request.expand else request.interpret - {"terms"}
        return self.parts.understander.understand(request.q, parts, structured, contacts).in_english()

    def with_contacts(
        self, request: SearchRequest, interpretation: Interpretation, serving: Serving, *, spelling: bool = False
    ) -> Interpretation:
        """With the names of the catalogue. Nothing else is read within a contact's name."""
        named = self.with_names(interpretation, serving, spelling=spelling)
        if not named.has_contact_read_otherwise:
            return named
        again = self.interpret(request, serving.structured, named.contacts)
        return self.with_names(again, serving, spelling=spelling)

    def with_names(self, interpretation: Interpretation, serving: Serving, *, spelling: bool = False) -> Interpretation:
        """Adds the names that the catalogue has, if its records have keys of names."""
        return (
            with_catalogue_names(
                partial(self._ask_cached, serving),
                interpretation,
                spelling=spelling,
                finds_people=self.parts.finds_people,
            )
            if serving.has_names
            else interpretation
        )

    def _corrected(
        self, interpretation: Interpretation, serving: Serving, correction_of: Callable[[UnknownWord], str | None]
    ) -> CorrectedQuestion | None:
        """The question without its typing errors. A corrected question costs one request more."""
        if not interpretation.unknown or (interpretation.foreign_topic and sure_language(interpretation.text)):
            return None
        understander = self.parts.understander
        translator = understander.vocabulary().translator
        known = real_words(interpretation.unknown, interpretation.language, translator, serving.embedder)
        places = PlaceSpelling(understander.places, self.parts.geocoder)
        corrected = corrected_question(interpretation, known, correction_of, places)
        return None if corrected is None or _may_be_foreign(interpretation, corrected, serving) else corrected

    def _ask_cached(self, serving: Serving, bodies: Sequence[Json]) -> Sequence[JsonMapping]:
        return self.parts.caches.answers.ask(self.parts.client, serving.records.index, serving.state, bodies)

    def locate(self, request: SearchRequest) -> Filters:
        """The filters with ``place`` replaced by its box, shaped by a direction if one is given."""
        filters = request.filters
        if request.place is not None:
            place = self._place(request.place)
            filters = replace(filters, area=place.bbox, area_name=place.name)
        if filters.area is not None and filters.relation in _SHAPING:
            shaped = target_box(_SHAPING[filters.relation], (filters.area,))
            filters = replace(filters, area=shaped or filters.area, area_name=None)
        return filters

    def _place(self, name: str) -> Place:
        """By its name alone, else as questions name it with its larger place: "Barrow, Alaska"."""
        if places := self.parts.geocoder.lookup(name):
            return places[0]
        mentions = self.parts.understander.places.read(name, max_mentions=2)
        if len(mentions) == 1 and (mentions[0].start, mentions[0].end) == (0, len(name)):
            return mentions[0].place
        raise InvalidInput("place", f"place: no place named {name!r} is known; give a bbox instead")

    def _vectors(
        self, request: SearchRequest, interpretation: Interpretation, serving: Serving, watch: Stopwatch
    ) -> tuple[QueryVectors | None, Serving]:
        """The question's vectors if meaning is used; if the embedder is down, continues without them."""
        embedder = serving.embedder
        if request.algorithm == "dense" and embedder is None:
            raise ModelMissing(serving.embedder_problem or "No embedder is loaded; ask with algorithm=bm25.")
        if embedder is None:
            return None, serving
        has_meaning = (
            not interpretation.is_empty
            and (bool(interpretation.thematic) or not interpretation.identifiers)
            and not interpretation.is_names_only
        )
        if request.algorithm == "bm25" or not has_meaning:
            return None, serving
        # For a model without German, a German question is noise: it would hide what the words find. Place names, which
        # are not in the topic, do not show a question's language.
        if request.algorithm == "hybrid" and not embedder.card.reads(sure_language(interpretation.thematic)):
            return None, serving
        try:
            with watch.stage("embed"):
                # With documents, a word that no record has may be one of theirs: it keeps its meaning.
                without = () if serving.has_passages else unknown_to_model(embedder, interpretation)
                return query_vectors(embedder, replace(interpretation, unknown_words=without)), serving
        except Unavailable as error:
            if request.algorithm == "dense":
                raise
            return None, replace(serving, embedder=None, embedder_problem=str(error))

    def _candidate_search(self, state: SearchState) -> CandidateSearch:
        config, caches, serving = self.parts.config, self.parts.caches, state.serving
        signal, made_by = config.records.find(LateInteraction), serving.tokens
        tokens = None
        if signal is not None and made_by is not None and state.vectors is not None and state.request.rerank:
            tokens = TokenPrefetch(made_by, caches.tokens, signal.depth)
        return CandidateSearch(
            session=state.session,
            plan=state.plan,
            window=config.records.candidate_window,
            columns=config.record_columns,
            fields=caches.fields,
            most_drawn=config.records.max_results,
            draws=DrawCache(caches.draws, serving.state),
            counts=not state.request.facets,
            tokens=tokens,
        )


def refuse_people_filter(expression: Sequence[Json]) -> None:
    """Raises InvalidInput for a filter that asks for a person."""
    if '"contacts.name"' in json.dumps(expression):
        raise InvalidInput("filter", "filter: this service does not search for people")


def refuse_people(request: SearchRequest) -> None:
    """Raises InvalidInput for a search by a person's name."""
    refuse_people_filter(request.filters.expression)
    if request.filters.people:
        raise InvalidInput("person", "person: this service does not search for people")
    if PERSON in request.facets:
        raise InvalidInput("facets", "facets: this service does not count people")


def present(state: SearchState, relevance: AnswerRelevance) -> Answer:
    """The answer after round three. Raises ValueError before it."""
    results = state.results
    if results is None:
        raise ValueError("round three of this search is missing")
    spelling = results.words.spelling
    unknown = dict.fromkeys((*state.interpretation.unknown, *results.words.unknown))
    return Answer(
        results.hits,
        results.window.matched,
        results.interpretation,
        state.degraded,
        results.facets,
        None if spelling is None else spelling.question,
        state.took_ms,
        results.window.total,
        corrected_from=state.typed if state.interpretation.corrected else None,
        unknown_words=tuple(unknown),
        is_weak=_is_weak(state, results.hits, relevance.least(is_word_unknown=bool(unknown))),
        is_off_topic=state.is_off_topic and bool(results.hits),
        shared_off_topic=_shared_by_all(results.hits, state.interpretation.areas)
        if state.is_off_topic
        else frozenset(),
        missed=_missed_by_all(results.hits, state.interpretation.areas, state.interpretation.spans),
    )


def _is_weak(state: SearchState, hits: Sequence[FoundRecord], least: float) -> bool:
    """Whether every hit is below ``least``; never for a question in another language than the records."""
    if not hits or state.serving.lacks(state.interpretation.language):
        return False
    return all(hit.relevance is not None and hit.relevance < least for hit in hits)


def _shared_by_all(hits: Sequence[FoundRecord], areas: Sequence[BBox]) -> frozenset[Shared]:
    """Whether each hit lies in one of the areas, and in the asked time: a record of a year before it has 0 of it."""
    shared: set[Shared] = set()
    if hits and all(overlaps(hit.record.extents, areas) for hit in hits):
        shared.add("place")
    if hits and all((hit.hit.signals.get("temporal") or 0.0) > 0.0 for hit in hits):
        shared.add("time")
    return frozenset(shared)


def _missed_by_all(hits: Sequence[FoundRecord], areas: Sequence[BBox], spans: Sequence[TimeSpan]) -> frozenset[Shared]:
    missed: set[Shared] = set()
    extents = [hit.record.extents for hit in hits if hit.record.extents]
    if extents and areas and not any(overlaps(boxes, areas) for boxes in extents):
        missed.add("place")
    shares = [share for hit in hits if (share := hit.hit.signals.get("temporal")) is not None]
    if shares and spans and max(shares) <= 0.0:
        missed.add("time")
    return frozenset(missed)


_AROUND_POINT = np.array([-1e-3, -1e-3, 1e-3, 1e-3])
"""What a box grows by, in degrees: a point alone shares no area with anything."""


def overlaps(extents: Sequence[BBox], areas: Sequence[BBox]) -> bool:
    """Whether some extent shares a part of some area."""
    if not extents:
        return False
    boxes = box_array(extents) + _AROUND_POINT
    return any(bool((shared_km2(area, boxes) > 0.0).any()) for area in areas)


def _may_be_foreign(interpretation: Interpretation, corrected: CorrectedQuestion, serving: Serving) -> bool:
    """Words of another language are no typing errors: *Daten* is not *dates*. Several of them may be a language that
    is not recognised. A typing error may look like another language, its correction does not: *streamflw* looks German.
    """
    if serving.lacks(sure_language(interpretation.text)):
        return True
    languages = [interpretation.language, detect_language(corrected.text)]
    return all(map(serving.lacks, languages)) or (languages == [None, None] and len(corrected.pairs) > 1)


def without_excluded(request: SearchRequest, interpretation: Interpretation) -> SearchRequest:
    """The request with a filter for what the question leaves out."""
    if not interpretation.exclusions:
        return request
    clauses = exclusion_clauses(interpretation.exclusions)
    filters = replace(request.filters, expression=(*request.filters.expression, *clauses))
    return replace(request, filters=filters)


def rank_candidates(parts: SearchParts, state: SearchState) -> SearchState:
    """The state with its ranking, the stewards' boosts and pins in it. Raises Unavailable."""
    with state.watch.stage("rank"):
        ranking = with_boosts(_fuse(parts, state), state.rules.boosts)
    with state.watch.stage("interact"):
        ranking = _with_late_interaction(parts, state, ranking)
    with state.watch.stage("rerank"):
        ranking, unread = _rerank(parts, state, ranking)
        ranking = with_pins(nearest_first(ranking), state.rules.pins)
    wants_meaning = state.request.algorithm != "bm25" and bool(state.request.q)
    without = ("dense",) if wants_meaning and state.serving.embedder is None else ()
    return replace(state, ranked=ranking, degraded=(*without, *unread, *state.interpretation.degraded))


def _fuse(parts: SearchParts, state: SearchState) -> Ranking:
    config, target = parts.config, target_of(state.request, state.interpretation, parts.now_ms())
    share = config.words.foreign_language if state.serving.lacks(sure_language(state.interpretation.thematic)) else 1.0
    candidates = state.candidates.candidates(config.record_columns)
    return rank(candidates, target, config.records, state.serving.cosines, share)


def _with_late_interaction(parts: SearchParts, state: SearchState, ranking: Ranking) -> Ranking:
    """Round two read the token vectors of nearly all of the best: missing ones are a request more."""
    signal, made_by, vectors = ranking.ranker.find(LateInteraction), state.serving.tokens, state.vectors
    if signal is None or made_by is None or vectors is None or vectors.tokens is None or not state.request.rerank:
        return ranking
    best = ranking.ids(0, signal.depth)
    versions = {record: state.candidates.versions[record] for record in best}
    texts = fetch_token_vectors(parts.client, state.plan.index, versions, made_by, parts.caches.tokens)
    scores = interactions(vectors.tokens, [texts.get(record) for record in best])
    return interact(ranking, scores, state.interpretation.topic_words)


def _rerank(parts: SearchParts, state: SearchState, ranking: Ranking) -> tuple[Ranking, tuple[str, ...]]:
    """A reranker reads topics: a question with only a place or period is not reranked."""
    reading, load, interpretation = ranking.ranker.find(CrossEncoderReading), parts.cross_encoder, state.interpretation
    if reading is None or load is None or not state.request.rerank or not interpretation.thematic or len(ranking) == 0:
        return ranking, ()
    if is_hurried():
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
        logits = cross_encoder.score(interpretation.english_text or interpretation.text, texts)
    except Unavailable:
        return ranking, ("cross_encoder",)
    return rerank(ranking, logits, cross_encoder.card), ()
