"""Real parts for the tests: one Elasticsearch and one Valkey for the whole run, a prefix of its own for each test."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import pytest
from hypothesis import settings

from es_gateway.client import Elasticsearch
from es_mappings.names import KINDS
from tests.servers_of_the_run import broker_of_the_run, elasticsearch_of_the_run
from tests.servers_of_the_run import pytest_configure_node as pytest_configure_node
from tests.servers_of_the_run import pytest_unconfigure as pytest_unconfigure
from tests.service import Service

pytest_plugins = ("tests.skips", "tests.longest_first")

settings.register_profile("sonde", deadline=None)  # how long an example takes depends on who else uses the machine
settings.load_profile("sonde")

_OWN = "sonde-test-"


@pytest.fixture(scope="session")
def elasticsearch_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """``SONDE_ELASTICSEARCH__URL`` where it is set, else a node of this run's own."""
    with elasticsearch_of_the_run(request.config) as url:
        yield url


@pytest.fixture(scope="session")
def broker_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """``SONDE_BROKER__URL`` where it is set, else a Valkey of this run's own."""
    with broker_of_the_run(request.config, tmp_path_factory.mktemp("valkey")) as url:
        yield url


@pytest.fixture
def ordinary_account() -> Iterator[None]:
    """Root reads and writes everywhere, so root becomes somebody else for the length of a test."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield
    if root:
        os.seteuid(0)


@pytest.fixture(scope="session")
def es_client(elasticsearch_url: str) -> Iterator[Elasticsearch]:
    client = Elasticsearch(elasticsearch_url, request_timeout=60, max_retries=0)
    yield client
    client.close()


@pytest.fixture
def prefix(es_client: Elasticsearch) -> Iterator[str]:
    """An index prefix of this test's own; its indices are deleted by name afterwards, and no others."""
    own = f"{_OWN}{uuid.uuid4().hex[:12]}"
    yield own
    delete_indices(es_client, own)


def delete_indices(client: Elasticsearch, prefix: str) -> None:
    """Deletes the indices of one test prefix. Raises ValueError for any other: tests delete only their own."""
    if not prefix.startswith(_OWN) or len(prefix) < len(_OWN) + 8:
        raise ValueError(f"{prefix!r} is not a prefix that a test made")
    patterns = ",".join(f"{prefix}-{kind}-*" for kind in KINDS)
    found = client.options(ignore_status=404).indices.get_alias(index=patterns).body
    if own := [index for index in found if index.startswith(f"{prefix}-")]:
        client.indices.delete(index=",".join(own))  # in one request: each costs the node a new state of its cluster


@pytest.fixture(scope="session")
def samples(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    """The service with the samples in it, shared by all tests that only read."""
    own = f"{_OWN}{uuid.uuid4().hex[:12]}"
    service = Service(es_client, elasticsearch_url, own)
    report = service.harvest()
    assert report.state == "complete", report
    yield service
    delete_indices(es_client, own)
