"""Two geocoders as one: the second answers if the first is down or does not know a name."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import Unavailable
from core.place import Place
from core.ports import Geocoder


@dataclass(frozen=True, slots=True)
class FallbackGeocoder:
    """Implements the port ``Geocoder``; never raises Unavailable as long as ``second`` does not."""

    first: Geocoder
    second: Geocoder

    def lookup(self, name: str) -> list[Place]:
        try:
            return self.first.lookup(name) or self.second.lookup(name)
        except Unavailable:
            return self.second.lookup(name)
