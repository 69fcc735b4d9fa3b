"""The DCAT feed against the mandatory shapes of DCAT-AP 3.0.1; the same records give the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys

import pyshacl
import pytest
import rdflib

from tests.conformance.suites import suite
from tests.service import Service


def test_the_feed_passes_the_mandatory_shapes(samples: Service) -> None:
    shapes = rdflib.Graph().parse(suite("dcat-ap", "shapes.ttl"))
    shapes.remove((None, rdflib.OWL.imports, None))
    feed = rdflib.Graph().parse(data=samples.http.get("/dcat?limit=1000").data, format="turtle")
    conforms, _, said = pyshacl.validate(feed, shacl_graph=shapes, inference="none", advanced=False)
    assert conforms, said[:3000]


def test_a_limit_above_the_largest_is_lowered(samples: Service) -> None:
    assert samples.http.get("/dcat?limit=100000").status_code == 200


@pytest.mark.parametrize("form", ["turtle", "jsonld", "rdf"])
def test_a_page_that_did_not_change_is_not_sent_again(samples: Service, form: str) -> None:
    address = f"/dcat?limit=20&f={form}"
    first = samples.http.get(address)
    again = samples.http.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304


_WRITE = """
from core.record import Contact, Record
from search_api.formats_out import dcat
one = Record("s:1", "s", "1", "Title", contacts=(Contact("A", "B"), Contact("C", role="publisher")), licence="mine",
             constraints=("x", "y"), doi="10.1/x")
print(*(dcat.record_text(one, "https://a.example/1", form) for form in ("turtle", "json-ld", "xml")))
"""


def test_another_process_writes_the_same_bytes() -> None:
    written = [
        subprocess.run(
            [sys.executable, "-c", _WRITE], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert b"Title" in written[0]
    assert written[0] == written[1]
