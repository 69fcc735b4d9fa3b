"""``GET /search`` on the real service with the samples in it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.service import Service

RAIN = "rainfall in southern Africa since 1990"


def test_the_question_is_read_as_what_where_and_when(samples: Service) -> None:
    read = samples.search(RAIN)["sonde:interpretation"]
    assert read["thematic"] == "rainfall"
    assert read["datetime"] == "1990-01-01T00:00:00Z/.."
    place = read["places"][0]
    assert place["name"] == "Southern Africa"
    assert RAIN[slice(*place["span"])] == "southern Africa"
    west, south, east, north = place["bbox"]
    assert west < 17 < 33 < east
    assert south < -30 < -15 < north


def test_precipitation_over_southern_africa_comes_first(samples: Service) -> None:
    first = samples.ids(RAIN)[:5]
    assert first[0] == "fewsnet-southern-africa-rainfall"
    assert set(first) <= {
        "fewsnet-southern-africa-rainfall",
        "saws-district-rainfall",
        "sasscal-weathernet",
        "tamsat-rainfall-africa",
        "arc2-africa-rainfall",
        "chirps-v2-africa-monthly",
        "rfe2-africa-rainfall",
        "wfp-zambia-rainfall",  # within .0001 of TAMSAT's score
    }


def test_what_is_read_from_the_question_ranks_and_never_filters(samples: Service) -> None:
    """Records of other places and times stay among the hits, further down."""
    everywhere = samples.search(RAIN, limit=100)
    boxes = [feature["properties"].get("sonde:boxes") for feature in everywhere["features"]]
    assert any(box and box[0][0] > 60 for box in boxes)


def test_an_explanation_adds_up_to_the_score(samples: Service) -> None:
    for feature in samples.search(RAIN, explain="true", limit=20)["features"]:
        parts = feature["sonde:explanation"]["signals"]
        assert sum(part["contribution"] for part in parts) == pytest.approx(feature["sonde:score"], abs=1e-5)


def test_a_signal_that_was_not_measured_is_null(samples: Service) -> None:
    signals = samples.search("rainfall", rerank="false")["features"][0]["sonde:signals"]
    assert signals["spatial"] is None
    assert signals["cross_encoder"] is None
    assert signals["dense"] is not None


def test_a_cross_encoder_that_is_not_here_is_missed_and_one_that_nobody_named_is_not(samples: Service) -> None:
    assert samples.search("rainfall")["sonde:degraded"] == []
    named = replace(samples, cross_encoder="/no/such/folder")
    assert named.search("rainfall")["sonde:degraded"] == ["cross_encoder"]
    assert named.search("rainfall", rerank="false")["sonde:degraded"] == []


def test_words_are_compared_in_their_context_by_what_the_harvest_kept(samples: Service) -> None:
    answer = samples.search("rainfall", explain="true")
    assert all(0.0 < one["sonde:signals"]["late_interaction"] < 1.0 for one in answer["features"])
    parts = {part["signal"]: part for part in answer["features"][0]["sonde:explanation"]["signals"]}
    assert parts["late_interaction"]["reasons"][0]["code"] == "interaction"
    for question, given in (("rainfall", {"rerank": "false"}), ("Greenland", {}), ("rainfall", {"algorithm": "bm25"})):
        other = samples.search(question, **given)["features"][0]
        assert other["sonde:signals"]["late_interaction"] is None


@pytest.mark.parametrize("algorithm", ["hybrid", "bm25", "dense", "sbert"])
def test_every_algorithm_finds_soil_moisture(samples: Service, algorithm: str) -> None:
    titles = [
        f["properties"]["title"].lower() for f in samples.search("soil moisture", algorithm=algorithm)["features"]
    ]
    assert "soil moisture" in " ".join(titles[:3])


def test_bm25_measures_no_meaning_and_dense_no_words(samples: Service) -> None:
    assert samples.search("soil moisture", algorithm="bm25")["features"][0]["sonde:signals"]["dense"] is None
    assert samples.search("soil moisture", algorithm="dense")["features"][0]["sonde:signals"]["bm25"] is None


def test_a_box_filters_and_crosses_the_antimeridian(samples: Service) -> None:
    fiji = samples.search("", bbox="175,-20,-175,-15", limit=100)["features"]
    assert fiji
    assert all(feature["properties"]["sonde:boxes"] for feature in fiji)
    assert "hadukgrid" not in " ".join(feature["id"] for feature in fiji)


def test_a_place_by_name_filters_like_its_box(samples: Service) -> None:
    by_name = samples.search("temperature", place="Germany", limit=100)["features"]
    for feature in by_name:
        boxes = feature["properties"]["sonde:boxes"]
        assert any(w > e or (w <= 15.1 and e >= 5.8 and s <= 55.2 and n >= 47.2) for w, s, e, n in boxes)


def test_within_and_contains_are_opposite(samples: Service) -> None:
    europe = "-12,34,42,72"
    within = samples.search("", bbox=europe, relation="within", limit=100)["features"]
    for feature in within:
        for w, s, e, n in feature["properties"]["sonde:boxes"]:
            assert -12 <= w <= e <= 42
            assert 34 <= s <= n <= 72
    berlin = "13.1,52.4,13.7,52.6"
    for feature in samples.search("", bbox=berlin, relation="contains", limit=100)["features"]:
        assert any(s <= 52.4 and n >= 52.6 for _, s, _, n in feature["properties"]["sonde:boxes"])


def test_a_period_filters(samples: Service) -> None:
    for feature in samples.search("", datetime="1850/1870", limit=100)["features"]:
        starts = [start for start, _ in feature["properties"]["sonde:times"]]
        assert any(start is None or start.startswith("-") or start < "1871" for start in starts)


def test_type_source_and_keyword_filter(samples: Service) -> None:
    services = samples.search("", type="service", limit=100)["features"]
    assert services
    assert {feature["properties"]["type"] for feature in services} == {"service"}
    assert samples.search("rainfall", source="nowhere")["numberMatched"] == 0
    assert samples.search("rainfall", source="samples")["numberMatched"] > 0
    for feature in samples.search("", keyword="RAIN", limit=100)["features"]:
        terms = [concept["id"] for theme in feature["properties"]["themes"] for concept in theme["concepts"]]
        assert "rain" in [term.lower() for term in [*terms, *feature["properties"].get("keywords", [])]]


def test_hausdorff_orders_the_best_by_distance(samples: Service) -> None:
    answer = samples.search("rainfall in southern Africa", spatial="hausdorff", explain="true", limit=30)
    distances = [feature["sonde:explanation"]["distance_deg"] for feature in answer["features"]]
    assert distances == sorted(distances)


def test_spatial_off_ranks_without_place(samples: Service) -> None:
    assert samples.search(RAIN, spatial="off")["features"][0]["sonde:signals"]["spatial"] is None
    assert samples.search(RAIN, interpret="none")["sonde:interpretation"]["places"] == []


def test_pages_are_stable_and_end_with_the_window(samples: Service) -> None:
    whole = samples.ids(RAIN, limit=100)
    address, seen = f"/search?q={RAIN}&limit=7", []
    while address is not None:
        answer = samples.http.get(address).get_json()
        seen += [feature["id"].partition(":")[2] for feature in answer["features"]]
        following = [link["href"] for link in answer["links"] if link["rel"] == "next"]
        address = following[0] if following else None
    assert seen[:100] == whole
    assert len(seen) == len(set(seen)) == answer["numberMatched"]


def test_a_doi_goes_straight_to_its_record(samples: Service) -> None:
    feature = next(
        f for f in samples.search("", limit=100)["features"] if f["properties"]["externalIds"][0]["value"][:3] == "10."
    )
    doi = feature["properties"]["externalIds"][0]["value"]
    for question in (doi, f"https://doi.org/{doi.upper()}", f"doi:{doi}"):
        assert samples.search(question)["features"][0]["id"] == feature["id"]


@pytest.mark.parametrize("sign", ['"', "<", ">", "@", "#", "&", "~", "(", "[", "{", "|", "*", "\\", "^", "$"])
def test_a_sign_before_names_is_no_syntax(samples: Service, sign: str) -> None:
    question = f"Surface temperatures on Earth {sign}have stabilized.{sign} Data of {sign}Agency"
    assert samples.http.get("/search", query_string={"q": question}).status_code == 200


def test_nonsense_finds_nothing(samples: Service) -> None:
    assert samples.search("xqzt blorf wibble")["numberMatched"] == 0


def test_highlights_mark_the_words(samples: Service) -> None:
    first = samples.search("soil moisture", highlight="true")["features"][0]
    assert any("<em>" in fragment for fragments in first["sonde:highlights"].values() for fragment in fragments)


@pytest.mark.parametrize(
    "question",
    [
        "temperature since 1990 in the mountains of Europe",
        "Temperatur seit 1990 in den Alpen",
        "rain between 1950 and 2000",
    ],
)
def test_words_of_place_and_time_and_small_words_are_not_marked(samples: Service, question: str) -> None:
    hits = samples.search(question, highlight="true", algorithm="bm25", limit=30)["features"]
    fragments = [text for hit in hits for found in hit.get("sonde:highlights", {}).values() for text in found]
    marked = {word.lower() for text in fragments for word in re.findall("<em>(.*?)</em>", text)}
    assert any(word.startswith(("temperatur", "rain", "precipit")) for word in marked)
    assert not marked & {"since", "in", "the", "of", "seit", "den", "between", "and", "1990", "europe", "alpen"}


def test_an_empty_question_lists_what_passes_the_filters(samples: Service) -> None:
    assert samples.search()["numberMatched"] == 169
    assert samples.search("", provenance="reanalysis")["numberMatched"] >= 5


def test_a_question_with_only_a_place_is_answered_by_place(samples: Service) -> None:
    first = samples.search("Greenland", limit=5)["features"]
    assert all("Greenland" in f["properties"]["title"] or f["sonde:signals"]["spatial"] > 0.5 for f in first)
