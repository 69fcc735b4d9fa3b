"""OGC API - Records on the real service with the samples in it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from lxml import etree

from core.record import Link
from indexer.formats import registry
from indexer.raw import RawRecord
from search_api.app import create_app
from search_api.catalogue.item_formats import original_answer
from search_api.catalogue.listing import Original
from sonde.wiring.api import api_parts
from tests.servers.pictures import Linked
from tests.service import SAMPLES, Service

ITEMS = "/collections/samples/items"
ERA5 = f"{ITEMS}/samples:era5"
COUNT = len(list(SAMPLES.glob("*.xml")))
# The samples state none of these.
NOWHERE = {"parent", "platform", "instrument", "project", "processingLevel", "shortName"}


def get(samples: Service, address: str, **parameters: Any) -> dict[str, Any]:
    answer = samples.http.get(address, query_string=parameters or None)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    body: dict[str, Any] = answer.get_json()
    return body


def crawl(samples: Service, address: str, **parameters: Any) -> list[str]:
    """Ids in the order in which ``next`` links give them."""
    found: list[str] = []
    page = get(samples, address, **parameters)
    while True:
        found += [feature["id"] for feature in page["features"]]
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        if not following:
            return found
        page = get(samples, following[0].removeprefix("http://localhost"))


def test_the_landing_page_leads_everywhere(samples: Service) -> None:
    answer = samples.http.get("/", headers={"Accept": "application/json"}).get_json()
    own = {link["href"].removeprefix("http://localhost") for link in answer["links"]}
    for address in own - {"/"}:
        assert samples.http.get(address).status_code == 200, address
    assert {"self", "service-desc", "conformance", "data"} <= {link["rel"] for link in answer["links"]}


def test_there_is_a_catalogue_for_each_source_and_one_for_all(samples: Service) -> None:
    found = get(samples, "/collections")["collections"]
    assert [(one["id"], one["itemType"], one["sonde:count"]) for one in found] == [
        ("all", "record", COUNT),
        ("samples", "record", COUNT),
    ]
    assert found[1]["extent"]["spatial"]["bbox"] == [[-180.0, -90.0, 180.0, 90.0]]


@pytest.mark.parametrize("sortby", [None, "title", "-updated", "resolution,-title", "-id", "-created,+scale"])
def test_next_links_lead_through_every_record_once(samples: Service, sortby: str | None) -> None:
    found = crawl(samples, ITEMS, limit=23, **({"sortby": sortby} if sortby else {}))
    assert len(found) == len(set(found)) == COUNT
    if sortby is None:
        assert found == sorted(found)
    if sortby == "-id":
        assert found == sorted(found, reverse=True)


def test_records_without_the_sorted_property_come_last(samples: Service) -> None:
    features = get(samples, ITEMS, sortby="-resolution", limit=1000)["features"]
    metres = [f["properties"].get("sonde:resolution", {}).get("metres") for f in features]
    known = [value for value in metres if value is not None]
    assert known == sorted(known, reverse=True)
    assert metres[: len(known)] == known


def test_a_limit_above_the_largest_is_lowered(samples: Service) -> None:
    assert get(samples, ITEMS, limit=100_000)["numberReturned"] == COUNT


def test_a_record_s_links_name_their_protocol_and_what_is_broken(samples: Service) -> None:
    parts = api_parts(samples.settings, samples.models)
    links = (Link("https://d.example/wms", "service", protocol="OGC:WMS"), Link("https://d.example/x#a", "download"))
    broken = frozenset({"https://d.example/x"})
    linked = Linked(parts.records, links)
    app = create_app(replace(parts, records=linked, broken_links=lambda _source: broken))  # type: ignore[arg-type]
    said = app.test_client().get("/collections/all/items/samples:era5-single-levels-hourly").get_json()["links"]
    own = {one["href"]: one for one in said if one["href"].startswith("https://d.example/")}
    assert own["https://d.example/wms"]["sonde:protocol"] == "OGC:WMS"
    assert [href for href, one in own.items() if one.get("sonde:broken")] == ["https://d.example/x#a"]


def test_a_page_says_how_many_there_are(samples: Service) -> None:
    page = get(samples, ITEMS, limit=3)
    assert (page["numberMatched"], page["numberReturned"], len(page["features"])) == (COUNT, 3, 3)


def test_q_is_a_phrase_or_one_of_several(samples: Service) -> None:
    phrase = set(crawl(samples, ITEMS, q="soil moisture"))
    assert "samples:esa-cci-soil-moisture" in phrase
    assert not set(crawl(samples, ITEMS, q="moisture soil")) & {"samples:esa-cci-soil-moisture"}
    glaciers = set(crawl(samples, ITEMS, q="glacier outlines"))
    assert set(crawl(samples, ITEMS, q="soil moisture,glacier outlines")) == phrase | glaciers


@pytest.mark.parametrize("term", ["sea ice", "sea surface temperature", "the global"])
def test_no_word_of_a_phrase_is_left_out(samples: Service, term: str) -> None:
    """ "sea" and "era" are stop words in Spanish, Portuguese or Italian, "the" is one in English."""
    holding = {
        feature["id"]
        for feature in get(samples, ITEMS, limit=1000)["features"]
        if term in re.sub(r"[^a-z|]+", " ", _texts(feature).lower())
    }
    found = set(crawl(samples, ITEMS, q=term, limit=1000))
    assert found == holding
    assert found < set(crawl(samples, ITEMS, q=term.rpartition(" ")[2], limit=1000))


def test_a_word_is_found_in_its_other_forms(samples: Service) -> None:
    assert crawl(samples, ITEMS, q="flood") == crawl(samples, ITEMS, q="floods") != []


def _texts(feature: dict[str, Any]) -> str:
    properties = feature["properties"]
    themes = [concept["id"] for theme in properties.get("themes", []) for concept in theme["concepts"]]
    return " | ".join(
        [properties["title"], properties.get("description", ""), *properties.get("keywords", []), *themes]
    )


def test_ids_and_external_ids(samples: Service) -> None:
    assert crawl(samples, ITEMS, ids="samples:era5,samples:jra-55,nowhere:x") == ["samples:era5", "samples:jra-55"]
    doi = get(samples, f"{ITEMS}/samples:chirps-v2-global")["properties"]["externalIds"][0]["value"]
    assert crawl(samples, ITEMS, externalIds=doi.upper()) == ["samples:chirps-v2-global"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"bbox": "556597,5621521,1224514,6106854", "bbox-crs": "http://www.opengis.net/def/crs/EPSG/0/3857"},
        {"bbox": "45,5,0,48,11,9", "bbox-crs": "http://www.opengis.net/def/crs/EPSG/0/4326"},
        {"filter": "S_INTERSECTS(geometry, BBOX(45,5,48,11))", "filter-crs": "urn:ogc:def:crs:EPSG::4326"},
        {
            "filter": "S_INTERSECTS(geometry, POLYGON((556597 5621521, 1224515 5621521, 1224515 6106855, "
            "556597 6106855, 556597 5621521)))",
            "filter-crs": "EPSG:3857",
        },
    ],
)
def test_a_place_may_be_given_in_another_reference_system(samples: Service, parameters: dict[str, str]) -> None:
    assert crawl(samples, ITEMS, limit=1000, **parameters) == crawl(samples, ITEMS, limit=1000, bbox="5,45,11,48")


@pytest.mark.parametrize("parameter", ["bbox-crs", "filter-crs"])
def test_an_unknown_reference_system_is_named(samples: Service, parameter: str) -> None:
    given = {"bbox": "1,2,3,4", "filter": "S_INTERSECTS(geometry, BBOX(1,2,3,4))", parameter: "EPSG:5773"}
    answer = samples.app.test_client().get(ITEMS, query_string=given)
    assert answer.status_code == 400
    assert "EPSG:5773" in answer.text
    assert parameter in answer.text


@pytest.mark.parametrize(
    ("expression", "parameters"),
    [
        ("type = 'service'", {"type": "service"}),
        ("S_INTERSECTS(geometry, BBOX(170,-25,-170,-10))", {"bbox": "170,-25,-170,-10"}),
        ("T_INTERSECTS(time, INTERVAL('1850-01-01','1860-12-31'))", {"datetime": "1850-01-01/1860-12-31"}),
        ("type IN ('service','software')", {"type": "service,software"}),
        ("id = 'samples:era5'", {"ids": "samples:era5"}),
    ],
)
def test_a_filter_says_what_a_parameter_says(samples: Service, expression: str, parameters: dict[str, str]) -> None:
    found = crawl(samples, ITEMS, filter=expression, limit=1000)
    assert found == crawl(samples, ITEMS, limit=1000, **parameters)
    assert 0 < len(found) < COUNT


@pytest.mark.parametrize(
    "expression",
    [
        "type = 'service'",
        "title LIKE '%rain%'",
        "resolution < 1000",
        "T_AFTER(time, DATE('2000-01-01'))",
        "S_WITHIN(geometry, POLYGON((-20 30,40 30,40 75,-20 75,-20 30)))",
        "updated > DATE('2020-01-01')",
        "A_OVERLAPS(keywords, ('rain','drought'))",
        "provenance = 'reanalysis' OR provenance = 'projection'",
    ],
)
def test_a_record_passes_a_filter_its_negation_or_lacks_the_property(samples: Service, expression: str) -> None:
    yes = set(crawl(samples, ITEMS, filter=expression, limit=1000))
    no = set(crawl(samples, ITEMS, filter=f"NOT ({expression})", limit=1000))
    assert not yes & no
    name = next(
        n
        for n in ("title", "resolution", "time", "geometry", "updated", "keywords", "provenance", "type")
        if n in expression
    )
    lacking = set(crawl(samples, ITEMS, filter=f"{name} IS NULL", limit=1000))
    assert len(yes | no | lacking) == COUNT
    assert not lacking & (yes | no)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"nonsense": "1"}, "nonsense"),
        ({"limit": "0"}, "limit"),
        ({"bbox": "1,2,3"}, "bbox"),
        ({"datetime": "yesterday"}, "datetime"),
        ({"sortby": "colour"}, "sortby"),
        ({"sortby": "geometry"}, "sortby"),
        ({"cursor": "????"}, "cursor"),
        ({"cursor": "W10"}, "cursor"),
        ({"filter": "colour = 'red'"}, "filter"),
        ({"filter": "type='a'", "filter-lang": "ecql"}, "filter-lang"),
        ({"filter": "{", "filter-lang": "cql2-json"}, "filter"),
        ({"q": "rain\x00"}, "q"),
    ],
)
def test_a_wrong_value_is_refused_by_name(samples: Service, parameters: dict[str, str], named: str) -> None:
    answer = samples.http.get(ITEMS, query_string=parameters)
    assert answer.status_code == 400
    assert answer.get_json()["parameter"] == named


def test_a_cursor_of_another_listing_is_refused(samples: Service) -> None:
    following = next(link for link in get(samples, ITEMS, limit=3)["links"] if link["rel"] == "next")["href"]
    cursor = following.partition("cursor=")[2]
    assert samples.http.get(ITEMS, query_string={"cursor": cursor, "q": "rain"}).status_code == 400
    assert samples.http.get("/collections/all/items", query_string={"cursor": cursor}).status_code == 400


@pytest.mark.parametrize("path", ["/collections/nowhere", "/collections/nowhere/items", f"{ITEMS}/samples:none",
                                  f"{ITEMS}/samples:none/similar", f"{ITEMS}/samples:none/provenance"])  # fmt: skip
def test_what_is_not_there_is_a_404(samples: Service, path: str) -> None:
    answer = samples.http.get(path)
    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_a_record_is_found_in_its_catalogue_and_in_all(samples: Service) -> None:
    assert get(samples, ERA5)["id"] == get(samples, "/collections/all/items/samples:era5")["id"] == "samples:era5"


ACCEPTED = {
    "application/geo+json": "json",
    "application/ld+json": "jsonld",
    "text/turtle": "dcat",
    "application/rdf+xml": "rdf",
    "application/vnd.iso.19139+xml": "iso19139",
}


@pytest.mark.parametrize(("media_type", "form"), ACCEPTED.items())
def test_a_format_is_chosen_by_accept_or_by_f(samples: Service, media_type: str, form: str) -> None:
    by_accept = samples.http.get(ERA5, headers={"Accept": media_type})
    by_name = samples.http.get(ERA5, query_string={"f": form})
    assert by_accept.mimetype == by_name.mimetype == media_type
    assert by_accept.data == by_name.data
    assert "Accept" in by_accept.headers["Vary"]


@pytest.mark.parametrize("address", [f"{ITEMS}?limit=5", f"{ITEMS}?q=rain&limit=5"])
def test_a_record_of_a_list_leads_to_its_catalogue_and_names_its_profile(samples: Service, address: str) -> None:
    for feature in get(samples, address)["features"]:
        links = {link["rel"]: link["href"] for link in feature["links"]}
        assert links["collection"] == "http://localhost/collections/samples"
        assert links["profile"] == "http://www.opengis.net/def/profile/OGC/0/ogc-record"


def test_a_catalogue_comes_as_what_records_calls_it(samples: Service) -> None:
    as_catalogue = samples.http.get("/collections/samples", headers={"Accept": "application/ogc-catalog+json"})
    assert as_catalogue.mimetype == "application/ogc-catalog+json"
    assert as_catalogue.get_json() == get(samples, "/collections/samples")
    assert "http://www.opengis.net/def/profile/OGC/0/ogc-catalog" in as_catalogue.text


def test_a_thousand_ids_are_asked_for_at_once(samples: Service) -> None:
    ids = ",".join(["samples:era5", *(f"nowhere:{number}" for number in range(999))])
    assert crawl(samples, ITEMS, ids=ids) == ["samples:era5"]
    assert samples.http.get(ITEMS, query_string={"ids": f"{ids},one:more"}).status_code == 400


def test_a_moment_may_be_written_in_lower_case(samples: Service) -> None:
    moment = "1985-04-12T23:20:50.000Z"
    asked = crawl(samples, ITEMS, datetime=moment.lower(), limit=1000)
    assert asked == crawl(samples, ITEMS, datetime=moment, limit=1000) != []


def test_the_original_comes_byte_for_byte(samples: Service) -> None:
    answer = samples.http.get(ERA5, query_string={"f": "native"})
    assert answer.data == (SAMPLES / "era5.xml").read_bytes()
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("text/turtle; charset=utf-8", "text/turtle"),
        ("text/html", "application/octet-stream"),
        ("application/javascript", "application/octet-stream"),
        ("image/svg+xml", "application/octet-stream"),
        ("x/y\r\nSet-Cookie: a=b", "application/octet-stream"),
    ],
)
def test_an_original_of_a_kind_that_is_no_metadata_is_saved_not_shown(samples: Service, said: str, sent: str) -> None:
    with samples.app.test_request_context("/"):
        answer = original_answer(Original(b"<script>alert(1)</script>", "", said))
    assert answer.content_type == sent
    assert answer.headers.get("Content-Disposition") == (None if sent == "text/turtle" else "attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_every_alternate_that_a_record_names_answers(samples: Service) -> None:
    links = [link for link in get(samples, ERA5)["links"] if link["rel"] in ("self", "alternate", "provenance")]
    assert len(links) == 12
    for link in links:
        answer = samples.http.get(link["href"].removeprefix("http://localhost"))
        assert answer.status_code == 200
        assert link["type"] in (answer.mimetype, "application/octet-stream")


@pytest.mark.parametrize("name", ["era5", "chirps-v2-global", "fiji-coral-atlas", "emodnet-bathymetry-wms", "histalp"])
def test_iso19139_out_says_what_came_in(samples: Service, name: str) -> None:
    """Written and read again it is the same record in all that ranking and filters look at."""
    original_answer = registry.read(RawRecord(name, (SAMPLES / f"{name}.xml").read_bytes(), name, None), "samples")
    written = samples.http.get(f"{ITEMS}/samples:{name}", query_string={"f": "iso19139"}).data
    again = registry.read(RawRecord(name, written, name, None), "samples")
    for field in (
        "id",
        "title",
        "abstract",
        "alternate_titles",
        "extents",
        "times",
        "themes",
        "doi",
        "licence",
        "languages",
    ):
        assert getattr(again, field) == getattr(original_answer, field), field
    assert {keyword.term for keyword in again.keywords} == {keyword.term for keyword in original_answer.keywords}
    assert again.resolution.metres == pytest.approx(original_answer.resolution.metres)
    assert etree.fromstring(written).tag.endswith("MD_Metadata")


def test_similar_records_are_about_the_same(samples: Service) -> None:
    found = get(samples, f"{ERA5}/similar", limit=3)["features"]
    ids = [feature["id"] for feature in found]
    assert "samples:era5" not in ids
    assert any("era5" in one for one in ids)
    assert all(-1.0 <= feature["sonde:similarity"] <= 1.0 for feature in found)


def test_provenance_names_the_harvest(samples: Service) -> None:
    graph = get(samples, f"{ERA5}/provenance")["@graph"]
    assert graph[0]["@id"].endswith(ERA5)
    assert graph[1]["prov:wasGeneratedBy"]["prov:used"]["@id"] == "urn:sonde:source:samples"


def test_an_answer_that_did_not_change_is_not_sent_again(samples: Service) -> None:
    first = samples.http.get(ERA5)
    assert "max-age" in first.headers["Cache-Control"]
    assert samples.http.get(ERA5, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert samples.http.get(ERA5, headers={"If-None-Match": '"other"'}).status_code == 200


def test_pages_of_other_origins_may_read(samples: Service) -> None:
    answer = samples.http.get(ERA5, headers={"Origin": "https://portal.example"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    asked = samples.http.options(ERA5, headers={"Origin": "https://portal.example"})
    assert "GET" in asked.headers["Access-Control-Allow-Methods"]
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]


def test_every_property_that_is_offered_can_be_asked_for(samples: Service) -> None:
    for name in get(samples, "/collections/samples/queryables")["properties"]:
        assert get(samples, ITEMS, filter=f'"{name}" IS NULL', limit=1)["numberMatched"] < COUNT or name in NOWHERE
    for name in get(samples, "/collections/samples/sortables")["properties"]:
        assert get(samples, ITEMS, sortby=f"-{name}", limit=1)["numberReturned"] == 1


def test_an_id_longer_than_any_record_has_is_not_found(samples: Service) -> None:
    assert samples.http.get(f"/collections/samples/items/{'🌧' * 200}").status_code == 404
