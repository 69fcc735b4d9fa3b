"""A cursor that somebody wrote by hand is refused by name: never by 5xx, and never in Elasticsearch's own words."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.service import Service

ITEMS = "/collections/samples/items"
JAVA = ("exception", "java", "Cannot invoke", "long value", "Elasticsearch")

Address = tuple[str, dict[str, str], str]
LISTINGS: tuple[Address, ...] = (
    (ITEMS, {"limit": "2"}, "cursor"),
    (ITEMS, {"limit": "2", "sortby": "updated"}, "cursor"),
    (ITEMS, {"limit": "2", "sortby": "-resolution,title"}, "cursor"),
    (ITEMS, {"limit": "2", "sortby": "scale"}, "cursor"),
    ("/stac/collections/samples/items", {"limit": "1"}, "token"),
    ("/dcat", {"limit": "2"}, "cursor"),
    ("/search", {"q": "rain", "limit": "1"}, "cursor"),
)
BAD_VALUES: tuple[Any, ...] = (
    None,
    True,
    {},
    [],
    {"$gt": 1},
    "x" * 3000,
    "\ud800",
    2**70,
    -(2**70),
    float("inf"),
    float("nan"),
    1.5,
    "1e999",
)


def cursor_of(samples: Service, address: Address) -> str:
    path, asked, name = address
    answer = samples.http.get(path, query_string=asked)
    if path == "/dcat":
        text = answer.get_data(as_text=True)
        return text.partition("cursor=")[2].partition(">")[0].partition("&")[0]
    links = answer.get_json()["links"]
    following = next(link["href"] for link in links if link["rel"] == "next")
    return parse_qs(urlsplit(following).query)[name][0]


def opened(cursor: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))


def closed(inside: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(inside).encode()).decode().rstrip("=")


def crafted(inside: Any) -> list[Any]:
    """What was in a cursor, with each value in turn replaced by each bad one, and with one less and one more."""
    if isinstance(inside, dict):
        return [{**inside, key: bad} for key in inside for bad in BAD_VALUES] + [{}, {**inside, "more": 1}]
    made = [[*inside[:at], bad, *inside[at + 1 :]] for at in range(len(inside)) for bad in BAD_VALUES]
    return [*made, inside[:-1], [*inside, "x"], [], {"a": 1}, 7]


@pytest.mark.parametrize("address", LISTINGS, ids=lambda one: f"{one[0]} {one[1].get('sortby', '')}")
def test_a_crafted_cursor_is_refused_by_name(samples: Service, address: Address) -> None:
    path, asked, name = address
    inside = opened(cursor_of(samples, address))
    for wrong in crafted(inside):
        answer = samples.http.get(path, query_string={**asked, name: closed(wrong)})
        text = answer.get_data(as_text=True)
        if answer.status_code == 200:  # a missing text is a place in an order by texts, 1.5 one in an order by numbers
            assert {type(one) for one in wrong} & {type(None), float, str}, wrong
            continue
        assert answer.status_code == 400, (wrong, text)
        assert answer.get_json()["parameter"] == name
        assert not any(word in text for word in JAVA), text


def test_a_crafted_resumption_token_is_an_error_of_the_protocol(samples: Service) -> None:
    asked = {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc", "set": "samples"}
    text = samples.http.get("/oai", query_string=asked).get_data(as_text=True)
    token = text.partition("<resumptionToken")[2].partition(">")[2].partition("<")[0]
    inside = opened(token)
    assert (
        samples.http.get("/oai", query_string={"verb": "ListIdentifiers", "resumptionToken": token}).status_code == 200
    )
    for wrong in [*crafted(inside), {**inside, "after": [10**30, "x"]}, {**inside, "since": "0001-01-01"}]:
        answer = samples.http.get("/oai", query_string={"verb": "ListIdentifiers", "resumptionToken": closed(wrong)})
        said = answer.get_data(as_text=True)
        assert answer.status_code == 200, (wrong, said)
        harmless = isinstance(wrong, dict) and (wrong.get("set") != "samples" or None in wrong.values())
        assert "badResumptionToken" in said or harmless, (wrong, said)
        assert not any(word in said for word in JAVA)


def test_a_number_with_a_huge_exponent_is_refused(samples: Service) -> None:
    token = base64.urlsafe_b64encode(
        b'{"phase":"records","verb":"ListRecords","prefix":"oai_dc","seen":1e999}'
    ).decode()
    answer = samples.http.get("/oai", query_string={"verb": "ListRecords", "resumptionToken": token})
    assert (answer.status_code, b"badResumptionToken" in answer.data) == (200, True)


def test_what_elasticsearch_says_of_a_search_it_refuses_is_for_the_log(samples: Service) -> None:
    """A page that lies past its window of 10,000 makes it refuse."""
    from core.errors import Unavailable
    from es_gateway.searching import search_all

    with pytest.raises(Unavailable) as refused:
        search_all(samples.client, [{"index": f"{samples.prefix}-records"}, {"from": 10_000, "size": 1}])
    assert not any(word in str(refused.value) for word in ("exception", "window", "[index.max_result_window]"))
