"""OGC's own test suite for OGC API - Features 1.0 against this API: ``python -m tests.conformance.ets``.

It is built from ``../shared/suites/ets-ogcapi-features10`` by Maven (JDK 17 or newer), run against ``--url`` or against
an API of its own over the samples and the 1,669 records of NCAR's RDA, and summed. 1 where something fails that is not
the suite's own fault.
"""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import platformdirs
import structlog
from flask import Flask, Response, request
from lxml import etree

from es_gateway.client import Elasticsearch
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts as HarvestParts
from indexer.sources.folder import FolderSource
from lab.peers.servers import backend_of
from sonde.settings import Settings, load_settings
from tests.conformance.suites import folder_of
from tests.conftest import delete_indices
from tests.live import serving
from tests.service import SAMPLES, Service

_MAIN = "org.opengis.cite.ogcapifeatures10.TestNGController"
# The suite's parent asks for a newer Maven than Debian has, and for a git repository to take a build number from.
_MAVEN = ("mvn", "-q", "-B", "-Denforcer.skip=true", "-Dmaven.buildNumber.skip=true")
_PROPERTIES = """<?xml version="1.0" encoding="UTF-8"?>
<properties version="1.0"><entry key="iut">{url}</entry><entry key="noofcollections">-1</entry></properties>
"""
SUITES_OWN_FAULTS: dict[str, str] = {}
"""Test method -> why what it finds is not ours."""


class Patient(Service):
    """The service on a busy machine: the suite judges answers, not how fast they come."""

    @cached_property
    def settings(self) -> Settings:
        usual = super().settings
        slow = usual.elasticsearch.model_copy(update={"timeout_s": 60.0})
        return usual.model_copy(
            update={"elasticsearch": slow, "api": usual.api.model_copy(update={"deadline_s": 120.0, "threads": 64})}
        )


def built(folder: Path) -> Path:
    """The suite's classes and libraries, made where they are not there yet."""
    if not (folder / "lib").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(folder_of("ets-ogcapi-features10", "source.tar.gz")) as archive:
            archive.extractall(folder, filter="data")
        goals = ("compile", "dependency:copy-dependencies", "-DoutputDirectory=lib")
        subprocess.run([*_MAVEN, *goals], cwd=folder, check=True)
    return folder


@contextmanager
def api_of_its_own() -> Iterator[str]:
    """The address of an API over real records, without vectors: no test of this suite ranks."""
    address = backend_of(load_settings()).with_credentials
    client = Elasticsearch(address, request_timeout=60)
    service = Patient(client, address, f"sonde-test-{uuid.uuid4().hex[:12]}")
    rda = folder_of().parent / "data" / "catalogues" / "ncar_rda_1669.tar.gz"
    try:
        service.prepare()
        for source, folder in (("samples", SAMPLES), ("ncar_rda", rda)):
            harvest(source, FolderSource(folder), HarvestParts(client, service.prefix))
        without_item_type(service.app)
        with serving(service.app) as url:
            yield url
    finally:
        delete_indices(client, service.prefix)


def without_item_type(app: Flask) -> None:
    """The suite asks nothing of collections whose items are records (which Records wants): here they are features."""

    @app.after_request
    def untyped(response: Response) -> Response:
        if response.mimetype == "application/json" and request.path.startswith("/collections"):
            response.set_data(response.get_data().replace(b'"itemType":"record"', b'"itemType":"feature"'))
        return response


def run(suite: Path, url: str) -> Path:
    """The suite's report."""
    out = Path(tempfile.mkdtemp(prefix="sonde-ets-"))
    properties = out / "properties.xml"
    properties.write_text(_PROPERTIES.format(url=url), "utf-8")
    classes = f"{suite}/target/classes:{suite}/lib/*"
    log = out / "log.txt"
    with log.open("wb") as stream:
        subprocess.run(["java", "-cp", classes, _MAIN, "-o", str(out), str(properties)], stdout=stream, stderr=stream)
    reports = list(out.rglob("testng-results.xml"))
    if not reports:
        raise SystemExit(f"The suite wrote no report; {log} says why.")
    return reports[0]


def summed(report: Path) -> int:
    """Prints what passed, failed and was left out; how many failures are not the suite's own."""
    counts: Counter[str] = Counter()
    messages: dict[tuple[str, str], list[str]] = defaultdict(list)
    for method in etree.parse(report).getroot().iter("test-method"):
        if method.get("is-config") == "true":
            continue
        status, name = str(method.get("status")), str(method.get("name"))
        counts[status] += 1
        if status != "PASS":
            message = (method.findtext(".//message") or "").strip().splitlines()
            messages[status, name].append(message[0][:240] if message else "")
    ours = 0
    for (status, name), said in sorted(messages.items()):
        fault = SUITES_OWN_FAULTS.get(name) if status == "FAIL" else None
        ours += len(said) if status == "FAIL" and fault is None else 0
        sys.stdout.write(f"{status} {name} x {len(said)}: {fault or said[0]}\n")
    sys.stdout.write(
        f"passed {counts['PASS']}, failed {counts['FAIL']} ({ours} of them ours), left out {counts['SKIP']}\n"
    )
    return ours


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="an API to test as it is, without a slash at the end; else one of its own")
    parser.add_argument("--folder", type=Path, default=platformdirs.user_cache_path("sonde") / "ets-ogcapi-features10")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    suite = built(given.folder)
    if given.url:
        return 1 if summed(run(suite, given.url)) else 0
    with api_of_its_own() as url:
        return 1 if summed(run(suite, url)) else 0


if __name__ == "__main__":
    sys.exit(main())
