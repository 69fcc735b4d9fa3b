"""Records from the headers of data files: own answers for each kind, and a stranger's folder."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import h5py
import numpy as np
import pytest
import zarr

from core.names import Variable
from indexer.data_files.containers import LocalFile, LocalStore
from indexer.data_files.messages import FileFault
from indexer.data_files.reader import DataLimits, HeaderReader
from indexer.raw import FileVersion
from indexer.sources.folder import FolderSource, _Folder
from indexer.sources.members import SourceBroken
from tests.unit.data_files import (
    DEGREES,
    GLOBE,
    UTM32,
    faults_of,
    geopackage,
    geotiff,
    netcdf3,
    netcdf4,
    record_of,
    records_of,
)

ACDD = {
    "title": "Monthly temperature",
    "summary": "Temperature of the air near the ground.",
    "Conventions": "CF-1.8, ACDD-1.3",
    "institution": "Weather Office",
    "creator_name": "Ada Example; Ben Example",
    "creator_email": "ada@example.org",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "history": "2020-01-01 made with care",
    "keywords": "temperature, climate",
    "doi": "10.1234/ABC",
    "date_created": "2020-02-03",
    "product_version": "2.1",
    "project": "TRIAL",
}


def _boxes(path: Path) -> list[list[float]]:
    return [box.as_list() for box in record_of(path).extents]


def _spans(path: Path) -> list[tuple[str, str]]:
    """Whole days without their hours."""
    return [
        (str(span.start_iso).removesuffix("T00:00:00Z"), re.sub(r"T23:59:59(.999)?Z$", "", str(span.end_iso)))
        for span in record_of(path).times
    ]


def test_a_netcdf4_file_is_a_record_of_its_attributes_and_coordinates(tmp_path: Path) -> None:
    path = netcdf4(tmp_path / "tas_day_1990.nc", GLOBE, ACDD)
    record = record_of(path)
    assert (record.title, record.alternate_titles) == ("Monthly temperature", ("tas day 1990",))
    assert record.abstract.startswith(
        "Temperature of the air near the ground.\n\nVariables: Near-surface air temperature"
    )
    assert "NetCDF-4 (CF-1.8, ACDD-1.3)" in record.abstract
    assert [box.as_list() for box in record.extents] == [[-180.0, -89.5, 180.0, 89.5]]
    assert _spans(path) == [("1990-01-16", "1990-03-16")]
    assert (record.resolution.metres, record.resolution.time_step) == (111319.49, "P1M")
    assert record.names.variables == (Variable("tas", "air_temperature", "K"),)
    assert record.names.projects == ("TRIAL",)
    assert (record.licence, record.doi, record.edition) == ("CC-BY-4.0", "10.1234/abc", "2.1")
    assert [contact.name or contact.organisation for contact in record.contacts] == [
        "Ada Example",
        "Ben Example",
        "Weather Office",
    ]
    assert (record.provenance.lineage, record.dates.created) == ("2020-01-01 made with care", "2020-02-03")
    assert (record.formats, record.identifier, record.warnings) == (("NetCDF-4",), "tas_day_1990.nc", ())


@pytest.mark.parametrize("version", [1, 2])
def test_netcdf_classic_is_read_with_its_records(tmp_path: Path, version: int) -> None:
    path = netcdf3(tmp_path / "rain.nc", 5, version=version)
    record = record_of(path)
    assert (record.title, record.names.variables) == (
        "Regen in Köln",
        (Variable("rain", "precipitation_amount", "mm"),),
    )
    assert [box.as_list() for box in record.extents] == [[6.0, 50.0, 9.0, 52.0]]
    assert _spans(path) == [("2000-01-01", "2000-01-02")]
    assert record.resolution.time_step == "PT6H"


@pytest.mark.parametrize(("format", "consolidated"), [(2, True), (2, False), (3, True), (3, False)])
def test_a_zarr_store_is_one_record(tmp_path: Path, format: Any, consolidated: bool) -> None:
    store = tmp_path / "in/tas.zarr"
    group = zarr.open_group(store, mode="w", zarr_format=format)
    group.attrs.update(ACDD)
    for name, (dimensions, values, stated) in GLOBE.items():
        names = {"dimension_names": dimensions} if format == 3 else {}
        array = group.create_array(name, data=np.asarray(values), **names)
        array.attrs.update({**stated, **({"_ARRAY_DIMENSIONS": dimensions} if format == 2 else {})})
    if consolidated:
        zarr.consolidate_metadata(store)
    ((name, record),) = records_of(tmp_path).items()
    assert (name, record.title, record.formats) == ("in/tas.zarr", "Monthly temperature", (f"Zarr v{format}",))
    assert [box.as_list() for box in record.extents] == [[-180.0, -89.5, 180.0, 89.5]]
    assert [variable.name for variable in record.names.variables] == ["tas"]
    assert record_of(store).title == "Monthly temperature"


def test_a_projected_geotiff_has_its_corners_in_degrees(tmp_path: Path) -> None:
    gdal = '<GDALMetadata><Item name="DESCRIPTION" sample="0" role="description">red</Item></GDALMetadata>\0'
    path = geotiff(tmp_path / "köln_2020.tif", (100, 200), UTM32, (0, 0, 0, 350000, 5650000, 0), (10, 10, 0),
                   tags=[(42112, "s", len(gdal), gdal)], description="Aerial picture of Köln".encode())  # fmt: skip
    record = record_of(path)
    (box,) = record.extents
    assert box.as_list() == pytest.approx([6.863, 50.973, 6.892, 50.983], abs=0.002)
    assert (record.resolution.metres, record.formats) == (10.0, ("GeoTIFF",))
    assert "EPSG:25832" in record.abstract
    assert "Aerial picture" in record.abstract
    assert [variable.name for variable in record.names.variables] == ["red"]


def test_a_geotiff_whose_pixels_are_points_is_half_a_pixel_larger(tmp_path: Path) -> None:
    points = (*DEGREES[:4], 1025, 0, 1, 2, *DEGREES[8:])
    assert _boxes(geotiff(tmp_path / "p.tif", (2, 4), points, (0, 0, 0, 10, 50, 0), (1, 1, 0))) == [
        [9.5, 48.5, 13.5, 50.5]
    ]


def test_a_system_by_its_parameters_is_used(tmp_path: Path) -> None:
    """MODIS's sinusoidal grid has no code."""
    keys = (1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32767, 3075, 0, 1, 24, 3088, 34736, 1, 0)
    tags = [(34736, "d", 1, (0.0,))]
    boxes = _boxes(
        geotiff(tmp_path / "m.tif", (10, 10), keys, (0, 0, 0, 0, 1111950, 0), (111195, 111195, 0), tags=tags)
    )
    assert boxes[0] == pytest.approx([0.0, 0.0, 10.16, 10.0], abs=0.1)


@pytest.mark.parametrize("rows", [0, 4000], ids=["small", "large"])
def test_a_geopackage_has_the_places_of_its_layers(tmp_path: Path, rows: int) -> None:
    """Of a large one the first part is enough."""
    layers = [("roads", (6.9, 50.9, 7.0, 51.0), 4326), ("trees", (350000, 5640000, 360000, 5650000), 25832)]
    record = record_of(geopackage(tmp_path / "town_map.gpkg", layers, rows))
    assert (record.title, record.formats) == ("town map", ("GeoPackage",))
    assert record.extents[0].as_list() == [6.9, 50.9, 7.0, 51.0]
    assert record.extents[1].as_list() == pytest.approx([6.86, 50.89, 7.01, 50.98], abs=0.02)
    assert "layer roads of the town, 12 features: width_m, name. Measured by hand." in record.abstract


@pytest.mark.parametrize(
    ("text", "box", "span", "variables"),
    [
        (
            "station,Latitude (deg),Longitude (deg),time,Temperature (°C)\n"
            "a,50.5,6.5,2001-02-03,1\nb,51,7,2003-01-01T12:00:00Z,2\n",
            [6.5, 50.5, 7.0, 51.0],
            ("2001-02-03", "2003-01-01T12:00:00Z"),
            [Variable("station"), Variable("Temperature", None, "°C")],
        ),
        ("# title: Buoys\nlat;lon;sst\n-10,5;179,5;20\n-11,5;-178,25;21\n", [179.5, -11.5, -178.25, -10.5], None,
         [Variable("sst")]),
        ("time,latitude,longitude,wtmp\nUTC,degrees_north,degrees_east,degree_C\n2020-01-01T00:00:00Z,1,350,3\n",
         [-10.0, 1.0, -10.0, 1.0], ("2020-01-01", "2020-01-01T00:00:00Z"), [Variable("wtmp", None, "degree_C")]),
    ],
    ids=["units_in_names", "decimal_commas_across_the_antimeridian", "erddap"],
)  # fmt: skip
def test_a_table_with_coordinates(tmp_path: Path, text: str, box: list[float], span: Any, variables: Any) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    record = record_of(tmp_path)
    assert [extent.as_list() for extent in record.extents] == [box]
    assert list(record.names.variables) == variables
    assert _spans(tmp_path) == ([span] if span else [])


@pytest.mark.parametrize(
    ("columns", "values", "span"),
    [
        ("Datum", ["28.03.2019", "01.02.2021 12:30"], ("2019-03-28", "2021-02-01T12:30:59.999Z")),
        ("Date", ["02/03/2009", "12/31/2010"], ("2009-02-03", "2010-12-31")),
        ("Date", ["02/03/2009", "31/12/2010 8:15:00"], ("2009-03-02", "2010-12-31T08:15:00Z")),
        ("Date", ["02/03/2009", "04/05/2010"], ("2009-01-01", "2010-12-31")),
        ("Date", ["31/12/2009", "12/31/2010"], None),
        ("Date", ["30.02.2009"], None),
        ("Date/Time", ["2008-07-15T10:00", "2008-08-15T10:00"], ("2008-07-15T10:00:00Z", "2008-08-15T10:00:59.999Z")),
        ("date_time", ["20120301T000000Z", "201204010630"], ("2012-03-01", "2012-04-01T06:30:59.999Z")),
        ("decimal_year", ["1950.5", "1961,25"], ("1950-01-01", "1961-12-31")),
        ("epoch", ["1262304000", "1293840000000"], ("2010-01-01", "2011-01-01T00:00:00Z")),
        ("time|date", ["1230|2001/5/6", "0930|2001/5/7"], ("2001-05-06", "2001-05-07")),
        ("year|date", ["2001|2001-05-06"], ("2001-05-06", "2001-05-06")),
        ("year|date", ["2001|"], ("2001-01-01", "2001-12-31")),
        ("date", ["3-Jan-2010", "05 März 2011"], ("2010-01-03", "2011-03-05")),
        ("timestamp", ["1/13/2010 12:30 AM", "2/14/2010 2:30:00 PM"], ("2010-01-13T00:30:00Z", "2010-02-14T14:30:00Z")),
    ],
    ids=[
        "dots", "month_first", "day_first", "either_order", "both_orders", "no_such_day", "pangaea", "compact",
        "decimal_year", "seconds_since_1970", "clock_beside_date", "year_beside_date", "year_alone",
        "names_of_months", "twelve_hours",
    ],
)  # fmt: skip
def test_the_dates_of_a_table(tmp_path: Path, columns: str, values: list[str], span: Any) -> None:
    rows = "".join(f"5.5|50.5|{value}\n" for value in values)
    (tmp_path / "t.csv").write_text(f"lon|lat|{columns}\n{rows}", encoding="utf-8")
    assert _spans(tmp_path) == ([span] if span else [])


def test_places_of_a_table_in_degrees_and_minutes_or_as_wkt(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("site,lat,lon\nA,45°30'N,7°15'36\"W\nB,S 46.5,10 E\n", encoding="utf-8")
    assert [extent.as_list() for extent in record_of(tmp_path).extents] == [[-7.26, -46.5, 10.0, 45.5]]
    (tmp_path / "t.csv").write_text(
        'wkt,depth_m\n"POLYGON ((5 43, 6 43.5, 5 44, 5 43))",3\nPOINT Z (7 42 9),1\n', "utf-8"
    )
    record = record_of(tmp_path)
    assert [extent.as_list() for extent in record.extents] == [[5.0, 42.0, 7.0, 44.0]]
    assert [variable.name for variable in record.names.variables] == ["depth_m"]


@pytest.mark.parametrize(
    "title",
    ["sep=;\n", "Field campaign in 2001;;;\nby, A, and, B\n", "\n# comment\nStations\n"],
    ids=["of_excel", "titles", "comment_before_title"],
)
def test_lines_above_the_names_of_the_columns(tmp_path: Path, title: str) -> None:
    (tmp_path / "t.csv").write_text(f"{title}site;Lat;Lon;Datum\nA;48,1;11,5;1.2.2019\n", encoding="utf-8")
    assert [extent.as_list() for extent in record_of(tmp_path).extents] == [[11.5, 48.1, 11.5, 48.1]]
    assert _spans(tmp_path) == [("2019-02-01", "2019-02-01")]


def test_the_head_of_a_table_of_pangaea_gives_title_abstract_keywords_and_licence(tmp_path: Path) -> None:
    cited = "Smith, J; Doe, A (2008): CTD casts of cruise ARK-XXIII/2 [dataset]. PANGAEA, https://doi.org/10.1594/PANGAEA.75"
    (tmp_path / "t.tab").write_text(
        f"/* DATA DESCRIPTION:\nCitation:\t{cited}\nAbstract:\tCasts in Fram Strait.\nKeyword(s):\tCTD; Fram Strait\n"
        "License:\tCreative Commons Attribution 3.0 Unported (CC-BY-3.0)\n"
        "Parameter(s):\tLATITUDE * GEOCODE\n\tTemp\n*/\n"
        "Event\tDate/Time\tLatitude\tLongitude\tTemp [deg C]\nPS72/1\t2008-07-04T12:30\t78.8\t-4.5\t-1.2\n",
        encoding="utf-8",
    )
    record = record_of(tmp_path)
    assert record.title == "CTD casts of cruise ARK-XXIII/2"
    assert record.abstract.startswith("Casts in Fram Strait.")
    assert (record.licence, record.doi) == ("CC-BY-3.0", "10.1594/pangaea.75")
    assert [keyword.term for keyword in record.keywords] == ["CTD", "Fram Strait"]


def _times(values: Any, units: str, **attributes: str) -> dict[str, Any]:
    return {"time": (["time"], values, {"units": units, **attributes})}


@pytest.mark.parametrize(
    ("values", "units", "calendar", "span", "step"),
    [
        ([0, 30, 60, 90], "days since 2000-01-01", "360_day", ("2000-01-01", "2000-04-01"), None),
        ([59], "days since 2000-01-01", "360_day", ("2000-02-29", "2000-02-29"), None),
        ([59, 60], "days since 2000-01-01", "noleap", ("2000-03-01", "2000-03-02"), "P1D"),
        ([0, 1, 2], "months since 1990-01-01", "", ("1990-01-01", "1990-03-01"), "P1M"),
        ([0, 365, 731, 1096], "days since 1999-01-01", "", ("1999-01-01", "2002-01-01"), "P1Y"),
        ([1.0, 1.125], "days since 1990-1-1 0:0:0", "gregorian", ("1990-01-02", "1990-01-02T03:00:00Z"), "PT3H"),
        ([0, 900], "seconds since 1970-01-01T00:00:00Z", "", ("1970-01-01", "1970-01-01T00:15:00Z"), "PT15M"),
        ([20010101, 20010301.5], "day as %Y%m%d.%f", "", ("2001-01-01", "2001-03-01T12:00:00Z"), None),
        ([200101, 200212.5], "month as %Y%m.%f", "", ("2001-01-01", "2002-12-01"), None),
    ],
    ids=["360_day", "30_february", "noleap", "months", "years", "short_epoch", "seconds", "cdo_days", "cdo_months"],
)
def test_odd_times(
    tmp_path: Path, values: Any, units: str, calendar: str, span: tuple[str, str], step: str | None
) -> None:
    path = netcdf4(
        tmp_path / "t.nc", _times(np.array(values, "f8"), units, **({"calendar": calendar} if calendar else {}))
    )
    assert _spans(path) == [span]
    if step:
        assert record_of(path).resolution.time_step == step


@pytest.mark.parametrize(
    ("file", "times"),
    [
        ("t.nc", np.array([list("2011-06-01_00:00:00"), list("2011-06-03_06:00:00")], "S1")),
        ("wrfout_d01_2011-06-01_00_00_00", np.array([list("2011-06-01_00:00:00"), list("2011-06-03_06:00:00")], "S1")),
        ("t.h5", np.array([b"2011-06-01T00:00:00Z", b"2011-06-03T06:00:00Z"])),
    ],
    ids=["letters", "a_file_of_wrf_without_suffix", "texts"],
)
def test_times_that_are_written_out(tmp_path: Path, file: str, times: Any) -> None:
    with h5py.File(tmp_path / file, "w") as container:
        container["Times"] = times
        container["T2"] = np.zeros((2, 3))
    assert _spans(tmp_path) == [("2011-06-01", "2011-06-03T06:00:00Z")]
    assert [variable.name for variable in record_of(tmp_path).names.variables] == ["T2"]


def test_the_period_is_that_of_the_time_bounds(tmp_path: Path) -> None:
    arrays = _times([15.5, 45.0], "days since 2001-01-01", bounds="time_bnds")
    arrays["time_bnds"] = (["time", "nv"], [[0.0, 31.0], [31.0, 59.0]], {})
    assert _spans(netcdf4(tmp_path / "b.nc", arrays)) == [("2001-01-01", "2001-02-28")]


def test_a_climatology_has_no_period(tmp_path: Path) -> None:
    record = record_of(netcdf4(tmp_path / "clim.nc", _times([15.0, 45.0], "days since 0001-01-01")))
    assert record.times == ()
    assert "climatology" in record.warnings[-1]


def _grid(lon: Any, lat: Any, **more: Any) -> dict[str, Any]:
    return {
        "lon": (["lon"], lon, {"units": "degrees_east"}),
        "lat": (["lat"], lat, {"units": "degrees_north"}),
        **more,
    }


@pytest.mark.parametrize(
    ("lon", "lat", "box"),
    [
        (np.arange(150, 221, 10.0), [10.0, 0.0, -10.0], [150.0, -10.0, -140.0, 10.0]),
        (np.arange(340, 381, 5.0), [0.0, 1.0], [-20.0, 0.0, 20.0, 1.0]),
        (np.arange(200, 311, 1.0), [-1.0, 1.0], [-160.0, -1.0, -50.0, 1.0]),
        (np.arange(-180, 180, 2.5), [-90.0, 90.0], [-180.0, -90.0, 180.0, 90.0]),
        (np.arange(-170, 171, 1.0), [0.0, 1.0], [-170.0, 0.0, 170.0, 1.0]),
        ([7.0], [51.0], [7.0, 51.0, 7.0, 51.0]),
        ([0.0, 360.0], [0.0, 1.0], [-180.0, 0.0, 180.0, 1.0]),
    ],
    ids=["pacific", "past_360", "americas", "globe", "almost_globe", "point", "both_ends"],
)
def test_longitudes_of_any_range(tmp_path: Path, lon: Any, lat: Any, box: list[float]) -> None:
    assert _boxes(netcdf4(tmp_path / "g.nc", _grid(np.array(lon), np.array(lat)))) == [box]


def test_a_curvilinear_grid_without_attributes_and_with_missing_corners(tmp_path: Path) -> None:
    lon, lat = np.meshgrid(np.linspace(170.0, 190.0, 30), np.linspace(-50.0, -30.0, 20))
    lon[0, 0], lat[0, 0] = 1e20, np.nan
    arrays = {
        "nav_lon": (["y", "x"], lon, {"missing_value": 1e20}),
        "nav_lat": (["y", "x"], lat, {}),
        "sst": (["y", "x"], np.zeros((20, 30), "f4"), {"units": "degC", "coordinates": "nav_lon nav_lat"}),
    }
    record = record_of(netcdf4(tmp_path / "orca.nc", arrays))
    assert [box.as_list() for box in record.extents] == [[170.0, -50.0, -170.0, -30.0]]
    assert record.names.variables == (Variable("sst", None, "degC"),)
    assert [warning.partition(":")[0] for warning in record.warnings] == ["title", "abstract"]


def test_a_projected_grid_in_kilometres(tmp_path: Path) -> None:
    stated = {"grid_mapping_name": "polar_stereographic", "latitude_of_projection_origin": 90.0,
              "standard_parallel": 70.0, "straight_vertical_longitude_from_pole": -45.0}  # fmt: skip
    arrays = {
        "x": (["x"], np.arange(-500.0, 501.0, 25.0), {"units": "km", "standard_name": "projection_x_coordinate"}),
        "y": (["y"], np.arange(-1500.0, -499.0, 25.0), {"units": "km", "standard_name": "projection_y_coordinate"}),
        "crs": ([], np.int32(0), stated),
        "ice": (
            ["y", "x"],
            np.zeros((41, 41), "f4"),
            {"grid_mapping": "crs", "standard_name": "sea_ice_area_fraction"},
        ),
    }
    record = record_of(netcdf4(tmp_path / "ice.nc", arrays))
    (box,) = record.extents
    assert (box.west, box.east) == pytest.approx((-90.0, 0.0), abs=1)
    assert box.south == pytest.approx(75.6, abs=0.5)
    assert record.resolution.metres == 25000.0
    assert [variable.name for variable in record.names.variables] == ["ice"]


def test_a_rotated_pole_without_latitudes_has_a_place_and_a_name(tmp_path: Path) -> None:
    pole = {"grid_mapping_name": "rotated_latitude_longitude", "grid_north_pole_latitude": 39.25,
            "grid_north_pole_longitude": -162.0}  # fmt: skip
    degrees = np.linspace(-20.0, 20.0, 41)
    arrays = {
        "rlon": (["rlon"], degrees, {"standard_name": "grid_longitude", "units": "degrees"}),
        "rlat": (["rlat"], degrees, {"standard_name": "grid_latitude", "units": "degrees"}),
        "pole": ([], np.int32(1), pole),
        "pr": (["rlat", "rlon"], np.zeros((41, 41), "f4"), {"grid_mapping": "pole"}),
    }
    record = record_of(netcdf4(tmp_path / "rotated.nc", arrays))
    assert record.extents[0].as_list() == pytest.approx([-29.6, 27.9, 65.6, 70.75], abs=0.1)
    assert "reference system rotated latitude longitude" in record.abstract


def test_latitudes_for_each_time_are_coordinates(tmp_path: Path) -> None:
    """As WRF writes them."""
    lon, lat = np.meshgrid(np.linspace(-110, -90, 4), np.linspace(30, 45, 3))
    dimensions = ["Time", "south_north", "west_east"]
    arrays = {
        "XLAT": (dimensions, lat[None], {"units": "degree_north"}),
        "XLONG": (dimensions, lon[None], {"units": "degree_east"}),
        "T2": (dimensions, np.zeros((1, 3, 4)), {"units": "K", "description": "TEMP at 2 M"}),
    }
    record = record_of(netcdf4(tmp_path / "wrfout_d01", arrays).rename(tmp_path / "wrfout_d01.nc"))
    assert record.extents[0].as_list() == [-110.0, 30.0, -90.0, 45.0]
    assert record.names.variables == (Variable("T2", None, "K"),)


def test_packed_times_levels_and_groups(tmp_path: Path) -> None:
    arrays = {
        **_grid([1.0, 2.0], [3.0, 4.0]),
        "time": (
            ["time"],
            np.array([0, 1], "i2"),
            {"units": "hours since 2010-01-01", "scale_factor": 0.5, "add_offset": 1.0},
        ),
        "depth": (["depth"], [0.0, 100.0], {"units": "m", "positive": "down"}),
    }
    path = netcdf4(tmp_path / "groups.nc", {}, {"title": "In groups"})
    netcdf4(path, {**arrays, "salt": (["depth", "lat"], np.zeros((2, 2)), {"units": "1e-3"})}, group="ocean")
    record = record_of(path)
    assert [box.as_list() for box in record.extents] == [[1.0, 3.0, 2.0, 4.0]]
    assert _spans(path)[0][0] == "2010-01-01T01:00:00Z"
    assert record.vertical is not None
    assert (record.vertical.minimum, record.vertical.maximum) == (-100.0, 0.0)
    assert [variable.name for variable in record.names.variables] == ["salt"]


def test_what_only_attributes_say_is_used_and_a_contradiction_is_named(tmp_path: Path) -> None:
    stated = {"geospatial_lon_min": 5.0, "geospatial_lon_max": 6.0,
              "geospatial_lat_min": 50.0, "geospatial_lat_max": 51.0,
              "time_coverage_start": "2001-01-01", "time_coverage_end": "2002-01-01"}  # fmt: skip
    swath = {"swath": (["n"], [1.0, 2.0], {"units": "K"})}
    record = record_of(netcdf4(tmp_path / "a/swath.nc", swath, stated))
    assert ([box.as_list() for box in record.extents], len(record.times)) == ([[5.0, 50.0, 6.0, 51.0]], 1)
    contradiction = record_of(netcdf4(tmp_path / "b/c.nc", _grid([50.0, 51.0], [5.0, 6.0]), stated))
    assert [box.as_list() for box in contradiction.extents] == [[50.0, 5.0, 51.0, 6.0]]
    assert any(warning.startswith("extent: its attributes say 5, 50, 6, 51") for warning in contradiction.warnings)


def test_a_bathymetry_is_data_and_no_level(tmp_path: Path) -> None:
    arrays = _grid(
        [1.0, 2.0], [3.0, 4.0], depth=(["lat", "lon"], np.zeros((2, 2)), {"units": "m", "standard_name": "depth"})
    )
    record = record_of(netcdf4(tmp_path / "bathy.nc", arrays))
    assert (record.names.variables, record.vertical) == ((Variable("depth", "depth", "m"),), None)


def test_bad_files_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    good = netcdf4(tmp_path / "good.nc", GLOBE)
    content = good.read_bytes()
    (tmp_path / "cut.nc").write_bytes(content[: len(content) // 2])
    classic = netcdf3(tmp_path / "classic.nc", 5).read_bytes()
    (tmp_path / "classic_cut.nc").write_bytes(classic[:-40])
    (tmp_path / "classic_huge.nc").write_bytes(classic[:40].replace(b"lat", b"\xff\xff\xff") + classic[40:80])
    (tmp_path / "empty.nc").touch()
    (tmp_path / "login.nc").write_text("<!DOCTYPE html><html><title>Log in</title>")
    (tmp_path / "noise.tif").write_bytes(b"II*\x00" + b"\xff" * 2000)
    (tmp_path / "noise.gpkg").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    (tmp_path / "zip.gpkg").write_bytes(b"PK\x03\x04" + bytes(100))
    (tmp_path / "words.csv").write_text("name,age\na,1\n")
    (tmp_path / "photo.tif").write_bytes(_picture(tmp_path))
    (tmp_path / "empty.zarr").mkdir()
    faults = faults_of(tmp_path)
    assert sorted(records_of(tmp_path)) == ["classic.nc", "good.nc"]
    assert "breaks off" in faults["classic_cut.nc"]
    assert "truncated" in faults["cut.nc"] or "breaks off" in faults["cut.nc"]
    assert "web page" in faults["login.nc"]
    assert faults["empty.nc"] == "it is empty"
    assert "picture" in faults["photo.tif"]
    assert "without columns for latitude and longitude" in faults["words.csv"]
    assert "zip archive" in faults["zip.gpkg"]
    assert "no Zarr metadata" in faults["empty.zarr"]
    assert {"classic_huge.nc", "noise.tif", "noise.gpkg"} <= set(faults)


def _picture(folder: Path) -> bytes:
    import tifffile

    path = folder / "x.tmp"
    tifffile.imwrite(path, np.zeros((4, 4), "u1"))
    content = path.read_bytes()
    path.unlink()
    return content


def test_a_file_whose_metadata_lie_beside_it_is_not_read(tmp_path: Path) -> None:
    for name in ("a.nc", "b.nc"):
        netcdf4(tmp_path / name, GLOBE)
    (tmp_path / "A.XML").write_text(
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A</dc:title></oai_dc:dc>'
    )
    assert sorted(records_of(tmp_path)) == ["A.XML", "b.nc"]
    assert faults_of(tmp_path)["a.nc"].startswith("data whose metadata lie beside them")


def test_hdf5_is_not_called_netcdf_and_without_numbers_it_gives_no_record(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "plain.h5", "w") as file:
        file["group/rain"] = np.zeros(3)
        file["group/rain"].attrs["units"] = "mm"
    with h5py.File(tmp_path / "words.h5", "w") as file:
        file["a"] = "text"
    assert record_of(tmp_path).formats == ("HDF5",)
    assert faults_of(tmp_path) == {"words.h5": "it holds no variable with numbers"}


def test_a_file_that_takes_too_long_ends_and_the_next_is_read(tmp_path: Path) -> None:
    slow, fast = netcdf4(tmp_path / "slow.nc", GLOBE), netcdf4(tmp_path / "fast.nc", GLOBE)

    class Slow(LocalFile):
        def read(self, key: str, offset: int, length: int | None) -> bytes | None:
            time.sleep(3.0)
            return LocalFile.read(self, key, offset, length)

    reader = HeaderReader(DataLimits(seconds=2.0))
    with pytest.raises(FileFault, match="longer than 2 s"):
        reader.read(Slow(slow))
    reader.limits = DataLimits()
    assert reader.read(LocalFile(fast))["format"] == "NetCDF-4"
    reader.close()


def test_a_file_that_takes_too_many_bytes_ends(tmp_path: Path) -> None:
    reader = HeaderReader(DataLimits(fetched_bytes=10_000))
    with pytest.raises(FileFault, match="more than 10,000 bytes"):
        reader.read(LocalFile(netcdf4(tmp_path / "a.nc", GLOBE)))
    reader.close()


def test_an_array_that_claims_more_than_the_memory_is_a_fault(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "bomb.nc", "w") as file:
        lat = file.create_dataset("lat", (4_000_000_000,), "f8", chunks=(400_000_000,), compression="gzip")
        lat.attrs["units"] = "degrees_north"
        lon = file.create_dataset("lon", (4_000_000_000,), "f8", chunks=(400_000_000,), compression="gzip")
        lon.attrs["units"] = "degrees_east"
    netcdf4(tmp_path / "good.nc", GLOBE)
    assert "good.nc" in records_of(tmp_path)


def test_the_process_has_no_files_of_ours(tmp_path: Path) -> None:
    """It asks for every byte, so a name that leads out of a store is answered by this side: with nothing."""
    (tmp_path / "secret").write_text("x")
    (tmp_path / "a.zarr").mkdir()
    assert LocalStore(tmp_path / "a.zarr").read("../secret", 0, None) is None
    (tmp_path / "a.zarr/link").symlink_to(tmp_path / "secret")
    assert LocalStore(tmp_path / "a.zarr").read("link", 0, None) is None


@dataclass
class _Memory:
    tag: str = "x"
    versions: dict[str, FileVersion] = field(default_factory=dict)

    def versions_of(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
        return {url: self.versions[url] for url in urls if url in self.versions}


def test_files_of_a_folder_that_have_not_changed_are_not_read_again(tmp_path: Path) -> None:
    for name in ("a.nc", "b/c.nc", "d.nc"):
        netcdf4(tmp_path / name, GLOBE)
    memory = _Memory()
    pages = list(FolderSource(tmp_path, memory=memory).pages())
    memory.versions = {visit.url: visit for page in pages for visit in page.visits}
    (tmp_path / "d.nc").unlink()
    netcdf4(tmp_path / "d.nc", GLOBE, {"title": "Other"})
    (again,) = FolderSource(tmp_path, memory=memory).pages()
    assert again.unchanged == ("a.nc", "b/c.nc")
    assert [raw.native_id for raw in again.records] == ["d.nc"]


def test_without_the_libraries_the_extra_is_named_and_nothing_counts_as_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.sources.folder.missing_libraries", lambda: ("zarr",))
    netcdf4(tmp_path / "a.nc", GLOBE)
    ((passed_over,),) = [page.passed_over for page in FolderSource(tmp_path).pages()]
    assert "extra `data`" in passed_over.reason
    assert passed_over.native_id == "a.nc"


def test_versions_are_requested_in_one_walk_and_a_break_keeps_what_came_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("lat,lon\n1,2\n")
    (tmp_path / "b.csv").write_text("lat,lon\n3,4\n")
    (tmp_path / "c").mkdir()

    class Memory:
        tag = "t"
        requests: ClassVar[list[Sequence[str]]] = []

        def versions_of(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
            self.requests.append(urls)
            return {}

    scandir = os.scandir

    def broken(path: str | Path) -> Any:
        if str(path).endswith("/c"):
            raise PermissionError("no")
        return scandir(path)

    source = FolderSource(tmp_path, memory=Memory())
    monkeypatch.setattr(_Folder, "total", lambda _folder: None)
    monkeypatch.setattr(os, "scandir", broken)
    pages = source.pages()
    page = next(pages)
    assert [record.native_id for record in page.records] == ["a.csv", "b.csv"]
    assert Memory.requests == [[str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]]
    with pytest.raises(SourceBroken):
        next(pages)
