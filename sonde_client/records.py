"""One record, as a GeoJSON Feature that knows its title, places, times and links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sonde_client.data_links import DataLink, data_links, first_grid
from sonde_client.display import Box, Entry, record_html

if TYPE_CHECKING:
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
