"""Hits spliced from bytes: the same JSON as the feature written whole, once for each version of a record."""

from __future__ import annotations

import numpy as np
import orjson
import pytest

from core.geo import BBox
from core.hit import Hit
from core.record import Link, Record
from search_api.http.responses import GEOJSON, Addresses, json_part, link
from search_api.search.answer import FoundRecord
from search_api.search.retrieval.record_reads import BestPassage
from search_api.search.views import geojson
from search_api.search.views.search import FeatureCache

ADDRESSES = Addresses("https://portal.example/")
BARE = Record("s:1", "s", "1", "Rain")
FULL = Record(
    "s:2~20é",
    "a source",
    "2",
    'Räin "heavy" \\ and \u2028 snow',
    abstract="x" * 2000,
    extents=(BBox(-10.0, 20.0, 5.5, 30.0),),
    links=(Link("https://data.example/1"), Link("https://data.example/2", name="second")),
)


def _found(record: Record, score: float = 0.5) -> FoundRecord:
    return FoundRecord(Hit(record.id, score, {"bm25": np.float64(3.0), "dense": None}), record)


def _said(found: FoundRecord) -> FoundRecord:
    return FoundRecord(
        found.hit,
        found.record,
        highlights={"title": ["<em>Rain</em>"]},
        passages=(BestPassage("p", "text", ("Methods",), 3),),
        explanation={"rank": 1},
        folded=("t:1",),
    )


@pytest.mark.parametrize("record", [BARE, FULL])
@pytest.mark.parametrize("more", [lambda found: found, _said])
def test_a_spliced_hit_is_byte_for_byte_the_feature_written_whole(record: Record, more: object) -> None:
    found = more(_found(record))  # type: ignore[operator]
    own = link("self", ADDRESSES.item(record), GEOJSON)
    whole = json_part(geojson.hit_feature(found, geojson.feature(record), own))
    feature_cache = FeatureCache()
    for _ in range(2):  # made, then from the cache
        assert orjson.dumps([feature_cache.hit(found, ADDRESSES)]) == b"[" + whole + b"]"


def test_the_next_version_of_a_record_is_written_anew_and_another_base_has_other_links() -> None:
    feature_cache = FeatureCache()
    newer = Record("s:1", "s", "1", "Rainfall")
    titles = [
        orjson.loads(orjson.dumps(feature_cache.hit(_found(one), ADDRESSES)))["properties"]["title"]
        for one in (BARE, newer, BARE)
    ]
    assert titles == ["Rain", "Rainfall", "Rain"]
    there = orjson.loads(orjson.dumps(feature_cache.hit(_found(BARE), Addresses("http://localhost"))))
    assert there["links"][-1]["href"] == "http://localhost/collections/s/items/s:1"


def test_what_is_kept_is_bounded_by_its_bytes_and_a_record_larger_than_all_is_not_kept() -> None:
    feature_cache = FeatureCache(most_bytes=1500)
    records = [Record(f"s:{number}", "s", str(number), "Rain") for number in range(20)]
    for record in (*records, FULL):
        feature_cache.hit(_found(record), ADDRESSES)
    assert 0 < len(feature_cache._cached) < 20
    assert feature_cache._cached.currsize <= 1500
    assert orjson.loads(orjson.dumps(feature_cache.hit(_found(FULL), ADDRESSES)))["id"] == FULL.id
