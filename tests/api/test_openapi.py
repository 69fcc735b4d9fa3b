"""The OpenAPI document is right: schemathesis finds no 500 and no undocumented answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.service import Service

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
EXAMPLES = 15
OTHERS = ("/ask", "/library", "/keys", "/harvest")  # they have their own tests


def operations(samples: Service) -> Iterator[Any]:
    schema = schemathesis.openapi.from_wsgi("/api", samples.app)
    for one in schema.get_all_operations():
        operation = one.ok()
        if not operation.path.startswith(OTHERS):
            yield operation


@pytest.mark.timeout(240)
def test_every_call_answers_as_described(samples: Service) -> None:
    tried = []
    for operation in operations(samples):

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def answers(case: Any) -> None:
            case.call_and_validate(checks=CHECKS, headers={"Accept-Encoding": "identity"})  # it unpacks nothing

        answers()
        tried.append(f"{operation.method.upper()} {operation.path}")
    assert "GET /search" in tried
    assert "GET /collections/{catalogue}/items/{record}" in tried


def test_the_document_names_what_is_sent(samples: Service) -> None:
    document = samples.http.get("/api").get_json()
    assert document["openapi"] == "3.1.0"
    answers = document["paths"]["/search"]["get"]["responses"]
    cited = ["application/x-bibtex", "application/x-research-info-systems", "application/vnd.citationstyles.csl+json"]
    assert list(answers["200"]["content"]) == [
        "application/geo+json",
        "application/atom+xml",
        "text/csv",
        *cited,
        "text/html",
    ]
    assert list(answers["400"]["content"]) == ["application/problem+json"]
    names = {
        parameter["name"] for parameter in document["paths"]["/collections/{catalogue}/items"]["get"]["parameters"]
    }
    assert {"q", "bbox", "datetime", "type", "ids", "externalIds", "filter", "filter-lang", "sortby", "limit"} <= names


def test_every_operation_has_a_summary_and_may_answer_with_a_problem(samples: Service) -> None:
    for path, methods in samples.http.get("/api").get_json()["paths"].items():
        for method, operation in methods.items():
            assert operation.get("summary"), (method, path)
            assert "application/problem+json" in operation["responses"]["default"]["content"], (method, path)
