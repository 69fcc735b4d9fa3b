"""``/ask`` ranks passages by the place and the period of a question: their own, else their record's."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from core.geo import BBox
from core.timespan import TimeSpan
from es_mappings.codecs.records import box_text, envelope, span_text, time_range
from es_mappings.names import concrete
from tests.conftest import delete_indices
from tests.service import Service

TEXT = "The mean soil moisture of the clay plots was 31.4 percent; sandy plots dried out within days."
KENYA, NORWAY = BBox(34, -5, 42, 5), BBox(5, 58, 31, 71)
EARLY, LATE = TimeSpan.from_iso("1991", "1993"), TimeSpan.from_iso("2014", "2016")


@pytest.fixture(scope="module")
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    one = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    one.prepare()
    add(one, "a-own-norway", own=(NORWAY, EARLY), inherited=(KENYA, LATE))
    add(one, "b-kenya-early", inherited=(KENYA, EARLY))
    add(one, "c-norway-late", inherited=(NORWAY, LATE))
    add(one, "d-kenya-late", inherited=(KENYA, LATE))
    es_client.indices.refresh(index=concrete(one.prefix, "passages", 1))
    yield one
    delete_indices(es_client, one.prefix)


def add(
    service: Service, name: str, inherited: tuple[BBox, TimeSpan], own: tuple[BBox, TimeSpan] | None = None
) -> None:
    """A passage that differs from the others only in where and when it is from."""
    vector = service.models.embedder().embed([TEXT], "document")[0].tolist()
    document: dict[str, Any] = {"document": name, "owner": "public", "ordinal": 0, "text": TEXT, "vector": vector}
    document |= placed("", inherited)
    document |= placed("own_", own) if own is not None else {}
    service.client.index(index=concrete(service.prefix, "passages", 1), id=name, document=document)


def placed(prefix: str, where_when: tuple[BBox, TimeSpan]) -> dict[str, Any]:
    box, span = where_when
    return {
        f"{prefix}extent": envelope(box),
        f"{prefix}boxes": box_text(box),
        f"{prefix}time": time_range(span),
        f"{prefix}spans": span_text(span),
    }


def passages(service: Service, question: str, **body: Any) -> list[dict[str, Any]]:
    answer = service.http.post("/ask", json={"question": question, "threshold": 0.0, **body})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    found: list[dict[str, Any]] = answer.get_json()["passages"]
    return found


def test_without_a_place_or_a_period_nothing_but_the_text_counts(service: Service) -> None:
    found = passages(service, "What was the mean soil moisture of the clay plots?")
    assert {one["document"] for one in found} == {"a-own-norway", "b-kenya-early", "c-norway-late", "d-kenya-late"}
    assert all(one["signals"].keys().isdisjoint(("spatial", "temporal")) for one in found)


def test_the_place_of_the_question_comes_first_its_own_before_the_records(service: Service) -> None:
    found = passages(service, "What was the mean soil moisture of the clay plots in Norway?")
    assert {one["document"] for one in found[:2]} == {"a-own-norway", "c-norway-late"}
    assert found[0]["signals"]["spatial"] > found[2]["signals"]["spatial"]


def test_the_period_of_the_question_too(service: Service) -> None:
    found = passages(service, "What was the mean soil moisture of the clay plots between 2014 and 2016?")
    assert {one["document"] for one in found[:2]} == {"c-norway-late", "d-kenya-late"}
    assert found[0]["signals"]["temporal"] == 1.0


def test_place_and_period_together(service: Service) -> None:
    found = passages(service, "What was the mean soil moisture of the clay plots in Kenya from 1991 to 1993?")
    assert found[0]["document"] == "b-kenya-early"


def test_what_is_relevant_does_not_depend_on_the_place(service: Service) -> None:
    """A question is refused for what passages say, not for where they are from."""
    found = passages(service, "What was the mean soil moisture of the clay plots in Norway?")
    assert len({one["relevance"] for one in found}) == 1
