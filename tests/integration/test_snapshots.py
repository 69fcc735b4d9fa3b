"""`sonde backup`, as docs/operators/backup.md describes it: taken, everything lost, restored, and the same answers."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner, Result

from core.errors import NotFound, SondeError
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.indices import ensure_indices
from es_mappings.names import KINDS
from sonde.cli import cli
from sonde.cli.backup import Backups
from tests.conftest import delete_indices
from tests.service import Service

_NOW = datetime(2026, 11, 24, 1, 30, tzinfo=UTC)


@pytest.fixture
def service(es_client: Elasticsearch, elasticsearch_url: str) -> Iterator[Service]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    yield service
    delete_indices(es_client, service.prefix)


@pytest.fixture
def backups(service: Service) -> Iterator[Backups]:
    """In a repository of this test's own."""
    own = Backups(service.client, service.prefix, service.prefix)
    try:
        own.register(_folder(service.prefix))
    except ElasticsearchError as error:
        if os.environ.get("CI") == "true" or "path.repo" not in error.reason:
            raise
        pytest.skip("this Elasticsearch names no path.repo, so no folder can hold a snapshot")
    yield own
    for one in own.list_backups():
        service.client.snapshot.delete(repository=own.repository, snapshot=one.name)
    service.client.snapshot.delete_repository(name=own.repository)


def _folder(name: str) -> dict[str, object]:
    return {"type": "fs", "settings": {"location": name}}


def _run(service: Service, *arguments: str) -> Result:
    environment = {"SONDE_ELASTICSEARCH__URL": service.url, "SONDE_INDEX__PREFIX": service.prefix}
    return CliRunner().invoke(cli, ["backup", *arguments, "--repository", service.prefix], env=environment)


def test_what_was_lost_comes_back_with_its_aliases(service: Service, backups: Backups) -> None:
    service.harvest()
    before = service.ids("rainfall in southern Africa since 1990")
    assert before
    taken = _run(service, "take", "--register", json.dumps(_folder(service.prefix)), "--keep", "2")
    assert taken.exit_code == 0, taken.output
    (made,) = backups.list_backups()
    assert (made.state, len(made.indices), made.documents["records"]) == ("SUCCESS", len(KINDS), 169)
    with pytest.raises(SondeError, match="--replace"):
        backups.restore("latest")

    delete_indices(service.client, service.prefix)
    assert service.http.get("/search", query_string={"q": "rainfall"}).status_code == 503
    restored = _run(service, "restore")

    assert restored.exit_code == 0, restored.output
    assert "records: 169\n" in restored.output
    assert service.ids("rainfall in southern Africa since 1990") == before
    assert service.harvest().counts.same == 169


def test_a_backup_replaces_what_was_written_since_and_old_ones_go(service: Service, backups: Backups) -> None:
    index = f"{service.prefix}-keys-000001"
    service.client.indices.create(index=index, aliases={f"{service.prefix}-keys": {}})
    service.client.indices.create(index=f"{service.prefix}-test-keys-000001")  # of the installation PREFIX-test
    for day, note in enumerate(("first", "second", "third")):
        service.client.index(index=index, id="one", document={"note": note})
        backups.take(_NOW + timedelta(days=day))
    assert backups.thin_out(keep=2) == [f"{service.prefix}-20261124-013000"]
    assert [one.name[-15:] for one in backups.list_backups()] == ["20261125-013000", "20261126-013000"]
    _, now = backups.restore(f"{service.prefix}-20261125-013000", replace=True)
    assert now == {"keys": 1}
    assert service.client.get(index=f"{service.prefix}-keys", id="one")["_source"] == {"note": "second"}
    other = Backups(service.client, service.prefix, f"{service.prefix}x")
    assert {each for one in backups.list_backups() for each in one.indices} == {index}
    assert list(other.list_backups()) == [], "another installation's backups in one repository are left alone"
    with pytest.raises(NotFound, match="there are"):
        backups.restore("nothing", replace=True)


@pytest.mark.parametrize("command", ["list", "take"])
def test_a_repository_that_is_not_there_is_named(service: Service, command: str) -> None:
    ensure_indices(service.client, service.prefix, service.models.embedder().card)
    found = _run(service, command)
    assert found.exit_code != 0
    assert isinstance(found.exception, NotFound)
    assert service.prefix in str(found.exception)
