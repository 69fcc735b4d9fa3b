"""A record, which knows its title, places, times and links; hits, and pages of them; records as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from sonde_client.data_links import DataLink, data_links, first_grid
from sonde_client.display import Box, Entry, Reason, entries_html, record_html
from sonde_client.errors import import_extra

_COLUMNS = ("id", "title", "type", "source", "start", "end", "licence", "address")

if TYPE_CHECKING:
    import geopandas
    import xarray

Json = dict[str, Any]
"""A parsed JSON object."""


class Record(Json):
    """A GeoJSON Feature as the service sent it (a dict), with names for what is asked of it most."""

    @property
    def id(self) -> str:
        return str(self["id"])

    @property
    def title(self) -> str:
        return str(self._property("title") or self.id)

    @property
    def abstract(self) -> str:
        return str(self._property("description") or "")

    @property
    def type(self) -> str | None:
        """``dataset``, ``series``, ``service``, ``document``, ...; None if not known."""
        return _text(self._property("type"))

    @property
    def source(self) -> str | None:
        """The catalogue that it comes from."""
        return _text(self._property("sonde:source"))

    @property
    def licence(self) -> str | None:
        return _text(self._property("license")) or _text(self._property("rights"))

    @property
    def boxes(self) -> tuple[Box, ...]:
        return tuple(Box(*map(float, box)) for box in self._property("sonde:boxes") or ())

    @property
    def periods(self) -> tuple[tuple[str | None, str | None], ...]:
        """Start and end, ISO 8601 in UTC; None: open."""
        return tuple((start, end) for start, end in self._property("sonde:times") or ())

    @property
    def address(self) -> str | None:
        """Where the service has the record."""
        return next((str(link["href"]) for link in self.links if link.get("rel") == "self"), None)

    @property
    def links(self) -> Sequence[Json]:
        return self.get("links") or ()

    @property
    def data_links(self) -> tuple[DataLink, ...]:
        """What can be opened from here, the easiest to open first."""
        return data_links(self.links)

    def to_xarray(self, **options: object) -> xarray.Dataset:
        """The data of the first link that xarray can open: Zarr, OPeNDAP, NetCDF, or such an asset of a STAC item.

        ``options`` go to xarray. Raises NotOpenable if no link can be opened so.
        """
        return first_grid(self.title, self.data_links).to_xarray(**options)

    def _property(self, name: str) -> Any:
        return (self.get("properties") or {}).get(name)

    @property
    def entry(self) -> Entry:
        """What a notebook shows of it in a list."""
        return Entry(self.title, self.address, (self.source or "",), self.periods, self.boxes)

    def _repr_html_(self) -> str:
        facts = tuple(fact for fact in (self.type, self.source, self.licence) if fact)
        return record_html(replace(self.entry, facts=facts), self.abstract, [link.python for link in self.data_links])


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def to_geodataframe(records: Iterable[Record]) -> geopandas.GeoDataFrame:
    """One row a record, in their order: id, title, type, source, start, end, licence, address, geometry (EPSG:4326).

    ``start`` and ``end`` are the earliest and latest of its periods, ISO 8601, None if open or unknown. A record
    without a place has no geometry. Raises NotOpenable if geopandas is missing.
    """
    frames, shapes = import_extra("geopandas", "geo"), import_extra("shapely.geometry", "geo")
    all_records = list(records)
    geometries = [shapes.shape(record["geometry"]) if record.get("geometry") else None for record in all_records]
    return frames.GeoDataFrame(
        [_row(record) for record in all_records], columns=_COLUMNS, geometry=geometries, crs=4326
    )


def _row(record: Record) -> tuple[str | None, ...]:
    starts, ends = zip(*record.periods, strict=True) if record.periods else ((None,), (None,))
    start = None if None in starts else min(starts, key=_moment)
    end = None if None in ends else max(ends, key=_moment)
    return (record.id, record.title, record.type, record.source, start, end, record.licence, record.address)


def _moment(iso: str) -> tuple[int, str]:
    """By year, then by text: years before 0 and after 9999 do not sort as texts."""
    sign, text = (-1, iso[1:]) if iso.startswith("-") else (1, iso.lstrip("+"))
    year, _, month_and_day = text.partition("-")
    return sign * int(year), month_and_day


if TYPE_CHECKING:
    import geopandas


@dataclass(frozen=True, slots=True)
class Hit:
    """A record with its score; ``feature`` is the whole GeoJSON Feature."""

    id: str
    title: str
    score: float
    signals: Mapping[str, float | None]
    feature: Record = field(repr=False)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """What made the score, the largest share first; empty without ``explain=True``."""
        explained = self.feature.get("sonde:explanation") or {}
        return tuple(
            Reason(
                signal["signal"],
                signal["reason"],
                signal["contribution"],
                signal["normalised"] if signal["raw"] is not None else None,
            )
            for signal in explained.get("signals", ())
        )

    @property
    def entry(self) -> Entry:
        """What a notebook shows of it in a list."""
        return replace(self.feature.entry, reasons=self.reasons)

    def _repr_html_(self) -> str:
        return entries_html([self.entry])


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A page of hits, best first. ``answer`` is the whole answer; ``following`` the next page's address.

    ``matched`` hits can be paged; about ``total`` records match.
    """

    hits: tuple[Hit, ...]
    matched: int
    total: int
    interpretation: Json = field(repr=False)
    facets: Json = field(repr=False)
    did_you_mean: str | None
    degraded: tuple[str, ...]
    following: str | None
    answer: Json = field(repr=False)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """The hits of this page as a table with geometries, with rank (from 1) and score."""
        table = to_geodataframe(hit.feature for hit in self.hits)
        table.insert(0, "rank", range(1, len(self.hits) + 1))
        table.insert(1, "score", [hit.score for hit in self.hits])
        return table

    def _repr_html_(self) -> str:
        lines = (f"{self.total:,} records", understood(self.interpretation))
        return entries_html([hit.entry for hit in self.hits], *lines)


def understood(interpretation: Json) -> str:
    """What the service read in the question, in one line; empty if nothing."""
    places = [place.get("name") for place in interpretation.get("places") or ()]
    times = [time.get("text") for time in interpretation.get("times") or ()]
    texts = [str(text) for text in (*places, *times) if text]
    return f"Read as: {', '.join(texts)}" if texts else ""


def search_result(answer: Json) -> SearchResult:
    return SearchResult(
        hits=tuple(_hit(Record(feature)) for feature in answer["features"]),
        matched=answer["numberMatched"],
        total=int(answer.get("sonde:total") or answer["numberMatched"]),
        interpretation=answer["sonde:interpretation"],
        facets=answer.get("sonde:facets", {}),
        did_you_mean=answer.get("sonde:didYouMean"),
        degraded=tuple(answer["sonde:degraded"]),
        following=next_address(answer),
        answer=answer,
    )


def next_address(answer: Json) -> str | None:
    """The address of the next page."""
    return next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)


def next_cursor(answer: Json) -> str | None:
    """Only the cursor of a ``next`` link: behind a proxy, links have another address than ours, and the key must not
    be sent there.
    """
    address = next_address(answer)
    return None if address is None else parse_qs(urlsplit(address).query)["cursor"][0]


def _hit(feature: Record) -> Hit:
    return Hit(feature.id, feature.title, feature["sonde:score"], feature["sonde:signals"], feature)
