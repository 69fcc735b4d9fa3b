"""A real Prometheus over a running Sonde: ``python -m tests.cluster.watching FOLDER``.

Starts a stack of its own, scrapes it as the chart's monitor says, makes two faults, and tells which alerts fire and
how many series each query of the dashboard returns. Needs Debian's package ``prometheus``. The alerts wait seconds here
instead of minutes; promtool tries all of them with their own times (tests/unit/test_alert_rules.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from core.errors import SondeError
from lab.operating.filling import key
from lab.operating.release import CHECKOUT, Release, own_stack, this_release
from lab.waiting import wait_until
from local_stack.ports import free_port
from tests.cluster.progress import say
from tests.unit.rendered_chart import Rendered, example

_OF_OTHERS = ("kube_", "keda_")
_SCRAPE_S, _FOR = 2, "4s"
_SCRAPES_S = 30.0
FAULTS = ("SondePartDown", "SondeHarvestFailed")


@dataclass(frozen=True, slots=True)
class Prometheus:
    url: str

    def ask(self, expression: str) -> list[Any]:
        """The series that an expression has now."""
        answer = httpx.get(f"{self.url}/api/v1/query", params={"query": expression}, timeout=30.0)
        answer.raise_for_status()
        return list(answer.json()["data"]["result"])

    def firing(self) -> set[str]:
        return {one["metric"]["alertname"] for one in self.ask('ALERTS{alertstate="firing"}')}


def scrape_configuration(chart: Rendered, targets: Mapping[str, str]) -> dict[str, Any]:
    """The chart's monitor as the operator hands it on: its own labels first, then the monitor's changes.

    ``targets``: address of the probes by name of the pod.
    """
    (monitor,) = chart.of_kind("PodMonitor")
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    named = {"targetLabel": "target_label"}
    changes = [{named.get(name, name): value for name, value in one.items()} for one in endpoint["relabelings"]]
    labels = {"namespace": "geo", "container": "sonde", "endpoint": endpoint["port"]}
    return {
        "global": {"scrape_interval": f"{_SCRAPE_S}s", "evaluation_interval": f"{_SCRAPE_S}s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [
            {
                "job_name": "geo/demo-sonde-api",
                "metrics_path": endpoint["path"],
                "static_configs": [{"targets": [at], "labels": {**labels, "pod": pod}} for pod, at in targets.items()],
                "relabel_configs": changes,
            }
        ],
    }


@contextmanager
def prometheus(chart: Rendered, folder: Path, targets: Mapping[str, str]) -> Iterator[Prometheus]:
    """With the chart's rules, whose alerts fire after seconds."""
    folder.mkdir(parents=True)
    (rules,) = chart.of_kind("PrometheusRule")
    for group in rules["spec"]["groups"]:
        for rule in group["rules"]:
            rule["for"] = _FOR
    (folder / "rules.yaml").write_text(yaml.safe_dump({"groups": rules["spec"]["groups"]}))
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(scrape_configuration(chart, targets)))
    at = f"127.0.0.1:{free_port()}"
    options = ("--config.file=prometheus.yaml", "--storage.tsdb.path=data", f"--web.listen-address={at}")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(["prometheus", *options], cwd=folder, stdout=log, stderr=log)
    try:
        made = Prometheus(f"http://{at}")
        wait_until(lambda: _answers(made), 60, "Prometheus answers")
        yield made
    finally:
        process.terminate()
        process.wait()


def _answers(server: Prometheus) -> bool:
    try:
        return httpx.get(f"{server.url}/-/ready", timeout=5.0).is_success
    except httpx.HTTPError:
        return False


def queries(chart: Rendered) -> list[tuple[str, str]]:
    """Title of the panel and expression, of this namespace."""
    dashboard = json.loads(chart.one("ConfigMap", "demo-sonde-dashboard")["data"]["sonde.json"])
    return [
        (panel["title"], target["expr"].replace("$namespace", "geo"))
        for panel in dashboard["panels"]
        for target in panel["targets"]
    ]


def main(folder: Path) -> int:
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=False)
    probes = str(free_port())
    environment = {**own_stack(folder), "SONDE_API__PROBES_PORT": probes, "SONDE_API__WORKERS": "1"}
    del environment["SONDE_MODELS__FOLDER"]  # those that are prepared already
    chart = Rendered.of(example("full"))
    release = this_release(environment)
    with ExitStack() as after:
        after.callback(release.sonde, "down")
        _fill(release, folder, environment)
        watched = after.enter_context(prometheus(chart, folder / "prometheus", {"api-1": f"127.0.0.1:{probes}"}))
        _use(release, environment)
        time.sleep(_SCRAPES_S)
        before = watched.firing()
        shown = [(title, asked, len(watched.ask(asked))) for title, asked in queries(chart)]
        for title, asked, series in shown:
            say(f"| {title} | `{asked}` | {_told(asked, series)} |")
        release.sonde("down", "broker")
        took = wait_until(lambda: set(FAULTS) <= watched.firing(), 120, "the alerts fire")
        say(f"firing before the broker stopped: {sorted(before)}; {took:.0f} s after: {sorted(watched.firing())}")
    return int(any(_told(asked, series) == "none" for _, asked, series in shown))


def _told(asked: str, series: int) -> str:
    """How many series a query returned; of kube-state-metrics and KEDA there are none here."""
    if any(name in asked for name in _OF_OTHERS):
        return "not here"
    return str(series or "none")


def _fill(release: Release, folder: Path, environment: Mapping[str, str]) -> None:
    """The samples, and a source whose harvest fails: Prometheus should tell."""
    samples = CHECKOUT / "samples" / "records"
    (folder / "note.txt").write_text("Rainfall over southern Africa\n\nMonthly totals in millimetres.")
    Path(environment["SONDE_HARVEST__SOURCES"]).write_text(
        f"sources:\n  - {{id: samples, type: folder, path: {samples}}}\n"
        "  - {id: gone, type: csw, url: 'http://127.0.0.1:9/csw'}\n"
    )
    release.sonde("up")
    release.sonde("harvest", "samples")
    release.sonde("ingest", str(folder / "note.txt"))
    try:
        release.sonde("harvest", "gone")
    except SondeError:
        return
    raise SondeError("a harvest of a catalogue that is not there did not fail")


def _use(release: Release, environment: Mapping[str, str]) -> None:
    url = f"http://127.0.0.1:{environment['SONDE_API__PORT']}"
    admin = {"Authorization": f"Bearer {key(release, 'ops', 'admin')}"}
    with httpx.Client(base_url=url, timeout=60.0) as client:
        for number in range(30):
            client.get("/search", params={"q": "rainfall in southern Africa" if number % 2 else f"ice {number}"})
        client.get("/harvest/sources", headers=admin)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
