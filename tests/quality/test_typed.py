"""The judged collection ``typed`` keeps what its rule promises: enough of each kind, fair halves, complete grades."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.quality.build_typed import FOLDER, SAMPLES, load_questions, question_lines, said_in
from tests.quality.typed_bytes import Said, said_by
from tests.quality.typed_draw import half_of_group
from tests.quality.typed_rule import ACROSS, KINDS, Borne, Typed, Wanted, compact, grade, is_across, wanted_of
from tests.shared_data import shared_data

EVERY = 4  # of NCAR's archives: one record of so many, so that the test stays short


@pytest.fixture(scope="module")
def questions() -> list[Typed]:
    return load_questions()


@pytest.fixture(scope="module")
def qrels() -> dict[tuple[str, str], int]:
    rows = gzip.decompress((FOLDER / "qrels.tsv.gz").read_bytes()).decode().splitlines()[1:]
    return {(question, record): int(points) for question, record, points in (row.split("\t") for row in rows)}


@pytest.fixture(scope="module")
def across() -> set[tuple[str, str]]:
    rows = (row.split("\t") for row in (FOLDER / "across.tsv").read_text("utf-8").splitlines()[1:])
    return {(question, record) for question, record in rows}


def test_enough_questions_of_each_kind_each_once(questions: list[Typed]) -> None:
    assert len(questions) >= 400
    assert len({one.id for one in questions}) == len({one.text.lower() for one in questions}) == len(questions)
    counts = Counter((one.kind, half_of_group(one.group)) for one in questions)
    assert {kind for kind, _ in counts} == set(KINDS)
    assert min(counts.values()) >= 10
    assert (FOLDER / "questions.jsonl").read_text("utf-8").splitlines() == list(question_lines(questions))


def test_the_halves_are_the_groups(questions: list[Typed]) -> None:
    rows = (FOLDER / "split.tsv").read_text("utf-8").splitlines()
    assert rows == ["query-id\thalf", *(f"{one.id}\t{half_of_group(one.group)}" for one in questions)]


def test_no_name_is_asked_for_in_both_halves(questions: list[Typed]) -> None:
    names: dict[str, set[str]] = {"train": set(), "test": set()}
    for one in questions:
        names[half_of_group(one.group)] |= {*one.bears, one.begins} - {""}
    assert not names["train"] & names["test"]
    for one in questions:
        other = names["train" if half_of_group(one.group) == "test" else "test"]
        assert not one.begins or not any(name.startswith(one.begins) for name in other), one.id


def test_each_question_has_a_right_record(
    questions: list[Typed], qrels: dict[tuple[str, str], int], across: set[tuple[str, str]]
) -> None:
    assert {question for question, _ in qrels} == {one.id for one in questions}
    assert {question for (question, _), points in qrels.items() if points == 2} == {one.id for one in questions}
    assert across <= qrels.keys()
    assert {question for question, _ in across} == {one.id for one in questions if one.kind in ACROSS}


def _catalogues() -> Iterator[tuple[str, Said]]:
    """A part of the catalogues; the fixtures whole, since of two records with one id there the first counts."""
    catalogues = shared_data("catalogues")
    yield from said_in(catalogues / "ncar_eol_800.tar.gz", "ncar_eol", EVERY)
    yield from said_in(catalogues / "ncar_rda_1669.tar.gz", "ncar_rda", EVERY)
    first: dict[str, Said] = {}
    for name, said in said_in(catalogues / "format_fixtures.tar.gz", "format_fixtures"):
        first.setdefault(name, said)
    yield from first.items()
    yield from said_in(SAMPLES / "records", "samples")


def test_the_rule_gives_the_committed_grades(
    questions: list[Typed], qrels: dict[tuple[str, str], int], across: set[tuple[str, str]]
) -> None:
    wanted = wanted_of(questions)
    graded: dict[str, dict[str, int]] = {}
    for (question, record), points in qrels.items():
        graded.setdefault(record, {})[question] = points
    seen = 0
    for record, said in _catalogues():
        borne = wanted.borne_by(said)
        given = {one.id: points for one in questions if (points := grade(one, borne))}
        assert given == graded.get(record, {}), record
        reached = {one.id for one in questions if one.id in given and is_across(one, borne)}
        assert reached == {question for question in given if (question, record) in across}, record
        seen += len(given)
    assert seen > 500


_ISO = b"""<MD_Metadata xmlns:gco="g"><fileIdentifier>edu.x::MOD11_L2</fileIdentifier>
<contact><organisationName>AQUA Inc</organisationName></contact>
<identificationInfo><citation><title>Surface <b>LST</b> at night</title><edition>6.1</edition>
<date><date>2001-01-01</date></date></citation>
<abstract>Seen by Terra and MOD 11.</abstract>
<descriptiveKeywords><MD_Keywords><keyword>TRMM</keyword><type><MD_KeywordTypeCode codeListValue="platform"/></type>
<thesaurusName><title>GCMD</title></thesaurusName></MD_Keywords></descriptiveKeywords></identificationInfo></MD_Metadata>"""


def _borne(content: bytes, *names: str) -> Borne:
    return Wanted(names, ("mod1", "surf")).borne_by(said_by(content))


def test_names_are_read_from_xml_by_where_they_stand() -> None:
    borne = _borne(_ISO, "mod11l2", "lst", "version61", "trmm", "terra", "mod11", "aquainc", "gcmd", "20010101")
    assert borne.named == {"mod11l2", "mod11", "lst", "version61", "trmm", "mod1*", "surf*"}
    assert borne.said == {"terra", "mod11", "aquainc", "20010101"}


def test_names_are_read_from_json_by_their_keys() -> None:
    stac = b'{"id": "S2A_01", "properties": {"platform": "sentinel-2a", "created": "2020", "note": "by MSI"}}'
    borne = _borne(stac, "s2a01", "sentinel2a", "2020", "msi")
    assert (borne.named, borne.said) == ({"s2a01", "sentinel2a"}, {"2020", "msi"})


def test_what_is_neither_is_one_text() -> None:
    assert _borne(b"@prefix a: <b> . MOD11 \xff", "mod11").said == {"mod11", "mod1*"}


def test_grades_by_where_and_by_version() -> None:
    borne = _borne(_ISO, "mod11l2", "version61", "version7", "terra")
    asked = Typed("q", "", "exact", "g", ("mod11l2",))
    assert grade(asked, borne) == 2
    assert grade(Typed("q", "", "version", "g", ("mod11l2",), version=("v61", "version61")), borne) == 2
    assert grade(Typed("q", "", "version", "g", ("mod11l2",), version=("v7", "version7")), borne) == 1
    assert grade(Typed("q", "", "exact", "g", ("terra",)), borne) == 1
    assert grade(Typed("q", "", "exact", "g", ("aqua",)), borne) == 0
    assert grade(Typed("q", "", "beginning", "g", begins="mod1"), borne) == 2


def test_a_record_is_across_when_it_lacks_what_was_typed() -> None:
    borne = Borne(named={"landsurfacetemperature"}, said=set())
    asked = Typed("q", "LST", "acronym", "g", ("lst", "landsurfacetemperature"), typed="lst")
    assert is_across(asked, borne)
    assert not is_across(asked, Borne(named={"landsurfacetemperature"}, said={"lst"}))


@pytest.mark.parametrize("text", ["MOD11_L2", "mod11-l2", "MOD 11 L2", "Mod11.l2"])
def test_letters_and_digits_alone_count(text: str) -> None:
    assert compact(text) == "mod11l2"
