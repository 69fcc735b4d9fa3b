"""Prometheus over the pods of the check: what the dashboard's queries return, and which alerts fire at their fault."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

import yaml

from tests.cluster import object_metrics
from tests.cluster.faults import Release, ask, upload
from tests.cluster.keda import METRICS_PORT as KEDA_PORT
from tests.cluster.node import NAMESPACE, PATIENT, Node, wait_until
from tests.cluster.progress import say
from tests.cluster.servers import SEARCH
from tests.cluster.watching import queries
from tests.unit.rendered_chart import Rendered

_API = "https://10.77.0.1:6443"
_AT = "127.0.0.1:9190"
_SCRAPE_S, _FOR = 5, "10s"
_LATE_S = 20
_OF_LATENESS = ("SondeHarvestOverdue", "SondeTasksWait")
_SCRAPES_S = 60.0
_FIRES_WITHIN_S = 180.0


@dataclass(frozen=True)
class Watching:
    """A Prometheus in the cluster's network, configured as the Prometheus operator does from the chart's objects."""

    node: Node
    chart: Rendered

    @classmethod
    def begun(cls, release: Release) -> Watching:
        """It ends with the node."""
        watched = {"metrics": {name: {"enabled": True} for name in ("serviceMonitor", "rules", "dashboard")}}
        chart = Rendered.of({**release.values, **watched, "keda": {"enabled": True}, "backup": {"enabled": True}})
        node = release.node
        folder = node.folder / "prometheus"
        shutil.rmtree(folder, ignore_errors=True)  # an alert of an earlier run is none of this one
        folder.mkdir()
        (folder / "prometheus.yaml").write_text(yaml.safe_dump(configuration(chart)))
        (folder / "rules.yaml").write_text(yaml.safe_dump(rules_in_seconds(chart)))
        node.start("tests.cluster.object_metrics", _API)
        options = (f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data")
        node.program("prometheus", "prometheus", *options, f"--web.listen-address={_AT}")
        return cls(node, chart)

    def found(self, expression: str) -> list[Any]:
        """The series that an expression has now; none while Prometheus does not answer."""
        address = f"http://{_AT}/api/v1/query?{urlencode({'query': expression})}"
        done = self.node.attempt("curl", "--silent", "--fail", address)
        return list(json.loads(done.stdout)["data"]["result"]) if done.returncode == 0 else []

    def firing(self) -> set[str]:
        return {one["metric"]["alertname"] for one in self.found('ALERTS{alertstate="firing"}')}

    def fires_at(self, alert: str, fault: Callable[[], None] | None) -> str:
        """A line of the page. Raises TimeoutError where the alert stays quiet, RuntimeError where it fired before.
        ``fault``: None where an earlier one is its fault too, which takes longer to be seen.
        """
        if fault is not None:
            if alert in self.firing():
                raise RuntimeError(f"{alert} fires without its fault")
            fault()
        took_s = wait_until(lambda: alert in self.firing(), _FIRES_WITHIN_S, f"{alert} fires")
        say(f"{alert} fires {took_s:.0f} s after its fault")
        return f"`{alert}` ({took_s:.0f} s)"

    def without_data(self) -> list[str]:
        """The dashboard's queries that return no series."""
        asked = queries(self.chart)
        return [f"{title}: {expression}" for title, expression in asked if not self.found(expression)]


def configuration(chart: Rendered) -> dict[str, Any]:
    """The chart's monitor as the operator hands it on, with the pods as the API server names them."""
    (monitor,) = chart.of_kind("PodMonitor")
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    chosen = monitor["spec"]["selector"]["matchLabels"]
    pods = {
        "job_name": "geo/demo-sonde-api",
        "metrics_path": endpoint["path"],
        "http_sd_configs": [
            {"url": f"http://127.0.0.1:{object_metrics.PORT}/pods", "refresh_interval": f"{_SCRAPE_S}s"}
        ],
        "relabel_configs": [
            *(
                _keep(f"__meta_kubernetes_pod_label_{object_metrics.escaped(name)}", value)
                for name, value in chosen.items()
            ),
            _keep("__meta_kubernetes_namespace", monitor["metadata"]["namespace"]),
            _keep("__meta_kubernetes_pod_container_port_name", endpoint["port"]),
            *(_take(f"__meta_kubernetes_{of}", to) for of, to in _OF_PODS.items()),
            {"target_label": "endpoint", "replacement": endpoint["port"]},
            *({_NAMED.get(name, name): value for name, value in one.items()} for one in endpoint["relabelings"]),
        ],
    }
    objects = {"job_name": "objects", "honor_labels": True, "static_configs": _static(object_metrics.PORT)}
    keda = {"job_name": "keda", "static_configs": _static(KEDA_PORT)}
    every = {"scrape_interval": f"{_SCRAPE_S}s", "evaluation_interval": f"{_SCRAPE_S}s"}
    return {"global": every, "rule_files": ["rules.yaml"], "scrape_configs": [pods, objects, keda]}


_NAMED = {"targetLabel": "target_label", "sourceLabels": "source_labels"}
_OF_PODS: Mapping[str, str] = {"namespace": "namespace", "pod_container_name": "container", "pod_name": "pod"}


def _keep(source: str, value: str) -> dict[str, Any]:
    return {"action": "keep", "source_labels": [source], "regex": value}


def _take(source: str, target: str) -> dict[str, Any]:
    return {"source_labels": [source], "target_label": target}


def _static(port: int) -> list[dict[str, Any]]:
    return [{"targets": [f"127.0.0.1:{port}"], "labels": {"namespace": "keda"}}]


def rules_in_seconds(chart: Rendered) -> dict[str, Any]:
    """The chart's alerts, after seconds instead of minutes; what may be late for minutes, too."""
    (rules,) = chart.of_kind("PrometheusRule")
    for group in rules["spec"]["groups"]:
        for rule in group["rules"]:
            if "for" in rule:
                rule["for"] = _FOR
            if rule["alert"] in _OF_LATENESS:
                rule["expr"] = re.sub(r"> \d+$", f"> {_LATE_S}", rule["expr"])
    return {"groups": rules["spec"]["groups"]}


def watched(release: Release) -> list[str]:
    """Lines of the page: the dashboard's queries, and the alerts that fired. The release is broken afterwards."""
    node, watching = release.node, Watching.begun(release)
    for number in range(40):
        ask(node, f"/search?q=rain+{number % 10}")
    with suppress(TimeoutError):
        wait_until(lambda: not watching.without_data(), _SCRAPES_S, "every query of the dashboard has data")
    asked, empty = len(queries(watching.chart)), watching.without_data()
    lines = [
        f"- Of the {asked} queries of the dashboard, {asked - len(empty)} returned data in Prometheus over the pods."
    ]
    for one in empty:
        lines.append(f"- No data: {one}.")
    fired = [watching.fires_at(alert, fault and partial(fault, release)) for alert, fault in ALERT_FAULTS.items()]
    return [*lines, f"- Fired at their fault in the cluster, after seconds instead of minutes: {', '.join(fired)}."]


def _writes_blocked(release: Release) -> None:
    _ask_elasticsearch(release, "PUT", "sonde-records/_settings", {"index.blocks.write": True})


def _shards_missing(release: Release) -> None:
    """An index of Sonde's whose only shard no node may have. Its writes are allowed again first."""
    _ask_elasticsearch(release, "PUT", "sonde-records/_settings", {"index.blocks.write": None})
    nobody = {"index.routing.allocation.require._name": "nobody"}
    _ask_elasticsearch(release, "PUT", "sonde-records-red?wait_for_active_shards=0", {"settings": nobody})


def _documents_wait(release: Release) -> None:
    """Elasticsearch is whole again; the worker of users' documents is gone, and a new user uploads one."""
    _ask_elasticsearch(release, "DELETE", "sonde-records-red")
    release.node.attempt("kubectl", "-n", NAMESPACE, "delete", "scaledobjects", "--all")  # KEDA would bring it back
    release.node.kubectl("scale", "deployment", "demo-sonde-worker-library", "--replicas=0")
    upload(release.node, "new")


def _ask_elasticsearch(release: Release, method: str, path: str, body: Mapping[str, Any] | None = None) -> None:
    given = ("-H", "Content-Type: application/json", "--data", json.dumps(body)) if body is not None else ()
    release.node.run("curl", "--silent", "--fail-with-body", *PATIENT, "-X", method, *given, f"{SEARCH}/{path}")


def _broker_gone(release: Release) -> None:
    release.node.kubectl("scale", "statefulset", "demo-sonde-valkey", "--replicas=0")


def _beat_gone(release: Release) -> None:
    release.node.kubectl("scale", "deployment", "demo-sonde-beat", "--replicas=0")


def _api_gone(release: Release) -> None:
    release.node.kubectl("scale", "deployment", "demo-sonde-api", "--replicas=0")


ALERT_FAULTS: Mapping[str, Callable[[Release], None] | None] = {
    "SondeWritesBlocked": _writes_blocked,
    "SondeElasticsearchRed": _shards_missing,
    "SondeWorkerGone": _beat_gone,
    "SondeHarvestOverdue": None,  # beat's absence
    "SondeTasksWait": _documents_wait,
    "SondePartDown": _broker_gone,
    "SondeApiGone": _api_gone,
}
