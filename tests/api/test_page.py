"""The page's addresses without a browser: what a record's page says when things are wrong or meant to harm."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from flask.testing import FlaskClient

from core.errors import Unavailable
from search_api.app import create_app
from search_api.page.shell import DocumentCheck
from sonde.wiring.api import api_parts
from tests.service import Service

ADDRESS = "/records/samples:era5"


class Down:
    """Records whose Elasticsearch does not answer."""

    def record(self, record_id: str, source: str | None = None) -> None:  # noqa: ARG002 - the reader's signature
        raise Unavailable("Elasticsearch does not answer")


class Renamed:
    """The real records with another title."""

    def __init__(self, records: object, title: str) -> None:
        self._records, self._title = records, title

    def record(self, record_id: str, source: str | None = None) -> SimpleNamespace:
        found = self._records.record(record_id, source)  # type: ignore[attr-defined]
        return SimpleNamespace(record=replace(found.record, title=self._title))


def client_with(samples: Service, records: object) -> FlaskClient:
    parts = api_parts(samples.settings, samples.models)
    return create_app(replace(parts, records=records)).test_client()  # type: ignore[arg-type]


def test_the_page_comes_even_where_its_record_cannot_be_had(samples: Service) -> None:
    answer = client_with(samples, Down()).get(ADDRESS)
    assert answer.status_code == 503
    assert answer.mimetype == "text/html"
    assert 'src="page/page.js"' in answer.text


def test_a_title_cannot_leave_its_element(samples: Service) -> None:
    evil = "</title></script><script>alert(1)</script>"
    real = api_parts(samples.settings, samples.models).records
    text = client_with(samples, Renamed(real, evil)).get(ADDRESS).text
    assert "<script>alert" not in text
    assert text.count("</script>") == 2  # the page's own and that of the JSON-LD
    assert "<title>&lt;/title&gt;" in text


def test_below_a_path_prefix_the_page_finds_its_files(samples: Service) -> None:
    answer = samples.http.get(ADDRESS, environ_overrides={"SCRIPT_NAME": "/sonde"})
    assert '<base href="/sonde/">' in answer.text


@pytest.mark.parametrize("accept", ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8"])
def test_browsers_get_the_page_and_programs_the_links(samples: Service, accept: str) -> None:
    assert samples.http.get("/", headers={"Accept": accept}).mimetype == "text/html"
    assert samples.http.get("/").mimetype == "application/json"


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ITEM = "/collections/samples/items/samples:era5-single-levels-hourly"


def test_a_browser_gets_the_record_to_read_and_a_program_its_data(samples: Service) -> None:
    shown = samples.http.get(ITEM, headers={"Accept": BROWSER})
    assert shown.mimetype == "text/html"
    assert "<h1>ERA5 hourly data on single levels from 1940 to present</h1>" in shown.text
    assert 'href="https://doi.org/10.24381/cds.adbb2d47"' in shown.text
    assert '"@type": "Dataset"' in shown.text
    assert '<link rel="canonical" href="http://localhost/records/samples:era5-single-levels-hourly">' in shown.text
    assert samples.http.get(f"{ITEM}?f=html").text == shown.text
    for accept in ("*/*", "application/json", "application/geo+json"):
        assert samples.http.get(ITEM, headers={"Accept": accept}).mimetype == "application/geo+json"
    links = samples.http.get(ITEM).get_json()["links"]
    assert [one["type"] for one in links if one["href"].endswith("f=html")] == ["text/html"]


def test_a_record_leads_on_without_scripts(samples: Service) -> None:
    shown = samples.http.get("/records/samples:era5-single-levels-hourly")
    head, _, body = shown.text.partition("</head>")
    assert '<link rel="search" type="application/opensearchdescription+xml" href="opensearch.xml"' in head
    for form in ("jsonld", "dcat", "iso19139", "native"):
        assert f'href="http://localhost{ITEM}?f={form}"' in head
        assert f'<a href="http://localhost{ITEM}?f={form}">' in body
    assert f'<http://localhost{ITEM}?f=json>; rel="alternate"; type="application/geo+json"' in shown.headers["Link"]


def test_metadata_stay_text_before_the_script_runs(samples: Service) -> None:
    evil = '"><img src=x onerror=alert(1)><a href="javascript:alert(1)">'
    real = api_parts(samples.settings, samples.models).records
    text = client_with(samples, Renamed(real, evil)).get(ADDRESS).text
    assert "<img" not in text
    assert '<a href="javascript:' not in text


def test_whether_there_are_documents_is_asked_once_and_again_after_a_failure() -> None:
    answers: list[bool | Exception] = [Unavailable("down"), False, True]
    asked: list[bool | Exception] = []

    def has_documents() -> bool:
        asked.append(answers[len(asked)])
        if isinstance(asked[-1], Exception):
            raise asked[-1]
        return asked[-1]

    check = DocumentCheck(has_documents)
    assert [check(), check(), check()] == [True, False, False]
    assert len(asked) == 2


def test_the_page_offers_what_the_service_has(samples: Service) -> None:
    text = samples.http.get("/answers").text
    rooms = text.partition('<meta name="sonde-rooms" content="')[2].partition('"')[0].split()
    routes = {rule.rule for rule in samples.app.url_map.iter_rules()}
    assert ("library" in rooms) == ("/library/documents" in routes)
    assert {"ask-own", "harvest", "desk"} <= set(rooms)
    assert "ask" not in rooms, "the samples have no documents"
    for path in ("/sources/samples", "/my-documents", "/my-documents/collections", "/desk", "/desk/rules/pins"):
        assert samples.http.get(path).mimetype == "text/html"
