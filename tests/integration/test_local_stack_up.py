"""The whole stack on real parts: up, found again, killed and mended, down without a trace; also for no one special."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import psutil
import pytest

from local_stack.accounts import node_folder, unprivileged_account
from local_stack.errors import PortTaken, StackError
from local_stack.part import PartStatus
from local_stack.ports import free_port
from local_stack.process import MARK
from local_stack.services import Stack, api_service, beat_service, worker_service
from local_stack.settings import ApiConfig, NodeConfig, StackConfig, ValkeyConfig, default_cache
from local_stack.state import login_of, password_file
from local_stack.testing import QUICK_START

pytestmark = [pytest.mark.elasticsearch, pytest.mark.broker, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
NAMES = ["elasticsearch", "broker", "api", "worker", "beat"]
APPLICATION = """
import os
from celery import Celery

tasks = Celery("tasks", broker=os.environ["BROKER"], backend=os.environ["BROKER"])

@tasks.task
def double(number):
    return 2 * number

def web(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"alive"]
"""


def settings(folder: Path) -> StackConfig:
    """A stack with a small application of its own: local_stack knows nothing of the service."""
    (folder / "app").mkdir(parents=True, exist_ok=True)
    (folder / "app" / "small.py").write_text(APPLICATION)
    broker = ValkeyConfig(port=free_port())
    env = {"BROKER": f"redis://127.0.0.1:{broker.port}/0"}
    python, cwd, api = Path(sys.executable), folder / "app", ApiConfig(port=free_port())
    return StackConfig(
        folder=folder,
        environment=os.environ,
        cache=default_cache(),
        elasticsearch=NodeConfig(
            http_port=free_port(), transport_port=free_port(), heap="512m", jvm_options=QUICK_START
        ),
        broker=broker,
        services=(
            api_service((str(python), "-m", "gunicorn", "--bind", f"127.0.0.1:{api.port}", "small:web"), api, cwd, env),
            worker_service(python, "small:tasks", "celery", cwd, env),
            beat_service(python, "small:tasks", cwd, env),
        ),
    )


def belonging_to(folder: Path) -> list[psutil.Process]:
    found = []
    for candidate in psutil.process_iter():
        try:
            if candidate.status() != psutil.STATUS_ZOMBIE and str(folder) in candidate.environ().get(MARK, ""):
                found.append(candidate)
        except (psutil.Error, OSError):
            continue
    return found


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[StackConfig]:
    told = settings(tmp_path)
    yield told
    for left in belonging_to(tmp_path):
        left.kill()
    shutil.rmtree(node_folder(tmp_path, unprivileged_account(told.elasticsearch.run_as)), ignore_errors=True)


def pids(statuses: list[PartStatus]) -> dict[str, int | None]:
    return {status.name: status.pid for status in statuses}


def states(statuses: list[PartStatus]) -> dict[str, str]:
    return {status.name: status.state for status in statuses}


def test_the_life_of_a_stack(stack: StackConfig) -> None:
    assert set(states(Stack(stack).status()).values()) == {"stopped"}

    with ThreadPoolExecutor(2) as pool:  # two at once, as from two terminals: one starts, the other finds
        first, other = pool.map(lambda _: Stack(stack).up(), range(2))
    assert states(first) == dict.fromkeys(NAMES, "running")
    assert pids(other) == pids(first)
    assert httpx.get(f"{stack.elasticsearch_url}/_cluster/health").json()["status"] in ("green", "yellow")
    assert httpx.get(stack.services[0].health_url or "").text == "alive"
    httpx.put(f"{stack.elasticsearch_url}/kept/_doc/1", json={"n": 1}, timeout=30).raise_for_status()

    again = Stack(stack).up()
    assert pids(again) == pids(first)

    by_name = pids(again)
    for name in ("elasticsearch", "worker"):
        os.kill(by_name[name] or 0, signal.SIGKILL)
    wait_until_dead([by_name["elasticsearch"] or 0, by_name["worker"] or 0])
    assert states(Stack(stack).status()) == {
        **dict.fromkeys(NAMES, "running"),
        "elasticsearch": "died",
        "worker": "died",
    }

    stack = replace(stack, elasticsearch=replace(stack.elasticsearch, with_login=True))  # an upgrade
    mended = pids(Stack(stack).up())
    assert {name for name in NAMES if mended[name] != by_name[name]} == {"elasticsearch", "worker"}
    kept = f"{stack.elasticsearch_url}/kept/_doc/1"
    login = login_of(stack.folder)
    assert login is not None
    assert httpx.get(kept, timeout=30, auth=login.as_pair).json()["_source"] == {"n": 1}
    for stranger in (None, ("sonde", "wrong"), ("elastic", "changeme")):
        assert httpx.get(kept, timeout=30, auth=stranger, headers={"Host": "rebound.example"}).status_code == 401
    assert stat.S_IMODE(password_file(stack.folder).stat().st_mode) == 0o600

    assert {path.name for path in (stack.folder / "logs").glob("*.log")} == {f"{name}.log" for name in NAMES}
    assert len(belonging_to(stack.folder)) >= len(NAMES)
    Stack(stack).down()
    assert belonging_to(stack.folder) == []
    assert set(states(Stack(stack).status()).values()) == {"stopped"}
    Stack(stack).down()  # of what is down already


def wait_until_dead(numbers: list[int]) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(is_running(number) for number in numbers):
        time.sleep(0.05)


def is_running(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_servers_that_are_named_are_used_and_none_is_started(stack: StackConfig, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody_answers:
        deaf = f"http://127.0.0.1:{nobody_answers.getsockname()[1]}"
        named = replace(stack, elasticsearch=replace(stack.elasticsearch, url=deaf), services=())
        with pytest.raises(StackError, match=f"elasticsearch at {deaf} does not answer"):
            Stack(named).up()
    assert states(Stack(named).status()) == {"elasticsearch": "unhealthy", "broker": "running"}
    broker = replace(named, broker=ValkeyConfig(url=named.broker_url))
    assert states(Stack(replace(broker, folder=tmp_path / "other")).status())["broker"] == "external"
    Stack(broker).down()
    assert belonging_to(tmp_path) == []  # what was started before it was named is ended too


def test_one_part_can_be_ended_and_comes_back_with_the_next_up(stack: StackConfig, elasticsearch_url: str) -> None:
    external = replace(stack.elasticsearch, url=elasticsearch_url)
    small = replace(stack, elasticsearch=external, services=(stack.services[2],))
    Stack(small).up()
    with pytest.raises(StackError, match="baet is no part that is started here; there are beat, broker"):
        Stack(small).down(only=["baet"])
    Stack(small).down(only=["beat"])
    assert states(Stack(small).status()) == {"elasticsearch": "external", "broker": "running", "beat": "stopped"}
    assert states(Stack(small).up())["beat"] == "running"
    Stack(small).down()
    assert belonging_to(stack.folder) == []


def test_a_port_of_someone_else_is_named_with_its_setting(stack: StackConfig) -> None:
    with (
        socket.create_server(("127.0.0.1", stack.elasticsearch.http_port)),
        pytest.raises(PortTaken, match=rf"{stack.elasticsearch.http_port}.*SONDE_ELASTICSEARCH__PORT"),
    ):
        Stack(stack).up()
    Stack(stack).down()
    assert belonging_to(stack.folder) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else; everyone else is the ordinary user")
def test_an_ordinary_user_runs_it_too() -> None:
    python = readable_python()
    folder = Path("/tmp") / f"sonde-ordinary-{os.getpid()}"  # pytest's own folders are closed to others
    folder.mkdir(mode=0o700)
    shutil.chown(folder, "nobody")
    code = (
        "import json, os, sys; from pathlib import Path; from dataclasses import asdict;"
        "from local_stack.settings import *; from local_stack.services import Stack;"
        f"ports = {[free_port() for _ in range(3)]};"
        f"s = StackConfig(Path({str(folder)!r}), os.environ, Path({str(default_cache())!r}),"
        "NodeConfig(http_port=ports[0], transport_port=ports[1], heap='512m',"
        f"jvm_options={QUICK_START}),"
        "ValkeyConfig(port=ports[2]));"
        "up = Stack(s).up(); Stack(s).down();"
        "print(json.dumps([[asdict(x) for x in up], [asdict(x) for x in Stack(s).status()]]))"
    )
    try:
        run = subprocess.run(
            [python, "-c", code],
            user="nobody",
            group="nogroup",
            extra_groups=[],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "PYTHONPATH": os.pathsep.join([str(ROOT), *libraries()]),
            },
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert run.returncode == 0, run.stderr
        up, down = json.loads(run.stdout)
        assert [part["state"] for part in up] == ["running", "running"]
        assert [part["state"] for part in down] == ["stopped", "stopped"]
        assert belonging_to(folder) == []
        assert (folder / "elasticsearch" / "data").is_dir()
    finally:
        for left in belonging_to(folder):
            left.kill()
        shutil.rmtree(folder)


def libraries() -> list[str]:
    return [path for path in sys.path if path.endswith("site-packages")]


def readable_python() -> str:
    """A Python that an ordinary user may run; ours may lie under /root."""
    version = f"python3.{sys.version_info.minor}"
    for program in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        tried = subprocess.run(
            ["/usr/bin/env", program, "-c", "import psutil, httpx, redis, remotezip, platformdirs"],
            user="nobody",
            group="nogroup",
            extra_groups=[],
            cwd="/",
            env={"PYTHONPATH": os.pathsep.join(libraries())},
            capture_output=True,
        )
        if tried.returncode == 0:
            return program
    pytest.skip(f"no {version} that an ordinary user may run, with our libraries")
