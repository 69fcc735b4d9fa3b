"""Where the processor time of a search goes: ours by step, Elasticsearch's by round, search and clause.

Every question was asked before, so that models and caches are warm. Only reads.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from itertools import islice
from statistics import fmean
from typing import TypeVar

from werkzeug.test import Client

from core.errors import SondeError
from core.geo import BBox
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import Search, SearchSession, search_all, search_named
from lab.peers.questions import PeerQuestion, questions
from search_api.app import create_app
from search_api.http.access.visibility import filtered_body
from search_api.search.flow import SearchPipeline, present, rank_candidates
from search_api.search.request import Filters, SearchRequest
from sonde.settings import Settings
from sonde.wiring.api import api_parts
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models

T = TypeVar("T")
Rounds = Mapping[str, Mapping[str, Search]]
"""The searches of one question, by round and name."""

PHASES = ("rewrite", "query", "collect", "fetch")
_QUESTIONS = 20
_REPEATS = 5
_MOST_CLAUSES = 6
_TIMEOUT_S = 30.0
_STATISTICS_S = 1.1
"""Elasticsearch reads its processor time at most once a second."""


@dataclass(frozen=True, slots=True)
class RecordingSession(SearchSession):
    """Notes the searches of each request."""

    requests: list[Mapping[str, Search]] = field(default_factory=list)

    def ask(self, searches: Mapping[str, Search]) -> dict[str, Json]:
        self.requests.append(searches)
        return search_named(self.client, searches)


@dataclass(frozen=True, slots=True)
class SearchProfile:
    """Means for one search. Milliseconds of processor time: ``whole`` of ``GET /search`` in the API, ``own`` by step of
    the pipeline, ``server`` of Elasticsearch by round.

    ``searches``, ``clauses``: milliseconds in Elasticsearch's profile, which slows it down: they say which part is
    large. By "round: search", then by phase (``share``: of the questions that send it) or by kind of Lucene query.
    """

    questions: int
    whole: float
    own: Mapping[str, float]
    server: Mapping[str, float]
    searches: Mapping[str, Mapping[str, float]]
    clauses: Mapping[str, Mapping[str, float]]


def profile_searches(settings: Settings) -> SearchProfile:
    """Of searches by topic and box, as portals send them, on the index of the settings."""
    parts = api_parts(settings, Models(settings))
    peer_questions, http, client = (
        list(islice(questions(), _QUESTIONS)),
        create_app(parts).test_client(),
        parts.search.parts.client,
    )
    whole = [_spent_ms(partial(_get, http, question)) for question in peer_questions * (_REPEATS + 1)]
    own: dict[str, list[float]] = defaultdict(list)
    for question in peer_questions * _REPEATS:
        _run_steps(parts.search, question, own)
    sent = [_run_steps(parts.search, question, defaultdict(list)) for question in peer_questions]
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S)
    searches, clauses = _profile(client, sent)
    return SearchProfile(
        len(peer_questions),
        _mean(whole[len(peer_questions) :]),
        {name: _mean(spent) for name, spent in own.items()},
        _server_ms_by_round(client, sent),
        searches,
        clauses,
    )


def _get(http: Client, question: PeerQuestion) -> None:
    answer = http.get("/search", query_string={"q": question.topic, "bbox": question.bbox, "limit": 10})
    if answer.status_code != HTTPStatus.OK:
        raise SondeError(f"A search was answered with status {answer.status_code}.")


def _run_steps(pipeline: SearchPipeline, question: PeerQuestion, spent: dict[str, list[float]]) -> Rounds:
    """One search step by step, with the time of each in ``spent``; returns what its rounds sent."""
    area = BBox(*map(float, question.bbox.split(",")))
    request, serving = SearchRequest(q=question.topic, filters=Filters(area=area)), pipeline.parts.resolver.resolve()
    state = _timed(spent["understand"], lambda: pipeline.understand(request, serving))
    session = RecordingSession(state.session.client, state.session.preference)
    state = replace(state, session=session)
    rounds: dict[str, Mapping[str, Search]] = {}
    for name, step in (
        ("round one", pipeline.round_one),
        ("round two", pipeline.round_two),
        ("rank", lambda state: rank_candidates(pipeline.parts, state)),
        ("round three", pipeline.round_three),
    ):
        state = _timed(spent[name], partial(step, state))
        rounds[name] = {
            search_name: (header, filtered_body(body, frozenset()))
            for searches in session.requests
            for search_name, (header, body) in searches.items()
        }
        session.requests.clear()
    _timed(spent["present"], lambda: present(state, pipeline.parts.config.relevance))
    return {name: searches for name, searches in rounds.items() if searches}


def _timed(spent: list[float], work: Callable[[], T]) -> T:
    started_s = time.process_time()
    result = work()
    spent.append((time.process_time() - started_s) * 1000.0)
    return result


def _spent_ms(work: Callable[[], object]) -> float:
    spent: list[float] = []
    _timed(spent, work)
    return spent[0]


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), 2)


def _server_ms_by_round(client: Elasticsearch, sent: Sequence[Rounds]) -> dict[str, float]:
    """The best of some repetitions, because others may ask too. A round that few questions send counts less."""
    server: dict[str, float] = {}
    for step in dict.fromkeys(step for rounds in sent for step in rounds):
        peer_questions = [rounds[step] for rounds in sent if step in rounds]
        bodies = [[part for search in searches.values() for part in search] for searches in peer_questions]
        best = min(_server_ms_once(client, bodies) for _ in range(_REPEATS))
        server[step] = round(best * len(peer_questions) / len(sent), 2)
    return server


def _server_ms_once(client: Elasticsearch, bodies: Sequence[Sequence[JsonMapping]]) -> float:
    time.sleep(_STATISTICS_S)
    before_ms, started_s, count = _server_total_ms(client), time.monotonic(), 0
    while time.monotonic() - started_s < _STATISTICS_S:
        for searches in bodies:
            search_all(client, searches)
        count += len(bodies)
    return (_server_total_ms(client) - before_ms) / count


def _server_total_ms(client: Elasticsearch) -> float:
    nodes = client.nodes.stats(metric="process").body["nodes"].values()
    return float(sum(node["process"]["cpu"]["total_in_millis"] for node in nodes))


def _profile(
    client: Elasticsearch, sent: Sequence[Rounds]
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Phases and clauses by search, the dearest search first."""
    phases: dict[str, Counter[str]] = defaultdict(Counter)
    clauses: dict[str, Counter[str]] = defaultdict(Counter)
    for rounds in sent:
        for step, searches in rounds.items():
            for search_name, (header, body) in searches.items():
                repeats = [search_all(client, [header, {**body, "profile": True}])[0] for _ in range(_REPEATS)]
                answer = min(repeats, key=lambda answer: sum(spent_ms for _, spent_ms in phase_times(answer)))
                name = f"{step}: {search_name}"
                phases[name]["share"] += 1
                for times, parts in ((phases[name], phase_times(answer)), (clauses[name], clause_times(answer))):
                    for part, spent_ms in parts:
                        times[part] += spent_ms  # type: ignore[assignment]
    names = sorted(phases, key=lambda name: sum(phases[name][phase] for phase in PHASES), reverse=True)
    return (
        {name: {part: round(phases[name][part] / len(sent), 3) for part in ("share", *PHASES)} for name in names},
        {
            name: {kind: round(spent_ms / len(sent), 3) for kind, spent_ms in clauses[name].most_common(_MOST_CLAUSES)}
            for name in names
        },
    )


def phase_times(answer: JsonMapping) -> Iterator[tuple[str, float]]:
    """Milliseconds of each phase on each shard, of an answer with ``profile``."""
    for shard in answer["profile"]["shards"]:
        yield "fetch", shard.get("fetch", {}).get("time_in_nanos", 0) / 1e6
        for part in shard["searches"]:
            yield "rewrite", part["rewrite_time"] / 1e6
            yield "query", sum(query["time_in_nanos"] for query in part["query"]) / 1e6
            yield "collect", sum(collector["time_in_nanos"] for collector in part["collector"]) / 1e6


def clause_times(answer: JsonMapping) -> Iterator[tuple[str, float]]:
    """Milliseconds of each Lucene query without its children, by its kind."""
    queries = [query for shard in answer["profile"]["shards"] for part in shard["searches"] for query in part["query"]]
    while queries:
        query = queries.pop()
        children = query.get("children", [])
        queries += children
        yield query["type"], (query["time_in_nanos"] - sum(child["time_in_nanos"] for child in children)) / 1e6
