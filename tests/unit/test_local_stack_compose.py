"""compose.yaml agrees with the stack that `sonde up` starts: same parts, same versions, names that settings know."""

import json
import re
import stat
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import redis
import yaml

from local_stack.ports import free_port
from local_stack.settings import DEFAULT_VERSION
from local_stack.valkey import server_arguments, server_program
from sonde.settings import Settings
from tests.unit.go_modules import go_module
from workers.config import QUEUES

ROOT = Path(__file__).parents[2]
WORKERS = ("worker", "documents", "library")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return read


def test_the_parts_are_those_of_the_stack(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"elasticsearch", "accounts", "valkey", "api", *WORKERS, "beat"}


def test_elasticsearch_has_the_same_version(compose: dict[str, Any]) -> None:
    assert compose["services"]["elasticsearch"]["image"].endswith(f"elasticsearch:{DEFAULT_VERSION}")


def test_each_queue_has_one_worker_and_users_documents_have_their_own(compose: dict[str, Any]) -> None:
    taken = [compose["services"][name]["environment"]["SONDE_QUEUES"].split(",") for name in WORKERS]
    assert sorted(queue for queues in taken for queue in queues) == sorted(QUEUES)
    assert ["library"] in taken
    assert not any("harvest" in queues and "documents" in queues for queues in taken)


def test_every_container_has_limits_of_memory_and_logs(compose: dict[str, Any]) -> None:
    for name, part in compose["services"].items():
        assert _mib(part["mem_limit"]) > 0, name
        assert part["logging"]["driver"] == "json-file"
        assert set(part["logging"]["options"]) == {"max-size", "max-file"}
        assert all("size=" in one for one in part.get("tmpfs", [])), name
    services = compose["services"]
    for name in WORKERS:
        assert int(services[name]["environment"]["SONDE_WORKER__MEMORY_MIB"]) < _mib(services[name]["mem_limit"])
    command = services["valkey"]["command"]
    assert _mib(command[command.index("--maxmemory") + 1]) < 0.75 * _mib(services["valkey"]["mem_limit"])
    (heap,) = re.findall(r"-Xmx(\w+)", services["elasticsearch"]["environment"]["ES_JAVA_OPTS"])
    assert 2 * _mib(heap) <= _mib(services["elasticsearch"]["mem_limit"])


def _mib(size: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([mg])b?", size).groups()  # type: ignore[union-attr]
    return int(number) * (1024 if unit == "g" else 1)


@pytest.mark.parametrize("name", ["api", *WORKERS, "beat"])
def test_our_own_parts_find_both_servers_and_wait_for_them(compose: dict[str, Any], name: str) -> None:
    part = compose["services"][name]
    assert part["environment"]["SONDE_ELASTICSEARCH__URL"] == "http://elasticsearch:9200"
    waits = {name: wait["condition"] for name, wait in part["depends_on"].items()}
    assert waits == {"accounts": "service_completed_successfully", "valkey": "service_healthy"}
    assert compose["services"]["accounts"]["depends_on"]["elasticsearch"]["condition"] == "service_healthy"


def test_what_must_survive_lies_in_volumes(compose: dict[str, Any]) -> None:
    mounted = {volume.split(":")[0] for part in compose["services"].values() for volume in part.get("volumes", [])}
    folders = {name for name in mounted if name.startswith("./")}
    assert mounted - folders == set(compose["volumes"])
    assert all((ROOT / name).exists() for name in folders)


@pytest.mark.parametrize("name", ["api", *WORKERS])
def test_the_files_of_users_are_shared_and_written_by_the_user_of_the_image(compose: dict[str, Any], name: str) -> None:
    part = compose["services"][name]
    folder = part["environment"]["SONDE_LIBRARY__FOLDER"]
    assert f"library:{folder}" in part["volumes"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert re.search(rf"install -d -o 10001 -g 10001 {folder}$", dockerfile, re.MULTILINE)


def test_valkey_keeps_what_it_has_as_the_local_one_does(compose: dict[str, Any]) -> None:
    local = server_arguments(6379, Path("/data"))
    for name in ("--appendonly", "--appendfsync", "--save", "--maxmemory-policy", "--maxmemory"):
        command = compose["services"]["valkey"]["command"]
        assert command[command.index(name) + 1] == local[local.index(name) + 1]


def test_the_health_check_asks_a_port_that_is_not_published(compose: dict[str, Any]) -> None:
    api = compose["services"]["api"]
    port = api["environment"]["SONDE_API__PROBES_PORT"]
    assert f"127.0.0.1:{port}/healthz" in api["healthcheck"]["test"][-1]
    assert not any(port in published for published in api["ports"])


def test_only_the_api_is_reachable_and_only_from_this_machine(compose: dict[str, Any]) -> None:
    published = {name: part["ports"] for name, part in compose["services"].items() if "ports" in part}
    assert published == {"api": ["127.0.0.1:${SONDE_PORT:-8080}:8080"]}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make compose-secrets` makes, run twice: the second time changes nothing."""
    folder = tmp_path_factory.mktemp("secrets") / "made"
    made = []
    for _ in range(2):
        subprocess.run(["/bin/sh", ROOT / "compose-secrets.sh", folder], check=True)
        made.append({path.name: path.read_text() for path in folder.iterdir()})
    assert made[0] == made[1]
    return folder


def test_the_compose_specification_takes_it(compose: dict[str, Any]) -> None:
    schema = go_module("github.com/compose-spec/compose-go/v2@v2.4.9") / "schema" / "compose-spec.json"
    validator = jsonschema_rs.Draft7Validator(json.loads(schema.read_text("utf-8")))
    known = {key: value for key, value in compose.items() if not key.startswith("x-")}
    assert [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(known)] == []
    wrong = {"services": {"api": {"image": "sonde", "port": []}}}
    assert list(validator.iter_errors(wrong)) != []


def test_both_servers_ask_for_passwords_and_none_stands_in_the_file(compose: dict[str, Any], secrets: Path) -> None:
    services = compose["services"]
    assert services["elasticsearch"]["environment"]["xpack.security.enabled"] == "true"
    assert services["valkey"]["command"][:2] == ["valkey-server", "/run/secrets/valkey_conf"]
    assert {Path(one["file"]).name for one in compose["secrets"].values()} == {path.name for path in secrets.iterdir()}
    for name, part in services.items():
        assert set(part.get("secrets", [])) <= set(compose["secrets"]), name
        used = set(re.findall(r"/run/secrets/(\w+)", json.dumps(part)))
        assert used == set(part.get("secrets", [])), name
        assert not any(key.endswith(("PASSWORD", "BROKER__URL")) for key in part.get("environment", {})), name


def test_the_passwords_are_long_and_closed_to_others(secrets: Path) -> None:
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    words = {name: (secrets / name).read_text() for name in ("elastic_password", "elasticsearch_password")}
    assert all(re.fullmatch(r"[0-9a-f]{48}", word) for word in words.values())
    assert len(set(words.values())) == 2


def test_our_own_parts_are_no_superuser(compose: dict[str, Any]) -> None:
    for name in ("api", *WORKERS, "beat"):
        part = compose["services"][name]
        assert part["environment"]["SONDE_ELASTICSEARCH__USERNAME"] == "sonde"
        assert "elastic_password" not in part["secrets"]
        assert (part["read_only"], part["cap_drop"]) == (True, ["ALL"])
    (script,) = compose["services"]["accounts"]["command"]
    role, user = re.findall(r"put \w+/sonde '(.*)'$", script, re.MULTILINE)
    assert json.loads(role)["indices"] == [{"names": ["sonde-*"], "privileges": ["read", "write", "manage"]}]
    assert json.loads(user.replace("'\"$$(cat /run/secrets/elasticsearch_password)\"'", "x")) == {
        "password": "x",
        "roles": ["sonde"],
    }


def test_sonde_reads_what_the_secrets_hold(
    compose: dict[str, Any], secrets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        key: value.replace("/run/secrets", str(secrets))
        for key, value in compose["services"]["api"]["environment"].items()
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.elasticsearch.password is not None
    assert settings.elasticsearch.password.get_secret_value() == (secrets / "elasticsearch_password").read_text()
    assert settings.broker.url == (secrets / "broker_url").read_text()


def test_a_real_valkey_lets_in_who_has_the_broker_url_alone(compose: dict[str, Any], secrets: Path) -> None:
    port = free_port()
    command = [*compose["services"]["valkey"]["command"], "--port", str(port), "--dir", str(secrets.parent)]
    command[1] = str(secrets / "valkey_conf")
    command[0] = str(server_program())
    url = (secrets / "broker_url").read_text().replace("valkey:6379", f"127.0.0.1:{port}")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            patient = redis.Redis.from_url(url, retry=redis.retry.Retry(redis.backoff.ConstantBackoff(0.1), 300))
            assert patient.ping()
            with pytest.raises(redis.AuthenticationError):
                redis.Redis(host="127.0.0.1", port=port).ping()
        finally:
            server.terminate()
