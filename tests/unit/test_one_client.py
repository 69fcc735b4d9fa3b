"""A process of the API makes one client of Elasticsearch; its parts share the connections."""

from __future__ import annotations

from typing import Any

import pytest

from es_gateway.client import Elasticsearch, connected
from sonde.settings import ApiSettings, CrossEncoderSettings, ElasticsearchSettings, Settings
from sonde.wiring import clients
from sonde.wiring.api import api_parts


def test_the_api_makes_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Elasticsearch] = []

    def counted(*given: Any, **more: Any) -> Elasticsearch:
        made.append(connected(*given, **more))
        return made[-1]

    monkeypatch.setattr(clients, "connected", counted)
    nowhere = ElasticsearchSettings(url="http://127.0.0.1:9")
    api_parts(
        Settings(elasticsearch=nowhere, cross_encoder=CrossEncoderSettings(model=""), api=ApiSettings(preload=False))
    )
    assert len(made) == 1
