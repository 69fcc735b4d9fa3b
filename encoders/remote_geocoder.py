"""Place names looked up at a Photon or Nominatim service, through the gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.deadlines import Breaker, BreakerPolicy, CircuitOpen
from core.errors import SondeError, Unavailable
from core.geo import BBox, Place, PlaceKind
from core.json_types import JsonMapping
from core.ports import Geocoder
from encoders.specs import GeocoderSpec
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of

# After a failure the service is not called for this long, so that not every question waits for its timeout.
_REST_S = 30.0
_POINT_HALF_DEG = 0.1
_LONGEST_NAME = 200
_MAX_BYTES = 2_000_000
_KINDS: Mapping[str, PlaceKind] = {
    "continent": "continent",
    "country": "country",
    "state": "region",
    "region": "region",
    "province": "region",
    "county": "region",
    "district": "region",
    "sea": "sea",
    "ocean": "sea",
    "bay": "sea",
    "strait": "sea",
    "island": "island",
    "islet": "island",
    "archipelago": "island",
    "city": "city",
    "town": "city",
    "village": "city",
    "municipality": "city",
}


class RemoteGeocoder:
    """core.ports.Geocoder. Raises Unavailable while the service is down: the caller then uses its own gazetteer."""

    def __init__(self, spec: GeocoderSpec, gate: Gate) -> None:
        self._spec = spec
        self._gate = gate
        self._breaker = Breaker(f"The geocoder {self._host}", BreakerPolicy(failures=1, pause_s=_REST_S))
        self._cached_ask = lru_cache(maxsize=spec.remembered)(self._ask)

    def lookup(self, name: str) -> list[Place]:
        """Places, best first; an unknown name gives none. Only answers are cached, not failures."""
        query = " ".join(name.split())
        if not query or len(query) > _LONGEST_NAME:
            return []
        return list(self._cached_ask(query.casefold()))

    def _ask(self, name: str) -> tuple[Place, ...]:
        try:
            with self._breaker.guarding(SondeError):
                answer = self._gate.request(self._question(name)).expect_ok().parsed()
        except CircuitOpen:
            raise
        except SondeError as error:
            raise Unavailable(f"the geocoder is not available: {error}") from error
        return _PARSERS[self._spec.kind](answer)

    def _question(self, name: str) -> Outgoing:
        spec = self._spec
        root, limit = spec.url.rstrip("/"), str(spec.limit)
        language = {"accept-language": spec.language}
        if spec.kind == "photon":
            url, params = f"{root}/api", {"q": name, "limit": limit, "lang": spec.language}
        else:
            url, params = f"{root}/search", {"q": name, "limit": limit, "format": "jsonv2", "addressdetails": "1"}
        return Outgoing(url, params=params, headers=language, timeout_s=spec.timeout_s, max_bytes=_MAX_BYTES)

    @property
    def _host(self) -> str:
        return host_of(self._spec.url)


def photon_places(answer: object) -> tuple[Place, ...]:
    """A GeoJSON FeatureCollection; ``extent`` is west, north, east, south. Unreadable places are left out."""
    return _readable(_photon_place, answer.get("features") if isinstance(answer, Mapping) else None)


def nominatim_places(answer: object) -> tuple[Place, ...]:
    """A list in ``jsonv2``; ``boundingbox`` is south, north, west, east, as strings. Unreadable places are left out."""
    return _readable(_nominatim_place, answer)


_PARSERS = {"photon": photon_places, "nominatim": nominatim_places}


def _readable(read_place: Callable[[Any, int], Place], items: object) -> tuple[Place, ...]:
    places = []
    for rank, item in enumerate(items if isinstance(items, list) else []):
        try:
            places.append(read_place(item, rank))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return tuple(places)


def _photon_place(feature: JsonMapping, rank: int) -> Place:
    properties = feature["properties"]
    longitude, latitude = (float(number) for number in feature["geometry"]["coordinates"][:2])
    box = None
    if extent := properties.get("extent"):
        west, north, east, south = (float(number) for number in extent)
        box = BBox(west, min(south, north), east, max(south, north))
    kind = _kind(properties.get("osm_value"), properties.get("type"))
    place_box = _PlaceBox(box or _box_around(longitude, latitude), estimated=box is None)
    # Photon gives an order but no number: the rank becomes the number.
    return _place(str(properties["name"]), kind, place_box, properties.get("countrycode"), 1.0 / (rank + 1), "photon")


def _nominatim_place(item: JsonMapping, rank: int) -> Place:
    box = None
    if "boundingbox" in item:
        south, north, west, east = (float(number) for number in item["boundingbox"])
        box = BBox(west, south, east, north)
    name = str(item.get("name") or item["display_name"].partition(",")[0])
    place_box = _PlaceBox(box or _box_around(float(item["lon"]), float(item["lat"])), estimated=box is None)
    importance = float(item.get("importance") or 1.0 / (rank + 1))
    country = item.get("address", {}).get("country_code")
    return _place(name, _kind(item.get("addresstype"), item.get("type")), place_box, country, importance, "nominatim")


@dataclass(frozen=True, slots=True)
class _PlaceBox:
    box: BBox
    estimated: bool


def _place(name: str, kind: PlaceKind, place_box: _PlaceBox, country: object, importance: float, source: str) -> Place:
    code = str(country).upper() if country else None
    return Place(name, kind, place_box.box, code, min(max(importance, 0.0), 1.0), place_box.estimated, source)


def _box_around(longitude: float, latitude: float) -> BBox:
    """A small box around a point, inside the map."""
    half = _POINT_HALF_DEG
    return BBox(
        max(longitude - half, -180.0),
        max(latitude - half, -90.0),
        min(longitude + half, 180.0),
        min(latitude + half, 90.0),
    )


def _kind(*words: object) -> PlaceKind:
    return next((_KINDS[word] for word in words if isinstance(word, str) and word in _KINDS), "named_region")


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
