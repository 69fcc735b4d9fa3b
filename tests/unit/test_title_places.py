"""Places that the titles of a catalogue's records name."""

from __future__ import annotations

from core.geo import BBox, Place
from es_mappings.codecs.title_places import from_document, to_document
from reading.gazetteer import Gazetteer, GazetteerName
from reading.places import PlaceReader
from reading.times import TimeReader
from reading.title_names import TitledBox, title_places
from search_api.search.curation import ActiveRules, CuratedGazetteer
from search_api.search.curation_rules import RuleKey, StoredRule
from search_api.search.understanding.title_places import CatalogueGazetteer, TitlePlaces
from search_api.search.understanding.understand import Understander
from search_api.search.views.geojson import interpretation
from tests.unit.test_understand import TODAY

AT_OUMALIK = BBox(-155.9, 69.8, -155.8, 69.9)
ELSEWHERE = BBox(10.0, 50.0, 10.1, 50.1)
WORLD = BBox(-180.0, -90.0, 180.0, 90.0)


def _records(title: str, box: BBox, count: int, text: str = "Measured at Oumalik.") -> list[TitledBox]:
    return [TitledBox(f"{title} {number}", f"{title}. {text}", [box]) for number in range(count)]


def _names(records: list[TitledBox]) -> list[str]:
    return [place.name for place in title_places(records)]


def test_three_records_at_one_place_give_its_name() -> None:
    (place,) = title_places(_records("soil of Oumalik", AT_OUMALIK, 3))
    assert (place.name, place.record_count, place.source) == ("Oumalik", 3, "catalogue")
    assert place.bbox.as_list() == [-155.95, 69.75, -155.75, 69.95]


def test_two_records_are_too_few() -> None:
    assert _names(_records("soil of Oumalik", AT_OUMALIK, 2)) == []


def test_records_that_lie_elsewhere_or_everywhere_contradict() -> None:
    agreeing = _records("soil of Oumalik", AT_OUMALIK, 4)
    assert _names([*agreeing, *_records("air of Oumalik", ELSEWHERE, 1)]) == ["Oumalik"]
    assert _names([*agreeing, *_records("air of Oumalik", ELSEWHERE, 2)]) == []
    assert _names([*agreeing, *_records("air of Oumalik", WORLD, 2)]) == []


def test_a_word_that_is_ordinary_somewhere_in_the_catalogue_is_no_name() -> None:
    records = _records("Summit radiosondes", AT_OUMALIK, 5, "Launched at Summit.")
    assert _names(records) == ["Summit"]
    assert _names([*records, *_records("Peaks", ELSEWHERE, 1, "From the summit of a mountain.")]) == []


def test_a_feature_alone_is_no_name_and_with_one_no_preposition_is_needed() -> None:
    assert _names(_records("Lake", AT_OUMALIK, 5, "At Lake.")) == []
    assert _names(_records("Fryxell Lake temperature", AT_OUMALIK, 5, "")) == ["Fryxell Lake"]


def test_names_of_instruments_and_acronyms_are_none() -> None:
    assert _names(_records("Photonics lidar", AT_OUMALIK, 5, "Made by Photonics.")) == []
    assert _names(_records("SHEBA soundings", AT_OUMALIK, 5, "at SHEBA")) == []
    assert _names(_records("Soundings [Walker]", AT_OUMALIK, 5, "at Walker")) == []


def test_the_end_of_a_longer_name_is_no_name() -> None:
    assert _names(_records("soil of Nova Oumalik", AT_OUMALIK, 3, "at Nova Oumalik, at Oumalik")) == [
        "Nova",
        "Nova Oumalik",
    ]


def test_places_are_stored_and_read_again() -> None:
    places = title_places(_records("soil of Oumalik", AT_OUMALIK, 3))
    assert from_document(to_document(places, "v", "2026-01-01T00:00:00Z")) == places


def _place(name: str, box: BBox) -> Place:
    return Place(name, "named_region", box, importance=0.35, estimated=True, source="catalogue", record_count=12)


def _gazetteer(*places: Place) -> CatalogueGazetteer:
    known_places = TitlePlaces.of(list(places))
    return CatalogueGazetteer(Gazetteer(), lambda: known_places)


def test_a_question_reads_a_place_of_the_catalogue_and_tells_its_origin() -> None:
    reader = PlaceReader(_gazetteer(_place("Oumalik", AT_OUMALIK)))
    understander = Understander(reader, TimeReader(lambda: TODAY))
    parsed = interpretation(understander.understand("permafrost at Oumalik", frozenset(("place",))))
    (place,) = parsed["places"]
    assert (place["name"], place["source"], place["records"]) == ("Oumalik", "catalogue", 12)
    assert PlaceReader(Gazetteer()).read("permafrost at Oumalik") == []


def test_a_well_known_place_of_the_gazetteer_stays() -> None:
    gazetteer = _gazetteer(_place("Denver", ELSEWHERE))
    assert gazetteer.named("denver") == Gazetteer().named("denver")


def test_of_small_places_the_one_where_the_records_lie_is_first() -> None:
    first = Place("Barrow", "city", BBox(-3.3, 54.0, -3.1, 54.1), "GB", 0.37)
    second = Place("Barrow", "city", BBox(-156.9, 71.2, -156.7, 71.4), "US", 0.31)
    base = _Barrows((first, second))
    place = _place("Barrow", ELSEWHERE)
    assert CatalogueGazetteer(base, lambda: TitlePlaces.of([place])).named("barrow") == GazetteerName(
        (place, first, second)
    )
    near = _place("Barrow", second.bbox)
    assert CatalogueGazetteer(base, lambda: TitlePlaces.of([near])).named("barrow") == GazetteerName((second, first))


class _Barrows(Gazetteer):
    def __init__(self, places: tuple[Place, ...]) -> None:
        super().__init__()
        self._places = places

    def named(self, key: str) -> GazetteerName | None:
        return GazetteerName(self._places) if key == "barrow" else None


def _curated(**members: object) -> CuratedGazetteer:
    key = RuleKey("places", "a", "")
    rules = ActiveRules.of([StoredRule(key, {"name": "Oumalik", **members}, "", "")], TODAY)
    return CuratedGazetteer(_gazetteer(_place("Oumalik", AT_OUMALIK)), lambda: rules)


def test_the_desk_corrects_and_removes_a_place_of_the_catalogue() -> None:
    corrected = _curated(bbox=[10.0, 50.0, 10.1, 50.1]).named("oumalik")
    assert corrected is not None
    assert corrected.places[0].bbox == ELSEWHERE
    assert _curated(no_place=True).named("oumalik") is None
