"""`sonde up --service`: units that systemd accepts, without privileges and with limits; a process becomes a part."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from core.errors import SondeError
from local_stack.ports import free_port
from sonde.cli import cli
from sonde.model_settings import ModelsSettings
from sonde.ops.service_units import ENVIRONMENT, memory_mib, service_files, service_settings, write_service_files
from sonde.settings import (
    ApiSettings,
    BrokerSettings,
    ElasticsearchSettings,
    Settings,
    StackSettings,
    WorkerSettings,
)

ANALYZE = shutil.which("systemd-analyze")
PYTHON = Path("/usr/bin/python3")
PARTS = ("elasticsearch", "broker", "worker", "documents", "library", "beat", "api")
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed (Debian: systemd)")


def _settings(tmp_path: Path) -> Settings:
    own_servers = {"elasticsearch": ElasticsearchSettings(url=None), "broker": BrokerSettings(url=None)}
    return Settings(stack=StackSettings(folder=tmp_path / "stack"), **own_servers)


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    list(write_service_files(service_files(_settings(tmp_path), PYTHON), tmp_path / "etc"))
    return tmp_path / "etc"


def _units(etc: Path) -> dict[str, Path]:
    return {path.stem.removeprefix("sonde-"): path for path in (etc / "systemd" / "system").glob("*.service")}


def test_each_part_has_a_unit_with_limits_and_an_account(etc: Path) -> None:
    units = _units(etc)
    assert set(units) == set(PARTS)
    for name, path in units.items():
        lines = set(path.read_text("utf-8").splitlines())
        assert {"User=sonde", "Restart=on-failure", "LogNamespace=sonde", "CapabilityBoundingSet="} <= lines, name
        assert f"ExecStart={PYTHON} -m sonde.ops.one_machine {name}" in lines
        assert any(line.startswith("MemoryMax=") and line.endswith("M") for line in lines), name
    target = (etc / "systemd" / "system" / "sonde.target").read_text("utf-8")
    assert all(path.name in target for path in units.values())
    assert "SystemMaxUse=1G" in (etc / "systemd" / "journald@sonde.conf").read_text("utf-8")


def test_elasticsearch_and_the_reader_of_documents_may_make_the_calls_they_need(etc: Path) -> None:
    """Lucene asks which pages are in memory; the process for documents confines itself."""
    calls = {"mincore", "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"}
    for path in _units(etc).values():
        (line,) = [line for line in path.read_text("utf-8").splitlines() if line.startswith("SystemCallFilter=")]
        assert calls < set(line.partition("=")[2].split())


@needs_systemd
def test_systemd_accepts_the_units(etc: Path) -> None:
    files = sorted(str(path) for path in (etc / "systemd" / "system").iterdir())
    done = subprocess.run([str(ANALYZE), "verify", *files], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    broken = etc / "systemd" / "system" / "sonde-broker.service"
    broken.write_text(broken.read_text("utf-8").replace("MemoryMax=", "MemoryMaximum="), "utf-8")
    assert "MemoryMaximum" in subprocess.run([str(ANALYZE), "verify", *files], capture_output=True, text=True).stderr


@needs_systemd
@pytest.mark.parametrize("part", PARTS)
def test_systemd_rates_the_exposure_of_a_unit_as_low(etc: Path, part: str) -> None:
    """2.0 of 10; a unit without these lines has 9.6."""
    command = [str(ANALYZE), "security", "--offline=true", "--threshold=20", str(_units(etc)[part])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-400:]


def test_servers_of_others_get_no_unit(tmp_path: Path) -> None:
    external = {"elasticsearch": ElasticsearchSettings(url="https://search:9200")}
    files = service_files(_settings(tmp_path).model_copy(update=external), PYTHON)
    assert Path("systemd/system/sonde-elasticsearch.service") not in files
    assert Path("systemd/system/sonde-broker.service") in files


def test_the_files_of_an_offline_bundle_are_used(tmp_path: Path) -> None:
    bundle = {
        "stack": StackSettings(folder=tmp_path / "stack", cache=Path("/opt/sonde/downloads")),
        "models": ModelsSettings(folder=Path("/opt/sonde/models")),
    }
    lines = service_files(_settings(tmp_path).model_copy(update=bundle), PYTHON)[ENVIRONMENT].splitlines()
    assert {"SONDE_STACK__CACHE=/opt/sonde/downloads", "SONDE_MODELS__FOLDER=/opt/sonde/models"} <= set(lines)
    lines = service_files(_settings(tmp_path).model_copy(update={"models": ModelsSettings()}), PYTHON)[
        ENVIRONMENT
    ].splitlines()
    assert "SONDE_MODELS__FOLDER=/var/cache/sonde/service/models" in lines


def test_memory_follows_the_settings() -> None:
    settings = Settings(
        elasticsearch=ElasticsearchSettings(heap="3g"),
        worker=WorkerSettings(memory_mib=2048),
        api=ApiSettings(workers=6),
    )
    limits = {part: memory_mib(part, settings, 16_384) for part in PARTS}
    assert limits == {
        "elasticsearch": 6144,
        "broker": 512,
        "beat": 512,
        "worker": 3072,
        "documents": 3072,
        "library": 3072,
        "api": 3600,
    }
    assert memory_mib("api", Settings(), 16_384) == 4096
    assert memory_mib("api", Settings(), 2_048) == 2048


def test_an_installation_that_no_other_account_can_enter_is_refused(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(SondeError, match=r"cannot enter .*closed.*below /opt"):
        service_files(_settings(tmp_path), closed / "python")
    with pytest.raises(SondeError, match="misread"):
        service_files(_settings(tmp_path), Path("/usr/bin/python 50%"))


def test_the_settings_of_an_operator_stay(etc: Path, tmp_path: Path) -> None:
    (etc / ENVIRONMENT).write_text("SONDE_API__PORT=8090\n", "utf-8")
    written = list(write_service_files(service_files(_settings(tmp_path), PYTHON), etc))
    assert etc / ENVIRONMENT not in written
    assert (etc / ENVIRONMENT).read_text("utf-8") == "SONDE_API__PORT=8090\n"


def test_the_units_follow_the_settings_that_the_services_read(
    etc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``sudo`` passes no variable of the operator on, and the memory of Elasticsearch is the heap's."""
    lines = ["# a comment", 'SONDE_ELASTICSEARCH__HEAP="3g"', "SONDE_BROKER__URL=redis://queue:6379/0"]
    (etc / ENVIRONMENT).write_text("\n".join(lines), "utf-8")
    monkeypatch.setattr("os.environ", {"PATH": os.environ["PATH"], "SONDE_ELASTICSEARCH__URL": "http://shell:9200"})
    files = service_files(service_settings(etc), PYTHON)
    assert "MemoryMax=6144M" in files[Path("systemd/system/sonde-elasticsearch.service")]
    assert Path("systemd/system/sonde-broker.service") not in files
    assert (
        "Wants=network-online.target sonde-elasticsearch.service\n" in files[Path("systemd/system/sonde-api.service")]
    )
    (etc / ENVIRONMENT).unlink()
    os.environ["SONDE_API__PORT"] = "8090"
    assert service_settings(etc).api.port == 8090


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonde.ops.service_units._require_reachable", lambda _python: None)
    (tmp_path / "systemd").write_text("a file", "utf-8")
    done = CliRunner().invoke(cli, ["up", "--service", "--etc", str(tmp_path)])
    assert isinstance(done.exception, SondeError)
    assert "cannot be written" in str(done.exception)


def _part(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sonde.ops.one_machine", *arguments]


def test_a_process_becomes_the_broker_and_another_waits_for_it(tmp_path: Path) -> None:
    port = free_port()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SONDE_")},
        "SONDE_STACK__FOLDER": str(tmp_path),
        "SONDE_BROKER__PORT": str(port),
    }
    with subprocess.Popen(_part("broker"), env=environment) as broker:
        subprocess.run(_part("--wait", "broker"), env=environment, check=True, timeout=60)
        with redis.Redis(port=port) as client:
            assert client.info("server")["process_id"] == broker.pid
        broker.terminate()
        assert broker.wait(20) == 0
    done = subprocess.run(_part("brocker"), env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, "sonde: brocker is no part that is started here\n")
