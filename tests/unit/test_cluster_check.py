"""The parts of `make cluster-check` that need no cluster."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import yaml

from lab.results.tables import load_table, newest_results
from tests.cluster.asking import Count
from tests.cluster.check import PROGRAMS_OF
from tests.cluster.course import NAMES
from tests.cluster.faults import FAULTS, WORKERS, merged
from tests.cluster.go_programs import DOCKER_COMPOSE, PROGRAMS
from tests.cluster.object_metrics import series, targets
from tests.cluster.table import TOTAL, Findings, Row, with_findings
from tests.cluster.watching import queries
from tests.cluster.watching_pods import ALERT_FAULTS, configuration, rules_in_seconds
from tests.unit.rendered_chart import Rendered, example

ROW = Row("upgrade", 60.2, asked=240, lost=0, lost_with_retry=0, degraded=0, slowest_s=1.23, failures=())
WATCHED = Rendered.of(example("full"))


def test_the_rows_of_the_results_are_faults_of_the_check_in_its_order() -> None:
    names = [row.what for row in load_table(newest_results() / "cluster.json").rows.values() if row.what in NAMES]
    assert names == [name for name in NAMES if name in names]
    assert set(FAULTS) < set(names)


def test_the_check_waits_for_every_worker_of_the_chart() -> None:
    roles = {one["metadata"]["labels"]["app.kubernetes.io/component"] for one in WATCHED.of_kind("Deployment")}
    assert {role for role in roles if role.startswith("worker-")} == set(WORKERS)


def test_a_row_says_what_was_asked_and_lost() -> None:
    assert ROW.line() == "| upgrade | 60 s | 240 | 0 | 0 | 0 | 1.2 s |"


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (ROW, True),
        (replace(ROW, lost=1), False),
        (replace(ROW, name="`kill -9` of a process", lost=1), True),
        (replace(ROW, name="`kill -9` of a process", lost=2, lost_with_retry=1), False),
        (replace(ROW, name="load until pods are added", lost=1, failures=("12:00:01 503",)), True),
        (replace(ROW, name="load until pods are added", lost=1, failures=("12:00:01 500",)), False),
        (replace(ROW, name="load until pods are added", lost=1, failures=("12:00:01 ReadTimeout: ",)), False),
    ],
)
def test_only_a_kill_may_lose_what_is_in_progress_and_only_a_load_what_is_refused(row: Row, holds: bool) -> None:
    assert row.holds is holds


def test_a_search_is_lost_without_a_hit_or_an_answer_and_once_more_with_a_retry() -> None:
    answers = iter([200, 503, 200, 503, 503])

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(next(answers), json={"features": [1], "sonde:degraded": ["dense"]})

    count = Count()
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        for _ in range(3):
            count.ask(client, "http://sonde/search", retry_after_s=0)
    assert (count.asked, count.degraded, count.lost, count.lost_with_retry) == (3, 2, 2, 1)


def test_values_are_laid_over_each_other_as_helm_does() -> None:
    given = {"api": {"replicas": 1, "threads": 64}, "sources": [1]}
    assert merged(given, {"api": {"replicas": 2}, "sources": [2]}) == {
        "api": {"replicas": 2, "threads": 64},
        "sources": [2],
    }
    assert given["api"] == {"replicas": 1, "threads": 64}


def test_findings_are_kept_and_become_rows_of_the_results(tmp_path: Path) -> None:
    found = Findings(tmp_path / "seen.json")
    killed = replace(ROW, name="`kill -9` of an API pod's first process", asked=7, lost=2, lost_with_retry=1)
    found.add(replace(ROW, lost=9))
    found.add(killed)
    found.add(ROW)
    found.note("A backup", ["- Restored."])
    assert Findings.kept(found.file) == found
    before = load_table(newest_results() / "cluster.json")
    rows = with_findings(before, found, [ROW.name, killed.name]).rows
    assert rows["kill_api"].figures["lost"] == 2
    assert rows["upgrade"].what == "upgrade"
    assert rows["upgrade"].origin is None
    assert rows["drain"] == before.rows["drain"]
    total = {"asked": 240, "lost": 0, "killed_asked": 7, "killed_lost": 2, "lost_with_retry": 1}
    assert rows[TOTAL].figures == total


def test_the_stand_in_tells_what_the_chart_asks_of_kube_state_metrics() -> None:
    named = {"metadata": {"namespace": "geo", "name": "one"}}
    started = {"containerStatuses": [{"name": "sonde", "restartCount": 2}]}
    ended = {"lastScheduleTime": "2026-11-24T01:30:00Z", "lastSuccessfulTime": "2026-11-24T01:31:00Z"}
    lines = list(
        series(
            {
                "deployments": [named | {"status": {}}],
                "pods": [named | {"status": started}],
                "cronjobs": [named | {"status": ended}],
            }
        )
    )
    assert lines == [
        'kube_deployment_status_replicas_available{namespace="geo", deployment="one"} 0',
        'kube_pod_container_status_restarts_total{namespace="geo", pod="one", container="sonde"} 2',
        'kube_cronjob_status_last_schedule_time{namespace="geo", cronjob="one"} 1795483800',
        'kube_cronjob_status_last_successful_time{namespace="geo", cronjob="one"} 1795483860',
    ]
    asked = {word for _, query in queries(WATCHED) for word in re.findall(r"kube_\w+", query)}
    alerts = re.findall(r"kube_\w+", str(WATCHED.of_kind("PrometheusRule")))
    assert asked | set(alerts) == {line.partition("{")[0] for line in lines}


def test_the_alerts_that_are_tried_are_the_charts_and_fire_within_seconds() -> None:
    rules = {rule["alert"]: rule for group in rules_in_seconds(WATCHED)["groups"] for rule in group["rules"]}
    assert ALERT_FAULTS.keys() < rules.keys()
    assert {rules[alert]["expr"].rpartition("> ")[2] for alert in ("SondeHarvestOverdue", "SondeTasksWait")} == {"20"}
    assert "sonde_alert_round_age_seconds" in rules["SondeAlertsNotMatched"]["expr"]
    assert rules["SondeAlertsNotMatched"]["expr"].endswith("> 129600")


def test_each_program_is_built_for_the_part_that_needs_it() -> None:
    needed = [name for names in PROGRAMS_OF.values() for name in names]
    assert sorted([*needed, DOCKER_COMPOSE]) == sorted(PROGRAMS)


def test_prometheus_takes_the_pods_that_the_charts_monitor_chooses(tmp_path: Path) -> None:
    file = tmp_path / "prometheus.yaml"
    file.write_text(yaml.safe_dump(configuration(WATCHED)))
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(rules_in_seconds(WATCHED)))
    done = subprocess.run(["promtool", "check", "config", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (pods, _, _) = configuration(WATCHED)["scrape_configs"]
    kept = {one["source_labels"][0]: one["regex"] for one in pods["relabel_configs"] if one.get("action") == "keep"}
    pod = dict(WATCHED.pods())["demo-sonde-api"]
    about = {"name": "api-1", "namespace": "geo", "labels": pod["metadata"]["labels"]}
    found = targets([{"metadata": about, "spec": pod["spec"], "status": {"podIP": "10.0.0.1"}}])
    taken = [one for one in found if all(one["labels"].get(name) == value for name, value in kept.items())]
    assert [one["targets"] for one in taken] == [["10.0.0.1:8081"]]
