"""Completions while typing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.names import folded_phrase
from search_api.search.suggester import slips, slips_in
from tests.service import Service


def suggested(samples: Service, typed: str) -> dict[str, list[str]]:
    answer = samples.http.get("/suggest", query_string={"q": typed})
    assert answer.status_code == 200, answer.text
    body = answer.get_json()
    return {
        "titles": [one["title"] for one in body["titles"]],
        "keywords": [one["term"] for one in body["keywords"]],
        "places": [one["name"] for one in body["places"]],
    }


def test_titles_go_on_as_typed(samples: Service) -> None:
    assert any("Soil Moisture" in title for title in suggested(samples, "soil moi")["titles"])
    assert all("era5" in title.lower() for title in suggested(samples, "era5")["titles"])


def test_keywords_are_met_in_the_middle_of_a_path(samples: Service) -> None:
    assert any(term.endswith("sea surface temperature") for term in suggested(samples, "sea surf")["keywords"])


@pytest.mark.parametrize(("typed", "place"), [("Bots", "Botswana"), ("zambai", "Zambia"), ("south afr", "South Africa"),
                                              ("ITA", "Italy"), ("grönl", "Greenland")])  # fmt: skip
def test_places_are_named(samples: Service, typed: str, place: str) -> None:
    assert place in suggested(samples, typed)["places"]


@pytest.mark.parametrize("typed", ["precipitaton", "temparature", "glaceir"])
def test_a_slip_of_the_finger_is_forgiven(samples: Service, typed: str) -> None:
    found = suggested(samples, typed)
    assert found["titles"]
    assert found["keywords"]


@pytest.mark.parametrize("typed", ["", " ", "(", '"', "[a-z]*", "\\", ".*", "a" * 200, "😀", "🇩🇪", "<b>", "&&", "~"])
def test_any_text_is_answered(samples: Service, typed: str) -> None:
    suggested(samples, typed)


def test_the_browser_gets_its_own_form(samples: Service) -> None:
    answer = samples.http.get("/suggest/opensearch?q=soil")
    assert answer.mimetype == "application/x-suggestions+json"
    assert answer.get_json(force=True)[0] == "soil"


@pytest.mark.parametrize(
    ("typed", "name", "most", "expected"),
    [
        ("rain", "rainfall", 0, 0),
        ("rian", "rainfall", 1, 1),  # swapped
        ("rein", "rainfall", 1, 1),  # changed
        ("ranfall", "rainfall", 1, 1),  # left out
        ("raiinf", "rainfall", 1, 1),  # put in
        ("snow", "rainfall", 1, None),
    ],
)
def test_slips_are_counted(typed: str, name: str, most: int, expected: int | None) -> None:
    assert slips(typed, name, most) == expected


def test_a_later_word_may_begin_as_typed() -> None:
    assert slips_in("temp", "sea surface temperature", 0) == 0
    assert slips_in("mper", "sea surface temperature", 0) is None


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_beginning_has_no_slips(typed: str, rest: str) -> None:
    assert slips(typed, typed + rest, 2) == 0
    assert folded_phrase(folded_phrase(typed)) == folded_phrase(typed)
