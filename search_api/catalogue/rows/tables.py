"""Reads the beginning of a table or of features, or a series of a grid (OPeNDAP, Zarr), that a record links to."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from core.record import Link, Record
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of
from search_api.catalogue.linked_hosts import LinkedHosts, UnreadableData
from search_api.catalogue.rows.grids import (
    GridSeries,
    GridVariable,
    OpendapData,
    Point,
    SeriesWindow,
    grid_address,
    read_grid,
)
from search_api.catalogue.rows.zarr import StoreParts, StoreReader, ZarrData, store_address

_TABLE_TYPES = ("text/csv", "text/tab-separated-values", "application/csv")
_TABLE_SUFFIX = re.compile(r"\.(?:csv|tsv)(?:[?#]|$)", re.IGNORECASE)
_ERDDAP = re.compile(r"^(https?://[^?#]+/erddap/tabledap/[^/?#.]+)(?:\.(?:html|graph|das|csv|subset))?(?:[?#].*)?$")
_ITEMS = re.compile(r"^(https?://[^?#]+/collections/[^/?#]+)(/items)?/?(?:\?([^#]*))?(?:#.*)?$")
_FEATURES = re.compile(r"ogc ?api[ :-]*features|oapif", re.IGNORECASE)
_GEOJSON = re.compile(r"^https?://[^?#]+\.geojson(?:[?#]|$)", re.IGNORECASE)
_MOST_BYTES = 256 * 1024
_MOST_GRID_BYTES = 1024 * 1024
_MOST_FEATURE_BYTES = 4 * 1024 * 1024
_MOST_COLUMNS = 60
_LONGEST_CELL = 200
_DELIMITERS = ",;\t|"
_MOST_SNIFFED = 4096
"""Characters: the time of guessing grows with their square."""


@dataclass(frozen=True, slots=True)
class TableRows:
    """The first rows; ``has_more``: whether the table goes on after them.

    Of a grid (OPeNDAP, Zarr): ``variables`` is the header, ``point`` the cell, ``fixed`` the other dimensions.
    """

    href: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    has_more: bool
    variables: tuple[GridVariable, ...] = ()
    point: Point | None = None
    fixed: Mapping[str, str] = field(default_factory=dict)


def table_links(record: Record) -> tuple[Link, ...]:
    """Those of its links that lead to a table that can be read here."""
    readings = (_address, _feature_address, store_address, grid_address)
    return tuple(link for link in record.links if any(read(link) for read in readings))


def _feature_address(link: Link) -> str | None:
    """Where features are: the items of a collection of OGC API Features, or a file of GeoJSON."""
    label = f"{link.protocol or ''} {link.media_type or ''}"
    items = _ITEMS.match(link.href)
    if items is not None and (items[2] or _FEATURES.search(label)):
        query = [(name, value) for name, value in parse_qsl(items[3] or "") if name not in ("f", "limit")]
        return f"{items[1]}/items?{urlencode(query)}"
    is_file = "geo+json" in label and link.href.startswith(("http://", "https://"))
    return link.href if is_file or _GEOJSON.match(link.href) else None


def _address(link: Link) -> str | None:
    """Where the rows are: of a data set of ERDDAP its CSV, with the units in the names of the columns."""
    table = _ERDDAP.match(link.href)
    if table is not None:
        return f"{table[1]}.csvp"
    is_table = (link.media_type or "").partition(";")[0] in _TABLE_TYPES or _TABLE_SUFFIX.search(link.href) is not None
    return link.href if is_table and link.href.startswith(("http://", "https://")) else None


class TableReader:
    """Thread-safe. ``gate`` None: switched off. ``at_once`` tables are read; a further request must come again.

    ``stores`` makes a reader of Zarr stores.
    """

    def __init__(
        self,
        gate: Callable[[], Gate] | None,
        stores: Callable[[], StoreReader] | None = None,
        timeout_s: float = 8.0,
        at_once: int = 4,
    ) -> None:
        self._hosts, self._stores, self._timeout_s = LinkedHosts(gate, "table", at_once), stores, timeout_s

    def first_rows(self, record: Record, href: str | None, window: SeriesWindow) -> TableRows:
        """``href``: of one of the record's links to tables; None: the first.

        Raises NotFound for any other address, Unavailable if the host does not answer, or sends no table.
        """
        kinds = "a table (CSV, ERDDAP, OPeNDAP, Zarr or features)"
        with self._hosts.open_link(record, table_links(record), href, kinds) as (link, gate):
            return self._read(link, window, gate)

    def _read(self, link: Link, window: SeriesWindow, gate: Gate) -> TableRows:
        address = _address(link)
        if address is not None:
            text, is_whole = self._beginning(address, gate)
            return read_rows(link.href, text, window.count, is_whole=is_whole)
        features = _feature_address(link)
        if features is not None:
            return read_features(link.href, self._features(features, window.count, gate), window.count)

        store = store_address(link)
        try:
            if store is None:
                grid = self._grid(grid_address(link) or link.href, window, gate)
            else:
                grid = self._stored(store, window, gate)
        except (ValueError, LookupError) as error:  # values of another type than declared, or of another variable
            raise UnreadableData(f"{host_of(link.href)} sent a data set that cannot be read.") from error
        return TableRows(link.href, grid.columns, grid.rows, grid.has_more, grid.variables, grid.point, grid.fixed)

    def _grid(self, address: str, window: SeriesWindow, gate: Gate) -> GridSeries:
        def fetch(part: str) -> bytes:
            outgoing = Outgoing(part, max_bytes=_MOST_GRID_BYTES, timeout_s=self._timeout_s)
            return gate.request(outgoing).expect_ok().content

        return read_grid(OpendapData.opened(address, fetch), window)

    def _stored(self, address: str, window: SeriesWindow, gate: Gate) -> GridSeries:
        if self._stores is None:
            raise UnreadableData("Zarr stores are not read here.")
        reader = self._stores()
        try:
            return read_grid(ZarrData.opened(StoreParts(address, gate, self._timeout_s), reader), window)
        finally:
            reader.close()

    def _features(self, address: str, count: int, gate: Gate) -> bytes:
        """One more than ``count``, which says whether there are more. A file comes whole."""
        params = {"limit": str(count + 1)} if _ITEMS.match(address) else None
        accept = {"accept": "application/geo+json, application/json"}
        outgoing = Outgoing(address, "GET", params, accept, max_bytes=_MOST_FEATURE_BYTES, timeout_s=self._timeout_s)
        return gate.request(outgoing).expect_ok().content

    def _beginning(self, address: str, gate: Gate) -> tuple[str, bool]:
        """The first ``_MOST_BYTES``, and whether that is all. The connection is closed then."""
        content = b""
        request = Outgoing(
            address,
            headers={"accept": "text/csv, text/*;q=0.5", "range": f"bytes=0-{_MOST_BYTES}"},
            max_bytes=1 << 40,
            timeout_s=self._timeout_s,
        )
        with gate.stream(request) as answer:
            answer.expect_ok()
            for piece in answer.pieces:
                content += piece
                if len(content) > _MOST_BYTES:
                    return content[:_MOST_BYTES].decode("utf-8-sig", "replace"), False
        return content.decode("utf-8-sig", "replace"), True


def read_rows(href: str, text: str, count: int, *, is_whole: bool) -> TableRows:
    """The header and the first rows. Raises UnreadableData for a web page, and for a table without rows."""
    if text.lstrip()[:1] in ("<", "{", "\x00") or "\x00" in text[:1000]:
        raise UnreadableData(f"{host_of(href)} sent something else than a table.")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    lines = lines if is_whole else lines[:-1]  # the last line is cut
    try:
        delimiter = csv.Sniffer().sniff("\n".join(lines[:20])[:_MOST_SNIFFED], _DELIMITERS).delimiter
    except csv.Error:
        delimiter = ","
    try:
        table = list(csv.reader(lines[: count + 2], delimiter=delimiter))
    except csv.Error as error:
        raise UnreadableData(f"{host_of(href)} sent a table that cannot be read: {error}.") from error
    if len(table) < 2:
        raise UnreadableData(f"{host_of(href)} sent a table without rows.")
    header, *rows = [tuple(cell.strip()[:_LONGEST_CELL] for cell in row[:_MOST_COLUMNS]) for row in table]
    return TableRows(href, header, tuple(rows[:count]), len(rows) > count or not is_whole)


def read_features(href: str, content: bytes, count: int) -> TableRows:
    """Properties of the first features of GeoJSON, with the place of points. Raises UnreadableData for others."""
    try:
        body: object = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    features = body.get("features") if isinstance(body, dict) else None
    if not isinstance(features, list):
        raise UnreadableData(f"{host_of(href)} sent something else than features.")
    rows = [_row_of(feature) for feature in features[:count] if isinstance(feature, dict)]
    columns = tuple(dict.fromkeys(name for row in rows for name in row))[:_MOST_COLUMNS]
    if not columns:
        raise UnreadableData(f"{host_of(href)} sent no feature with properties.")
    cells = tuple(tuple(row.get(name, "") for name in columns) for row in rows)
    return TableRows(href, columns, cells, len(features) > count)


def _row_of(feature: dict[str, object]) -> dict[str, str]:
    properties, geometry = feature.get("properties"), feature.get("geometry")
    place = geometry.get("coordinates") if isinstance(geometry, dict) and geometry.get("type") == "Point" else None
    row = dict(zip(("longitude", "latitude"), place, strict=False)) if isinstance(place, list) else {}
    row |= properties if isinstance(properties, dict) else {}
    return {str(name)[:_LONGEST_CELL]: _cell_of(value) for name, value in row.items()}


def _cell_of(value: object) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return text[:_LONGEST_CELL]
