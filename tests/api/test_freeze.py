"""A handful of frozen requests, asked twice of one state: nothing differs, and the requests to Elasticsearch show."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.freeze.calls import Call
from tests.freeze.lines import Line, differences
from tests.freeze.service import frozen_service
from tests.service import Service

CALLS = (
    Call("explained", "/search", {"q": "sea ice since 1990", "explain": "true", "facets": "all"}, pages=1),
    Call("listing", "/collections/samples/items", {"limit": "2"}, pages=1),
    Call("graph", "/dcat", {"f": "jsonld", "limit": "5"}),
    Call("identify", "/oai", {"verb": "Identify"}),
    Call("refused", "/search", {"limit": "0"}),
)


def frozen(service: Service) -> dict[str, Line]:
    with frozen_service(service.prefix, datetime.now(UTC), None) as asked:
        return {line["name"]: line for call in CALLS for line in asked.lines(call)}


def test_one_state_does_not_differ_from_itself(samples: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", samples.url)
    before, after = frozen(samples), frozen(samples)
    assert differences(before, after, []) == []
    assert {"explained", "explained, page 2", "listing, page 2"} <= before.keys()
    assert before["refused"]["status"] == 400
    assert before["refused"]["sent"] == []
    assert any("_msearch" in target for _, target, _ in before["explained"]["sent"])
