"""Custom resources of the chart against the definitions that their operators ship, every unknown key refused.

The definitions come as Go modules through the Go proxy, pinned here. Without Go these tests skip, without
the proxy too, except under CI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jsonschema_rs
import pytest
import yaml

from tests.unit.go_modules import go_module
from tests.unit.rendered_chart import EXAMPLES, Rendered, example


@dataclass(frozen=True)
class Definition:
    """Where the definition of a kind lies: a file of a version of a Go module."""

    module: str
    path: str


_PROMETHEUS = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
DEFINITIONS = {
    "Elasticsearch": Definition(
        "github.com/elastic/cloud-on-k8s/v3@v3.5.0",
        "config/crds/v1/resources/elasticsearch.k8s.elastic.co_elasticsearches.yaml",
    ),
    "ScaledObject": Definition("github.com/kedacore/keda/v2@v2.21.0", "config/crd/bases/keda.sh_scaledobjects.yaml"),
    "TriggerAuthentication": Definition(
        "github.com/kedacore/keda/v2@v2.21.0", "config/crd/bases/keda.sh_triggerauthentications.yaml"
    ),
    "HTTPRoute": Definition(
        "sigs.k8s.io/gateway-api@v1.3.0", "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"
    ),
    "PodMonitor": Definition(_PROMETHEUS, "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml"),
    "PrometheusRule": Definition(
        _PROMETHEUS, "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"
    ),
}


def test_every_custom_resource_of_the_chart_has_a_definition_here() -> None:
    built_in = {"v1", "apps", "batch", "policy", "autoscaling", "networking.k8s.io"}
    kinds = {
        one["kind"]
        for name in EXAMPLES
        for one in Rendered.of(example(name)).manifests
        if one["apiVersion"].split("/")[0] not in built_in
    }
    assert kinds == set(DEFINITIONS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_operator_takes_its_resource_and_knows_each_key(name: str) -> None:
    for one in Rendered.of(example(name)).of_kind(*DEFINITIONS):
        validator = jsonschema_rs.Draft202012Validator(_schema(one["kind"], one["apiVersion"]))
        wrong = [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(one)]
        assert wrong == [], one["metadata"]["name"]


def test_a_key_that_the_operator_does_not_know_would_be_found() -> None:
    route = Rendered.of(example("full")).of_kind("HTTPRoute")[0]
    route["spec"]["rules"][0]["backends"] = []
    validator = jsonschema_rs.Draft202012Validator(_schema("HTTPRoute", route["apiVersion"]))
    assert [error.instance_path for error in validator.iter_errors(route)] == [["spec", "rules", 0]]


def _schema(kind: str, api_version: str) -> dict[str, Any]:
    definition = DEFINITIONS[kind]
    text = (go_module(definition.module) / definition.path).read_text("utf-8")
    found = yaml.safe_load(text)["spec"]
    group, version = api_version.split("/")
    assert (found["group"], found["names"]["kind"]) == (group, kind)
    (schema,) = [each["schema"]["openAPIV3Schema"] for each in found["versions"] if each["name"] == version]
    schema["properties"]["metadata"] = {"type": "object"}
    closed: dict[str, Any] = _closed(schema)
    return closed


def _closed(schema: Any) -> Any:
    """The same schema, which refuses keys that it does not name: a cluster would drop them without a word."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _closed(value) for key, value in schema.items()}
    open_ended = inner.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in inner
    if isinstance(inner.get("properties"), dict) and inner.get("type") == "object" and not open_ended:
        inner["additionalProperties"] = False
    return inner
