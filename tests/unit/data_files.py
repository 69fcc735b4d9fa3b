"""Makes small data files with the libraries that write them, and reads them as a folder."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import tifffile

from core.record import Record
from indexer.formats.registry import read
from indexer.raw import RawPage
from indexer.sources.folder import FolderSource

Arrays = Mapping[str, tuple[Sequence[str], Any, Mapping[str, Any]]]
"""Dimensions, values and attributes by name."""

GLOBE: Arrays = {
    "time": (["time"], [15.0, 45.0, 74.0], {"units": "days since 1990-01-01", "calendar": "standard"}),
    "lat": (["lat"], np.arange(89.5, -90.0, -1.0), {"units": "degrees_north"}),
    "lon": (["lon"], np.arange(0.5, 360.0, 1.0), {"units": "degrees_east"}),
    "tas": (
        ["time", "lat", "lon"],
        np.zeros((3, 180, 360), "f4"),
        {"units": "K", "standard_name": "air_temperature", "long_name": "Near-surface air temperature"},
    ),
}


def netcdf4(path: Path, arrays: Arrays, attributes: Mapping[str, Any] | None = None, group: str = "/") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5netcdf.File(path, "a") as file:
        node = file if group == "/" else file.create_group(group)
        node.attrs.update(attributes or {})
        for name, (dimensions, values, stated) in arrays.items():
            data = np.asarray(values)
            for dimension, length in zip(dimensions, data.shape, strict=True):
                if dimension not in node.dimensions:
                    node.dimensions[dimension] = length
            variable = node.create_variable(name, tuple(dimensions), data=data)
            variable.attrs.update({key: np.bytes_(v) if key == "bytes" else v for key, v in stated.items()})
    return path


def geotiff(
    path: Path, shape: tuple[int, ...], keys: Sequence[int], tie: Sequence[float], scale: Sequence[float], **more: Any
) -> Path:
    """``keys``: the entries of the directory, four numbers each."""
    directory = (1, 1, 0, len(keys) // 4, *keys)
    tags = [
        (33550, "d", 3, tuple(scale), True),
        (33922, "d", 6, tuple(tie), True),
        (34735, "H", len(directory), directory, True),
    ]
    tags += [(code, type, count, value, True) for code, type, count, value in more.pop("tags", ())]
    tifffile.imwrite(path, np.zeros(shape, "u2"), extratags=tags, metadata=None, **more)
    return path


UTM32 = (1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 25832)
DEGREES = (1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)


def geopackage(path: Path, layers: Sequence[tuple[str, Sequence[float], str]], rows: int = 0) -> Path:
    """``layers``: name, edges in EPSG:4326 or 25832, and the code."""
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            """
            CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT, srs_id INTEGER PRIMARY KEY, organization TEXT,
              organization_coordsys_id INTEGER, definition TEXT, description TEXT);
            CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT, identifier TEXT, description TEXT,
              last_change TEXT, min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
            CREATE TABLE gpkg_ogr_contents (table_name TEXT PRIMARY KEY, feature_count INTEGER);
            INSERT INTO gpkg_spatial_ref_sys VALUES ('WGS 84', 4326, 'EPSG', 4326, '', ''),
              ('ETRS89 / UTM 32N', 25832, 'EPSG', 25832, '', '');
            """
        )
        for name, edges, code in layers:
            database.execute(f'CREATE TABLE "{name}" (fid INTEGER PRIMARY KEY, geom BLOB, width_m REAL, name TEXT)')
            content = (
                name,
                "features",
                f"{name} of the town",
                "Measured by hand.",
                "2020-01-02T00:00:00Z",
                *edges,
                code,
            )
            database.execute("INSERT INTO gpkg_contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", content)
            database.execute("INSERT INTO gpkg_ogr_contents VALUES (?, 12)", (name,))
            database.executemany(f'INSERT INTO "{name}" (geom) VALUES (?)', [(bytes(1000),)] * rows)
        database.commit()
    return path


def netcdf3(path: Path, records: int, *, version: int = 1) -> Path:
    """time (unlimited), lat, lon and a short that is packed, as the classic format has it; written by hand."""

    def text(value: str) -> bytes:
        content = value.encode()
        return struct.pack(">I", len(content)) + content + bytes(-len(content) % 4)

    def attributes(values: Mapping[str, str]) -> bytes:
        parts = [text(name) + struct.pack(">I", 2) + text(value) for name, value in values.items()]
        return struct.pack(">II", 12, len(parts)) + b"".join(parts) if parts else bytes(8)

    dimensions = struct.pack(">II", 10, 3) + text("time") + struct.pack(">I", 0)
    dimensions += text("lat") + struct.pack(">I", 3) + text("lon") + struct.pack(">I", 4)
    described = [
        ("lat", (1,), {"units": "degrees_north"}, 5, 12),
        ("lon", (2,), {"units": "degrees_east"}, 5, 16),
        ("time", (0,), {"units": "hours since 2000-01-01 00:00:00"}, 6, 8),
        ("rain", (0, 1, 2), {"units": "mm", "standard_name": "precipitation_amount"}, 3, 24),
    ]
    width = {1: ">I", 2: ">Q"}[version]

    def header(begins: Sequence[int]) -> bytes:
        variables = struct.pack(">II", 11, len(described))
        for (name, places, stated, type, size), begin in zip(described, begins, strict=True):
            variables += text(name) + struct.pack(">I", len(places)) + b"".join(struct.pack(">I", p) for p in places)
            variables += attributes(stated) + struct.pack(">II", type, size) + struct.pack(width, begin)
        start = b"CDF" + bytes([version]) + struct.pack(">I", records)
        return start + dimensions + attributes({"title": "Regen in Köln"}) + variables

    length = len(header([0] * 4))
    content = header([length, length + 12, length + 28, length + 36])
    content += struct.pack(">3f", 50.0, 51.0, 52.0) + struct.pack(">4f", 6.0, 7.0, 8.0, 9.0)
    content += b"".join(struct.pack(">d", 6.0 * record) + bytes(24) for record in range(records))
    path.write_bytes(content)
    return path


def pages_of(path: Path) -> list[RawPage]:
    return list(FolderSource(path).pages())


def records_of(path: Path) -> dict[str, Record]:
    """By their native ids."""
    return {raw.native_id: read(raw, "t") for page in pages_of(path) for raw in page.records}


def record_of(path: Path) -> Record:
    (record,) = records_of(path).values()
    return record


def faults_of(path: Path) -> dict[str, str]:
    """Why a file gives no record, by its name."""
    pages = pages_of(path)
    skipped = {Path(member.origin).name: member.reason for page in pages for member in page.skipped}
    return skipped | {Path(other.origin).name: other.reason for page in pages for other in page.passed_over}
