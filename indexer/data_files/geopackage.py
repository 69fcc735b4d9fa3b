"""The contents of a GeoPackage (OGC 12-128): its layers with extent, reference system, columns and features.

SQLite wants a file on a disk: a sparse copy gets the first part of it, and more until SQLite finds all of its tables.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from pyproj import CRS
from pyproj.exceptions import CRSError

from core.json_types import Json
from indexer.data_files.georeference import box_in_degrees
from indexer.data_files.messages import ByteRanges, FileFault

_FIRST_BYTES = 1 << 20
_MOST_LAYERS = 200
_MOST_COLUMNS = 200
_STEPS = 1_000_000
_HIDDEN_COLUMNS = frozenset({"fid", "id", "geom", "geometry", "ogc_fid", "objectid", "shape"})


def read_geopackage(file: ByteRanges, size: int, copy: Path) -> Json:
    """Raises FileFault, and sqlite3.Error for a damaged file."""
    length = min(_FIRST_BYTES, size)
    copied = 0
    try:
        with copy.open("wb") as stream:
            stream.truncate(size)
        while True:
            with copy.open("r+b") as stream:
                stream.seek(copied)
                stream.write(file.part(copied, length - copied))
            copied = length
            try:
                return _header(copy)
            except sqlite3.DatabaseError:
                if length == size:
                    raise
            length = min(size, 4 * length)
    finally:
        copy.unlink(missing_ok=True)


def _header(copy: Path) -> Json:
    with closing(sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)) as database:
        database.set_progress_handler(lambda: 1, _STEPS)  # a query that takes so long ends in an error
        database.row_factory = sqlite3.Row
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
        if "gpkg_contents" not in tables:
            raise FileFault("it is an SQLite database without the contents of a GeoPackage", is_data=False)
        layers = [_layer(database, tables, row) for row in _contents(database)]
    if not layers:
        raise FileFault("it is a GeoPackage without a layer", is_data=False)
    boxes = [layer["extent"] for layer in layers if "extent" in layer]
    titles = [layer["title"] for layer in layers]
    attributes = {"title": titles[0]} if len(titles) == 1 else {}
    warnings = [f"extent: {layer.pop('warning')}" for layer in layers if "warning" in layer]
    return {"format": "GeoPackage", "attributes": attributes, "layers": layers, "extents": boxes, "warnings": warnings}


def _contents(database: sqlite3.Connection) -> list[sqlite3.Row]:
    query = "SELECT c.*, s.organization, s.organization_coordsys_id, s.definition FROM gpkg_contents c"
    query += " LEFT JOIN gpkg_spatial_ref_sys s ON c.srs_id = s.srs_id ORDER BY c.table_name LIMIT ?"
    return list(database.execute(query, (_MOST_LAYERS,)))


def _layer(database: sqlite3.Connection, tables: set[str], row: sqlite3.Row) -> Json:
    name = str(row["table_name"])
    layer: Json = {
        "name": name,
        "title": str(row["identifier"] or name),
        "type": str(row["data_type"]),
        "columns": _columns(database, name),
    }
    if row["description"]:
        layer["description"] = str(row["description"])
    if row["last_change"]:
        layer["modified"] = str(row["last_change"])
    if "gpkg_ogr_contents" in tables:
        query = "SELECT feature_count FROM gpkg_ogr_contents WHERE table_name = ?"
        counts = [count for (count,) in database.execute(query, (name,)) if isinstance(count, int)]
        layer |= {"features": counts[0]} if counts else {}
    return layer | _place(row)


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    rows = database.execute("SELECT name FROM pragma_table_info(?) LIMIT ?", (table, _MOST_COLUMNS))
    return [name for (name,) in rows if str(name).lower() not in _HIDDEN_COLUMNS]


def _place(row: sqlite3.Row) -> Json:
    edges = [row[name] for name in ("min_x", "min_y", "max_x", "max_y")]
    system = _system(row)
    if any(not isinstance(edge, int | float) for edge in edges):
        return {}
    if system is None:
        return {"warning": f"the reference system of {row['table_name']} is not stated"}
    authority = system.to_authority()
    try:
        box = box_in_degrees((float(edges[0]), float(edges[1]), float(edges[2]), float(edges[3])), system)
    except ValueError as error:
        return {"warning": f"{row['table_name']}: {error}"}
    return {"extent": box, "crs": ":".join(authority) if authority else system.name}


def _system(row: sqlite3.Row) -> CRS | None:
    if row["organization"] and int(row["organization_coordsys_id"] or 0) > 0:
        with suppress(CRSError):
            return CRS.from_user_input(f"{row['organization']}:{row['organization_coordsys_id']}".upper())
    with suppress(CRSError):
        return CRS.from_wkt(str(row["definition"] or ""))
    return None
