"""Elasticsearch is read-only, or an alias is gone: searches continue where they can, and every part says what is wrong
and what mends it."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import redis
from click.testing import CliRunner
from elasticsearch import Elasticsearch
from flask.testing import FlaskClient

from core.access import ALL_SCOPES, Caller
from core.errors import IndexMismatch
from es_gateway.blocks import WriteBlock, explain, remedy, write_blocks
from es_mappings.names import KINDS, alias
from search_api.app import create_app
from search_api.http.access.guard import INSIDE
from sonde.cli.catalogue import harvest as harvest_command
from sonde.cli.reindex import reindex as reindex_command
from sonde.ops.doctor.examine import examine
from sonde.ops.doctor.finding import Finding
from sonde.settings import BrokerSettings, IndexSettings, Settings
from sonde.telemetry.service_metrics import ServiceState
from sonde.wiring.api import api_parts
from sonde.wiring.clients import elasticsearch_client, prepare_indices
from tests.conftest import delete_indices
from tests.integration.small_catalogue import document, write_catalogue
from tests.service import Service

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker, pytest.mark.models]
_LOOKS_EVERY_S = 31.0


class Operator:
    """Whoever asks may do everything."""

    def identify(self, bearer: str | None) -> Caller:  # noqa: ARG002
        return Caller("operator", ALL_SCOPES)


@pytest.fixture(scope="module")
def service(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    own = f"sonde-test-{uuid.uuid4().hex[:12]}"
    made = Service(es_client, elasticsearch_url, own)
    folder = tmp_path_factory.mktemp("records")
    write_catalogue(folder, 2)
    made.harvest(folder, "portal")
    yield made
    delete_indices(es_client, own)


@pytest.fixture(scope="module")
def settings(service: Service, broker_url: str) -> Settings:
    return service.settings.model_copy(update={"broker": BrokerSettings(url=broker_url)})


@pytest.fixture(scope="module")
def http(service: Service, settings: Settings) -> FlaskClient:
    return create_app(replace(api_parts(settings, service.models), authenticator=Operator())).test_client()


def _doctor(settings: Settings, service: Service) -> dict[str, Finding]:
    return {finding.part: finding for finding in examine(settings, service.models)}


@pytest.fixture(params=["index.blocks.read_only_allow_delete", "index.blocks.write"])
def blocked(request: pytest.FixtureRequest, service: Service) -> Iterator[str]:
    """A name of what is set: the block of a full disk, or one that a person set. Elasticsearch looks at the disk every
    30 s and would take the first one away; the look that was due when this changed still comes, so it is waited for.
    """
    indices = [f"{alias(service.prefix, kind)}-*" for kind in KINDS]
    _look_at_the_disk(service, "1h")
    if "allow_delete" in request.param:
        time.sleep(_LOOKS_EVERY_S)
    service.client.indices.put_settings(index=indices, settings={request.param: True})
    yield str(request.param)
    service.client.indices.put_settings(index=indices, settings={request.param: None})
    _look_at_the_disk(service, None)


def _look_at_the_disk(service: Service, every: str | None) -> None:
    settings = {"persistent": {"cluster.info.update.interval": every}}
    httpx.put(f"{service.url.rstrip('/')}/_cluster/settings", json=settings).raise_for_status()


def test_searches_continue_and_every_part_says_that_nothing_is_written(
    blocked: str, service: Service, settings: Settings, http: FlaskClient, broker_url: str, tmp_path: Path
) -> None:
    words = "too full" if "allow_delete" in blocked else "index.blocks.write is set"
    assert http.get("/search?q=rain&source=portal").status_code == 200
    ready = http.get("/readyz")
    assert ready.status_code == 200, "searches are answered"
    assert words in ready.get_json()["dependencies"]["writes"]

    found = _doctor(settings, service)["writes"]
    assert found.state == "broken"
    assert words in found.message
    assert ("make room" if "allow_delete" in blocked else '"index.blocks.write": null') in found.message

    gauges = ServiceState(service.client, redis.Redis.from_url(broker_url), service.prefix).read()
    (blocks,) = next(family for family in gauges if family.name == "sonde_writes_blocked").samples
    assert blocks.value == 1.0

    pushed = http.put("/collections/portal/items/x9", data=document("x9", "Snow"))
    assert pushed.status_code == 503
    assert f"accepts no writes: {'a disk' if 'allow_delete' in blocked else words}" in pushed.get_json()["detail"]

    write_catalogue(tmp_path, 1)
    environment = {
        "SONDE_ELASTICSEARCH__URL": service.url,
        "SONDE_BROKER__URL": broker_url,
        "SONDE_INDEX__PREFIX": service.prefix,
    }
    harvested = CliRunner().invoke(harvest_command, [str(tmp_path)], env=environment)
    assert harvested.exit_code != 0
    assert words in harvested.output + str(harvested.exception)


def test_a_run_whose_records_cannot_be_written_is_recorded_with_the_reason(service: Service, tmp_path: Path) -> None:
    records = alias(service.prefix, "records")
    write_catalogue(tmp_path, 3)
    service.client.indices.put_settings(index=records, settings={"index.blocks.write": True})
    try:
        with pytest.raises(Exception, match=r"index\.blocks\.write is set"):
            service.harvest(tmp_path, "blocked")
    finally:
        service.client.indices.put_settings(index=records, settings={"index.blocks.write": None})
    service.client.indices.refresh(index=alias(service.prefix, "runs"))
    (hit,) = service.client.search(index=alias(service.prefix, "runs"), query={"term": {"source": "blocked"}})["hits"][
        "hits"
    ]
    assert hit["_source"]["state"] == "interrupted"
    assert "index.blocks.write is set" in hit["_source"]["message"]
    report = service.harvest(tmp_path, "blocked")
    assert (report.state, report.counts.failed) == ("complete", 0), "no record counts as failed for it"


def test_a_block_of_somebody_elses_index_stops_nothing(service: Service, es_client: Elasticsearch) -> None:
    foreign = f"sonde-test-{uuid.uuid4().hex[:12]}-foreign"
    es_client.indices.create(index=foreign, settings={"index.blocks.write": True})
    try:
        assert write_blocks(es_client, [alias(service.prefix, kind) for kind in KINDS]) == []
        assert write_blocks(es_client, [alias(f"{service.prefix}-missing", "records")]) == []
        assert [block.index for block in write_blocks(es_client, [foreign])] == [foreign]
    finally:
        es_client.indices.delete(index=foreign)


def test_a_block_of_the_whole_cluster_names_the_call_that_lifts_it() -> None:
    blocks = [WriteBlock(None, 6, "cluster read-only (api)")]
    assert "cluster.blocks.read_only is set" in explain(blocks)
    assert 'PUT /_cluster/settings {"persistent": {"cluster.blocks.read_only": null}}' in remedy(blocks)
    assert explain([WriteBlock("i", 99, "a block of next year")]) == (
        "Elasticsearch accepts no writes: a block of next year. Searches continue."
    )


def test_a_lost_alias_is_said_and_put_back(service: Service, settings: Settings, http: FlaskClient) -> None:
    name = alias(service.prefix, "records")
    service.client.indices.delete_alias(index=f"{name}-000001", name=name)
    fresh = create_app(api_parts(settings, service.models)).test_client()
    for said in (
        fresh.get("/search?q=rain").get_json()["detail"],
        fresh.get("/readyz").get_json()["dependencies"]["index"],
    ):
        assert f"{name} is gone; there is {name}-000001" in said
        assert "`sonde harvest`" in said
    assert _doctor(settings, service)["aliases"].state == "broken"
    assert "yet" not in _doctor(settings, service)["aliases"].message

    prepare_indices(elasticsearch_client(settings), settings, service.models)
    assert fresh.get("/search?q=rain&source=portal").status_code == 200
    assert _doctor(settings, service)["aliases"].state == "ok"


def test_an_alias_that_several_indices_could_have_is_put_back_by_one_command(
    service: Service, settings: Settings, broker_url: str
) -> None:
    name = alias(service.prefix, "passages")
    service.client.indices.create(index=f"{name}-000002", mappings={"_meta": {}})
    service.client.indices.delete_alias(index=f"{name}-000001", name=name)
    try:
        with pytest.raises(IndexMismatch, match=rf"{name}-000001, {name}-000002.*sonde reindex --serve"):
            prepare_indices(elasticsearch_client(settings), settings, service.models)
        environment = {"SONDE_ELASTICSEARCH__URL": service.url, "SONDE_INDEX__PREFIX": service.prefix}
        done = CliRunner().invoke(reindex_command, ["--serve", f"{name}-000001"], env=environment)
        assert done.exit_code == 0, done.output
        assert f"serves as {name}" in done.output
        prepare_indices(elasticsearch_client(settings), settings, service.models)
    finally:
        service.client.indices.delete(index=f"{name}-000002")


def test_no_write_makes_an_index_in_the_place_of_a_lost_alias(service: Service, tmp_path: Path) -> None:
    write_catalogue(tmp_path, 1)
    for kind in ("runs", "natives"):
        name = alias(service.prefix, kind)
        service.client.indices.delete_alias(index=f"{name}-000001", name=name)
        with pytest.raises(Exception, match=r"gone|no such index|no index behind"):
            service_without_preparing(service, tmp_path)
        assert not service.client.indices.exists(index=name)
        service.client.indices.update_aliases(
            actions=[{"add": {"index": f"{name}-000001", "alias": name, "is_write_index": True}}]
        )


def service_without_preparing(service: Service, folder: Path) -> None:
    from indexer.harvest.harvest import harvest
    from indexer.parts import HarvestParts
    from indexer.sources.folder import FolderSource

    harvest(
        "lost",
        FolderSource(folder),
        HarvestParts(elasticsearch_client(service.settings), service.prefix, service.models.embedder),
    )


def test_migrate_refuses_what_a_newer_sonde_wrote(service: Service, settings: Settings, prefix: str) -> None:
    newer = Service(service.client, service.url, prefix)
    newer.prepare()
    index = alias(prefix, "records")
    meta = service.client.indices.get_mapping(index=index)[f"{index}-000001"]["mappings"]["_meta"]
    service.client.indices.put_mapping(index=index, meta={**meta, "schema_version": 99})
    with pytest.raises(IndexMismatch, match=r"schema 99.*upgrade this one"):
        prepare_indices(
            elasticsearch_client(settings),
            settings.model_copy(update={"index": IndexSettings(prefix=prefix)}),
            newer.models,
        )


def test_metrics_say_that_all_is_well_again(http: FlaskClient) -> None:
    text = http.get("/metrics", environ_overrides={INSIDE: True}).get_data(as_text=True)
    assert "sonde_writes_blocked 0.0" in text
    assert 'sonde_elasticsearch_status{status="red"} 0.0' in text
