"""Areas from files that the browser reads: GeoPackage and zipped shapefile, in degrees or in metres."""

from __future__ import annotations

import io
import math
import sqlite3
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pyproj import CRS, Transformer

from tests.browser.conftest import Visit
from tests.browser.test_page_map import open_tools, outline
from tests.browser.test_page_search import asked, titles

Ring = Sequence[tuple[float, float]]
TRIANGLE: Ring = ((8.0, 46.0), (10.0, 47.0), (9.0, 48.0), (8.0, 46.0))
_SCHEMA = """
    CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
        organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,
        description TEXT);
    CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
        geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL);
    CREATE TABLE areas (fid INTEGER PRIMARY KEY AUTOINCREMENT, geom BLOB, name TEXT);
"""


def projected(ring: Ring, epsg: int) -> Ring:
    transformer = Transformer.from_crs(4326, epsg, always_xy=True)
    return [transformer.transform(*position) for position in ring]


def definition(epsg: int) -> str:
    return CRS.from_epsg(epsg).to_wkt("WKT1_ESRI" if epsg != 4326 else "WKT1_GDAL")


def geo_package(folder: Path, rings: Sequence[Ring], epsg: int) -> bytes:
    path = folder / "areas.gpkg"
    with sqlite3.connect(path) as database:
        database.executescript(_SCHEMA)
        database.execute("INSERT INTO gpkg_spatial_ref_sys VALUES ('-', -1, 'NONE', -1, 'undefined', NULL)")
        database.execute(
            "INSERT INTO gpkg_spatial_ref_sys VALUES ('own', ?, 'EPSG', ?, ?, NULL)", (epsg, epsg, definition(epsg))
        )
        database.execute("INSERT INTO gpkg_geometry_columns VALUES ('areas', 'geom', 'POLYGON', ?, 0, 0)", (epsg,))
        for ring in rings:
            values = [number for position in ring for number in position]
            well_known = struct.pack("<BIII", 1, 3, 1, len(ring)) + struct.pack(f"<{len(values)}d", *values)
            blob = b"GP\x00\x01" + struct.pack("<i", epsg) + well_known
            database.execute("INSERT INTO areas (geom, name) VALUES (?, ?)", (blob, "an area of the test"))
    database.close()
    return path.read_bytes()


def shapefile(ring: Ring, epsg: int) -> bytes:
    xs, ys = zip(*ring, strict=True)
    box = struct.pack("<4d", min(xs), min(ys), max(xs), max(ys))
    points = b"".join(struct.pack("<2d", *position) for position in ring)
    content = struct.pack("<i", 5) + box + struct.pack("<iii", 1, len(ring), 0) + points
    length = (100 + 8 + len(content)) // 2
    head = struct.pack(">7i", 9994, 0, 0, 0, 0, 0, length) + struct.pack("<ii", 1000, 5) + box + bytes(32)
    record = struct.pack(">ii", 1, len(content) // 2) + content
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("areas/areas.shp", head + record)
        packed.writestr("areas/areas.prj", definition(epsg))
    return file.getvalue()


def read(page: Page, name: str, content: bytes) -> None:
    page.get_by_label("Area from a file").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )


def circle(steps: int) -> Ring:
    """A ring with more positions than a page of a database holds."""

    turns = [2 * math.pi * (step % steps) / steps for step in range(steps + 1)]
    return [(9 + math.cos(turn), 47 + math.sin(turn)) for turn in turns]


@pytest.mark.parametrize("kind", ["gpkg", "shp"])
@pytest.mark.parametrize("epsg", [4326, 32632, 3035])
def test_polygons_come_from_databases_and_archives(visit: Visit, tmp_path: Path, kind: str, epsg: int) -> None:
    ring = TRIANGLE if epsg == 4326 else projected(TRIANGLE, epsg)
    page = visit("?q=data")
    titles(page)
    open_tools(page)
    if kind == "gpkg":
        read(page, "areas.gpkg", geo_package(tmp_path, [ring], epsg))
    else:
        read(page, "areas.zip", shapefile(ring, epsg))
    page.wait_for_url("**geometry=**")
    for found, position in zip(sorted(set(outline(page))), sorted(set(TRIANGLE)), strict=True):
        assert found == pytest.approx(position, abs=0.002)
    expect(page.locator(".chip.filter")).to_contain_text("outline")


def test_many_long_polygons_are_simplified_with_a_note(visit: Visit, tmp_path: Path) -> None:
    page = visit("?q=data")
    titles(page)
    open_tools(page)
    read(page, "areas.gpkg", geo_package(tmp_path, [circle(3000)] + [TRIANGLE] * 40, 4326))
    expect(page.get_by_text("fewer corners than the file")).to_be_visible()
    corners = outline(page)
    assert 10 < len(corners) <= 200
    assert max(longitude for longitude, _ in corners) == pytest.approx(10, abs=0.1)
    assert titles(page)


def test_polygons_of_a_file_may_touch_and_overlap(visit: Visit, tmp_path: Path) -> None:
    page = visit("?q=data")
    titles(page)
    open_tools(page)
    beside: Ring = ((10.0, 47.0), (12.0, 47.0), (9.0, 48.0), (10.0, 47.0))
    read(page, "areas.gpkg", geo_package(tmp_path, [TRIANGLE, beside, circle(40)], 4326))
    page.wait_for_url("**geometry=GEOMETRYCOLLECTION**")
    assert titles(page)
    expect(page.get_by_text("fewer corners than the file")).to_have_count(0)


def test_what_is_no_area_is_refused_with_a_reason(visit: Visit, tmp_path: Path) -> None:
    page = visit("?q=data")
    titles(page)
    open_tools(page)
    for name, content, reason in (
        ("empty.gpkg", geo_package(tmp_path, [], 4326), "no polygon"),
        ("broken.gpkg", b"SQLite format 3\x00" + bytes(10), "cannot be read"),
        ("broken.zip", b"PK\x03\x04" + bytes(40), "cannot be read"),
        ("text.txt", b"an ordinary text", "no polygon"),
        ("large.geojson", bytes(31 * 1024 * 1024), "larger than 30 MB"),
    ):
        read(page, name, content)
        expect(page.get_by_role("alert").filter(has_text=reason), name).to_be_visible()
    assert "geometry" not in asked(page)
