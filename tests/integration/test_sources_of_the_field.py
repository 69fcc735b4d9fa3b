"""CMR, ERDDAP, THREDDS and ArcGIS as their public documentation says they answer; no answer is a copy of a server's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_sources_json import Asked, as_json, serving

from indexer.formats.registry import read
from indexer.sources.arcgis_hub import HubSource
from indexer.sources.arcgis_portal import PortalOptions, PortalSource
from indexer.sources.arcgis_server import ServerOptions, ServerSource
from indexer.sources.cmr import CmrOptions, CmrSource
from indexer.sources.erddap import ErddapOptions, ErddapSource
from indexer.sources.linked_walk import NothingToHarvest
from indexer.sources.oai_pmh import OaiSource, likely_addresses
from indexer.sources.probe import probe
from indexer.sources.thredds import ThreddsOptions, ThreddsSource
from tests.servers.asking import QUICK, all_of, fetcher_of, resumed_everywhere

SAMPLE = (Path(__file__).resolve().parents[2] / "samples/records/e-obs.xml").read_bytes()


def found_at(url: str) -> tuple[str, str, dict[str, Any]]:
    """What `sonde sources add` proposes for an address."""
    manners = replace(QUICK, attempts=2, breaker_failures=1000)  # as `sonde sources add`
    found = probe(fetcher_of(url, manners), url).found
    assert found is not None
    return found.type, found.url, dict(found.options)


def _collection(number: int) -> dict[str, Any]:
    return {
        "meta": {"concept-id": f"C{number}-X", "revision-date": f"2024-01-{number + 1:02}T00:00:00Z"},
        "umm": {"ShortName": f"S{number}", "Version": "1", "EntryTitle": f"Rain {number}", "Abstract": "Daily rain."},
    }


_REFERENCES = b"""<?xml version="1.0"?><results><hits>1</hits><references><reference><name>et1</name><id>C90-X</id>
<revision-id>3</revision-id></reference></references></results>"""


def cmr(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    if path == "/search/deleted-collections":
        assert asked["revision_date"] == "2024-05-01T00:00:00Z"
        return 200, "application/xml", _REFERENCES
    if path != "/search/collections.umm_json":
        return 404, "text/plain", b"not here"
    start = int(json.loads(asked.get("cmr-search-after", "[0]"))[0])
    size = int(asked["page_size"])
    items = [_collection(number) for number in range(25) if asked.get("provider") != "EMPTY"]
    return (
        200,
        "application/json",
        json.dumps({"hits": len(items), "took": 1, "items": items[start : start + size]}).encode(),
    )


def test_cmr_page_by_page_with_its_header_and_what_was_deleted() -> None:
    with serving(cmr, after=lambda asked: _next_of(asked, 25)) as (url, asked):
        search = f"{url}/search"
        options = CmrOptions(provider="POCLOUD", page_size=10, filter={"has_granules": "true"})
        make = lambda: CmrSource(fetcher_of(search), search, None, options)  # noqa: E731
        given = all_of(make())
        assert given.ids == [f"C{number}-X" for number in range(25)]
        assert given.matched == 25
        assert (asked[0]["provider"], asked[0]["has_granules"]) == ("POCLOUD", "true")
        assert "cmr-search-after" not in asked[0]
        assert asked[1]["cmr-search-after"] == "[10]"
        resumed_everywhere(make, given)
        record = read(given.pages[0].records[0], "nasa")
        assert (record.id, record.title) == ("nasa:C0-X", "Rain 0")

        changed = all_of(CmrSource(fetcher_of(search), search, "2024-05-01T00:00:00Z"))
        assert changed.deleted == ["C90-X"]
        assert asked[-1]["updated_since"] == "2024-05-01T00:00:00Z"
        with pytest.raises(NothingToHarvest):
            all_of(CmrSource(fetcher_of(search), search, None, CmrOptions(provider="EMPTY")))

        assert found_at(search) == ("cmr", search, {})
        typed = f"{search}/collections.json?provider=POCLOUD&page_size=20&platform=SWOT"
        assert found_at(typed) == ("cmr", search, {"provider": "POCLOUD", "filter": {"platform": "SWOT"}})


def _next_of(asked: Asked, count: int) -> dict[str, str]:
    """As CMR: the header comes with every page but the last, which is empty."""
    start = int(json.loads(asked.get("cmr-search-after", "[0]"))[0])
    return {"CMR-Search-After": json.dumps([start + int(asked.get("page_size", "1"))])} if start < count else {}


_PAGE = b"""<html><head><title>Tides</title><script type="application/ld+json">{"@context": "http://schema.org",
"@type": "Dataset", "name": "Tides without a place", "identifier": "tides", "description": "Heights of tides."}
</script></head><body>x</body></html>"""


def erddap(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    rows = [
        [id, id.title(), iso]
        for id, iso in (("allDatasets", ""), ("rain", f"{own}/x.xml"), ("tides", ""), ("gone", "y"))
    ]
    if path == "/erddap/tabledap/allDatasets.json":
        return as_json({"table": {"columnNames": ["datasetID", "title", "iso19115"], "rows": rows}})
    documents = {
        "/erddap/metadata/iso19115/xml/rain_iso19115.xml": ("application/xml", SAMPLE),
        "/erddap/info/tides/index.html": ("text/html", _PAGE),
    }
    kind, content = documents.get(path, ("text/html", b""))
    return (200, kind, content) if content else (404, "text/html", b"<html>no</html>")


def test_erddap_gives_one_record_a_data_set_of_its_own_list() -> None:
    with serving(erddap) as (url, _):
        base = f"{url}/erddap"
        make = lambda: ErddapSource(fetcher_of(base), base)  # noqa: E731
        given = all_of(make())
        assert given.ids == ["rain", "tides"]
        (skipped,) = given.pages[0].skipped
        assert skipped.native_id == "gone", "its last good version stays"
        titles = [read(raw, "e").title for page in given.pages for raw in page.records]
        assert titles[1] == "Tides without a place"
        resumed_everywhere(make, given)
        assert all_of(ErddapSource(fetcher_of(base), base, None, ErddapOptions(("tides",)))).ids == ["tides"]
        with pytest.raises(NothingToHarvest, match="no data set nobody"):
            all_of(ErddapSource(fetcher_of(base), base, None, ErddapOptions(("nobody",))))
        for address in (f"{base}/index.html", url, f"{base}/tabledap/rain.html"):
            assert found_at(address) == ("erddap", base, {})


_INV = (
    'xmlns="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
)
_SERVICES = """<service name="all" serviceType="Compound" base="">
<service name="odap" serviceType="OPENDAP" base="/thredds/dodsC/"/>
<service name="http" serviceType="HTTPServer" base="/thredds/fileServer/"/>
<service name="wms" serviceType="WMS" base="/thredds/wms/"/>
<service name="iso" serviceType="ISO" base="/thredds/iso/"/></service>"""
_FILES = "".join(
    f'<dataset name="rain_{n}.nc" ID="scan/{n}" urlPath="scan/rain_{n}.nc">'
    f'<date type="modified">2024-01-{n:02}T00:00:00Z</date></dataset>'
    for n in range(1, 8)
)
_CATALOGUES = {
    "/thredds/catalog.xml": f"""<catalog {_INV} name="Top">{_SERVICES}
<dataset name="Best series" ID="best" urlPath="best.nc"><serviceName>all</serviceName>
<documentation type="summary">The best rain.</documentation></dataset>
<dataset name="Not described" ID="plain" urlPath="plain.nc"><serviceName>all</serviceName></dataset>
<catalogRef xlink:title="Scans" xlink:href="scan/catalog.html" name=""/>
<catalogRef xlink:title="Broken" xlink:href="broken/catalog.xml" name=""/>
<catalogRef xlink:title="Elsewhere" xlink:href="http://127.0.0.2:1/thredds/catalog.xml" name=""/>
<catalogRef xlink:title="Again" xlink:href="/thredds/catalog.xml" name=""/></catalog>""",
    "/thredds/scan/catalog.xml": f"""<catalog {_INV}>{_SERVICES}<dataset name="Rain Office">
<metadata inherited="true"><serviceName>all</serviceName><creator><name>Rain Office</name></creator><geospatialCoverage>
<northsouth><start>-26</start><size>5</size></northsouth><eastwest><start>26</start><size>7</size></eastwest>
</geospatialCoverage></metadata><dataset name="daily" ID="scan">{_FILES}</dataset></dataset></catalog>""",
}


def thredds(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    if path in _CATALOGUES:
        return 200, "application/xml", _CATALOGUES[path].encode()
    if path == "/thredds/iso/best.nc":
        assert asked == {"catalog": f"{own}/thredds/catalog.html", "dataset": "best"}
        return 200, "application/xml", SAMPLE
    if path == "/thredds/iso/plain.nc":
        return 200, "text/html", b"<html>it cannot be read</html>"
    return 404, "text/html", b"<html>not here</html>"


def test_thredds_walks_catalogues_and_takes_a_folder_of_many_files_for_one_record() -> None:
    with serving(thredds) as (url, _):
        top = f"{url}/thredds/catalog.xml"
        few = ThreddsOptions(most_files=5)
        make = lambda options=few, since=None: ThreddsSource(fetcher_of(top), top, since, options)  # noqa: E731
        given = all_of(make())
        assert given.ids == ["best.nc", "plain.nc", "scan"]
        assert given.skipped == [f"{url}/thredds/broken/catalog.xml"]
        assert [page.passed_over[0].origin for page in given.pages if page.passed_over] == [
            "http://127.0.0.2:1/thredds/catalog.xml"
        ]
        records = {raw.native_id: read(raw, "t") for page in given.pages for raw in page.records}
        assert [record.native_format for record in records.values()] == ["iso19139", "thredds", "thredds"]
        links = {link.protocol: (link.rel, link.href) for link in records["plain.nc"].links}
        assert links["OPENDAP"] == ("service", f"{url}/thredds/dodsC/plain.nc")
        assert links["HTTPServer"] == ("download", f"{url}/thredds/fileServer/plain.nc")
        assert links[None] == ("about", f"{url}/thredds/catalog.html?dataset=plain")
        folder = records["scan"]
        assert (folder.title, folder.abstract) == ("Rain Office: daily", "A folder of 7 files.")
        assert (folder.extents[0].west, folder.extents[0].north) == (26, -21)
        assert folder.contacts[0].name == "Rain Office"
        resumed_everywhere(make, given)

        files = all_of(make(ThreddsOptions(most_files=7, iso=False)))
        assert len(files.ids) == 9
        assert read(files.pages[-3].records[-1], "t").title == "daily: rain_7.nc"
        since = all_of(make(ThreddsOptions(iso=False), "2024-01-06T12:00:00Z"))
        assert since.ids == ["best.nc", "plain.nc", "scan/rain_6.nc", "scan/rain_7.nc"]
        for address in (f"{url}/thredds/catalog.html", top, f"{url}/thredds"):
            assert found_at(address) == ("thredds", top, {})


def _failing_thredds(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    """Its ISO service fails at every data set; one of its catalogues fails too."""
    if path == "/thredds/catalog.xml":
        data = "".join(f'<dataset name="d{at}" ID="d{at}" urlPath="d{at}.nc"/>' for at in range(60))
        bad = '<catalogRef xlink:title="Bad" xlink:href="/thredds/bad/catalog.xml" name=""/>'
        good = '<catalogRef xlink:title="Good" xlink:href="/thredds/good/catalog.xml" name=""/>'
        services = (
            f'{_SERVICES}<dataset name="All"><metadata inherited="true"><serviceName>all</serviceName></metadata>'
        )
        return 200, "application/xml", f"<catalog {_INV}>{services}{data}</dataset>{bad}{good}</catalog>".encode()
    if path == "/thredds/good/catalog.xml":
        last = '<dataset name="last" ID="last" urlPath="last.nc"><serviceName>all</serviceName></dataset>'
        return 200, "application/xml", f"<catalog {_INV}>{_SERVICES}{last}</catalog>".encode()
    return (503 if "bad" in path else 500 if "/iso/" in path else 404), "text/html", b"<html>null</html>"


def test_thredds_goes_on_where_iso_or_one_catalogue_fails() -> None:
    with serving(_failing_thredds) as (url, asked):
        top = f"{url}/thredds/catalog.xml"
        options = ThreddsOptions(most_files=100)
        given = all_of(ThreddsSource(fetcher_of(top), top, None, options))
        assert given.ids == [*(f"d{at}.nc" for at in range(60)), "last.nc"]
        assert given.skipped == [f"{url}/thredds/bad/catalog.xml"]
        assert sum("dataset" in each for each in asked) == 50, "one page of data sets, each once: then it is enough"


_OAI_DC = """<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Thin</dc:title></oai_dc:dc>"""
_DATACITE = """<resource xmlns="http://datacite.org/schema/kernel-4"><identifier identifierType="DOI">10.5072/FK2/RAIN
</identifier><creators><creator><creatorName>Nkosi, Thandi</creatorName></creator></creators><titles>
<title>Rain gauges of the Limpopo</title></titles><publisher>Demo Dataverse</publisher>
<publicationYear>2021</publicationYear><resourceType resourceTypeGeneral="Dataset"/><geoLocations><geoLocation>
<geoLocationBox><westBoundLongitude>26</westBoundLongitude><eastBoundLongitude>33</eastBoundLongitude>
<southBoundLatitude>-26</southBoundLatitude><northBoundLatitude>-21</northBoundLatitude></geoLocationBox>
</geoLocation></geoLocations></resource>"""
_OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2024-05-01T00:00:00Z</responseDate>'
_OAI_RECORD = "<record><header><identifier>{id}</identifier><datestamp>2024-05-01</datestamp></header><metadata>{of}"


def dataverse(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    """The prefixes are those of a Dataverse."""
    if path != "/oai":
        return (200 if path == "/dataverse/earth" else 404), "text/html", b"<html><body>Datasets</body></html>"
    if asked["verb"] == "Identify":
        body = "<Identify><repositoryName>Demo Dataverse</repositoryName></Identify>"
    elif asked["verb"] == "ListMetadataFormats":
        names = ("oai_dc", "oai_ddi", "dataverse_json", "Datacite")
        formats = (f"<metadataFormat><metadataPrefix>{name}</metadataPrefix></metadataFormat>" for name in names)
        body = f"<ListMetadataFormats>{''.join(formats)}</ListMetadataFormats>"
    else:
        document = _DATACITE if asked["metadataPrefix"] == "Datacite" else _OAI_DC
        record = _OAI_RECORD.format(id="doi:10.5072/FK2/RAIN", of=document)
        body = f"<ListRecords>{record}</metadata></record></ListRecords>"
    return 200, "text/xml", f"{_OAI}{body}</OAI-PMH>".encode()


def test_a_dataverse_is_found_from_its_pages_and_gives_its_richest_documents() -> None:
    with serving(dataverse) as (url, _):
        for address in (url, f"{url}/dataverse/earth", f"{url}/dataset.xhtml?persistentId=doi:10.5072/FK2/RAIN"):
            assert found_at(address)[:2] == ("oai-pmh", f"{url}/oai"), address
        (raw,) = [record for page in all_of(OaiSource(fetcher_of(url), f"{url}/oai")).pages for record in page.records]
        record = read(raw, "dv")
        assert (record.title, record.native_format) == ("Rain gauges of the Limpopo", "datacite")
        assert (record.doi or "").lower() == "10.5072/fk2/rain"
        assert record.extents[0].west == 26


@pytest.mark.parametrize("address", ["https://www.gbif.org/dataset/search?q=frogs", "https://api.gbif.org/v1/dataset"])
def test_gbif_is_asked_at_its_registry(address: str) -> None:
    assert likely_addresses(address) == ["https://api.gbif.org/v1/oai-pmh/registry"]
    assert likely_addresses("https://ipt.gbif.no") == ["https://ipt.gbif.no/oai"]


_IPT_DCAT = b"""@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
<https://ipt.example.org/ipt> a dcat:Catalog ; dct:title "Museum" ;
  dcat:dataset <https://ipt.example.org/ipt/resource?r=frogs> .
<https://ipt.example.org/ipt/resource?r=frogs> a dcat:Dataset ; dct:title "Frogs of the wetlands" ;
  dct:description "Sightings of frogs." ; dct:identifier "frogs" ; dcat:keyword "Occurrence" ."""


def ipt(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    if path == "/ipt/dcat":
        return 200, "text/turtle", _IPT_DCAT
    return (200 if path in ("/ipt", "/ipt/") else 404), "text/html", b"<html><body>Hosted resources</body></html>"


def test_an_ipt_is_found_by_its_dcat() -> None:
    with serving(ipt) as (url, _):
        detected = probe(fetcher_of(f"{url}/ipt"), f"{url}/ipt").found
        assert detected is not None
        assert (detected.type, detected.url) == ("dcat", f"{url}/ipt/dcat")
        assert [read(raw, "ipt").title for raw in detected.preview] == ["Frogs of the wetlands"]


def _portal_item(number: int) -> dict[str, Any]:
    return {
        "id": f"i{number}", "owner": "gis", "title": f"Rain {number}", "type": "Feature Service", "typeKeywords": [],
        "snippet": "<b>Daily</b> rain.", "tags": ["rain"], "extent": [[26, -26], [33, -21]],
        "created": 1583020800000, "modified": 1609459200000, "url": f"https://s.example.org/rest/services/r{number}",
    }  # fmt: skip


def arcgis_portal(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    if "f" not in asked:
        return 200, "text/html", b"<html><title>Portal</title></html>"
    if path == "/portal/sharing/rest/portals/self":
        return as_json({"id": "0123456789ABCDEF", "name": "Rain Office", "portalHostname": "p"})
    if path != "/portal/sharing/rest/search":
        return 404, "text/html", b"<html>no</html>"
    first = int(asked["start"]) - 1
    items = [_portal_item(number) for number in range(25)]
    return as_json({"total": 25, "start": first + 1, "results": items[first : first + int(asked["num"])]})


def test_an_arcgis_portal_in_order_of_modification() -> None:
    with serving(arcgis_portal) as (url, asked):
        base = f"{url}/portal"
        options = PortalOptions(page_size=10, types=("Feature Service", "CSV"))
        make = lambda: PortalSource(fetcher_of(base), base, None, options)  # noqa: E731
        given = all_of(make())
        assert (given.ids, given.matched) == ([f"i{number}" for number in range(25)], 25)
        assert asked[1]["q"] == 'orgid:0123456789ABCDEF AND (type:"Feature Service" OR type:"CSV")'
        assert (asked[1]["sortField"], asked[1]["sortOrder"]) == ("modified", "asc")
        resumed_everywhere(make, given)
        record = read(given.pages[0].records[0], "p")
        assert (record.title, record.abstract) == ("Rain 0", "Daily rain.")
        assert {(link.rel, link.href) for link in record.links} == {
            ("service", "https://s.example.org/rest/services/r0"), ("about", f"{base}/home/item.html?id=i0"),
        }  # fmt: skip
        assert record.dates.created == "2020-03-01T00:00:00Z"
        all_of(PortalSource(fetcher_of(base), base, "2024-05-01T00:00:00+00:00", PortalOptions(types=())))
        assert asked[-1]["q"].endswith(" AND modified:[0000001714521600000 TO 9000000000000000000]")
        for address in (f"{base}/home/search.html?q=rain", f"{base}/sharing/rest"):
            assert found_at(address)[:2] == ("arcgis-portal", base)


def arcgis_hub(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    items = f"{own}/api/search/v1/collections/dataset/items"
    if path == "/":
        return 200, "text/html", b"<html><title>Open data</title></html>"
    if not items.endswith(path):
        return 404, "text/html", b"<html>no</html>"
    first = int(asked.get("startindex", "1"))
    features = [
        {
            "type": "Feature",
            "id": f"i{number}",
            "geometry": None,
            "properties": {**_portal_item(number), "license": "custom"},
        }
        for number in range(25)
    ][first - 1 : first + 9]
    links = [{"rel": "next", "href": f"{items}?limit=10&startindex={first + 10}"}] if first < 21 else []
    return as_json({"type": "FeatureCollection", "features": features, "numberMatched": 25, "links": links})


def test_an_arcgis_hub_by_its_search() -> None:
    with serving(arcgis_hub) as (url, _):
        make = lambda: HubSource(fetcher_of(url), url)  # noqa: E731
        given = all_of(make())
        assert (given.ids, given.matched) == ([f"i{number}" for number in range(25)], 25)
        resumed_everywhere(make, given)
        record = read(given.pages[0].records[0], "h")
        assert (record.native_format, record.title, record.licence) == ("arcgis", "Rain 0", None)
        assert (record.extents[0].west, record.extents[0].north) == (26, -21)
        assert found_at(f"{url}/search?q=rain") == ("arcgis-hub", url, {})


_METRES = {"xmin": 2894306.8, "ymin": -3006021.7, "xmax": 3673543.2, "ymax": -2391878.6}


def arcgis_server(path: str, asked: Asked, own: str) -> tuple[int, str, bytes]:
    if asked.get("f") not in ("json", "pjson"):
        return 200, "text/html", b"<html><title>ArcGIS REST Services Directory</title></html>"
    root = "/arcgis/rest/services"
    rain = {
        "currentVersion": 11, "mapName": "Layers", "serviceDescription": "Rain of the Limpopo.",
        "documentInfo": {"Title": "Rain gauges", "Author": "Thandi Nkosi", "Keywords": "rain,gauges"},
        "layers": [{"id": 0, "name": "Stations"}], "copyrightText": "Rain Office",
        "fullExtent": {**_METRES, "spatialReference": {"wkid": 102100, "latestWkid": 3857}},
    }  # fmt: skip
    layer = {"id": 0, "name": "Stations", "extent": {**_METRES, "spatialReference": {"wkid": 102100}}}
    answers = {
        root: {
            "currentVersion": 11, "folders": ["Water", "System"],
            "services": [{"name": "roads", "type": "MapServer"}, {"name": "tools", "type": "GPServer"}],
        },
        f"{root}/Water": {
            "currentVersion": 11, "folders": [],
            "services": [{"name": "Water/rain", "type": "MapServer"}, {"name": "Water/rain", "type": "FeatureServer"}],
        },
        f"{root}/Water/rain/FeatureServer": rain,
        f"{root}/Water/rain/FeatureServer/layers": {"layers": [layer], "tables": []},
        f"{root}/roads/MapServer": {"error": {"code": 499, "message": "Token Required"}},
    }  # fmt: skip
    return as_json(answers[path]) if path in answers else (404, "text/html", b"<html>no</html>")


def test_an_arcgis_server_gives_each_service_once_and_its_layers_on_request() -> None:
    with serving(arcgis_server) as (url, asked):
        root = f"{url}/arcgis/rest/services"
        given = all_of(ServerSource(fetcher_of(root), root))
        assert given.ids == ["Water/rain"]
        assert [skipped.native_id for skipped in given.pages[0].skipped] == ["roads"]
        assert sum(1 for each in asked if each) == 4, "a refusal is not asked for again"
        record = read(given.pages[0].records[0], "s")
        assert (record.title, record.abstract) == ("Rain gauges", "Rain of the Limpopo.\n\nLayers: Stations.")
        box = record.extents[0]
        assert [round(edge) for edge in (box.west, box.south, box.east, box.north)] == [26, -26, 33, -21]
        assert [link.href for link in record.links] == [
            f"{root}/Water/rain/{kind}" for kind in ("FeatureServer", "MapServer")
        ]
        options = ServerOptions(layers=True, folders=("Water",))
        make = lambda: ServerSource(fetcher_of(root), root, None, options)  # noqa: E731
        layers = all_of(make())
        assert layers.ids == ["Water/rain", "Water/rain/0"]
        assert read(layers.pages[0].records[1], "s").parent == "Water/rain"
        resumed_everywhere(make, layers)
        assert found_at(f"{root}?f=pjson")[0] == "arcgis-server"
        for address, folders in ((f"{url}/arcgis", {}), (f"{root}/Water", {"folders": ["Water"]})):
            assert found_at(address) == ("arcgis-server", root, folders)
