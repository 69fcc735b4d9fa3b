"""Every request in the portals' pages is sent to the service with the samples, and answers as the page shows.

Pages: search-api.md, listing-and-stac.md, standards.md. A shown answer is shortened: members and entries may be left
out, numbers rounded, and long texts end with "…".
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from search_api.http.limits import LONGEST_ADDRESS_BYTES
from search_api.http.parameters import LONGEST_QUERY
from search_api.http.responses import LARGEST_BODY_BYTES
from search_api.protocols.ogc.collections import CLASSES, STAC_CLASSES
from search_api.search.filtering.cql2 import LONGEST_FILTER
from search_api.search.parameters import SearchParameters
from search_api.search.ranking.config import default_config
from search_api.search.views import search as search_view
from sonde.server.connections import LARGEST_BODY_WITHOUT_KEY
from sonde.settings import LimitsSettings
from tests.service import Service
from tests.shown_answers import difference

TESTS = Path(__file__).resolve().parents[1]
FOLDER = TESTS.parent / "docs" / "portals"
PAGES = ("search-api.md", "listing-and-stac.md", "standards.md")
_RUN = re.compile(
    rf"^<!-- run: tests/api/{Path(__file__).name} -->\n```console\n(?P<commands>.*?)^```\n"
    r"(?:\n```(?P<language>json|text)\n(?P<shown>.*?)^```)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    """A request of a page; ``shown``: what the page shows of the answer, "" for nothing."""

    page: str
    command: str
    language: str = ""
    shown: str = ""

    def sent(self, service: Service) -> TestResponse:
        _, address, *options = shlex.split(self.command)
        given = dict(zip(options[::2], options[1::2], strict=True))
        where: dict[str, Any] = {"path": address.removeprefix("localhost:8080"), "base_url": "http://localhost:8080"}
        if "--json" in given:
            return service.http.post(json=json.loads(given["--json"]), **where)
        headers = dict([given["-H"].split(": ")]) if "-H" in given else {}
        return service.http.get(headers=headers, **where)


def _examples() -> Iterator[Example]:
    """The shown answer is that of the last request of its block."""
    for page in PAGES:
        for found in _RUN.finditer((FOLDER / page).read_text("utf-8")):
            *others, last = [line.removeprefix("$ ") for line in found["commands"].splitlines()]
            yield from (Example(page, command) for command in others)
            yield Example(page, last, found["language"] or "", found["shown"] or "")


EXAMPLES = list(_examples())


def test_there_are_requests_to_try() -> None:
    assert {example.page for example in EXAMPLES} == set(PAGES)
    assert len(EXAMPLES) > 30
    assert sum(1 for example in EXAMPLES if example.shown) > 15


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command[:70])
def test_an_answer_is_the_one_that_the_page_shows(samples: Service, example: Example) -> None:
    answer = example.sent(samples)
    if example.language == "json":
        shown = json.loads(example.shown)
        assert answer.status_code == shown.get("status", 200), answer.text
        assert difference(shown, answer.get_json()) is None
        return
    assert answer.status_code == 200, answer.text
    assert answer.data
    assert [line for line in example.shown.splitlines() if line.rstrip("…") not in answer.text] == []


@pytest.mark.parametrize(
    ("shown", "wrong"),
    [
        ({"a": [3]}, None),
        ({"a": [3, 2]}, ".a"),
        ({"b": "hel…"}, None),
        ({"b": "hal…"}, ".b"),
        ({"c": {"d": 0.51}}, None),
        ({"c": {"d": 0.8}}, ".c.d"),
        ({"e": None}, ".e"),
    ],
)
def test_a_wrong_answer_would_be_found(shown: object, wrong: str | None) -> None:
    found = difference(shown, {"a": [2, 3], "b": "hello", "c": {"d": 0.5}})
    assert found is None if wrong is None else found is not None and found.startswith(wrong)


def _limits(page: str) -> dict[str, str]:
    table = (FOLDER / page).read_text("utf-8").partition("## Limits\n")[2].partition("\n## ")[0]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line]
    return {row[0].replace("`", ""): row[1] for row in rows[2:]}


def test_the_limits_are_those_of_the_code() -> None:
    largest = SearchParameters.model_fields["limit"].metadata
    per_address = LimitsSettings().per_address.removesuffix("/minute")
    assert _limits("search-api.md") == {
        "q": f"{LONGEST_QUERY:,} characters",
        "filter": f"{LONGEST_FILTER:,} characters",
        "limit of a search": str(next(one.le for one in largest if hasattr(one, "le"))),
        "results to page through": f"{default_config().records.max_results:,}",
        "address": f"{LONGEST_ADDRESS_BYTES >> 10} KiB",
        "body of POST /search": f"{search_view.LARGEST_BODY_BYTES >> 10} KiB",
        "body without a key": f"{LARGEST_BODY_WITHOUT_KEY >> 20} MiB",
        "body with a key": f"{LARGEST_BODY_BYTES >> 20} MiB",
        "requests of one address": f"{int(per_address):,} a minute",
    }


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({"q": "a" * (LONGEST_QUERY + 1)}, 400),
        ({"filter": f"title LIKE '{'a' * LONGEST_FILTER}'"}, 400),
        ({"limit": 101}, 400),
        ({"q": "a" * LONGEST_ADDRESS_BYTES}, 414),
    ],
)
def test_beyond_a_limit_the_status_is_the_shown_one(
    samples: Service, parameters: dict[str, str | int], status: int
) -> None:
    answer = samples.http.get("/search", query_string=parameters)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")


def test_the_body_of_a_search_has_a_limit(samples: Service) -> None:
    assert samples.http.post("/search", json={"q": "a" * (257 << 10)}).status_code == 413


@pytest.mark.parametrize("conformance_class", sorted({*CLASSES, *STAC_CLASSES}))
def test_each_declared_class_has_its_place_in_the_page(conformance_class: str) -> None:
    name = conformance_class.removeprefix("https://api.stacspec.org/").partition("/")[2]
    name = name.rpartition("/")[2] if "opengis" in conformance_class or "transaction" in name else name
    part, _, extension = name.partition("#")
    page = (FOLDER / "standards.md").read_text("utf-8").casefold()
    tables = "".join(line for line in page.splitlines() if line.startswith("| "))
    assert part.casefold() in tables
    assert extension.replace("-", " ").casefold() in tables.replace("-", " ")


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.stem)
def test_each_test_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(
        r"`(?:tests/)?((?:api|unit|integration|conformance|client|browser)/\w+\.py)`", page.read_text("utf-8")
    )
    assert [name for name in named if not (TESTS / name).is_file()] == []


def test_each_call_that_a_page_names_is_one_of_the_service(samples: Service) -> None:
    text = "".join(page.read_text("utf-8") for page in FOLDER.glob("*.md"))
    named = re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`?\s]*)", text)
    assert len(named) > 8
    rules = [
        (method, re.compile(re.sub(r"<[^>]+>", "[^/]+", rule.rule)))
        for rule in samples.app.url_map.iter_rules()
        for method in rule.methods or ()
    ]
    unknown = [
        f"{method} {path}"
        for method, path in named
        if not any(known == method and rule.fullmatch(path) for known, rule in rules)
    ]
    assert unknown == []
