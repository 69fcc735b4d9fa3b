"""The chart renders what Kubernetes takes, what the restricted profile allows and what Sonde's code understands."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from helm_python import lint
from prometheus_client import generate_latest

from search_api.app import create_app
from sonde.cli import cli
from sonde.settings import HarvestSettings, Settings, load_settings
from sonde.wiring.api import api_parts
from tests.gauges import GAUGES
from tests.unit.rendered_chart import CHART, EXAMPLES, WITH_PODS, Manifest, Rendered, example
from workers.config import QUEUES
from workers.source_config import known_sources

ROOT = CHART.parents[1]
BUILT_IN = re.compile(r"^(v1|apps/v1|batch/v1|policy/v1|autoscaling/v2|networking\.k8s\.io/v1)$")
OF_THE_IMAGE = ("api", "beat", "migrate", "worker-harvest", "worker-documents", "worker-library", "worker-embed")


@pytest.fixture(scope="module", params=EXAMPLES)
def rendered(request: pytest.FixtureRequest) -> Rendered:
    return Rendered.of(example(request.param))


@pytest.fixture(scope="module")
def full() -> Rendered:
    return Rendered.of(example("full"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_helm_finds_nothing_to_blame(name: str) -> None:
    found = lint(CHART, example(name), strict=True)
    blamed = [each for each in found["messages"] if each["error"] != "icon is recommended"]
    assert (blamed, found["errors"]) == ([], [])


def test_kubernetes_takes_each_manifest_and_knows_each_key(rendered: Rendered) -> None:
    import kubernetes_validate  # seconds, and each process collects every file

    own = [one for one in rendered.manifests if BUILT_IN.match(one["apiVersion"])]
    assert len(own) >= 10
    for one in own:
        kubernetes_validate.validate(one, "1.37.0", strict=True)


def test_no_two_manifests_have_one_name(rendered: Rendered) -> None:
    names = [(one["kind"], one["metadata"]["name"]) for one in rendered.manifests]
    assert len(names) == len(set(names))


def test_every_pod_keeps_to_the_restricted_profile_and_to_its_share(rendered: Rendered) -> None:
    for name, pod in rendered.pods():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert spec["automountServiceAccountToken"] is False, name
        for container in spec["containers"]:
            security = container["securityContext"]
            assert security["allowPrivilegeEscalation"] is False, name
            assert security["readOnlyRootFilesystem"] is True, name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            assert {"cpu", "memory"} <= set(container["resources"]["requests"]), name
            assert "memory" in container["resources"]["limits"], name
            assert not container["image"].endswith(":latest"), name


@pytest.mark.parametrize("name", ["default", "small"])
def test_an_upgrade_fits_two_cores(name: str) -> None:
    """All pods at once, the API's additional one and the migration too; a cluster itself takes about 300m."""
    given = {"default": example("minimal") | {"broker": {"bundled": {"enabled": True}}}, "small": example("small")}
    rendered = Rendered.of(given[name])
    assert all(one["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 0 for one in _workers(rendered))
    wanted = 0
    for one in rendered.of_kind(*WITH_PODS):
        if one["kind"] == "Pod":
            continue  # of `helm test`
        (container,) = one["spec"]["template"]["spec"]["containers"]
        surge = one["metadata"]["name"].endswith("-api")
        wanted += (one["spec"].get("replicas", 1) + surge) * _millicores(container["resources"]["requests"]["cpu"])
    search = [one["spec"]["nodeSets"][0] for one in rendered.of_kind("Elasticsearch")]
    for nodes in search:
        (container,) = nodes["podTemplate"]["spec"]["containers"]
        wanted += nodes["count"] * _millicores(container["resources"]["requests"]["cpu"])
    assert wanted <= 1700


def test_every_pod_has_the_secrets_of_the_registry() -> None:
    for name, pod in Rendered.of(example("airgapped")).pods():
        assert pod["spec"]["imagePullSecrets"] == [{"name": "registry"}], name


def test_what_is_mounted_is_there(rendered: Rendered) -> None:
    for name, pod in rendered.pods():
        volumes = {volume["name"] for volume in pod["spec"].get("volumes", [])} | (
            {"data"} if "valkey" in name else set()
        )
        mounted = [mount for container in pod["spec"]["containers"] for mount in container.get("volumeMounts", [])]
        assert {mount["name"] for mount in mounted} <= volumes, name


def test_each_service_and_each_monitor_points_at_the_pods_of_one_role(rendered: Rendered) -> None:
    for service in rendered.of_kind("Service"):
        chosen = [name for name, pod in rendered.pods() if _chooses(service["spec"]["selector"], pod)]
        assert chosen == [service["metadata"]["name"]]
    for owner in rendered.of_kind("Deployment", "StatefulSet"):
        chosen = [name for name, pod in rendered.pods() if _chooses(owner["spec"]["selector"]["matchLabels"], pod)]
        assert chosen == [owner["metadata"]["name"]]


def test_there_is_a_worker_for_each_queue_and_one_beat(full: Rendered) -> None:
    deployments = {one["metadata"]["name"] for one in full.of_kind("Deployment")}
    assert deployments == {f"demo-sonde-{role}" for role in OF_THE_IMAGE if role != "migrate"}
    for queue in QUEUES:
        pod = full.one("Deployment", f"demo-sonde-worker-{queue}")["spec"]["template"]
        assert full.environment(pod)["SONDE_QUEUES"] == queue
    beat = full.one("Deployment", "demo-sonde-beat")["spec"]
    assert (beat["replicas"], beat["strategy"]) == (1, {"type": "Recreate"})


def test_the_roles_are_those_of_the_entry_point(rendered: Rendered) -> None:
    roles = set(re.findall(r"^  (\w+)\)$", (ROOT / "docker-entrypoint.sh").read_text(), re.MULTILINE))
    used = {
        pod["spec"]["containers"][0]["args"][0]
        for name, pod in rendered.pods()
        if name.split("sonde-")[1] in OF_THE_IMAGE
    }
    assert used == roles - {"health"} == {"api", "worker", "beat", "migrate"}


def test_sonde_understands_the_environment_of_every_pod(rendered: Rendered, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = (ROOT / "docker-entrypoint.sh").read_text()
    fields = {f"SONDE_{group}__{name}".upper() for group, name in _settings()}
    for name, pod in rendered.pods():
        given = {key: value for key, value in rendered.environment(pod).items() if key.startswith("SONDE_")}
        assert all(key in fields or f"${{{key}:-" in entry for key in given), name
        with monkeypatch.context() as patch:
            for key, value in given.items():
                patch.setenv(key, value if isinstance(value, str) else "a secret of the cluster")
            settings = load_settings()
        if given:
            assert settings.broker.url is not None
            assert settings.elasticsearch.url is not None


@pytest.mark.parametrize(
    ("given", "text"), [(1_000_000, "1000000"), (12_345_678, "12345678"), (2.5, "2.5"), (0, "0"), (False, "false")]
)
def test_a_setting_is_written_as_sonde_reads_it(given: float, text: str) -> None:
    rendered = Rendered.of(example("minimal") | {"settings": {"SONDE_DOCUMENTS__MAX_PAGES": given}})
    api = rendered.one("Deployment", "demo-sonde-api")["spec"]["template"]
    assert rendered.environment(api)["SONDE_DOCUMENTS__MAX_PAGES"] == text


def test_no_secret_stands_in_the_open(rendered: Rendered) -> None:
    for secret in rendered.of_kind("Secret"):
        assert set(secret["stringData"]) == {"roles.yml"}, "what a role may do is no secret; ECK wants it in one"
    secrets = re.compile(r"(PASSWORD|API_KEY|__KEY|REDISCLI_AUTH)$")
    for name, pod in rendered.pods():
        for key, value in rendered.environment(pod).items():
            assert not secrets.search(key) or isinstance(value, dict), (name, key)


def test_a_variable_is_defined_before_it_is_used(rendered: Rendered) -> None:
    for name, pod in rendered.pods():
        seen: set[str] = set()
        for key, value in rendered.environment(pod).items():
            if isinstance(value, str):
                assert set(re.findall(r"\$\((\w+)\)", value)) <= seen, (name, key)
            seen.add(key)


def test_the_sources_are_read_by_the_workers(full: Rendered, tmp_path: Path) -> None:
    text = full.one("ConfigMap", "demo-sonde-sources")["data"]["sources.yaml"]
    (tmp_path / "sources.yaml").write_text(text)
    assert list(known_sources(tmp_path / "sources.yaml")) == ["gdi"]
    none = Rendered.of(example("minimal")).one("ConfigMap", "demo-sonde-sources")["data"]["sources.yaml"]
    (tmp_path / "none.yaml").write_text(none)
    assert known_sources(tmp_path / "none.yaml") == {}


def test_a_change_of_the_sources_rolls_the_api_but_no_worker() -> None:
    before, after = example("full"), example("full")
    after["sources"][0]["title"] = "Another title"
    changed = [
        old[0] for old, new in zip(Rendered.of(before).pods(), Rendered.of(after).pods(), strict=True) if old != new
    ]
    assert changed == ["demo-sonde-api"]


def test_probes_ask_what_the_api_answers_and_what_worker_health_knows(full: Rendered) -> None:
    paths = {rule.rule for rule in create_app(api_parts(_offline())).url_map.iter_rules()}
    known = set(
        re.findall(
            r"started|alive|ready|beat", (ROOT / "sonde" / "ops" / "worker_health.py").read_text().split('"""')[1]
        )
    )
    seen = 0
    for _, pod in full.pods():
        for probe in _probes(pod):
            if "httpGet" in probe:
                assert probe["httpGet"]["path"] in paths
                seen += 1
            elif "sonde.ops.worker_health" in probe.get("exec", {}).get("command", []):
                word, *queues = probe["exec"]["command"][3:]
                assert word in known
                assert set(queues) <= set(QUEUES)
                seen += 1
    assert seen == 3 + 3 * len(QUEUES) + 1


def test_probes_and_metrics_have_a_port_that_the_outside_does_not_reach(full: Rendered) -> None:
    api = full.one("Deployment", "demo-sonde-api")["spec"]["template"]["spec"]["containers"][0]
    probes = [api[name]["httpGet"]["port"] for name in ("startupProbe", "readinessProbe", "livenessProbe")]
    assert probes == ["probes"] * 3
    (number,) = [port["containerPort"] for port in api["ports"] if port["name"] == "probes"]
    assert {"name": "SONDE_API__PROBES_PORT", "value": str(number)} in api["env"]
    assert [port["targetPort"] for port in full.one("Service", "demo-sonde-api")["spec"]["ports"]] == ["http"]
    (monitor,) = full.of_kind("PodMonitor")
    assert [one["port"] for one in monitor["spec"]["podMetricsEndpoints"]] == ["probes"]


def test_metrics_are_closed_to_the_cluster_but_for_those_who_are_named(full: Rendered) -> None:
    def sources(rendered: Rendered) -> dict[str, Any]:
        rules = rendered.one("NetworkPolicy", "demo-sonde-api")["spec"]["ingress"]
        return {rule["ports"][0]["port"]: rule.get("from") for rule in rules}

    assert sources(Rendered.of(example("minimal"))) == {"http": None}
    named = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]
    assert sources(full) == {"http": None, "probes": named}


def test_the_default_requests_fit_what_the_guide_says() -> None:
    """During an upgrade one API pod more; a job or a test is there only while that pod is not."""
    rendered = Rendered.of({"elasticsearch": {"url": "http://search:9200"}, "broker": {"bundled": {"enabled": True}}})
    cores = memory_mib = 0.0
    for one in rendered.of_kind("Deployment", "StatefulSet"):
        pods = one["spec"]["replicas"] + one["spec"].get("strategy", {}).get("rollingUpdate", {}).get("maxSurge", 0)
        wanted = one["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]
        cores += pods * int(wanted["cpu"].removesuffix("m")) / 1000
        memory_mib += pods * int(wanted["memory"][:-2]) * (1024 if wanted["memory"].endswith("Gi") else 1)
    guide = (ROOT / "docs" / "operators" / "kubernetes.md").read_text("utf-8")
    (said,) = re.findall(r"fit (\d+) free cores and (\d+) GB", guide)
    assert (math.ceil(cores), math.ceil(memory_mib * 2**20 / 1e9)) == tuple(map(int, said))


def test_helm_test_reaches_an_api_that_is_closed_to_others() -> None:
    rendered = Rendered.of(example("restricted"))
    (rule,) = rendered.one("NetworkPolicy", "demo-sonde-api")["spec"]["ingress"]
    (labels,) = [peer["podSelector"]["matchLabels"] for peer in rule["from"] if "podSelector" in peer]
    assert labels.items() <= rendered.one("Pod", "demo-sonde-test")["metadata"]["labels"].items()


def test_a_worker_is_given_the_time_to_end_what_it_has_in_hand(full: Rendered) -> None:
    harvest = full.one("Deployment", "demo-sonde-worker-harvest")["spec"]["template"]["spec"]
    assert harvest["terminationGracePeriodSeconds"] > HarvestSettings().slice_s
    for queue in ("documents", "library"):
        worker = full.one("Deployment", f"demo-sonde-worker-{queue}")["spec"]["template"]["spec"]
        assert worker["terminationGracePeriodSeconds"] > Settings().documents.seconds


def test_the_indices_are_prepared_before_the_servers_of_the_release_change() -> None:
    hook = "helm.sh/hook"
    external, own = example("minimal"), example("full")
    jobs = {
        (name, upgrade): Rendered.of(values, is_upgrade=upgrade).one("Job", "demo-sonde-migrate")
        for name, values in (("external", external), ("own", own))
        for upgrade in (False, True)
    }
    before = "pre-install,pre-upgrade"
    assert jobs["external", False]["metadata"]["annotations"][hook] == before
    assert jobs["external", True]["metadata"]["annotations"][hook] == before
    assert jobs["own", True]["metadata"]["annotations"][hook] == before
    assert "annotations" not in jobs["own", False]["metadata"], "its Elasticsearch comes with the same release"


def test_a_hook_before_the_install_needs_nothing_that_the_release_brings() -> None:
    rendered = Rendered.of(example("minimal"))
    job = rendered.one("Job", "demo-sonde-migrate")["spec"]["template"]["spec"]
    assert [volume["name"] for volume in job["volumes"]] == ["tmp"]
    assert "serviceAccountName" not in job


@pytest.mark.parametrize(
    ("url", "port"),
    [("https://search.example.org", 443), ("http://search:9200", 9200), ("http://search.example.org/es", 80)],
)
def test_the_network_policy_lets_out_to_the_elasticsearch_of_the_values(url: str, port: int) -> None:
    values = {"elasticsearch": {"url": url}, "broker": {"host": "redis"}, "networkPolicy": {"outsidePorts": []}}
    policy = Rendered.of(values).one("NetworkPolicy", "demo-sonde")
    ports = [each["port"] for rule in policy["spec"]["egress"] for each in rule["ports"]]
    assert ports == [53, 53, port, 6379, "http"]


def test_a_broker_over_tls_is_checked_against_the_ca_of_the_values() -> None:
    for name, pod in Rendered.of(example("external-everything")).pods():
        environment = Rendered(()).environment(pod)
        if name != "demo-sonde-test":
            assert environment["SONDE_BROKER__URL"] == "rediss://:$(BROKER_PASSWORD)@redis.example.org:6380/3"
            assert environment["SONDE_BROKER__CA_CERTS"] == "/etc/sonde/broker-ca/ca.crt"
            assert _mounted(pod, "/etc/sonde/broker-ca")["secret"] == {
                "secretName": "redis-ca",
                "items": [{"key": "ca.crt", "path": "ca.crt"}],
            }


def test_keda_checks_the_broker_against_the_same_ca() -> None:
    rendered = Rendered.of(example("external-everything"))
    (given,) = rendered.of_kind("TriggerAuthentication")
    assert given["spec"]["secretTargetRef"] == [{"parameter": "ca", "name": "redis-ca", "key": "ca.crt"}]
    triggers = [one["spec"]["triggers"][0] for one in rendered.of_kind("ScaledObject")]
    assert [trigger["authenticationRef"] for trigger in triggers] == [{"name": given["metadata"]["name"]}] * len(QUEUES)
    assert {trigger["metadata"]["enableTLS"] for trigger in triggers} == {"true"}
    without = Rendered.of(example("keda-gateway"))
    assert without.of_kind("TriggerAuthentication") == []
    assert all("authenticationRef" not in one["spec"]["triggers"][0] for one in without.of_kind("ScaledObject"))


def test_the_pods_are_no_superuser_of_the_elasticsearch_that_the_chart_makes(full: Rendered) -> None:
    auth = full.of_kind("Elasticsearch")[0]["spec"]["auth"]
    role = full.one("Secret", auth["roles"][0]["secretName"])
    allowed = yaml.safe_load(role["stringData"]["roles.yml"])["sonde"]
    assert allowed == {
        "cluster": ["monitor"],
        "indices": [{"names": ["full-*"], "privileges": ["read", "write", "manage"]}],
    }
    assert auth["fileRealm"] == [{"secretName": "search-user"}, {"secretName": "backup-user"}]
    for name, pod in full.pods():
        given = full.environment(pod)
        if "SONDE_ELASTICSEARCH__PASSWORD" in given:
            keys = [given[f"SONDE_ELASTICSEARCH__{key}"]["secretKeyRef"] for key in ("USERNAME", "PASSWORD")]
            user = "backup-user" if name.endswith("-backup") else "search-user"
            assert keys == [{"name": user, "key": "username"}, {"name": user, "key": "password"}], name
        assert "elastic-user" not in str(pod), name


def test_api_and_workers_share_the_files_of_users(full: Rendered) -> None:
    claim = full.one("PersistentVolumeClaim", "demo-sonde-library")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    sharing = [f"demo-sonde-{role}" for role in ("api", "worker-library", "worker-documents")]
    assert _keep_files(full) == dict.fromkeys(sharing, "demo-sonde-library")
    own = Rendered.of(example("external-everything"))
    assert set(_keep_files(own).values()) == {"uploads"}
    assert own.of_kind("PersistentVolumeClaim") == []


def test_without_users_files_the_documents_worker_takes_their_queue_too() -> None:
    rendered = Rendered.of(example("minimal"))
    named = {one["metadata"]["name"]: one["spec"]["template"] for one in _workers(rendered)}
    taken = [rendered.environment(pod)["SONDE_QUEUES"] for pod in named.values()]
    assert sorted(queue for queues in taken for queue in queues.split(",")) == sorted(QUEUES)
    probe = named["demo-sonde-worker-documents"]["spec"]["containers"][0]["livenessProbe"]["exec"]["command"]
    assert probe[-3:] == ["alive", "documents", "library"]


def test_every_container_has_a_limit_of_memory_and_every_temporary_folder_one_of_size(rendered: Rendered) -> None:
    for name, pod in rendered.pods():
        for container in pod["spec"]["containers"]:
            assert container["resources"]["limits"]["memory"], name
        for volume in pod["spec"].get("volumes", []):
            assert "emptyDir" not in volume or volume["emptyDir"]["sizeLimit"], name


def test_a_worker_refuses_what_it_has_no_memory_for_before_its_pod_is_full(full: Rendered) -> None:
    for one in _workers(full):
        pod = one["spec"]["template"]
        limit = pod["spec"]["containers"][0]["resources"]["limits"]["memory"]
        most = int(full.environment(pod)["SONDE_WORKER__MEMORY_MIB"])
        assert 0.5 < most / (1024 * int(limit.removesuffix("Gi"))) < 0.9
    two = {"concurrency": 2, "resources": {"limits": {"memory": "6144Mi"}}}
    rendered = Rendered.of(example("minimal") | {"workers": {"harvest": two}})
    pod = rendered.one("Deployment", "demo-sonde-worker-harvest")["spec"]["template"]
    assert rendered.environment(pod)["SONDE_WORKER__MEMORY_MIB"] == "2560"


def test_a_volume_changes_its_owner_only_once(full: Rendered) -> None:
    assert {pod["spec"]["securityContext"].get("fsGroupChangePolicy") for _, pod in full.pods()} == {"OnRootMismatch"}


@pytest.mark.parametrize(("limit", "holds"), [("512Mi", "341mb"), ("128Mi", "85mb"), ("3Gi", "2048mb")])
def test_the_bundled_valkey_refuses_tasks_before_its_container_is_full(limit: str, holds: str) -> None:
    values = example("restricted")
    values["broker"]["bundled"]["resources"] = {"limits": {"memory": limit}}
    stateful = Rendered.of(values).one("StatefulSet", "demo-sonde-valkey")
    arguments = stateful["spec"]["template"]["spec"]["containers"][0]["args"]
    assert arguments[arguments.index("--maxmemory-policy") + 1] == "noeviction"
    assert arguments[arguments.index("--maxmemory") + 1] == holds


def test_without_a_shared_volume_uploads_are_refused() -> None:
    without = Rendered.of(example("minimal"))
    assert without.of_kind("PersistentVolumeClaim") == []
    assert _keep_files(without) == {}
    api = without.one("Deployment", "demo-sonde-api")["spec"]["template"]
    assert without.environment(api)["SONDE_LIBRARY__ENABLED"] == "false"


@pytest.mark.parametrize(
    ("name", "proxies"), [("minimal", None), ("keda-gateway", "1"), ("full", "1"), ("external-everything", "2")]
)
def test_as_many_proxies_are_believed_as_stand_before_the_api(name: str, proxies: str | None) -> None:
    rendered = Rendered.of(example(name))
    api = rendered.one("Deployment", "demo-sonde-api")["spec"]["template"]
    named = [one["name"] for one in api["spec"]["containers"][0]["env"]]
    assert len(named) == len(set(named)), "Kubernetes refuses no name twice, and the last one wins unseen"
    assert rendered.environment(api).get("SONDE_LIMITS__PROXIES") == proxies


@pytest.mark.parametrize(("name", "searches"), [("minimal", True), ("external-everything", False)])
def test_helm_test_searches_where_anybody_may(name: str, searches: bool) -> None:
    script = Rendered.of(example(name)).one("Pod", "demo-sonde-test")["spec"]["containers"][0]["args"][0]
    compile(script, "test", "exec")
    assert ('get("/readyz")' in script, '"/search' in script, "numberMatched" in script) == (True, searches, searches)


@pytest.mark.parametrize("harvests", [True, False])
def test_helm_test_fails_on_an_empty_index_where_sources_are_configured(harvests: bool) -> None:
    sources = [{"id": "a", "type": "csw", "url": "https://csw.example.org/csw"}] if harvests else []
    values = example("minimal") | {"sources": sources}
    script = Rendered.of(values).one("Pod", "demo-sonde-test")["spec"]["containers"][0]["args"][0]
    compile(script, "test", "exec")
    assert ("nothing is indexed yet" in script) == harvests


def test_what_scales_by_itself_is_never_asked_for_fewer_pods_than_its_least(full: Rendered) -> None:
    """Without a number in the deployment, Kubernetes goes to one pod before the autoscaler acts."""
    scaled = {
        each["spec"]["scaleTargetRef"]["name"]: each["spec"].get("minReplicas", each["spec"].get("minReplicaCount"))
        for each in full.of_kind("ScaledObject", "HorizontalPodAutoscaler")
    }
    asked = {one["metadata"]["name"]: one["spec"]["replicas"] for one in full.of_kind("Deployment")}
    assert scaled
    assert {name: asked[name] for name in scaled} == scaled


def test_all_of_a_default_release_fits_two_cores() -> None:
    small = Rendered.of(example("minimal") | {"broker": {"bundled": {"enabled": True}}})
    replicas = {one["metadata"]["name"]: one["spec"].get("replicas", 1) for one in small.of_kind(*WITH_PODS)}
    cores = [
        _cores(container["resources"]["requests"]["cpu"]) * replicas[name]
        for name, pod in small.pods()
        for container in pod["spec"]["containers"]
    ]
    assert len(cores) >= 7
    assert sum(cores) <= 2.0


def _cores(request: str) -> float:
    return int(request.removesuffix("m")) / 1000 if request.endswith("m") else float(request)


def test_alerts_and_dashboard_ask_for_metrics_that_somebody_gives(full: Rendered) -> None:
    types = re.findall(r"^# TYPE (\w+) (\w+)", generate_latest().decode(), re.MULTILINE)
    of_the_api = (
        {name for name, _ in types}
        | {f"{name}_{part}" for name, kind in types if kind == "histogram" for part in ("bucket", "count")}
        | GAUGES
    )
    of_others = {
        "kube_deployment_status_replicas_available",  # kube-state-metrics
        "kube_pod_container_status_restarts_total",
        "kube_cronjob_status_last_schedule_time",
        "kube_cronjob_status_last_successful_time",
        "keda_scaler_metrics_value",  # KEDA's operator
    }
    groups = full.of_kind("PrometheusRule")[0]["spec"]["groups"]
    alerts = [rule["expr"] for group in groups for rule in group["rules"]]
    dashboard = json.loads(full.one("ConfigMap", "demo-sonde-dashboard")["data"]["sonde.json"])
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    for asked in (*alerts, *panels):
        used = set(re.findall(r"\b((?:kube|keda|process|sonde|python)_\w+)", asked))
        assert used
        assert used <= of_the_api | of_others, asked


def test_saved_searches_and_the_nightly_measuring_reach_every_process(full: Rendered) -> None:
    for role in ("api", "worker-harvest", "beat"):
        pod = full.one("Deployment", f"demo-sonde-{role}")["spec"]["template"]
        given = full.environment(pod)
        assert (given["SONDE_ALERTS__HOUR"], given["SONDE_MAIL__TLS"]) == ("2", "tls")
        assert given["SONDE_EVALUATION__QRELS"] == "/etc/sonde/judged/qrels.tsv"
        (container,) = pod["spec"]["containers"]
        secrets = {one["name"]: one.get("valueFrom", {}).get("secretKeyRef") for one in container["env"]}
        assert secrets["SONDE_ALERTS__SECRET"] == {"name": "alert-secret", "key": "secret"}
        assert secrets["SONDE_MAIL__PASSWORD"] == {"name": "mail-login", "key": "password"}
        assert "/etc/sonde/judged" in {one["mountPath"] for one in container["volumeMounts"]}
    policy = full.one("NetworkPolicy", "demo-sonde")
    ports = [port["port"] for rule in policy["spec"]["egress"] for port in rule["ports"]]
    assert 465 in ports, "the mail server can be reached"
    rules = {one["alert"]: one["expr"] for one in full.of_kind("PrometheusRule")[0]["spec"]["groups"][0]["rules"]}
    assert rules["SondeAnswersWorse"].endswith("> 0.03")


def test_mails_link_to_the_public_address_of_the_ingress() -> None:
    values = example("minimal") | {"alerts": {"secret": "alert-secret"}, "mail": example("full")["mail"]}
    ingress = {"enabled": True, "host": "data.example.org", "tlsSecret": "data-tls"}
    made = Rendered.of(values | {"ingress": ingress})
    named = Rendered.of(values | {"ingress": ingress, "settings": {"SONDE_API__PUBLIC_URL": "https://other.example"}})
    for rendered, address in ((made, "https://data.example.org"), (named, "https://other.example")):
        for role in ("api", "worker-harvest", "beat"):
            pod = rendered.one("Deployment", f"demo-sonde-{role}")["spec"]["template"]
            assert rendered.environment(pod)["SONDE_API__PUBLIC_URL"] == address


def test_each_alert_says_what_to_do(full: Rendered) -> None:
    for group in full.of_kind("PrometheusRule")[0]["spec"]["groups"]:
        for rule in group["rules"]:
            assert set(rule["annotations"]) == {"summary", "action"}
            assert rule["labels"]["severity"] in {"critical", "warning"}


def test_the_valkey_is_that_of_compose() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["valkey"]
    stateful = Rendered.of(example("restricted")).one("StatefulSet", "demo-sonde-valkey")
    assert stateful["spec"]["template"]["spec"]["containers"][0]["args"] == [
        part
        for part in compose["command"]
        if not part.startswith("/run/secrets/")  # where Compose keeps the password
    ] + ["--protected-mode", "no"]  # which the image of compose is told by its password


def test_the_password_of_valkey_is_in_no_process_list(full: Rendered, tmp_path: Path) -> None:
    container = full.one("StatefulSet", "demo-sonde-valkey")["spec"]["template"]["spec"]["containers"][0]
    assert "$(" not in " ".join(container["args"]).replace("$$", ""), "Kubernetes writes a variable into an argument"
    server = tmp_path / "valkey-server"
    server.write_text('#!/bin/sh\necho "$@"; cat')
    server.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "REDISCLI_AUTH": 'a\\b"c $x'}
    command = [part.replace("$$", "$") for part in container["args"]]
    arguments, line = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert arguments.startswith("--appendonly yes ")
    assert arguments.endswith(" -"), "Valkey reads standard input where its last argument says so"
    assert line == 'requirepass "a\\\\b\\"c $x"'


def test_the_page_of_values_is_what_the_values_say() -> None:
    sys.path.insert(0, str(CHART.parent))
    from values_page import page

    assert (CHART / "README.md").read_text("utf-8") == page((CHART / "values.yaml").read_text("utf-8")), (
        "run: make chart-readme"
    )


def _workers(rendered: Rendered) -> list[Manifest]:
    return [one for one in rendered.of_kind("Deployment") if "-worker-" in one["metadata"]["name"]]


def _millicores(amount: str) -> int:
    return int(amount[:-1]) if amount.endswith("m") else 1000 * int(amount)


def _settings() -> Iterator[tuple[str, str]]:
    for group, entry in Settings.model_fields.items():
        for name in getattr(entry.annotation, "model_fields", {}):
            yield group, name


def _offline() -> Settings:
    given: dict[str, Any] = {"elasticsearch": {"url": "http://127.0.0.1:1"}, "api": {"preload": False}}
    return Settings(**given)


def _chooses(selector: dict[str, str], pod: Manifest) -> bool:
    return selector.items() <= pod["metadata"]["labels"].items()


def _mounted(pod: Manifest, path: str) -> dict[str, Any]:
    """The volume that is mounted there; fails where none is."""
    (name,) = [one["name"] for one in pod["spec"]["containers"][0]["volumeMounts"] if one["mountPath"] == path]
    return next(volume for volume in pod["spec"]["volumes"] if volume["name"] == name)


def _keep_files(rendered: Rendered) -> dict[str, str]:
    """Which pods mount the claim of users' files where their environment says that they are."""
    found = {}
    for name, pod in rendered.pods():
        folder = rendered.environment(pod).get("SONDE_LIBRARY__FOLDER")
        if any(volume["name"] == "library" for volume in pod["spec"].get("volumes", [])):
            found[name] = _mounted(pod, str(folder))["persistentVolumeClaim"]["claimName"]
    return found


def _probes(pod: Manifest) -> Iterator[dict[str, Any]]:
    for container in pod["spec"]["containers"]:
        for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
            if kind in container:
                yield container[kind]


def test_a_backup_is_taken_by_a_command_that_sonde_knows(rendered: Rendered) -> None:
    """With a user of its own, since Sonde's may take no snapshots."""
    for name, pod in rendered.pods():
        if not name.endswith("-backup"):
            continue
        group, verb, *options = pod["spec"]["containers"][0]["args"]
        command = cli.get_command(click.Context(cli), group)
        assert isinstance(command, click.Group)
        given = command.commands[verb].make_context(verb, options).params
        assert json.loads(given["register"])["type"] in {"fs", "s3"}
        login = rendered.environment(pod)
        users = {
            one["secretKeyRef"]["name"]
            for key, one in login.items()
            if key.startswith("SONDE_ELASTICSEARCH__") and isinstance(one, dict)
        }
        assert users in ({"backup-user"}, {"elasticsearch-backup-key"})


def test_the_nodes_share_a_folder_for_snapshots(full: Rendered) -> None:
    (search,) = full.of_kind("Elasticsearch")
    (nodes,) = search["spec"]["nodeSets"]
    pod = nodes["podTemplate"]["spec"]
    assert pod["volumes"][0]["persistentVolumeClaim"]["claimName"] == "snapshots"
    assert nodes["config"]["path.repo"] == pod["containers"][0]["volumeMounts"][0]["mountPath"]
    roles = yaml.safe_load(full.one("Secret", "demo-sonde-search-role")["stringData"]["roles.yml"])
    assert roles["sonde-backup"]["cluster"] == ["manage"]
    assert {"secretName": "backup-user"} in search["spec"]["auth"]["fileRealm"]
