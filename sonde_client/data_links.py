"""Which links of a record, or assets of a STAC item, lead to data that Python can open, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urljoin, urlsplit

import httpx

from sonde_client.errors import NotOpenable, import_extra

if TYPE_CHECKING:
    import pandas
    import xarray

Kind = Literal["zarr", "opendap", "netcdf", "csv", "stac"]

ORDER: tuple[Kind, ...] = ("zarr", "opendap", "netcdf", "csv", "stac")
"""The easiest to open first: a part can be read without the whole, then whole files, then what only names files."""

_CALLS: dict[Kind, str] = {
    "zarr": "xarray.open_zarr({href!r})",
    "opendap": "xarray.open_dataset({href!r}, engine='pydap')",
    "netcdf": "xarray.open_dataset(fsspec.open({href!r}).open(), engine='h5netcdf')",
    "csv": "pandas.read_csv({href!r})",
    "stac": "pystac.Item.from_file({href!r})",
}
_TIMEOUT_S = 30.0
_OWN = ("self", "alternate", "collection", "profile", "provenance", "about", "license", "next", "prev")
"""Relations of links to descriptions, not to data."""


@dataclass(frozen=True, slots=True)
class DataLink:
    """A link to data. ``python`` is the call that opens it without this package."""

    kind: Kind
    href: str
    title: str | None = None

    @property
    def python(self) -> str:
        return _CALLS[self.kind].format(href=self.href)

    def to_xarray(self, **options: object) -> xarray.Dataset:
        """A grid; ``options`` go to xarray. A STAC item is opened by its first grid.

        Raises NotOpenable for a table, for a STAC item without a grid, and if a package is missing.
        """
        if self.kind == "stac":
            return first_grid(self.title or self.href, self.assets()).to_xarray(**options)
        if self.kind == "csv":
            raise NotOpenable(f"{self.href} is a table (csv), not a grid: use to_dataframe().")
        library = import_extra("xarray", "xarray")
        import_extra({"opendap": "pydap", "netcdf": "h5netcdf", "zarr": "zarr"}[self.kind], "xarray")
        dataset: xarray.Dataset
        if self.kind == "zarr":
            dataset = library.open_zarr(self.href, **options)
        elif self.kind == "opendap":
            dataset = library.open_dataset(self.href, engine="pydap", **options)
        else:
            file = import_extra("fsspec", "xarray").open(self.href).open()
            dataset = library.open_dataset(file, engine="h5netcdf", **options)
        return dataset

    def to_dataframe(self, **options: object) -> pandas.DataFrame:
        """A CSV file as a table; ``options`` go to pandas. Raises NotOpenable for anything else."""
        if self.kind != "csv":
            raise NotOpenable(f"{self.href} is not a table ({self.kind}): use to_xarray().")
        return import_extra("pandas", "geo").read_csv(self.href, **options)

    def assets(self) -> tuple[DataLink, ...]:
        """The data that a STAC item names; its other assets (pictures, metadata) are left out. Empty for other kinds.

        Raises NotOpenable if the item cannot be read. No key is sent.
        """
        if self.kind != "stac":
            return ()
        try:
            answer = httpx.get(self.href, timeout=_TIMEOUT_S, follow_redirects=True).raise_for_status()
            assets = answer.json()["assets"].values()
            return data_links([{**asset, "href": urljoin(str(answer.url), asset["href"])} for asset in assets])
        except (httpx.HTTPError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise NotOpenable(f"{self.href} is not a STAC item that can be read ({type(error).__name__}).") from error


def first_grid(title: str, links: Sequence[DataLink]) -> DataLink:
    """The first that is not a table. Raises NotOpenable, which says what there is."""
    grid = next((link for link in links if link.kind != "csv"), None)
    if grid is None:
        kinds = ", ".join(f"{link.kind} ({link.href})" for link in links) or "nothing that can be opened"
        raise NotOpenable(f"No link of '{title}' leads to a grid. There is: {kinds}.")
    return grid


def data_links(links: Iterable[Mapping[str, object]]) -> tuple[DataLink, ...]:
    """Those of the links, or of a STAC item's assets, that can be opened, in the order of ``ORDER``."""
    openable = [
        DataLink(kind, str(link["href"]), str(link["title"]) if link.get("title") else None)
        for link in links
        if link.get("rel") not in _OWN and (kind := kind_of(link)) is not None
    ]
    return tuple(sorted(dict.fromkeys(openable), key=lambda link: ORDER.index(link.kind)))


def kind_of(link: Mapping[str, object]) -> Kind | None:
    """By media type, then protocol and title, then the address. None: not openable, or not on the web."""
    href = str(link.get("href", ""))
    try:
        address = urlsplit(href)
    except ValueError:
        return None
    if address.scheme not in ("http", "https"):
        return None
    media = str(link.get("type") or "").lower()
    text = f"{link.get('sonde:protocol') or ''} {link.get('title') or ''}".lower()
    return _by_media(media) or _by_path(address.path.lower(), text, media)


def _by_media(media: str) -> Kind | None:
    if "zarr" in media:
        return "zarr"
    if "netcdf" in media or "hdf5" in media:
        return "netcdf"
    return "csv" if media.startswith("text/csv") else None


def _by_path(path: str, text: str, media: str) -> Kind | None:
    page = "html" in media or path.endswith((".html", ".htm", ".xml", "/"))
    if path.rstrip("/").endswith(".zarr"):
        return "zarr"
    if not page and ("opendap" in text or "/dodsc/" in path or ("/griddap/" in path and "." not in path[-5:])):
        return "opendap"
    if path.endswith((".nc", ".nc4", ".h5")):
        return "netcdf"
    if path.endswith((".csv", ".csv.gz")):
        return "csv"
    return "stac" if "stac" in text and not page and "json" in f"{media}{path[-8:]}" else None
