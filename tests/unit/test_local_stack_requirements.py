"""Java, accounts, ports: what a machine must offer, judged without starting anything of the stack."""

import os
import socket
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from local_stack.accounts import Account, can_reach, node_folder
from local_stack.elasticsearch import external_trouble, trouble
from local_stack.errors import PortTaken, RequirementMissing
from local_stack.java import NEEDED_MODULES, Java, candidates, describe, find_java, major_version, why_unfit
from local_stack.ports import free_port, require_free
from local_stack.services import trouble as service_trouble
from local_stack.settings import NodeConfig, Port, ServiceProcess
from sonde.cli.search import ask

ALL_MODULES = " ".join(sorted(NEEDED_MODULES))


def java_home(folder: Path, version: str, modules: str = ALL_MODULES) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch(mode=0o755)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


class _Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"status": "green"}')

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_parts_of_this_machine_are_asked_without_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Healthy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        service = ServiceProcess("api", (), Path(), health_url=url)
        assert (trouble(url), external_trouble(url), service_trouble(service, Path())) == (None, None, None)
        assert ask(url)["status"] == "green"
        server.shutdown()


@pytest.mark.parametrize(
    ("text", "major"), [("21.0.3", 21), ("25", 25), ("1.8.0_402", 8), ("26-ea", 26), ("", None), ("none", None)]
)
def test_the_major_version_is_the_one_people_speak_of(text: str, major: int | None) -> None:
    assert major_version(text) == major


def test_java_is_looked_for_in_the_environment_then_on_the_path_then_where_it_is_installed(tmp_path: Path) -> None:
    named, usual, on_path, installed = (java_home(tmp_path / n, "21") for n in ("es", "home", "path", "jvm/jdk"))
    environment = {"PATH": str(on_path / "bin"), "JAVA_HOME": str(usual), "ES_JAVA_HOME": str(named)}
    assert list(candidates(environment, tmp_path / "jvm")) == [named, usual, on_path, installed]


def test_the_first_java_may_be_too_old(tmp_path: Path) -> None:
    old, new = java_home(tmp_path / "old", "17.0.15"), java_home(tmp_path / "jvm" / "new", "25.0.3")
    found = find_java({"JAVA_HOME": str(old)}, installed_folder=tmp_path / "jvm")
    assert (found.home, found.version) == (new, 25)


def test_without_a_java_the_message_names_what_was_looked_at_and_what_to_do(tmp_path: Path) -> None:
    old = java_home(tmp_path / "old", "17.0.15")
    runtime = java_home(tmp_path / "jvm" / "jre", "21.0.1", modules="java.base")
    with pytest.raises(RequirementMissing) as refused:
        find_java({"JAVA_HOME": str(old)}, installed_folder=tmp_path / "jvm")
    for part in (f"{old} is Java 17", f"{runtime} lacks jdk.attach", "apt-get install", "ES_JAVA_HOME"):
        assert part in str(refused.value)


def test_a_java_without_a_release_file_is_asked(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"23.0.1\" 2024-10-15' >&2\n")
    program.chmod(0o755)
    assert describe(tmp_path) == Java(tmp_path, 23, frozenset())
    program.write_text("#!/bin/sh\nexit 1\n")
    assert describe(tmp_path) is None


def test_a_java_that_the_account_cannot_enter_does_not_do(tmp_path: Path) -> None:
    home = java_home(tmp_path / "closed" / "jdk", "21")
    (tmp_path / "closed").chmod(0o700)
    stranger = Account("stranger", uid=os.getuid() + 4711, gid=os.getgid() + 4711)
    java = describe(home)
    assert java is not None
    assert why_unfit(java, None) is None
    assert "stranger" in (why_unfit(java, stranger) or "")


def test_a_folder_is_reached_by_its_owner_by_its_group_and_through_open_doors(tmp_path: Path) -> None:
    door = tmp_path / "door"
    (door / "room").mkdir(parents=True)
    (door / "room").chmod(0o755)
    uid, gid = os.getuid(), os.getgid()
    owner = Account("owner", uid, gid + 1)
    member = Account("member", uid + 1, gid)
    above_is_open = can_reach(Account("other", uid + 1, gid + 1), tmp_path)
    for mode, reached_by_owner, reached_by_member in ((0o700, True, False), (0o710, True, True), (0o010, False, True)):
        door.chmod(mode)
        assert can_reach(owner, door / "room") is reached_by_owner
        assert can_reach(member, door / "room") is (reached_by_member and can_reach(member, tmp_path))
    door.chmod(0o711)
    assert can_reach(Account("other", uid + 1, gid + 1), door / "room") is above_is_open
    door.chmod(0o700)


def test_a_node_stays_in_its_stacks_folder_unless_its_account_is_shut_out(tmp_path: Path) -> None:
    assert node_folder(tmp_path, None) == tmp_path / "elasticsearch"
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    stranger = Account("stranger", uid=os.getuid() + 4711, gid=os.getgid() + 4711)
    moved = node_folder(closed, stranger)
    assert moved.parent == Path("/var/lib/sonde")
    assert moved == node_folder(closed, stranger)
    assert moved != node_folder(tmp_path / "other", stranger)


def test_a_taken_port_is_named_with_its_holder_and_its_setting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        with pytest.raises(PortTaken) as refused:
            require_free("broker", Port("127.0.0.1", number, "SONDE_BROKER__PORT"))
    assert refused.value.port == number
    for part in ("broker", str(number), f"process {os.getpid()}", "SONDE_BROKER__PORT"):
        assert part in str(refused.value)


def test_a_port_is_free_again_after_its_holder_is_gone() -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port)) as server, socket.create_connection(("127.0.0.1", port)):
        server.accept()[0].close()  # leaves the server's side lingering
    require_free("broker", Port("127.0.0.1", port, "SONDE_BROKER__PORT"))


@pytest.mark.parametrize("heap", ["", "0g", "1", "1gb", "-1g", "1 g"])
def test_a_heap_that_the_machine_would_not_understand_is_refused(heap: str) -> None:
    with pytest.raises(ValueError, match="heap"):
        NodeConfig(heap=heap)


def test_a_closed_folder_on_the_path_is_passed_over(ordinary_account: None) -> None:
    with tempfile.TemporaryDirectory() as made:  # pytest's own folders are closed to other accounts
        closed = Path(made) / "closed"
        (closed / "bin").mkdir(parents=True)
        closed.chmod(0o000)
        found = list(candidates({"PATH": str(closed / "bin")}, Path(made) / "jvm"))
        closed.chmod(0o700)
    assert found == []
