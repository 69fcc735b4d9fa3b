"""A geocoder that is down is replaced by the gazetteer."""

from __future__ import annotations

from core.errors import Unavailable
from core.geo import BBox, Place
from encoders.remote_geocoder import FallbackGeocoder

HERE = Place("Here", "city", BBox(0, 0, 1, 1))
THERE = Place("There", "city", BBox(2, 2, 3, 3))


class _Known:
    """A geocoder that knows the given places by name."""

    def __init__(self, *places: Place) -> None:
        self._places = places

    def lookup(self, name: str) -> list[Place]:
        return [place for place in self._places if place.name == name]


class _Down:
    def lookup(self, name: str) -> list[Place]:
        raise Unavailable(f"down while asked for {name}")


def test_the_first_answers_where_it_knows() -> None:
    both = FallbackGeocoder(_Known(HERE), _Known(Place("Here", "sea", BBox(5, 5, 6, 6)), THERE))
    assert both.lookup("Here") == [HERE]
    assert both.lookup("There") == [THERE]
    assert both.lookup("Nowhere") == []


def test_the_second_answers_while_the_first_is_down() -> None:
    assert FallbackGeocoder(_Down(), _Known(HERE)).lookup("Here") == [HERE]
