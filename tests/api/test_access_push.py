"""A record that is pushed is seen by whom its source's entry in sources.yaml names, from its first second on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch

from core.access import ALL_SCOPES, Caller
from lab.malformed.makers import RECORD
from search_api.app import create_app
from sonde.settings import BrokerSettings, HarvestSettings
from sonde.wiring.api import api_parts
from tests.service import Service

_SOURCES = """sources:
  - {id: secret, type: folder, path: ., access: {restricted_to: [glaciers]}}
  - {id: open, type: folder, path: .}
"""


class ByName:
    """Whoever says a name is in the group of that name, and may do everything."""

    def identify(self, bearer: str | None) -> Caller:
        return Caller(bearer or "nobody", ALL_SCOPES, frozenset((bearer,) if bearer else ()))


@pytest.mark.elasticsearch
@pytest.mark.broker
def test_a_pushed_record_has_its_sources_groups_and_keeps_them_when_it_is_taken_back(
    samples: Service, es_client: Elasticsearch, broker_url: str, prefix: str, tmp_path: Path
) -> None:
    (tmp_path / "sources.yaml").write_text(_SOURCES, "utf-8")
    own = Service(es_client, samples.url, prefix)
    settings = own.settings.model_copy(
        update={
            "broker": BrokerSettings(url=broker_url),
            "harvest": HarvestSettings(sources=tmp_path / "sources.yaml"),
        }
    )
    http = create_app(replace(api_parts(settings, samples.models), authenticator=ByName())).test_client()
    for source in ("secret", "open"):
        put = http.put(f"/collections/{source}/items/rain-1", json=RECORD, headers=_as("rivers"))
        assert put.status_code == 201, put.get_data(as_text=True)
    es_client.indices.refresh(index=f"{prefix}-records")

    def seen(who: str | None) -> list[int]:
        named = (f"/collections/all/items/{source}:rain-1" for source in ("secret", "open"))
        return [http.get(address, headers=_as(who)).status_code for address in named]

    assert seen("glaciers") == [200, 200]
    assert seen(None) == seen("rivers") == [404, 200], "who pushed it sees it no more than others"
    found = http.get("/search?q=rainfall&rerank=false&group=none", headers=_as(None)).get_json()
    assert [one["id"] for one in found["features"]] == ["open:rain-1"]
    assert http.delete("/collections/secret/items/rain-1", headers=_as("rivers")).status_code == 204
    es_client.indices.refresh(index=f"{prefix}-*")
    listed = http.get("/oai?verb=ListIdentifiers&metadataPrefix=oai_dc", headers=_as(None)).get_data(as_text=True)
    assert ("open:rain-1" in listed, "secret:rain-1" in listed) == (True, False), "its tombstone is hidden too"


def _as(who: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {who}"} if who else {}
