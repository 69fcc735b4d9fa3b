"""A page of hits, and one hit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from sonde_client.display import Entry, Reason, entries_html
from sonde_client.records import Json, Record
from sonde_client.tables import to_geodataframe

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
                one["signal"],
                one["reason"],
                one["contribution"],
                one["normalised"] if one["raw"] is not None else None,
            )
            for one in explained.get("signals", ())
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
        above = (f"{self.total:,} records", understood(self.interpretation))
        return entries_html([hit.entry for hit in self.hits], *above)


def understood(interpretation: Json) -> str:
    """What the service read in the question, in one line; empty if nothing."""
    places = [place.get("name") for place in interpretation.get("places") or ()]
    times = [time.get("text") for time in interpretation.get("times") or ()]
    read = [str(one) for one in (*places, *times) if one]
    return f"Read as: {', '.join(read)}" if read else ""


def search_result(answer: Json) -> SearchResult:
    return SearchResult(
        hits=tuple(_hit(Record(feature)) for feature in answer["features"]),
        matched=answer["numberMatched"],
        total=int(answer.get("sonde:total") or answer["numberMatched"]),
        interpretation=answer["sonde:interpretation"],
        facets=answer.get("sonde:facets", {}),
        did_you_mean=answer.get("sonde:didYouMean"),
        degraded=tuple(answer["sonde:degraded"]),
        following=following(answer),
        answer=answer,
    )


def following(answer: Json) -> str | None:
    """The address of the next page."""
    return next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)


def next_cursor(answer: Json) -> str | None:
    """Only the cursor of a ``next`` link: behind a proxy, links have another address than ours, and the key must not
    be sent there.
    """
    address = following(answer)
    return None if address is None else parse_qs(urlsplit(address).query)["cursor"][0]


def _hit(feature: Record) -> Hit:
    return Hit(feature.id, feature.title, feature["sonde:score"], feature["sonde:signals"], feature)
