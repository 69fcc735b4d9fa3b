"""What the CKAN extension makes of a search, and how it behaves towards a Sonde that fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, jsonify, request
from flask.typing import ResponseReturnValue

from tests.live import serving

EXTENSION = Path(__file__).resolve().parents[2] / "integrations" / "ckanext-sonde"


@pytest.fixture(scope="module", autouse=True)
def on_the_path() -> Iterator[None]:
    sys.path.insert(0, str(EXTENSION))
    yield
    sys.path.remove(str(EXTENSION))


@pytest.mark.parametrize(
    ("params", "asked"),
    [
        ({"q": "rainfall in Africa", "sort": None}, "rainfall in Africa"),
        ({"q": " snow ", "sort": "score desc, metadata_modified desc"}, "snow"),
        ({"q": ""}, None),
        ({"q": "*:*"}, None),
        ({"q": "title:rain"}, None),
        ({"q": "rain*"}, None),
        ({"q": "metadata_modified:[2020 TO *]"}, None),
        ({"q": "rainfall", "sort": "title_string asc"}, None),
    ],
)
def test_only_a_question_by_relevance_goes_to_sonde(params: dict[str, Any], asked: str | None) -> None:
    from ckanext.sonde import rewriting

    assert rewriting.question(params) == asked


def test_the_chosen_way_counts_and_an_unknown_one_does_not() -> None:
    from ckanext.sonde import rewriting

    assert rewriting.requested_mode({"extras": {"ext_sonde": "bm25"}}, "hybrid") == "bm25"
    assert rewriting.requested_mode({"extras": {"ext_sonde": "magic"}}, "hybrid") == "hybrid"
    assert rewriting.requested_mode({}, "own") == "own"


def test_solr_orders_by_constant_scores_that_fall_with_rank() -> None:
    from ckanext.sonde import rewriting

    made = rewriting.restrict_to({"q": "rain", "fq": "+type:x", "rows": 5}, ["b", 'a"x'])
    assert made["q"] == 'id:"b"^=2 OR id:"a\\"x"^=1'
    assert made["sort"] == "score desc"
    assert (made["fq"], made["rows"]) == ("+type:x", 5)
    assert rewriting.restrict_to({"q": "rain"}, [])["q"] == "-*:*"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pages_are_followed_to_the_end_of_the_window() -> None:
    from ckanext.sonde.asking import Address, Sonde

    app, asked = Flask("sonde"), []

    @app.get("/base/search")
    def search() -> ResponseReturnValue:
        asked.append(dict(request.args))
        first = int(request.args.get("cursor", "0"))
        more = {"rel": "next", "href": f"http://elsewhere.example/search?cursor={first + 100}"}
        features = [{"id": f"portal:{one}"} for one in range(first, first + 100)]
        return jsonify(features=features, links=[more])

    with serving(app) as url:
        sonde = Sonde(Address(f"{url}/base", "portal", window=250))
        ids = sonde.ranked_ids("rain", "bm25")
    assert ids == [str(one) for one in range(250)]
    assert asked[0] == {"q": "rain", "algorithm": "bm25", "source": "portal", "group": "none", "limit": "100"}
    assert asked[1:] == [{"cursor": "100"}, {"cursor": "200"}]  # never at the other host


def test_a_sonde_that_failed_is_left_alone_for_a_while() -> None:
    from ckanext.sonde.asking import Address, Sonde, SondeUnavailable

    app, asked = Flask("sonde"), []

    @app.get("/search")
    def search() -> ResponseReturnValue:
        asked.append(1)
        if len(asked) == 1:
            return jsonify(detail="Elasticsearch does not answer"), 503
        return jsonify(features=[], links=[])

    clock = Clock()
    with serving(app) as url:
        sonde = Sonde(Address(url, "portal"), rest_s=30, clock=clock)
        with pytest.raises(SondeUnavailable, match=r"503 .* Elasticsearch does not answer"):
            sonde.ranked_ids("rain", "hybrid")
        with pytest.raises(SondeUnavailable, match="left alone"):
            sonde.ranked_ids("rain", "hybrid")
        assert len(asked) == 1
        clock.now = 31
        assert sonde.ranked_ids("rain", "hybrid") == []


@pytest.mark.parametrize("body", ["<html>", "[]", '{"features": [{}]}', '{"features": null}'])
def test_an_answer_of_something_else_is_a_failure(body: str) -> None:
    from ckanext.sonde.asking import Address, Sonde, SondeUnavailable

    app = Flask("sonde")

    @app.get("/search")
    def search() -> ResponseReturnValue:
        return body

    with serving(app) as url, pytest.raises(SondeUnavailable):
        Sonde(Address(url, "portal")).ranked_ids("rain", "hybrid")


def test_a_push_names_the_record_and_shows_the_key() -> None:
    from ckanext.sonde.asking import Address, Sonde

    app, seen = Flask("sonde"), []

    @app.route("/collections/portal/items/<path:record>", methods=["PUT", "DELETE"])
    def item(record: str) -> ResponseReturnValue:
        seen.append((request.method, record, request.headers.get("Authorization"), request.get_json(silent=True)))
        return "", 204 if request.method == "PUT" else 404

    with serving(app) as url:
        sonde = Sonde(Address(url, "portal", key="secret"))
        sonde.push({"id": "abc", "title": "Rain"})
        sonde.remove("abc")
    assert seen == [
        ("PUT", "portal:abc", "Bearer secret", {"id": "abc", "title": "Rain"}),
        ("DELETE", "portal:abc", "Bearer secret", None),
    ]
