"""A wrong value is refused with its place and what would be right, before anything reaches a cluster."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helm_python import HelmError

from indexer.sources.protocols import PROTOCOLS
from tests.unit.rendered_chart import CHART, Rendered
from workers.source_config import SourceConfig

THERE = {"elasticsearch": {"url": "http://elasticsearch:9200"}, "broker": {"host": "redis"}}
ECK = {"eck": {"enabled": True, "userSecret": "search-user"}}
BUNDLED = {"bundled": {"enabled": True}}


def test_the_least_is_enough() -> None:
    assert Rendered.of(THERE).of_kind("Deployment")


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "Sonde needs an Elasticsearch: set elasticsearch.url"),
        ({"elasticsearch": ECK}, "Sonde needs a Redis-protocol server: set broker.host"),
        (THERE | {"elasticsearch": {"url": "http://x", **ECK}}, "both set: keep the one"),
        (THERE | {"elasticsearch": {"eck": {"enabled": True}}}, "needs elasticsearch.eck.userSecret: a Secret of type"),
        (THERE | {"broker": {"host": "redis", **BUNDLED}}, "both set: keep the one"),
        (THERE | {"broker": {"tls": True, **BUNDLED}}, "has no TLS"),
        (THERE | {"broker": {"port": 6380, **BUNDLED}}, "listens on 6379"),
        (THERE | {"broker": {"host": "redis", "caSecret": "ca"}}, "broker.tls is false: set it to true"),
        (THERE | {"library": {"existingClaim": "files"}}, "library.enabled is false: set it to true"),
        (THERE | {"library": {"storage": "20GB"}}, 'library.storage is "20GB"'),
        ({"elasticsearch": ECK, "broker": BUNDLED, "backup": {"enabled": True}}, "needs backup.credentialsSecret"),
        (THERE | {"backup": {"schedule": "at night"}}, "'/backup/schedule'"),
        (THERE | {"settings": {"SONDE_LIBRARY__FOLDER": "/x"}}, "has a separate value in this chart"),
        (THERE | {"settings": {"SONDE_ALERTS__HOUR": 4}}, "has a separate value in this chart"),
        (THERE | {"broker": {"host": "redis://redis:6379"}}, 'broker.host is "redis://redis:6379": give the name only'),
        (THERE | {"elasticsearch": {"url": "elastic:9200"}}, "must begin with http:// or https://"),
        (THERE | {"indexPrefix": "Geo_Data"}, "small letters, digits and hyphens only"),
        (THERE | {"sources": [{"id": "a", "type": "csw"}], "sourcesConfigMap": "b"}, "sources and sourcesConfigMap"),
        (THERE | {"ingress": {"enabled": True}}, "ingress.enabled needs ingress.host"),
        (THERE | {"alerts": {"secret": "s"}}, "Set settings.SONDE_API__PUBLIC_URL to its address"),
        (THERE | {"mail": {"host": "m", "sender": "a@b.org"}}, "mails and webhooks link to Sonde"),
        (THERE | {"gateway": {"enabled": True}}, "gateway.enabled needs gateway.name"),
        (THERE | {"keda": {"min": 5, "max": 4}}, "keda.min is larger than keda.max"),
        (THERE | {"api": {"autoscaling": {"min": 7}}}, "api.autoscaling.min is larger"),
        (THERE | {"settings": {"SONDE_ELASTICSEARCH__PASSWORD": "x"}}, "give it in extraEnv with valueFrom"),
        (THERE | {"settings": {"SONDE_BROKER__URL": "redis://x"}}, "has a separate value in this chart"),
        (THERE | {"settings": {"LOG_LEVEL": "INFO"}}, "named SONDE_GROUP__NAME"),
        (THERE | {"api": {"resources": {"limits": {"memory": "3GB"}}}}, 'api.resources.limits.memory is "3GB"'),
        (THERE | {"workers": {"embed": {"resources": {"requests": {"cpu": "two"}}}}}, "such as 500m (half a core)"),
        (THERE | {"api": {"replicas": "two"}}, "'/api/replicas': got string, want integer"),
        (THERE | {"api": {"replica": 2}}, "'/api': additional properties 'replica' not allowed"),
        (THERE | {"workers": {"harvest": {"replicas": -1}}}, "'/workers/harvest/replicas': minimum: got -1, want 0"),
        (THERE | {"workers": {"ocr": {"replicas": 1}}}, "'/workers': additional properties 'ocr' not allowed"),
        (THERE | {"image": {"pullPolicy": "Sometimes"}}, "must be one of 'Always', 'IfNotPresent', 'Never'"),
        (THERE | {"sources": [{"title": "no id"}]}, "missing properties 'id', 'type'"),
        (THERE | {"sources": [{"id": "a", "type": "cws"}]}, "'/sources/0/type': value must be one of 'folder', "),
        (THERE | {"sources": [{"id": "a", "type": "csw", "uri": "x"}]}, "additional properties 'uri' not allowed"),
        (THERE | {"service": {"port": 70000}}, "'/service/port': maximum: got 70,000, want 65,535"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(values: dict[str, Any], says: str) -> None:
    with pytest.raises(HelmError) as refused:
        Rendered.of(values)
    assert says in str(refused.value)


def test_an_entry_of_the_sources_may_say_what_sources_yaml_may() -> None:
    entry = json.loads((CHART / "values.schema.json").read_text("utf-8"))["properties"]["sources"]["items"]
    assert set(entry["properties"]) == set(SourceConfig.model_fields)
    assert entry["properties"]["type"]["enum"] == ["folder", *PROTOCOLS]
