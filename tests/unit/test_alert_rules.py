"""Each alert of the chart fires when its fault is there and stays quiet otherwise, as Prometheus' promtool finds."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.rendered_chart import Rendered, example

# Series as the monitor of the chart and kube-state-metrics label them; a minute between two values.
_API = 'namespace="geo", service="demo-sonde-api", pod="demo-sonde-api-1"'
_OTHER = _API.replace("api-1", "api-2")
_SEARCHES = f'{_API}, endpoint="search.search"'
_CRONJOB = 'namespace="geo", cronjob="demo-sonde-backup"'
FAULTS: dict[str, tuple[dict[str, str], int]] = {
    "SondeApiGone": (
        {'kube_deployment_status_replicas_available{namespace="geo", deployment="demo-sonde-api"}': "2 0x10"}, 5
    ),
    "SondeWorkerGone": (
        {'kube_deployment_status_replicas_available{namespace="geo", deployment="demo-sonde-beat"}': "0x20"}, 16
    ),
    "SondePodRestarts": (
        {
            'kube_pod_container_status_restarts_total{namespace="geo", pod="demo-sonde-api-1", container="sonde"}':
            "0+1x30"
        }, 20,
    ),
    "SondeApiNearItsFileLimit": (
        {f"process_open_fds{{{_API}}}": "900x15", f"process_max_fds{{{_API}}}": "1000x15"}, 11
    ),
    "SondePartDown": ({f'sonde_part_up{{{_API}, part="broker"}}': "1 0x10"}, 7),
    "SondeWritesBlocked": ({f"sonde_writes_blocked{{{_API}}}": "1x10"}, 7),
    "SondeElasticsearchRed": ({f'sonde_elasticsearch_status{{{_API}, status="red"}}': "1x10"}, 7),
    "SondeHarvestOverdue": (
        {f'sonde_harvest_overdue_seconds{{{api}, source="gdi"}}': "10000x30" for api in (_API, _OTHER)}, 20
    ),
    "SondeAnswersDegraded": ({f'sonde_search_degraded_total{{{_API}, part="dense"}}': "0+5x30"}, 20),
    "SondeRefusesRequests": ({f"sonde_requests_refused_total{{{_API}}}": "0+120x20"}, 16),
    "SondeAnswersWithErrors": ({f'sonde_http_request_seconds_count{{{_SEARCHES}, status="500"}}': "0+1x20"}, 12),
    "SondeSearchesSlow": (
        {
            f'sonde_http_request_seconds_bucket{{{_SEARCHES}, le="2.0"}}': "0x30",
            f'sonde_http_request_seconds_bucket{{{_SEARCHES}, le="+Inf"}}': "0+10x30",
            f'sonde_http_request_seconds_bucket{{{_SEARCHES}, le="5.0"}}': "0+10x30",
        }, 25,
    ),
    "SondeHarvestFailed": (
        {f'sonde_harvest_state{{{api}, source="gdi", state="interrupted"}}': "1x70" for api in (_API, _OTHER)}, 65
    ),
    "SondeTasksWait": ({f'sonde_queue_age_seconds{{{_API}, queue="harvest"}}': "0+60x60"}, 45),
    "SondeAnswersWorse": ({f"sonde_live_ndcg_fall{{{_API}}}": "0.05x5"}, 1),
    "SondeAlertsNotSent": ({f'sonde_alert_deliveries{{{_API}, channel="mail", state="pending"}}': "1x400"}, 365),
    "SondeAlertsNotMatched": ({f"sonde_alert_round_age_seconds{{{_API}}}": "130000x5"}, 1),
    "SondeBackupFailed": (
        {
            f"kube_cronjob_status_last_schedule_time{{{_CRONJOB}}}": "86400x400",
            f"kube_cronjob_status_last_successful_time{{{_CRONJOB}}}": "60x400",
        }, 365,
    ),
    "SondeQueueGrows": (
        {'keda_scaler_metrics_value{exported_namespace="geo", scaledObject="demo-sonde-worker-embed"}': "500x40"}, 35
    ),
}  # fmt: skip
_WELL = {
    'kube_deployment_status_replicas_available{namespace="geo", deployment="demo-sonde-api"}': "2x400",
    'kube_deployment_status_replicas_available{namespace="other", deployment="demo-sonde-api"}': "0x400",
    f'sonde_part_up{{{_API}, part="broker"}}': "1x400",
    f"sonde_writes_blocked{{{_API}}}": "0x400",
    f'sonde_elasticsearch_status{{{_API}, status="red"}}': "0x400",
    f'sonde_harvest_overdue_seconds{{{_API}, source="gdi"}}': "0x400",
    f'sonde_harvest_state{{{_API}, source="gdi", state="failed"}}': "0x400",
    f'sonde_http_request_seconds_count{{{_SEARCHES}, status="200"}}': "0+60x400",
    f'sonde_http_request_seconds_bucket{{{_SEARCHES}, le="0.5"}}': "0+60x400",
    f'sonde_http_request_seconds_bucket{{{_SEARCHES}, le="+Inf"}}': "0+60x400",
    f"kube_cronjob_status_last_schedule_time{{{_CRONJOB}}}": "86400x400",
    f"kube_cronjob_status_last_successful_time{{{_CRONJOB}}}": "86430x400",
    f'sonde_alert_deliveries{{{_API}, channel="mail", state="pending"}}': "0x400",
}


@pytest.fixture(scope="module")
def rules() -> list[dict[str, Any]]:
    (found,) = Rendered.of(example("full")).of_kind("PrometheusRule")
    groups: list[dict[str, Any]] = found["spec"]["groups"]
    return groups


def test_each_alert_has_a_fault_here(rules: list[dict[str, Any]]) -> None:
    assert {rule["alert"] for group in rules for rule in group["rules"]} == FAULTS.keys()


def test_each_alert_fires_at_its_fault_and_none_without(rules: list[dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": rules}))
    told = [_asked(series, minute, name) for name, (series, minute) in FAULTS.items()]
    tests = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [*told, _asked(_WELL, 395, None)]}
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(tests, width=10_000))
    done = subprocess.run(
        ["promtool", "test", "rules", "tests.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _asked(series: dict[str, str], minute: int, alert: str | None) -> dict[str, Any]:
    """Exactly this alert fires in that minute, or none."""
    return {
        "interval": "1m",
        "name": alert or "all is well",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": f"{minute}m",
                "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if alert else [],
            }
        ],
    }


def test_the_monitor_sets_the_labels_that_the_alerts_choose_by() -> None:
    """A PodMonitor alone sets no `service`, and its `endpoint` would push that of Sonde's metrics aside."""
    (monitor,) = Rendered.of(example("full")).of_kind("PodMonitor")
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert {"targetLabel": "service", "replacement": "demo-sonde-api"} in endpoint["relabelings"]
    assert {"action": "labeldrop", "regex": "endpoint"} in endpoint["relabelings"]
