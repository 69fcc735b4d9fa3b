"""Places of short questions: the judged phrases of the shared folder, and kinds of names that are no places."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from core.geo import BBox
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from tests.shared_data import shared_data

READER = PlaceReader(Gazetteer())
MOST_PLACES = 5


@dataclass(frozen=True, slots=True)
class Expected:
    longitude: float
    latitude: float
    tolerance_deg: float

    def fits(self, box: BBox) -> bool:
        longitude, latitude = box.centre
        apart = abs((longitude - self.longitude + 180.0) % 360.0 - 180.0)
        return apart <= self.tolerance_deg and abs(latitude - self.latitude) <= self.tolerance_deg


def _phrases() -> list[tuple[str, list[Expected]]]:
    rows = shared_data("places", "phrases.txt").read_text(encoding="utf-8").splitlines()
    fields = [row.split("|") for row in rows if row and not row.startswith("#")]
    return [
        (question, [Expected(*map(float, point.split(","))) for point in points.split(";") if point])
        for _, question, points in fields
    ]


def test_most_phrases_give_exactly_their_places() -> None:
    right = read = hits = expected = 0
    for question, points in _phrases():
        boxes = [mention.place.bbox for mention in READER.read(question, max_mentions=MOST_PLACES)]
        remaining = list(points)
        for box in boxes:
            point = next((point for point in remaining if point.fits(box)), None)
            if point is not None:
                remaining.remove(point)
        found = len(points) - len(remaining)
        right, read, hits, expected = (
            right + (found == len(boxes) == len(points)),
            read + len(boxes),
            hits + found,
            (expected + len(points)),
        )
    assert (right >= 190, hits / read >= 0.97, hits / expected >= 0.96) == (True, True, True), (right, read, hits)


@pytest.mark.parametrize(
    "question",
    [
        "Geneva Convention text",
        "Kigali Amendment HFC",
        "Canada goose migration",
        "Nile perch invasion",
        "Aleppo pine drought",
        "Lima bean yield",
        "West Nile virus",
        "Carolina wren song",
        "Georgia Tech aircraft",
        "Houston Smith temperature",
        "Madison Jones lidar",
        "Hamilton equation",
        "Manchester scheme advection",
        "Hamilton operator",
        "Phoenix lander",
        "Montreal process criteria",
        "Cayenne pepper",
        "Brussels sprouts",
        "Norway rat",
        "California condor",
        "Indian Ocean Dipole",
        "Pacific decadal oscillation",
        "Florida International University",
        "University of Southern California",
        "Steamboat Springs snow",
        "wild turkey habitat",
        "chili peppers",
        "Raman spectra of ice",
        "lidar Raman",
        "Hudson valley ozone",
        "sonata in D major",
        "rime on Mt. Washington",
        "Barrow upon Soar flooding",
        "US Minor Outlying Islands seabirds",
        "Virginia opossum range",
        "precipitation at Walden, CO",
        "Havana cigars",
        "the Chicago Tribune on smog",
        "Copenhagen interpretation",
    ],
)
def test_a_name_of_something_else_is_no_place(question: str) -> None:
    assert READER.read(question) == []


@pytest.mark.parametrize(
    ("question", "place", "country"),
    [
        ("Moscow Idaho wheat", "Moscow", "US"),
        ("portland maine tides", "Portland", "US"),
        ("Wellington NZ wind", "Wellington", "NZ"),
        ("Denver CO ozone", "Denver", "US"),
        ("Mobile Alabama flood", "Mobile", "US"),
        ("snow depth Inuvik", "Inuvik", "CA"),
        ("Birmingham air quality", "Birmingham", "GB"),
        ("Norman tornado", "Norman", "US"),
        ("Virginia coast erosion", "Virginia", "US"),
        ("soil moisture at Rothamsted", "Rothamsted", "GB"),
        ("US Virgin Islands corals", "United States Virgin Islands", "VI"),
        ("Barrow in Furness tides", "Barrow in Furness", "GB"),
        ("Boston globe temperature", "Boston", "US"),
        ("Cold Bay Alaska wind", "Cold Bay", "US"),
        ("snow in Bethel Alaska", "Bethel", "US"),
        ("Leadville Colorado rain", "Leadville", "US"),
        ("Canadian rivers", "Canada", "CA"),
        ("Virginia forest carbon", "Virginia", "US"),
    ],
)
def test_a_place_needs_no_comma_and_no_preposition(question: str, place: str, country: str) -> None:
    (mention,) = READER.read(question)
    assert (mention.place.name, mention.place.country) == (place, country)


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("correnti nel Pacifico", "Pacific Ocean"),
        ("salinidad en el Atlántico", "Atlantic Ocean"),
        ("nubes por encima del Atlántico", "Atlantic Ocean"),
        ("niebla en Atlántico, Colombia", "Atlántico"),
        ("neige à l'est du Canada", "Canada"),
        ("Wind über dem Indischen Ozean", "Indian Ocean"),
        ("lluvia en los Andes", "Andes"),
        ("débit du fleuve Mackenzie", "Mackenzie River"),
        ("Kotzebue sea ice", "Kotzebue"),
        ("pluie à l'ouest de la Bolivie", "Bolivia"),
        ("Kiruna", "Kiruna"),
        ("ozone in Kiruna", "Kiruna"),
    ],
)
def test_a_name_alone_is_the_ocean_and_a_side_is_no_province(question: str, place: str) -> None:
    (mention,) = READER.read(question)
    assert mention.place.name == place


def test_a_capital_in_a_long_sentence_is_no_evidence() -> None:
    assert READER.read("Gore claims that the film about the warming of the climate was accurate") == []


@pytest.mark.parametrize("question", ["Schnee in Boulder", "Regen um Boulder"])
def test_a_german_noun_after_a_preposition_may_be_a_city(question: str) -> None:
    (mention,) = READER.read(question, "de")
    assert mention.place.name == "Boulder"
