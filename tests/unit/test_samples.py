"""The samples hold together: files, catalogue and questions agree, and the files are valid ISO 19139."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from lxml import etree

from core.geo import BBox
from core.timespan import TimeSpan
from encoders.locate import SHIPPED
from samples.entry import SampleEntry, entry_from, load_catalogue, load_registers
from samples.render import RECORDS, render_all, time_step
from search_api.formats_out.iso_elements import NAMESPACES
from sonde.wiring.training.corpora import LICENCES

QUESTIONS = RECORDS.parent / "questions.jsonl"
ENTRIES = {entry.id: entry for entry in load_catalogue()}
FILES = sorted(RECORDS.glob("*.xml"))
ASKED: list[dict[str, Any]] = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
# What a lineage must say for a reader to know the kind; languages of the samples included.
TELLING = {
    "observation": r"observ|measur|messung|mesur|misur|medicion|gauge|best track|analysis of|compiled|counts",
    "reanalysis": r"reanalys|réanalys|replay",
    "projection": r"projection",
    "simulation": r"simulat|model run",
    "derived": r"deriv|deriva|render",
    "unknown": r"no data",
}


def test_the_committed_files_are_what_the_catalogue_renders() -> None:
    assert {path.name: path.read_bytes() for path in FILES} == render_all()


def test_the_catalogue_is_about_the_promised_size_and_speaks_six_languages() -> None:
    assert len(ENTRIES) >= 120
    assert {entry.lang for entry in ENTRIES.values()} == {"eng", "ger", "fre", "spa", "ita", "por"}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.id)
def test_an_entry_is_sane(entry: SampleEntry) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", entry.id)
    assert 50 <= len(entry.abstract.split()) <= 150
    assert entry.url.startswith(("https://", "http://"))
    assert re.search(TELLING[entry.kind], entry.lineage, re.IGNORECASE), "the lineage does not tell the kind"
    assert entry.boxes or entry.type == "software"
    for box in entry.boxes:
        BBox(*box)
    for start, end in entry.times:
        TimeSpan.from_iso(start, None if end in ("now", "unknown") else end)
    if entry.step:
        time_step(entry.step)
    if entry.doi:
        assert re.fullmatch(r"10\.\d{4,9}/\S+", entry.doi)


def test_what_entries_refer_to_exists() -> None:
    registers = load_registers()
    for entry in ENTRIES.values():
        assert {entry.org, entry.publisher or entry.org} <= registers.organisations.keys(), entry.id
        assert entry.licence in registers.licences, entry.id
        assert entry.parent in ENTRIES or not entry.parent, entry.id
        assert entry.id not in entry.derived_from, entry.id
    used = {key for entry in ENTRIES.values() for key in (entry.org, entry.publisher) if key}
    assert used == registers.organisations.keys()


def test_dois_and_titles_are_not_shared() -> None:
    dois = [entry.doi.lower() for entry in ENTRIES.values() if entry.doi]
    titles = [entry.title for entry in ENTRIES.values()]
    assert len(dois) == len(set(dois))
    assert len(titles) == len(set(titles))


def test_the_catalogue_shows_what_readers_of_iso_19139_must_manage() -> None:
    entries = list(ENTRIES.values())
    assert {"dataset", "series", "collection", "service", "document", "software"} <= {each.type for each in entries}
    assert sum(any(west > east for west, _, east, _ in each.boxes) for each in entries) >= 3  # antimeridian
    assert sum(len(each.boxes) > 1 for each in entries) >= 3
    assert sum(len(each.times) > 1 for each in entries) >= 2
    assert any(each.polygon for each in entries)
    assert sum(each.vertical is not None for each in entries) >= 10
    assert {50000, 100000} <= {each.scale for each in entries}
    assert sum(each.parent == "era5" for each in entries) == 2
    assert any(start.startswith("-") for each in entries for start, _ in each.times)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_the_mandatory_elements(path: Path) -> None:
    tree = etree.parse(path)
    for xpath in (
        "/gmd:MD_Metadata/gmd:fileIdentifier/gco:CharacterString",
        "/gmd:MD_Metadata/gmd:contact//gmd:organisationName/gco:CharacterString",
        "/gmd:MD_Metadata/gmd:dateStamp/gco:Date",
        "//gmd:identificationInfo/*/gmd:citation/gmd:CI_Citation/gmd:title/gco:CharacterString",
        "//gmd:identificationInfo/*/gmd:citation/gmd:CI_Citation/gmd:date//gco:Date",
        "//gmd:identificationInfo/*/gmd:abstract/gco:CharacterString",
        "//gmd:LI_Lineage/gmd:statement/gco:CharacterString",
    ):
        assert tree.xpath(f"string({xpath})", namespaces=NAMESPACES), xpath
    assert tree.findtext("gmd:fileIdentifier/gco:CharacterString", namespaces=NAMESPACES) == path.stem


@pytest.fixture(scope="module")
def schemas() -> dict[str, etree.XMLSchema]:
    """The schemas that pycsw ships: 2007 for data (GML 3.2), 2006 for services, whose srv is of that year only."""
    package = importlib.util.find_spec("pycsw")
    if package is None or package.origin is None:
        pytest.skip("pycsw 2.6 (its ISO 19139 schemas) is not installed: pip install --no-deps 'pycsw<3'")
    root = Path(package.origin).parent / "plugins/profiles/apiso/schemas/ogc/iso/19139"
    return {"gmd": _schema(root / "20070417", ("gmd", "gmx")), "srv": _schema(root / "20060504", ("gmd", "srv", "gmx"))}


def _schema(folder: Path, names: tuple[str, ...]) -> etree.XMLSchema:
    imports = "".join(
        f'<xs:import namespace="{NAMESPACES[name]}" schemaLocation="{folder}/{name}/{name}.xsd"/>' for name in names
    )
    source = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{imports}</xs:schema>'
    return etree.XMLSchema(etree.fromstring(source, etree.XMLParser(no_network=True)))


def test_every_file_is_valid_by_the_schemas(schemas: dict[str, etree.XMLSchema]) -> None:
    invalid = {}
    for path in FILES:
        tree = etree.parse(path)
        schema = schemas["srv" if tree.find(".//srv:SV_ServiceIdentification", NAMESPACES) is not None else "gmd"]
        if not schema.validate(tree):
            invalid[path.name] = str(schema.error_log)
    assert invalid == {}


def test_the_schemas_refuse_a_file_without_an_abstract(schemas: dict[str, etree.XMLSchema]) -> None:
    tree = etree.parse(RECORDS / "era5.xml")
    abstract = tree.find(".//gmd:abstract", NAMESPACES)
    assert abstract is not None
    parent = abstract.getparent()
    assert parent is not None
    parent.remove(abstract)
    assert not schemas["gmd"].validate(tree)


def test_questions_have_their_own_ids_and_known_answers() -> None:
    assert len(ASKED) >= 40
    assert len({each["id"] for each in ASKED}) == len({each["q"] for each in ASKED}) == len(ASKED)
    for each in ASKED:
        assert each["right"], each["id"]
        assert each["why"], each["id"]
        assert {*each["right"], *each["also"]} <= ENTRIES.keys(), each["id"]
        assert not set(each["right"]) & set(each["also"]), each["id"]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked["id"])
def test_every_right_answer_touches_what_is_asked(asked: dict[str, Any]) -> None:
    for identifier in asked["right"]:
        entry = ENTRIES[identifier]
        if "box" in asked:
            assert any(_overlap(BBox(*box), BBox(*asked["box"])) for box in entry.boxes), identifier
        if "period" in asked:
            start, _, end = asked["period"].partition("/")
            assert any(_meet(_span(*period), TimeSpan.from_iso(start, end)) for period in entry.times), identifier


def test_the_first_question_has_right_answers_that_last_to_the_present() -> None:
    for identifier in ASKED[0]["right"]:
        assert ENTRIES[identifier].times[0][1] == "now"


def _span(start: str, end: str) -> TimeSpan:
    return TimeSpan.from_iso(start, None if end in ("now", "unknown") else end)


def _meet(one: TimeSpan, other: TimeSpan) -> bool:
    def before(first: TimeSpan, second: TimeSpan) -> bool:
        return first.end_ms is not None and second.start_ms is not None and first.end_ms < second.start_ms

    return not before(one, other) and not before(other, one)


def _overlap(one: BBox, other: BBox) -> bool:
    return any(
        a.west <= b.east and b.west <= a.east and a.south <= b.north and b.south <= a.north
        for a in one.parts()
        for b in other.parts()
    )


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        ("P1M", (1, "month")),
        ("PT30M", (30, "minute")),
        ("PT3H", (3, "hour")),
        ("P10D", (10, "day")),
        ("P1Y", (1, "year")),
    ],
)
def test_time_steps_are_read(duration: str, expected: tuple[int, str]) -> None:
    assert time_step(duration) == expected


@pytest.mark.parametrize("duration", ["1M", "P1H", "PT1D", "P1M2D", ""])
def test_what_is_no_time_step_is_refused(duration: str) -> None:
    with pytest.raises(ValueError, match="not a time step"):
        time_step(duration)


def test_an_unknown_key_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="colour"):
        entry_from({"id": "x", "title": "", "abstract": "", "lineage": "", "published": "", "colour": "red"})


def test_one_licence_is_stated_everywhere() -> None:
    """In the list of sources, in the guide of the samples, and in the cards of the models that learned from them."""
    sources = yaml.safe_load((RECORDS.parents[1] / "sources.yaml").read_text("utf-8"))["sources"]
    assert {one["licence"] for one in sources if one["id"] == "samples"} == {LICENCES["samples"]} == {"CC0-1.0"}
    assert "(CC0)" in (RECORDS.parent / "README.md").read_text("utf-8")
    cards = [json.loads(card.read_text("utf-8")) for card in SHIPPED.glob("*/card.json")]
    stated = {one["licence"] for card in cards for one in card["data"] if one["name"] == "samples"}
    assert stated == {"CC0-1.0"}


def test_the_guide_states_the_licences_of_the_collections_as_the_cards_do() -> None:
    page = (RECORDS.parents[1] / "docs" / "quality" / "figures.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)`[^|]*\|[^|]*\| ([^|]+) \| ", page, re.M)
    stated = {name: licence for name, licence in rows if name in ("pira", "pubmedqa", "ncar", "samples")}
    assert stated == {name: LICENCES[name] for name in ("pira", "pubmedqa", "ncar", "samples")}
