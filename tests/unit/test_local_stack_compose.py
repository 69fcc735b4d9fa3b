"""compose.yaml agrees with the stack that `sonde up` starts: same parts, same versions, names that settings know."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from local_stack.distribution import VERSION
from local_stack.valkey import server_arguments

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return read


def test_the_parts_are_those_of_the_stack(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"elasticsearch", "valkey", "api", "worker", "beat"}


def test_elasticsearch_has_the_same_version(compose: dict[str, Any]) -> None:
    assert compose["services"]["elasticsearch"]["image"].endswith(f"elasticsearch:{VERSION}")


@pytest.mark.parametrize("name", ["api", "worker", "beat"])
def test_our_own_parts_find_both_servers_and_wait_for_them(compose: dict[str, Any], name: str) -> None:
    part = compose["services"][name]
    assert part["environment"]["SONDE_ELASTICSEARCH__URL"] == "http://elasticsearch:9200"
    assert part["environment"]["SONDE_BROKER__URL"] == "redis://valkey:6379/0"
    assert {wait["condition"] for wait in part["depends_on"].values()} == {"service_healthy"}


def test_what_must_survive_lies_in_volumes(compose: dict[str, Any]) -> None:
    mounted = {volume.split(":")[0] for part in compose["services"].values() for volume in part["volumes"]}
    assert mounted == set(compose["volumes"])


@pytest.mark.parametrize("name", ["api", "worker"])
def test_the_files_of_users_are_shared_and_written_by_the_user_of_the_image(compose: dict[str, Any], name: str) -> None:
    part = compose["services"][name]
    folder = part["environment"]["SONDE_LIBRARY__FOLDER"]
    assert f"library:{folder}" in part["volumes"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert re.search(rf"install -d -o 10001 -g 10001 {folder}$", dockerfile, re.MULTILINE)


def test_valkey_keeps_what_it_has_as_the_local_one_does(compose: dict[str, Any]) -> None:
    local = server_arguments(6379, Path("/data"))
    for name in ("--appendonly", "--appendfsync", "--save", "--maxmemory-policy"):
        command = compose["services"]["valkey"]["command"]
        assert command[command.index(name) + 1] == local[local.index(name) + 1]


def test_only_the_api_is_reachable_and_only_from_this_machine(compose: dict[str, Any]) -> None:
    published = {name: part["ports"] for name, part in compose["services"].items() if "ports" in part}
    assert published == {"api": ["127.0.0.1:8080:8080"]}
