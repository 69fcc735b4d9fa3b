"""Places read out of questions: hard cases by name."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import BBox, Entity, Place
from reading.gazetteer import Gazetteer
from reading.places import PlaceMention, PlaceReader

READER = PlaceReader(Gazetteer())


def _found(text: str, language: str | None = None) -> list[tuple[str, str]]:
    return [(mention.text, mention.place.name) for mention in READER.read(text, language)]


def _only(text: str) -> PlaceMention:
    (mention,) = READER.read(text)
    return mention


@pytest.mark.parametrize(
    "text",
    [
        "snow depth and ice thickness",
        "global mean temperature",
        "data on mobile sources of nitrogen",
        "reading soil moisture sensors",
        "Reading soil moisture sensors",
        "nice plots of orange clouds",
        "soil moisture at Marshall field site",
        "flux from Marshall tower",
        "monsone indiano",
        "most recent sea ice extent in march",
        "tell us about rain",
        "polish the data",
        "soil organic carbon of crop land",
        "Global Sea Level Rise And Ocean Heat Content",
        "ERA5 reanalysis with the CMIP6 model output",
        "GRACE gravity and Argo floats",
        "Newton series and the Taylor diagram",
        "John Hamilton data archive",
        "PISA in the field",
        "University of Alabama sounding data",
        "Colorado State University",
        "Hurricane Florence rainfall",
        "",
        "???",
    ],
)
def test_words_are_not_places(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rainfall in southern Africa since 1990", [("southern Africa", "Southern Africa")]),
        ("rainfall in southern africa", [("southern africa", "Southern Africa")]),
        ("drought in South Africa", [("South Africa", "South Africa")]),
        ("climate data berlin", [("berlin", "Berlin")]),
        ("greenhouse gases Italy", [("Italy", "Italy")]),
        ("greenhouse gas measurements north of Italy since 2010", [("Italy", "Italy")]),
        ("temperature of the Baltic", [("Baltic", "Baltic Sea")]),
        ("Baltic Sea salinity", [("Baltic Sea", "Baltic Sea")]),
        ("Nile basin discharge", [("Nile basin", "Nile")]),
        ("Lake Victoria water level", [("Lake Victoria", "Lake Victoria")]),
        ("snow at Marshall", [("Marshall", "Marshall")]),
        ("precipitazioni nell'Indiano", [("Indiano", "Indian Ocean")]),
        ("chuvas no Índico", [("Índico", "Indian Ocean")]),
        ("Victoria Island permafrost", [("Victoria Island", "Victoria Island")]),
        ("Victoria bushfires", [("Victoria", "Victoria")]),
        ("Italian rainfall", [("Italian", "Italy")]),
        ("Alpine glaciers", [("Alpine", "Alps")]),
        ("Polish rivers", []),  # first in its sentence, the capital says nothing
        ("floods of Polish rivers", [("Polish", "Poland")]),
        ("weather in Reading", [("Reading", "Reading")]),
        ("air quality in Nice", [("Nice", "Nice")]),
        ("air quality near Mobile, Alabama", [("Mobile, Alabama", "Mobile")]),
        ("Paris, Texas", [("Paris, Texas", "Paris")]),
        ("radar at Boulder, CO", [("Boulder, CO", "Boulder")]),
        ("US precipitation", [("US", "United States of America")]),
        ("U.S. precipitation", [("U.S", "United States of America")]),
        ("ICE THICKNESS IN THE BERING SEA", [("BERING SEA", "Bering Sea")]),
        ("Colorado River runoff", [("Colorado River", "Colorado River")]),
        ("monsoon over India and Bangladesh", [("India", "India"), ("Bangladesh", "Bangladesh")]),
        ("Fiji cyclones", [("Fiji", "Fiji")]),
        ("Svalbard and Greenland", [("Svalbard", "Svalbard"), ("Greenland", "Greenland")]),
        ("sediment cores, Gulf of Mexico", [("Gulf of Mexico", "Gulf of Mexico")]),
        ("Niederschlag in Südafrika", [("Südafrika", "South Africa")]),
        ("température de la mer Baltique", [("mer Baltique", "Baltic Sea")]),
        ("temperatura en España", [("España", "Spain")]),
        ("Chad", [("Chad", "Chad")]),
    ],
)
def test_places_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert _found(text) == expected


def test_german_capitals_prove_nothing() -> None:
    assert _found("Daten zu Regen, Essen und Halle", "de") == []
    assert _found("Wasserqualität der Ostsee", "de") == [("Ostsee", "Baltic Sea")]


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("temperature in Georgia", "GE"),
        ("Georgia and Armenia earthquakes", "GE"),
        ("temperature in Georgia and Alabama", "US"),
        ("soil in the state of Georgia", "US"),
        ("Georgia, USA crop yields", "US"),
        ("floods near Atlanta and Georgia", "US"),
    ],
)
def test_georgia_is_settled_by_its_context(text: str, country: str) -> None:
    georgia = next(mention for mention in READER.read(text) if "Georgia" in mention.text)
    assert georgia.place.country == country
    assert any(other.country != country for other in georgia.alternatives)


def test_the_country_after_the_comma_leaves_no_choice() -> None:
    assert [m.place.country for m in READER.read("voyage from Seattle, USA to Hobart, Australia")] == ["US", "AU"]


def test_an_island_a_lake_and_a_state_are_different_places() -> None:
    kinds = [_only(name).place.kind for name in ("Victoria Island", "Lake Victoria", "rain in Victoria")]
    assert kinds == ["island", "sea", "region"]


def test_a_direction_takes_the_half_of_a_box() -> None:
    italy = _only("rain in Italy").place.bbox
    mention = _only("rain in northern Italy")
    assert mention.text == "northern Italy"
    middle = round(italy.south + italy.height_deg / 2, 4)
    assert mention.place.bbox == BBox(italy.west, middle, italy.east, italy.north)
    assert mention.place.estimated


def test_a_direction_of_two_words_takes_a_quarter() -> None:
    brazil, quarter = _only("Brazil").place.bbox, _only("north-eastern Brazil").place.bbox
    assert (quarter.north, quarter.east) == (brazil.north, brazil.east)
    assert quarter.width_deg == pytest.approx(brazil.width_deg / 2)


def test_a_direction_across_the_antimeridian() -> None:
    half = _only("eastern Russia").place.bbox
    whole = _only("Russia").place.bbox
    assert half.east == whole.east
    assert half.width_deg == pytest.approx(whole.width_deg / 2)


def test_south_of_a_place_is_not_its_southern_part() -> None:
    assert _only("south of Italy").place.name == "Italy"


def test_a_preposition_raises_confidence() -> None:
    assert _only("rain in Kenya").confidence > _only("Kenya rain").confidence


def test_an_adjective_is_less_sure_than_a_name() -> None:
    assert _only("Kenyan rain").confidence < _only("Kenya rain").confidence


@dataclass(frozen=True)
class Recogniser:
    """Finds the names it was told, like the real one."""

    known: tuple[tuple[str, str], ...]

    def entities(self, text: str) -> list[Entity]:
        return [
            Entity(name, text.index(name), text.index(name) + len(name), label)
            for name, label in self.known
            if name in text
        ]


class Remote:
    """A geocoder that knows one place."""

    def lookup(self, name: str) -> list[Place]:
        return [Place("Tiny Creek", "city", BBox(1, 2, 3, 4))] if name == "Tiny Creek" else []


class Unasked:
    """A geocoder that nobody may ask."""

    def lookup(self, name: str) -> list[Place]:
        raise AssertionError(f"asked about {name!r}")


@pytest.mark.parametrize("label", ["GPE", "PERSON"])
def test_the_rules_decide_on_names_that_the_gazetteer_knows(label: str) -> None:
    reader = PlaceReader(Gazetteer(), Recogniser((("Tartu", label), ("Kenya", label))), Unasked())
    # First in a sentence longer than keywords, and not large: no evidence.
    assert reader.read("Tartu radiosondes and what they measured in the lowest ten kilometres") == []
    assert reader.read("Kenya rain") == READER.read("Kenya rain")


def test_a_name_is_not_geocoded_without_a_geocoder_or_as_no_place() -> None:
    assert PlaceReader(Gazetteer(), Recogniser((("Tiny Creek", "GPE"),))).read("rain at Tiny Creek") == []
    assert PlaceReader(Gazetteer(), Recogniser((("Tiny Creek", "ORG"),)), Unasked()).read("rain at Tiny Creek") == []


def test_an_entity_unknown_to_the_gazetteer_goes_to_the_geocoder() -> None:
    reader = PlaceReader(Gazetteer(), Recogniser((("Tiny Creek", "GPE"),)), Remote())
    (mention,) = reader.read("rain at Tiny Creek")
    assert mention.place.bbox == BBox(1, 2, 3, 4)


def test_coordinates_and_names_stand_side_by_side() -> None:
    mentions = READER.read("wind between 10S and 20S in Kenya")
    assert [(m.source, m.place.name) for m in mentions] == [
        ("coordinates", "between 10S and 20S"),
        ("gazetteer", "Kenya"),
    ]


_PIECES = st.sampled_from(
    ["rain", "in", "Georgia", "USA", ",", "northern", "Italy", "10S", "52.5, 13.4", "Paris", "Texas", "US", "(", "Nice"]
)


@given(st.lists(_PIECES, max_size=12).map(" ".join) | st.text(max_size=60))
def test_mentions_never_overlap_and_quote_the_text(text: str) -> None:
    mentions = READER.read(text)
    for mention in mentions:
        assert text[mention.start : mention.end] == mention.text
        assert 0.0 <= mention.confidence <= 1.0
    for before, after in pairwise(mentions):
        assert before.end <= after.start
