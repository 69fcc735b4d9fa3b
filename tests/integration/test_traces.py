"""Traces of the real API, as a real little OTLP receiver gets them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.otlp_receiver import Receiver, otlp_receiver
from tests.service import Service

_TRACE = "0af7651916cd43dd8448eb211c80319c"
_ASKS = f"""
from opentelemetry import trace
from sonde.wsgi import create

answer = create().test_client().get(
    "/search?q=rainfall&algorithm=bm25", headers={{"traceparent": "00-{_TRACE}-b7ad6b7169203331-01"}}
)
assert answer.status_code == 200, answer.data
trace.get_tracer_provider().shutdown()
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with otlp_receiver() as one:
        yield one


def test_a_search_is_one_trace_of_the_request_its_stages_and_elasticsearch(
    samples: Service, receiver: Receiver
) -> None:
    environment = {
        **os.environ,
        "SONDE_ELASTICSEARCH__URL": samples.url,
        "SONDE_INDEX__PREFIX": samples.prefix,
        "SONDE_API__PRELOAD": "false",
        "SONDE_TELEMETRY__OTLP_URL": receiver.url,
    }
    done = subprocess.run([sys.executable, "-c", _ASKS], env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    of_request = [span for span in receiver.spans if span.trace_id.hex() == _TRACE]
    by_name = {span.name: span for span in of_request}
    assert by_name["GET /search"].parent_span_id.hex() == "b7ad6b7169203331"
    assert by_name["search.retrieve"].parent_span_id == by_name["GET /search"].span_id
    inside = [span.name for span in of_request if span.parent_span_id == by_name["search.retrieve"].span_id]
    assert "msearch" in inside
    assert not any("rainfall" in str(span) for span in of_request)
