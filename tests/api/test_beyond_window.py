"""What follows the ranked window, and counts that agree: a small window over the samples, to look past its end."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from search_api.app import create_app
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import RankingConfig, default_config
from search_api.search.request import SearchRequest
from sonde.wiring.api import api_parts
from tests.service import SAMPLES, Service

WINDOW, MOST = 12, 60
COUNT = 169
QUESTIONS = [
    json.loads(line)["q"] for line in (SAMPLES.parent / "questions.jsonl").read_text("utf-8").splitlines() if line
]


@pytest.fixture(scope="module")
def narrow(samples: Service) -> FlaskClient:
    return with_window(samples, MOST)


def windowed(config: RankingConfig, most: int) -> RankingConfig:
    return replace(config, records=replace(config.records, candidate_window=WINDOW, max_results=most))


def with_window(samples: Service, most: int) -> FlaskClient:
    """The samples behind a window of twelve of each arm, of whose hits ``most`` can be paged."""
    parts = api_parts(samples.settings, samples.models)
    config = windowed(default_config(), most)
    return create_app(replace(parts, search=SearchPipeline(replace(parts.search.parts, config=config)))).test_client()


def asked(http: FlaskClient, **parameters: Any) -> dict[str, Any]:
    answer = http.get("/search", query_string=parameters)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    body: dict[str, Any] = answer.get_json()
    return body


def paged(http: FlaskClient, **parameters: Any) -> tuple[list[str], list[float], set[tuple[int, int, str]]]:
    """Every id and score, following ``next``, and what the pages said of how many there are."""
    answer = asked(http, **parameters)
    ids, scores, said = [], [], set()
    while True:
        ids += [feature["id"] for feature in answer["features"]]
        scores += [feature["sonde:score"] for feature in answer["features"]]
        said.add((answer["numberMatched"], answer["sonde:total"], answer["sonde:totalRelation"]))
        following = [link["href"] for link in answer["links"] if link["rel"] == "next"]
        if not following:
            return ids, scores, said
        answer = http.get(following[0]).get_json()


@pytest.mark.parametrize("algorithm", ["hybrid", "bm25", "dense"])
@pytest.mark.parametrize("q", ["rainfall", "sea ice concentration since 1990", "climate in Africa"])
def test_all_that_is_counted_can_be_paged_in_one_order(narrow: FlaskClient, q: str, algorithm: str) -> None:
    ids, scores, said = paged(narrow, q=q, algorithm=algorithm, limit=7, diversity="off")
    assert paged(narrow, q=q, algorithm=algorithm, limit=50, diversity="off")[0] == ids
    ((matched, total, _),) = said
    assert len(ids) == len(set(ids)) == matched
    assert len(ids) > WINDOW
    assert total >= matched
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("q", QUESTIONS[:12])
def test_the_ranked_window_comes_first_and_unchanged(samples: Service, narrow: FlaskClient, q: str) -> None:
    parts = api_parts(samples.settings, samples.models).search.parts
    config = windowed(parts.config, MOST)
    ranked = SearchPipeline(replace(parts, config=config)).rank_all(SearchRequest(q=q)).ranking.ids()
    ids, _, _ = paged(narrow, q=q, group="none", diversity="off", limit=100)
    assert ids[: len(ranked)] == ranked


def test_filters_alone_page_through_everything(samples: Service) -> None:
    ids, _, said = paged(with_window(samples, 500), source="samples", limit=100)
    assert len(set(ids)) == COUNT
    assert said == {(COUNT, COUNT, "exact")}


def test_what_is_cut_is_said(narrow: FlaskClient) -> None:
    ids, _, said = paged(narrow, source="samples", limit=30)
    assert (len(set(ids)), said) == (MOST, {(MOST, COUNT, "exact")})
    assert paged(narrow, source="samples", group="none", limit=100)[2] == {(MOST, COUNT, "exact")}


@pytest.mark.parametrize("parameters", [{"q": "sea ice"}, {"q": "rainfall"}, {"q": "sea ice", "algorithm": "bm25"}, {}])
def test_facets_count_the_total_and_choosing_a_value_gives_its_count(
    samples: Service, parameters: dict[str, str]
) -> None:
    http = with_window(samples, 500)
    answer = asked(http, facets="type", limit=1, **parameters)
    values = answer["sonde:facets"]["type"]["values"]
    assert sum(value["count"] for value in values) == answer["sonde:total"] == answer["numberMatched"]
    assert asked(http, type=values[0]["value"], limit=1, **parameters)["sonde:total"] == values[0]["count"]


def test_a_hit_beyond_the_window_is_whole_but_not_measured(narrow: FlaskClient) -> None:
    last = asked(narrow, q="rainfall", limit=60, explain="true", highlight="true")["features"][-1]
    assert last["properties"]["title"]
    assert set(last["sonde:signals"].values()) == {None}
    assert (last["sonde:explanation"]["ordered_by"], last["sonde:explanation"]["signals"]) == ("beyond_window", [])


def test_nonsense_has_neither_hits_nor_facets(samples: Service) -> None:
    answer = samples.search("banana bread recipe data", facets="type")
    assert (answer["numberMatched"], answer["sonde:total"]) == (0, 0)
    assert answer["sonde:facets"]["type"]["values"] == []
