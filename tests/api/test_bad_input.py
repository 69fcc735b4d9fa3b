"""Bad input is a 400 that names the parameter, never a 500."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from search_api.search.views.search import FORM
from tests.service import Service

WRONG = [
    ({"bbox": "nan,0,1,1"}, "bbox"),
    ({"bbox": "1,2,3,4,5"}, "bbox"),
    ({"bbox": "0,10,1,5"}, "bbox"),
    ({"bbox": "0,0,200,5"}, "bbox"),
    ({"bbox": "inf,0,1,1"}, "bbox"),
    ({"bbox": ""}, "bbox"),
    ({"datetime": "2001-02-30/2002"}, "datetime"),
    ({"datetime": "2001-13"}, "datetime"),
    ({"datetime": "2010/2000"}, "datetime"),
    ({"datetime": "../.."}, "datetime"),
    ({"datetime": "yesterday"}, "datetime"),
    ({"datetime": "../+300000000"}, "datetime"),
    ({"datetime": "1/2/3"}, "datetime"),
    ({"q": "x" * 20_000}, "q"),
    ({"q": "rain\x00fall"}, "q"),
    ({"q": "rain\x1b[31m"}, "q"),
    ({"nonsense": "1"}, "nonsense"),
    ({"limit": "0"}, "limit"),
    ({"limit": "101"}, "limit"),
    ({"limit": "ten"}, "limit"),
    ({"algorithm": "magic"}, "algorithm"),
    ({"relation": "touches", "bbox": "0,0,1,1"}, "relation"),
    ({"relation": "within"}, "relation"),
    ({"place": "Xyzzyville-upon-Nowhere"}, "place"),
    ({"place": "Berlin", "bbox": "0,0,1,1"}, "place"),
    ({"spatial": "sideways"}, "spatial"),
    ({"interpret": "place,mood"}, "interpret"),
    ({"cursor": "????"}, "cursor"),
    ({"cursor": "eyJvIjo1LCJxIjoiYWJjIn0"}, "cursor"),
    ({"provenance": "guesswork"}, "provenance"),
    ({"explain": "perhaps"}, "explain"),
    ({"type": "a\x07"}, "type"),
    ({"f": "xml"}, "f"),
    ({"place": " "}, "place"),
    ({"geometry": ""}, "geometry"),
    ({"geometry": "POINT"}, "geometry"),
    ({"filter": ""}, "filter"),
    ({"sortby": ""}, "sortby"),
    ({"keyword": ""}, "keyword"),
    ({"interpret": ""}, "interpret"),
]


@pytest.mark.parametrize(("parameters", "named"), WRONG, ids=[f"{n}={str(p[n])[:24]!r}" for p, n in WRONG])
def test_a_wrong_value_is_refused_by_name(samples: Service, parameters: dict[str, str], named: str) -> None:
    answer = samples.http.get("/search", query_string={"q": "rain"} | parameters)
    assert answer.status_code == 400
    assert answer.mimetype == "application/problem+json"
    problem = answer.get_json()
    assert problem["parameter"] == named
    assert named in problem["detail"]


@pytest.mark.parametrize(
    ("address", "named", "says"),
    [
        ("/search?q=M%FCnchen", "q", "is not UTF-8"),
        ("/search?q=rain&type=dataset&type=%ED%A0%80", "type", "is not UTF-8"),
        ("/collections/all/items?limit=5&limit=6", "limit", "give it once"),
        ("/search?q=rain&q=snow", "q", "give it once"),
        ("/search?q=rain&limit=1.5", "limit", "a whole number"),
        ("/search?q=rain&explain=perhaps", "explain", "true or false"),
        ("/collections/all/items/samples:argo-gdac/provenance?limit=5", "limit", "Unknown parameter"),
        ("/collections/all/items/samples:argo-gdac/preview?width=90", "width", "Unknown parameter"),
        ("/harvest/sources?limit=5", "limit", "Unknown parameter"),
        ("/collections/all/items?bbox=0,0,1_0,5&bbox-crs=http://www.opengis.net/def/crs/EPSG/0/4326", "bbox", "1_0"),
    ],
)
def test_a_parameter_that_a_view_would_read_as_something_else_is_refused(
    samples: Service, address: str, named: str, says: str
) -> None:
    answer = samples.http.get(address)
    problem = answer.get_json()
    assert (answer.status_code, problem["parameter"]) == (400, named)
    assert says in problem["detail"]


def test_a_list_may_be_given_several_times_and_any_value_twice(samples: Service) -> None:
    assert samples.http.get("/search?q=rain&type=dataset&type=series&limit=5&limit=5").status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/search", {"type": {"a": "dataset"}}, "type: is a text, or a list of texts"),
        ("/ask", {"question": " "}, "question: is empty"),
        ("/ask", {"question": "rain?", "turns": [{"answer": "x"}]}, "turns[0].question: Field required"),
    ],
)
def test_a_wrong_member_of_a_body_is_named(samples: Service, path: str, body: object, says: str) -> None:
    answer = samples.http.post(path, json=body)
    assert (answer.status_code, answer.get_json()["detail"]) == (400, says)


def test_a_body_takes_one_value_for_a_list_and_a_filter_as_an_object(samples: Service) -> None:
    filter_ = {"op": "=", "args": [{"property": "type"}, "dataset"]}
    one, several = ({"q": "rain", "keyword": keyword, "filter": filter_} for keyword in ("x", ["x"]))
    answers = [samples.http.post("/search", json=body) for body in (one, several)]
    assert [answer.status_code for answer in answers] == [200, 200]
    answer = samples.http.post("/search", data="q=rain&limit=5&limit=6", content_type=FORM)
    assert (answer.status_code, answer.get_json()["parameter"]) == (400, "limit")


@pytest.mark.parametrize("path", ["/documents/x", "/documents/x/file", f"/documents/{'0' * 32}"])
def test_an_id_that_no_document_has_is_not_found(samples: Service, path: str) -> None:
    answer = samples.http.get(path)
    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_a_body_that_is_no_object_is_named(samples: Service) -> None:
    for path in ("/ask", "/stac/search", "/embeddings"):
        answer = samples.http.post(path, data="rain")
        assert (answer.status_code, answer.get_json()["parameter"]) == (400, "body")


@pytest.mark.parametrize(
    "q",
    [
        "Preventing future pandemics requires more not less “industrial” agriculture",
        "‘rain’ «snow» ‹hail› ″wind″",
        "⸨sea⸩ ice ⁅thickness⁆",
        'rain "gauges" <in> Africa @ #1 & ~snow',
    ],
)
def test_quotation_marks_and_brackets_of_any_alphabet_are_only_signs(samples: Service, q: str) -> None:
    answer = samples.http.get("/search", query_string={"q": q})
    assert answer.status_code == 200
    assert answer.get_json()["sonde:degraded"] == []


def test_a_cursor_past_the_end_is_refused(samples: Service) -> None:
    from search_api.search.parameters import SearchParameters, cursor_for

    beyond = cursor_for(SearchParameters(q="rain"), 900)
    answer = samples.http.get("/search", query_string={"q": "rain", "cursor": beyond})
    assert answer.status_code == 400
    assert answer.get_json()["parameter"] == "cursor"


def test_a_cursor_of_another_question_is_refused(samples: Service) -> None:
    from search_api.search.parameters import SearchParameters, cursor_for

    other = cursor_for(SearchParameters(q="snow"), 10)
    assert samples.http.get("/search", query_string={"q": "rain", "cursor": other}).status_code == 400


def test_an_unknown_path_and_a_wrong_method_are_problems_too(samples: Service) -> None:
    assert samples.http.get("/nowhere").mimetype == "application/problem+json"
    answer = samples.http.delete("/search")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]


@pytest.mark.parametrize(
    ("given", "place"), [("", "input"), (" \n", "input"), (["a", ""], "input.1"), (["\u00a0\t", "b"], "input.0")]
)
def test_an_empty_text_to_embed_is_refused_with_its_position(samples: Service, given: object, place: str) -> None:
    answer = samples.http.post("/embeddings", json={"input": given})
    assert answer.status_code == 400
    assert f"{place}: the text is empty" in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b'{"input": []}', b'{"input": [1]}', b'{"input": "a", "x": 1}']
)
def test_a_wrong_body_of_embeddings_is_refused(samples: Service, body: bytes) -> None:
    answer = samples.http.post("/embeddings", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.mimetype == "application/problem+json"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    q=st.text(max_size=60),
    bbox=st.one_of(
        st.none(), st.text(max_size=20), st.lists(st.floats(), max_size=5).map(lambda n: ",".join(map(str, n)))
    ),
    datetime=st.one_of(st.none(), st.text(max_size=20)),
)
def test_no_text_at_all_makes_it_fail(samples: Service, q: str, bbox: str | None, datetime: str | None) -> None:
    given_ = {"q": q, "bbox": bbox, "datetime": datetime, "rerank": "false"}
    answer = samples.http.get(
        "/search", query_string={name: value for name, value in given_.items() if value is not None}
    )
    assert answer.status_code in (200, 400)
