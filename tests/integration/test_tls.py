"""Elasticsearch and the broker over TLS: a certificate that does not fit is refused by every part that connects."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import kombu.exceptions
import pytest
import redis
from flask import Flask

from core.errors import Unavailable
from es_gateway.errors import NotReachable
from es_gateway.nodes import GuardedNode, HttpNode
from search_api.http.limits import register_rate_limits
from sonde.settings import BrokerSettings, ElasticsearchSettings, IndexSettings, LimitsSettings, Settings
from sonde.wiring.access import limit_policy
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.workers import worker_config
from tests.servers_of_the_run import VERSION
from tests.tls_proxy import tls_before, write_certificate
from workers.app import create_celery
from workers.lease import Leases


@dataclass(frozen=True)
class Secured:
    """``port`` with a certificate for 127.0.0.1, ``misnamed`` with one for another address; both CAs as PEM files."""

    port: int
    ca: Path
    misnamed: int
    other_ca: Path


@pytest.fixture
def broker(broker_url: str, tmp_path: Path) -> Iterator[Secured]:
    yield from _secured(broker_url, tmp_path)


@pytest.fixture
def elasticsearch(elasticsearch_url: str, tmp_path: Path) -> Iterator[Secured]:
    yield from _secured(elasticsearch_url, tmp_path)


def _secured(url: str, folder: Path) -> Iterator[Secured]:
    server = urlsplit(url)
    certificate, key = write_certificate(folder, "127.0.0.1")
    other, other_key = write_certificate(folder, "127.0.0.9")
    host, port = str(server.hostname), int(server.port or 0)
    with tls_before(host, port, certificate, key) as fitting, tls_before(host, port, other, other_key) as misnamed:
        yield Secured(fitting, certificate, misnamed, other)


def _settings(port: int, ca: Path | None) -> Settings:
    return Settings(
        broker=BrokerSettings(url=f"rediss://127.0.0.1:{port}/0", ca_certs=ca),
        index=IndexSettings(prefix=f"sonde-test-{uuid.uuid4().hex[:12]}"),
        limits=LimitsSettings(per_address="1/hour"),
    )


def _lease(settings: Settings) -> bool:
    return Leases.connect(settings.broker_url, settings.index.prefix).is_held("nobody")


def _celery(settings: Settings) -> bool:
    app = create_celery(worker_config(settings), lambda: pytest.fail("no task runs here"))
    with app.connection_for_write() as connection:
        connection.ensure_connection(max_retries=1, timeout=5)
        return bool(connection.connected)


def _redbeat(settings: Settings) -> bool:
    from redbeat.schedulers import get_redis

    app = create_celery(worker_config(settings), lambda: pytest.fail("no task runs here"))
    return bool(get_redis(app).ping())


REFUSED = (Unavailable, kombu.exceptions.OperationalError, redis.ConnectionError, ConnectionError, OSError)


@pytest.mark.parametrize("part", [_lease, _celery, _redbeat])
def test_parts_of_the_broker_check_its_certificate(broker: Secured, part: Callable[[Settings], bool]) -> None:
    assert part(_settings(broker.port, broker.ca)) is (part is not _lease)
    for port, ca in ((broker.port, None), (broker.port, broker.other_ca), (broker.misnamed, broker.other_ca)):
        with pytest.raises(REFUSED):
            part(_settings(port, ca))


def test_limits_are_counted_over_tls(broker: Secured) -> None:
    settings = _settings(broker.port, broker.ca)
    statuses = []
    for _ in range(2):  # two processes, which can only meet in the broker
        app = Flask("limited")
        app.add_url_rule("/", view_func=lambda: "ok")
        register_rate_limits(app, limit_policy(settings))
        statuses.append(app.test_client().get("/").status_code)
    assert statuses == [200, 429]


@pytest.mark.parametrize("node", [None, GuardedNode], ids=["workers and commands", "API"])
def test_elasticsearchs_certificate_is_checked(elasticsearch: Secured, node: type[HttpNode] | None) -> None:
    def version(port: int, ca: Path | None) -> str:
        given = ElasticsearchSettings(url=f"https://127.0.0.1:{port}", ca_certs=ca)
        with elasticsearch_client(Settings(elasticsearch=given), node=node) as client:
            return str(client.info().body["version"]["number"])

    assert version(elasticsearch.port, elasticsearch.ca) == VERSION
    for port, ca in (
        (elasticsearch.port, None),
        (elasticsearch.port, elasticsearch.other_ca),
        (elasticsearch.misnamed, elasticsearch.other_ca),
    ):
        with pytest.raises(NotReachable):
            version(port, ca)


@pytest.mark.parametrize("wrong", ["rediss://b/0?ssl_cert_reqs=none", "redis://b/0?ssl_check_hostname=false"])
def test_a_broker_that_would_not_be_checked_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="always are"):
        BrokerSettings(url=wrong)
