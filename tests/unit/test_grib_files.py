"""GRIB of both editions, written by ecCodes: a record from the headers of the fields."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.geo import BBox
from core.record import Record
from indexer.data_files.containers import LocalFile
from indexer.data_files.reader import HeaderReader
from tests.unit.data_files import DEGREES, faults_of, geotiff, record_of, records_of
from tests.unit.grib_writer import GribWriter

SIX_HOURS = (0, 600, 1200, 1800)


WRITER = GribWriter()


@pytest.fixture(autouse=True, scope="module")
def _end() -> Iterator[None]:
    yield
    WRITER.close()


def grid(west: float, south: float, east: float, north: float, step: float) -> dict[str, Any]:
    return {
        "Ni": round((east - west) / step) + 1, "Nj": round((north - south) / step) + 1,
        "latitudeOfFirstGridPointInDegrees": north, "latitudeOfLastGridPointInDegrees": south,
        "longitudeOfFirstGridPointInDegrees": west, "longitudeOfLastGridPointInDegrees": east,
        "iDirectionIncrementInDegrees": step, "jDirectionIncrementInDegrees": step,
    }  # fmt: skip


def field(edition: int, where: Mapping[str, Any], **keys: Any) -> bytes:
    return WRITER.message(f"regular_ll_sfc_grib{edition}", {**where, **keys}, (270.0, 300.0))


def write(path: Path, messages: Sequence[bytes]) -> Path:
    path.write_bytes(b"".join(messages))
    return path


def spans(record: Record) -> list[tuple[str | None, str | None]]:
    return [(span.start_iso, span.end_iso) for span in record.times]


GLOBE = grid(0.0, -90.0, 359.0, 90.0, 1.0)


@pytest.mark.parametrize("edition", [1, 2], ids=["edition-1", "edition-2"])
def test_a_forecast_gives_extent_times_levels_and_variables(tmp_path: Path, edition: int) -> None:
    fields = [
        field(edition, GLOBE, dataDate=20240229, dataTime=t, typeOfLevel="isobaricInhPa", level=level, shortName=n)
        for t in SIX_HOURS
        for level in (1000, 500, 250)
        for n in ("t", "u")
    ]
    record = record_of(write(tmp_path / "forecast.grib", fields))
    assert [(variable.name, variable.standard_name, variable.unit) for variable in record.names.variables] == [
        ("t", "air_temperature", "K"),
        ("u", "eastward_wind", "m s-1"),
    ]
    assert record.extents == (BBox(-180.0, -90.0, 180.0, 90.0),)
    assert spans(record) == [("2024-02-29T00:00:00Z", "2024-02-29T18:00:00Z")]
    assert record.resolution.time_step == "PT6H"
    assert record.formats == (f"GRIB{edition}",)
    assert "U component of wind (u, m s-1)" in record.abstract
    assert "European Centre for Medium-Range Weather Forecasts" in [c.organisation for c in record.contacts]


def test_valid_times_count_the_forecast_step(tmp_path: Path) -> None:
    fields = [field(2, GLOBE, dataDate=20231231, dataTime=1800, step=step) for step in (0, 12, 24)]
    record = record_of(write(tmp_path / "x.grb2", fields))
    assert spans(record) == [("2023-12-31T18:00:00Z", "2024-01-01T18:00:00Z")]


@pytest.mark.parametrize(
    ("where", "box"),
    [
        (grid(-10.0, 35.0, 30.0, 60.0, 0.5), BBox(-10.0, 35.0, 30.0, 60.0)),
        (grid(170.0, -50.0, 190.0, -30.0, 0.25), BBox(170.0, -50.0, -170.0, -30.0)),
        (grid(250.0, 20.0, 290.0, 50.0, 0.5), BBox(-110.0, 20.0, -70.0, 50.0)),
        (grid(-180.0, -60.0, 177.5, 60.0, 2.5), BBox(-180.0, -60.0, 180.0, 60.0)),
    ],
    ids=["region", "antimeridian", "past-180", "global-coarse"],
)
@pytest.mark.parametrize("edition", [1, 2], ids=["edition-1", "edition-2"])
def test_a_regular_grid_has_its_own_extent(tmp_path: Path, where: Mapping[str, Any], box: BBox, edition: int) -> None:
    record = record_of(write(tmp_path / "x.grib", [field(edition, where)]))
    assert record.extents == (box,)


def test_rows_of_different_length_go_around_the_globe(tmp_path: Path) -> None:
    record = record_of(write(tmp_path / "x.grib", [WRITER.message("reduced_gg_pl_32_grib2", {})]))
    (box,) = record.extents
    assert (box.west, box.east, round(box.north)) == (-180.0, 180.0, 88)


def test_a_projected_grid_states_its_system(tmp_path: Path) -> None:
    keys = {
        "gridType": "lambert", "Ni": 100, "Nj": 80, "LaDInDegrees": 50.0, "LoVInDegrees": 8.0, "Latin1InDegrees": 50.0,
        "Latin2InDegrees": 50.0, "latitudeOfFirstGridPointInDegrees": 40.0, "DxInMetres": 25000.0,
        "longitudeOfFirstGridPointInDegrees": 355.0, "DyInMetres": 25000.0, "jScansPositively": 1,
    }  # fmt: skip
    content = WRITER.message("regular_ll_sfc_grib2", keys, (0.0, 1.0))
    record = record_of(write(tmp_path / "x.grib2", [content]))
    (box,) = record.extents
    assert box.west < -5
    assert 25 < box.east < 35
    assert 38 < box.south <= 40
    assert 55 < box.north < 60
    assert record.resolution.metres == 25000.0
    assert "lambert (+proj=lcc" in record.abstract


def test_spectral_coefficients_are_of_the_globe(tmp_path: Path) -> None:
    record = record_of(write(tmp_path / "x.grib", [WRITER.message("sh_pl_grib2", {})]))
    assert record.extents == (BBox(-180.0, -90.0, 180.0, 90.0),)


@pytest.mark.parametrize("edition", [1, 2], ids=["edition-1", "edition-2"])
def test_missing_values_leave_the_extent(tmp_path: Path, edition: int) -> None:
    where = grid(0.0, 40.0, 20.0, 50.0, 0.5)
    content = field(edition, where, bitmapPresent=1, missingValue=9999.0)
    record = record_of(write(tmp_path / "x.grib", [content]))
    assert record.extents == (BBox(0.0, 40.0, 20.0, 50.0),)


def test_one_message_with_two_fields_gives_both(tmp_path: Path) -> None:
    """As NCEP writes both components of a wind: the second field repeats only what differs."""
    u, v = (field(2, grid(0.0, 0.0, 10.0, 10.0, 1.0), shortName=name) for name in ("u", "v"))
    place = 16
    while v[place + 4] != 4:
        place += struct.unpack(">I", v[place : place + 4])[0]
    body = u[16:-4] + v[place:-4]
    together = u[:8] + struct.pack(">Q", 16 + len(body) + 4) + body + b"7777"
    record = record_of(write(tmp_path / "wind.grib2", [together]))
    assert [variable.name for variable in record.names.variables] == ["u", "v"]


def test_a_heading_before_each_message_is_passed_over(tmp_path: Path) -> None:
    messages = [b"\x01\r\r\n123\r\r\nHTXX85 KWBC 010000\r\r\n" + field(2, GLOBE, dataTime=time) for time in SIX_HOURS]
    record = record_of(write(tmp_path / "bulletin.grb", messages))
    assert spans(record)[0][1].endswith("T18:00:00Z")


def test_a_long_file_says_which_fields_it_was_read_by(tmp_path: Path) -> None:
    """In a process where the limit is small; the last field still gives the end."""
    path = write(tmp_path / "x.grib2", [field(2, GLOBE, dataTime=time) for time in SIX_HOURS for _ in range(3)])
    program = (
        "import json, sys, pyproj\n"
        "from indexer.data_files import grib\n"
        "from indexer.data_files.child import RangeFile\n"
        "from indexer.data_files.containers import LocalFile\n"
        "grib._MOST_FIELDS = 5\n"
        "file = RangeFile(LocalFile(path := __import__('pathlib').Path(sys.argv[1])), path.stat().st_size, 4096)\n"
        "print(json.dumps(grib.read_grib(file, file, path.stat().st_size, is_remote=False)))\n"
    )
    answer = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, check=True, text=True)
    header = json.loads(answer.stdout)
    assert header["warnings"] == ["variables and times: they are those of 6 of its fields"]
    assert header["times"]["end"].endswith("T18:00:00Z")


def test_values_are_not_read(tmp_path: Path) -> None:
    where = grid(0.0, -90.0, 359.5, 90.0, 0.5)
    path = write(tmp_path / "x.grib2", [field(2, where, dataTime=time) for time in SIX_HOURS])
    assert path.stat().st_size > 1_500_000
    reader = HeaderReader()
    try:
        reader.read(LocalFile(path))
        assert reader.fetched_bytes < 150_000
    finally:
        reader.close()


def test_a_parameter_without_a_name_keeps_its_numbers(tmp_path: Path) -> None:
    content = field(2, GLOBE, discipline=0, parameterCategory=3, parameterNumber=250)
    record = record_of(write(tmp_path / "x.grib2", [content]))
    assert [variable.name for variable in record.names.variables] == ["parameter 0.3.250"]


def test_names_of_weather_services_and_tables_that_begin_with_the_word(tmp_path: Path) -> None:
    write(tmp_path / "gfs.t00z.pgrb2.0p25.f006", [field(2, GLOBE)])
    (tmp_path / "gfs.t00z.pgrb2.0p25.f006.idx").write_text("1:0:d=2024010100:TMP:surface:anl:\n")
    (tmp_path / "table.csv").write_text("GRIB_ID,latitude,longitude\n1,50,8\n2,51,9\n")
    assert records_of(tmp_path).keys() == {"gfs.t00z.pgrb2.0p25.f006", "table.csv"}


def test_other_formats_are_read_beside_it(tmp_path: Path) -> None:
    """Each library of one process brings its own PROJ."""
    write(tmp_path / "a.grib", [field(2, GLOBE)])
    geotiff(tmp_path / "b.tif", (2, 2), DEGREES, (0, 0, 0, 10.0, 50.0, 0), (1.0, 1.0, 0))
    records = records_of(tmp_path)
    assert records["b.tif"].extents == (BBox(10.0, 48.0, 12.0, 50.0),)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    content = field(2, GLOBE)
    write(tmp_path / "short.grib", [content[:-2000]])
    write(tmp_path / "sections.grib", [content[:16] + b"\x00\x00\x00\x02" + content[20:]])
    write(tmp_path / "start.grib", [b"GRIB\x00\x00\x00\x02"])
    write(tmp_path / "old.grib", [b"GRIB\x00\x00\x20\x01" + bytes(24)])
    write(tmp_path / "zeros.grib", [content[:37] + bytes(len(content) - 41) + b"7777"])
    write(tmp_path / "other.grib", [b"not a message at all"])
    write(tmp_path / "whole.grib", [content])
    faults = faults_of(tmp_path)
    assert faults.keys() == {"short.grib", "sections.grib", "start.grib", "old.grib", "zeros.grib", "other.grib"}
    assert "breaks off" in faults["short.grib"]
    assert records_of(tmp_path).keys() == {"whole.grib"}
