"""Facets, filters and spelling beside the hits of ``/search``."""

from __future__ import annotations

from typing import Any

import pytest

from search_api.search.retrieval.facets import FACETS
from tests.service import Service


def counts(samples: Service, name: str, q: str = "", **parameters: Any) -> dict[str, int]:
    facet = samples.search(q, facets=name, limit=1, **parameters)["sonde:facets"][name]
    return {one["value"]: one["count"] for one in facet["values"]}


VALUES_OF_THEIR_OWN = frozenset({"cell"})  # tests/api/test_cell_facet.py
NOT_IN_THE_SAMPLES = frozenset({"platform", "instrument", "project", "variable", "processing_level"})


@pytest.mark.parametrize("name", [name for name in FACETS if name not in VALUES_OF_THEIR_OWN])
def test_a_count_is_what_choosing_the_value_gives(samples: Service, name: str) -> None:
    facet = samples.search("", facets=name, limit=1)["sonde:facets"][name]
    assert facet["values"] or name in NOT_IN_THE_SAMPLES
    for one in facet["values"][:6]:
        listed = samples.http.get("/search", query_string={facet["parameter"]: one["value"], "limit": 1})
        if "," in one["value"] and listed.status_code == 400:
            continue
        assert listed.get_json()["numberMatched"] == one["count"], one


def test_facets_count_what_passes_the_filters_and_matches_the_words(samples: Service) -> None:
    found = samples.search("glacier", algorithm="bm25", facets="type,source", limit=100)
    assert found["sonde:facets"]["source"]["values"][0]["count"] == found["numberMatched"]
    assert sum(counts(samples, "type", "glacier", algorithm="bm25").values()) == found["numberMatched"]
    # Nothing is a service; the other values say what each of them would add.
    others = counts(samples, "type", "glacier", algorithm="bm25")
    assert counts(samples, "type", "glacier", algorithm="bm25", type="service") == {**others, "service": 0}


def test_for_dense_the_window_is_counted(samples: Service) -> None:
    found = samples.search("ocean temperature", algorithm="dense", facets="source", limit=1)
    assert found["sonde:facets"]["source"]["values"][0]["count"] == found["numberMatched"]


@pytest.mark.parametrize("algorithm", ["hybrid", "bm25", "dense"])
@pytest.mark.parametrize("q", ["rainfall", "sea ice since 1990", "Kenya", ""])
def test_values_of_a_facet_add_and_each_count_is_what_a_click_gives(samples: Service, q: str, algorithm: str) -> None:
    def total(**chosen: Any) -> int:
        found: int = samples.search(q, algorithm=algorithm, limit=1, **chosen)["sonde:total"]
        return found

    first = counts(samples, "keyword", q, algorithm=algorithm)
    chosen = next(iter(first))
    assert total(keyword=chosen) == first[chosen]
    for value, count in list(counts(samples, "keyword", q, algorithm=algorithm, keyword=chosen).items())[:6]:
        assert count > 0
        if value != chosen:
            assert total(keyword=[chosen, value]) == first[chosen] + count
    for value, count in counts(samples, "region", q, algorithm=algorithm, keyword=chosen, place="Africa").items():
        assert total(keyword=chosen, place=value) == count
    for value, count in counts(samples, "decade", q, algorithm=algorithm, datetime="1995/1999").items():
        assert total(datetime=value) == count


def test_what_was_chosen_is_kept(samples: Service) -> None:
    values = samples.search("glacier", type=["service", "dataset"], facets="type", limit=1)["sonde:facets"]["type"][
        "values"
    ]
    chosen = {one["value"]: one.get("chosen", False) for one in values}
    assert chosen["service"]
    assert chosen["dataset"]
    decades = samples.search("", datetime="1990/1999", facets="decade", limit=1)["sonde:facets"]["decade"]["values"]
    assert [one["label"] for one in decades if one.get("chosen")] == ["1990s"]
    regions = samples.search("", place="Africa", facets="region", limit=1)["sonde:facets"]["region"]["values"]
    assert [one["label"] for one in regions if one.get("chosen")] == ["Africa"]


def test_all_facets_and_none(samples: Service) -> None:
    assert len(samples.search("rain", facets="all")["sonde:facets"]) == 15
    assert "sonde:facets" not in samples.search("rain")
    assert samples.http.get("/search?facets=colour").get_json()["parameter"] == "facets"


def test_a_filter_on_search_is_the_filter_of_items(samples: Service) -> None:
    asked = "resolution < 1000 AND type = 'dataset'"
    listed = samples.http.get("/collections/all/items", query_string={"filter": asked, "limit": 1000}).get_json()
    ids = {feature["id"] for feature in listed["features"]}
    assert {feature["id"] for feature in samples.search("", filter=asked, limit=100)["features"]} == ids
    for algorithm in ("hybrid", "bm25", "dense"):
        found = samples.search("elevation", filter=asked, algorithm=algorithm, limit=100)["features"]
        assert {feature["id"] for feature in found} <= ids


def test_a_filter_that_is_not_understood_is_refused(samples: Service) -> None:
    answer = samples.http.get("/search", query_string={"filter": "colour = 'red'"})
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "filter")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("precipitaton over the Alps", "precipitation over the Alps"),
        ("sea surfase temprature since 1990", "sea surface temperature since 1990"),
        ("Glacir inventory", "glacier inventory"),
    ],
)
def test_a_misspelt_word_is_mended(samples: Service, asked: str, meant: str) -> None:
    assert samples.search(asked, spelling="off").get("sonde:didYouMean") == meant


@pytest.mark.parametrize(
    "asked", ["glacier inventory", "rainfall in southern Africa", "", "xqzt", "Greenland", "a b c"]
)
def test_what_is_spelt_well_or_like_nothing_is_left(samples: Service, asked: str) -> None:
    assert "sonde:didYouMean" not in samples.search(asked)


def test_a_saved_search_is_a_feed(samples: Service) -> None:
    answer = samples.http.get("/search?q=glacier&f=atom&limit=5")
    assert answer.mimetype == "application/atom+xml"
    assert answer.text.count("<entry>") == 5
    assert 'rel="next"' in answer.text
