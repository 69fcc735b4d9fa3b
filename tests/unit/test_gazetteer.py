"""What the embedded gazetteer answers, by name."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.geo import BBox
from core.ports import Geocoder
from reading.gazetteer import Gazetteer, fold, name_key, words
from reading.gazetteer.build.areas import estimated_box, homeland
from reading.gazetteer.build.drafts import Draft, write


@pytest.fixture(scope="module")
def gazetteer() -> Gazetteer:
    return Gazetteer().preload()


def test_it_is_a_geocoder(gazetteer: Gazetteer) -> None:
    port: Geocoder = gazetteer
    assert port.lookup("Zzyzxburg") == []
    assert port.lookup("") == []


def test_berlin_is_where_paper_000_has_it(gazetteer: Gazetteer) -> None:
    berlin = gazetteer.lookup("Berlin")[0]
    assert berlin.bbox.as_list() == pytest.approx([13.09, 52.34, 13.76, 52.68], abs=0.03)
    assert (berlin.kind, berlin.country, berlin.estimated) == ("city", "DE", False)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("Südafrika", "South Africa"),
        ("sudafrika", "South Africa"),
        ("Afrique du Sud", "South Africa"),
        ("Sudáfrica", "South Africa"),
        ("Sudafrica", "South Africa"),
        ("África do Sul", "South Africa"),
        ("Italie", "Italy"),
        ("ITALY", "Italy"),
        ("Ostsee", "Baltic Sea"),
        ("Mer Baltique", "Baltic Sea"),
        ("mar baltico", "Baltic Sea"),
        ("the Baltic", "Baltic Sea"),
        ("Toskana", "Toscana"),
        ("Bayern", "Bavaria"),
        ("Mailand", "Milan"),
        ("Cote d'Ivoire", "Ivory Coast"),
        ("Great Lakes", "Great Lakes"),
        ("Nile Basin", "Nile"),
        ("Amazon", "Amazon basin"),
        ("Colorado", "Colorado"),
        ("Colorado River", "Colorado River"),
        ("US-CO", "Colorado"),
        ("U.S.", "United States of America"),
    ],
)
def test_names_in_several_languages_mean_the_same_place(gazetteer: Gazetteer, name: str, same: str) -> None:
    assert gazetteer.lookup(name)[0].name == same


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("United States", [-124.7, 24.5, -67.0, 49.4]),  # contiguous: what most of its data cover
        ("France", [-5.1, 41.4, 9.6, 51.1]),  # with Corsica, without overseas departments
        ("Spain", [-9.3, 35.3, 4.3, 43.8]),  # with the Balearic Islands, without the Canary Islands
        ("Netherlands", [3.3, 50.7, 7.2, 53.6]),
        ("Norway", [4.6, 58.0, 31.1, 71.2]),  # without Svalbard
        ("Chile", [-75.7, -55.9, -66.4, -17.5]),  # without Easter Island
        ("Malaysia", [99.6, 0.9, 119.3, 7.4]),  # both halves
        ("Australia", [113.2, -43.7, 153.6, -9.2]),
    ],
)
def test_a_countrys_box_is_its_main_part(gazetteer: Gazetteer, name: str, edges: list[float]) -> None:
    assert gazetteer.lookup(name)[0].bbox.as_list() == pytest.approx(edges, abs=1.5)


@pytest.mark.parametrize("name", ["Fiji", "Russia", "Bering Sea", "Ross Sea", "Pacific Ocean", "Aleutian Islands"])
def test_what_crosses_the_antimeridian_does_so_in_its_box(gazetteer: Gazetteer, name: str) -> None:
    box = gazetteer.lookup(name)[0].bbox
    assert box.crosses_antimeridian
    assert box.width_deg < 180.0


def test_the_more_important_place_comes_first(gazetteer: Gazetteer) -> None:
    georgia = gazetteer.lookup("Georgia")
    assert [(place.kind, place.country) for place in georgia[:2]] == [("country", "GE"), ("region", "US")]
    importance = [place.importance for place in gazetteer.lookup("Victoria")]
    assert importance == sorted(importance, reverse=True)


def test_a_short_form_is_a_country_only_in_capitals(gazetteer: Gazetteer) -> None:
    assert gazetteer.lookup("US")[0].country == "US"
    assert gazetteer.lookup("us") == []


def test_a_city_known_as_a_point_has_an_estimated_box(gazetteer: Gazetteer) -> None:
    kumasi = gazetteer.lookup("Kumasi")[0]
    assert kumasi.estimated
    longitude, latitude = kumasi.bbox.centre
    assert (longitude, latitude) == pytest.approx((-1.62, 6.69), abs=0.02)


def test_every_row_is_a_place(gazetteer: Gazetteer) -> None:
    keys = gazetteer.keys()
    assert len(keys) > 50_000
    for key in keys[::50]:
        named = gazetteer.named(key)
        assert named is not None
        assert named.places


def test_an_estimated_box_is_square_on_the_ground() -> None:
    box = estimated_box(10.0, 60.0, 1_200_000)  # .25 degrees up and down; cos 60 = .5, so twice that across
    assert box == BBox(9.5, 59.75, 10.5, 60.25)


def test_an_estimated_box_crosses_the_antimeridian() -> None:
    box = estimated_box(179.99, 0.0, 20_000)
    assert (box.west, box.east) == pytest.approx((179.94, -179.96))


def test_the_homeland_leaves_out_what_is_far_and_small() -> None:
    main, near, far = BBox(0, 0, 10, 10), BBox(11, 0, 12, 1), BBox(50, 0, 52, 2)
    assert homeland([(main, 100.0), (near, 1.0), (far, 4.0)]) == BBox(0, 0, 12, 10)


def test_the_homeland_keeps_a_large_far_part() -> None:
    assert homeland([(BBox(0, 0, 10, 10), 100.0), (BBox(20, 0, 26, 10), 60.0)]) == BBox(0, 0, 26, 10)


def test_the_homeland_joins_parts_on_both_sides_of_the_antimeridian() -> None:
    assert homeland([(BBox(177, -18, 180, -16), 6.0), (BBox(-180, -18, -179, -17), 1.0)]) == BBox(177, -18, -179, -16)


def test_folding_takes_case_and_accents_away() -> None:
    assert fold("Côte") == "cote"
    assert fold("Straße") == "strasse"
    assert fold("Øresund") == "oresund"
    assert name_key("The Gambia") == "gambia"
    assert name_key("Provence-Alpes-Côte d'Azur") == "provence alpes cote d azur"
    assert [(word.folded, word.start, word.end) for word in words("São Paulo")] == [("sao", 0, 3), ("paulo", 4, 9)]


def _draft(name: str, importance: float, box: BBox, adjectives: frozenset[str] = frozenset()) -> Draft:
    return Draft(name, "region", box, importance, "test", names=frozenset({name}), adjectives=adjectives)


def test_a_written_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "places.tsv.gz"
    here, there = BBox(1.5, 2, 3, 4), BBox(101, 2, 103, 4)
    drafts = [
        _draft("Testland", 0.5, here, adjectives=frozenset({"Testish"})),
        _draft("Testland", 0.6, there),
        _draft("Testland", 0.4, BBox(1.5, 2, 3, 3.9)),  # the first again from another source: not listed twice
        *(_draft(name, 0.1, BBox(0, 0, 1, 1)) for name in _ABBREVIATED),
    ]
    write(drafts, path)
    gazetteer = Gazetteer(path)
    assert [place.bbox for place in gazetteer.lookup("testland")] == [there, here]
    named = gazetteer.named("testish")
    assert named is not None
    assert named.is_adjective


def test_the_same_drafts_give_the_same_bytes(tmp_path: Path) -> None:
    drafts = [_draft(name, 0.1, BBox(0, 0, 1, 1)) for name in _ABBREVIATED]
    write(drafts, tmp_path / "a")
    write(reversed(drafts), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert gzip.decompress((tmp_path / "a").read_bytes()).count(b"\n\n") == 2


_ABBREVIATED = sorted(
    {
        "United States",
        "United Kingdom",
        "United Arab Emirates",
        "North Korea",
        "North Macedonia",
        "Democratic Republic of the Congo",
        "Papua New Guinea",
        "New Zealand",
        "China",
        "European Union",
        "Saudi Arabia",
        "Central African Republic",
        "British Columbia",
        "New South Wales",
        "Pacific Northwest",
        "Sub-Saharan Africa",
        "Latin America",
        "Great Barrier Reef",
        "Gulf of Mexico",
        "South China Sea",
        "District of Columbia",
    }
)
