"""Single parts on real processes: found again, named when killed, ended whole, told apart from strangers."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import redis

from local_stack import process
from local_stack.errors import PortTaken, StackError, StartFailed
from local_stack.part import External, OneAtATime, StackPart, ignore_event
from local_stack.ports import free_port
from local_stack.process import MARK, Command, Started
from local_stack.settings import Port
from local_stack.state import Records, read_json, write_json
from local_stack.supervisor import Keeper, RestartPolicy, Supervisor
from local_stack.testing import valkey_server
from sonde.ops.one_machine import KEEPER, stack_of
from sonde.settings import load_settings

READY = "I am ready"
STAYS = f"print({READY!r}, flush=True); import time; time.sleep(600)"


def a_part(folder: Path, code: str, ports: tuple[Port, ...] = (), timeout_s: float = 20.0) -> StackPart:
    log = folder / "logs" / "sleeper.log"
    command = Command((sys.executable, "-c", textwrap.dedent(code)), dict(os.environ), folder, log)

    def trouble() -> str | None:
        return None if log.exists() and READY in log.read_text() else "has not said that it is ready"

    return StackPart("sleeper", log, lambda _report: command, trouble, ports=ports, start_timeout_s=timeout_s)


def belonging_to(folder: Path) -> list[psutil.Process]:
    """Asked of the system, not of the code under test: whatever carries this folder in its environment."""
    found = []
    for candidate in psutil.process_iter():
        try:
            if candidate.status() != psutil.STATUS_ZOMBIE and str(folder) in candidate.environ().get(MARK, ""):
                found.append(candidate)
        except (psutil.Error, OSError):
            continue
    return found


def kill(pid: int) -> None:
    """Returns once it is dead; a kill takes a moment."""
    os.kill(pid, signal.SIGKILL)
    while process.birth_of(pid) is not None:
        time.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for left in belonging_to(tmp_path):
        left.kill()


def pid_of(supervisor: Supervisor, part: StackPart) -> int:
    pid = supervisor.status(part).pid
    assert pid is not None
    return pid


def test_a_part_is_started_once_and_then_found(folder: Path) -> None:
    part = a_part(folder, STAYS)
    first = Supervisor(folder)
    first.ensure(part, ignore_event)
    pid = pid_of(first, part)
    second = Supervisor(folder)  # as another process would
    second.ensure(part, ignore_event)
    assert pid_of(second, part) == pid
    assert second.stop("sleeper", grace_s=5)
    assert second.status(part).state == "stopped"
    assert not belonging_to(folder)
    assert not second.stop("sleeper", grace_s=5)


def test_a_killed_part_is_named_with_its_last_words_and_only_it_is_started_again(folder: Path) -> None:
    part = a_part(folder, STAYS)
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    pid = pid_of(supervisor, part)
    kill(pid)
    died = supervisor.status(part)
    assert (died.state, died.pid) == ("died", None)
    assert READY in died.detail
    events: list[str] = []
    supervisor.ensure(part, lambda event, **_fields: events.append(event))
    assert events[0] == "sleeper.died_before"
    assert pid_of(supervisor, part) != pid


def test_a_stop_takes_children_along_even_those_that_went_their_own_way_and_will_not_listen(folder: Path) -> None:
    stubborn = f"""
        import signal, subprocess, sys, time
        deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", deaf])
        subprocess.Popen([sys.executable, "-c", deaf], start_new_session=True)
        print({READY!r}, flush=True)
        time.sleep(600)
    """
    part = a_part(folder, stubborn)
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    assert len(belonging_to(folder)) == 3
    supervisor.stop("sleeper", grace_s=1)
    assert not belonging_to(folder)


def test_children_of_a_killed_part_are_ended_before_it_is_started_again(folder: Path) -> None:
    parent = f"""
        import subprocess, sys, time
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print({READY!r}, flush=True)
        time.sleep(600)
    """
    part = a_part(folder, parent)
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    before = {each.pid for each in belonging_to(folder)}
    kill(pid_of(supervisor, part))
    supervisor.ensure(part, ignore_event)
    after = {each.pid for each in belonging_to(folder)}
    assert len(before) == len(after) == 2
    assert not before & after


def test_a_recycled_pid_is_not_mistaken_for_the_part_and_not_touched(folder: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    try:
        part = a_part(folder, STAYS)
        Records(folder / "run").write("sleeper", Started(stranger.pid, "another boot:42"), None)
        supervisor = Supervisor(folder)
        assert supervisor.status(part).state == "died"
        supervisor.ensure(part, ignore_event)
        assert pid_of(supervisor, part) != stranger.pid
        supervisor.stop("sleeper", grace_s=5)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("half", ["", '{"pid": 12', "[]", '{"pid": "x"}'])
def test_a_half_written_record_is_cleaned_and_what_it_spoke_of_is_found_and_ended(folder: Path, half: str) -> None:
    part = a_part(folder, STAYS)
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    lost = pid_of(supervisor, part)
    (folder / "run" / "sleeper.json").write_text(half)
    again = Supervisor(folder)
    assert again.status(part).state == "died"
    again.ensure(part, ignore_event)
    assert [each.pid for each in belonging_to(folder)] == [pid_of(again, part)]
    assert pid_of(again, part) != lost


def test_a_failed_start_says_what_the_part_said_and_leaves_nothing(folder: Path) -> None:
    part = a_part(folder, "raise SystemExit('no room on the disk')")
    supervisor = Supervisor(folder)
    with pytest.raises(StartFailed) as failed:
        supervisor.ensure(part, ignore_event)
    assert failed.value.part == "sleeper"
    assert "no room on the disk" in failed.value.log_tail
    assert str(part.log) in str(failed.value)
    assert supervisor.status(part).state == "stopped"


def test_a_part_that_never_answers_is_ended_and_its_trouble_named(folder: Path) -> None:
    part = a_part(folder, "import time; time.sleep(600)", timeout_s=0.5)
    with pytest.raises(StartFailed, match="has not said that it is ready"):
        Supervisor(folder).ensure(part, ignore_event)
    assert not belonging_to(folder)


def test_a_program_that_is_not_there_is_one_sentence(folder: Path) -> None:
    command = Command((str(folder / "nowhere"),), {}, folder, folder / "logs" / "x.log")
    part = StackPart("sleeper", command.log, lambda _report: command, lambda: None)
    with pytest.raises(StackError, match=r"cannot start .*nowhere: No such file"):
        Supervisor(folder).ensure(part, ignore_event)


def test_a_port_that_someone_else_holds_stops_the_start_before_anything_runs(folder: Path) -> None:
    with valkey_server(folder / "other") as url:
        port = Port("127.0.0.1", int(url.rpartition(":")[2].partition("/")[0]), "SONDE_X__PORT")
        with pytest.raises(PortTaken, match=r"valkey-server.*SONDE_X__PORT"):
            Supervisor(folder).ensure(a_part(folder, STAYS, ports=(port,)), ignore_event)
    assert not [each for each in belonging_to(folder) if "sleeper" in each.environ()[MARK]]


def test_a_wait_can_be_broken_off(folder: Path) -> None:
    supervisor = Supervisor(folder)
    supervisor.cancelled.set()
    with pytest.raises(StackError, match="broken off"):
        supervisor.ensure(a_part(folder, "import time; time.sleep(600)"), ignore_event)
    assert supervisor.stop("sleeper", grace_s=1)


def test_an_external_server_is_asked_and_never_started(folder: Path) -> None:
    supervisor = Supervisor(folder)
    supervisor.ensure(External("broker", "redis://there", lambda: None), ignore_event)
    assert supervisor.status(External("broker", "redis://there", lambda: None)).state == "external"
    absent = External("broker", "redis://there", lambda: "does not answer")
    assert supervisor.status(absent).state == "unhealthy"
    with pytest.raises(StackError, match="broker at redis://there does not answer"):
        supervisor.ensure(absent, ignore_event)
    assert supervisor.started_names() == []


def test_the_log_of_the_last_run_is_kept_beside_the_new_one(folder: Path) -> None:
    part = a_part(folder, f"print('run of', __import__('os').getpid()); {STAYS}")
    supervisor = Supervisor(folder)
    pids = []
    for _ in range(2):
        supervisor.ensure(part, ignore_event)
        pids.append(pid_of(supervisor, part))
        supervisor.stop("sleeper", grace_s=5)
    assert f"run of {pids[0]}" in (folder / "logs" / "sleeper.log.1").read_text()
    assert f"run of {pids[1]}" in (folder / "logs" / "sleeper.log").read_text()


def test_two_stacks_in_two_folders_do_not_touch_each_other(folder: Path) -> None:
    parts = [a_part(folder / name, STAYS) for name in ("one", "one-more")]
    supervisors = [Supervisor(folder / name) for name in ("one", "one-more")]
    for supervisor, part in zip(supervisors, parts, strict=True):
        part.log.parent.mkdir(parents=True)
        supervisor.ensure(part, ignore_event)
    supervisors[0].stop("sleeper", grace_s=5)
    assert [supervisor.status(part).state for supervisor, part in zip(supervisors, parts, strict=True)] == [
        "stopped",
        "running",
    ]


def test_a_birth_is_the_same_whenever_one_looks_and_ends_with_the_process(folder: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    born = process.birth_of(child.pid)
    time.sleep(0.05)
    assert born is not None
    assert process.birth_of(child.pid) == born
    assert process.birth_of(os.getpid()) != born
    child.communicate(b"\n")
    assert process.birth_of(child.pid) is None


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"pid": 1})
    write_json(path, {"pid": 2})
    assert read_json(path) == {"pid": 2}
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


def test_valkey_has_after_a_kill_what_it_had_a_second_before(folder: Path) -> None:
    port = free_port()
    with valkey_server(folder, port) as url:
        redis.Redis.from_url(url).set("kept", "yes")
        time.sleep(1.2)  # appendfsync everysec
        assert len(belonging_to(folder)) == 1
        os.kill(read_json(folder / "run" / "broker.json")["pid"], signal.SIGKILL)
    with valkey_server(folder, port) as url:
        assert redis.Redis.from_url(url, decode_responses=True).get("kept") == "yes"
    assert not belonging_to(folder)
    assert not (folder / "run" / "broker.json").exists()


def test_events_reach_the_teller_one_at_a_time() -> None:
    inside, most = [0], [0]

    def slow(event: str, **_fields: object) -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.01)
        inside[0] -= 1

    told = OneAtATime(slow)
    threads = [threading.Thread(target=told, args=("event",)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


AT_ONCE = RestartPolicy(most=3, first_s=0.0)


def test_a_dead_part_is_started_again_and_its_status_says_so(folder: Path) -> None:
    part = a_part(folder, STAYS)
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    keeper = Keeper(supervisor, nullcontext)
    before = pid_of(supervisor, part)
    keeper.look([part], ignore_event, AT_ONCE)
    assert (pid_of(supervisor, part), supervisor.status(part).detail) == (before, "")
    kill(before)
    keeper.look([part], ignore_event, AT_ONCE)
    while supervisor.status(part).state != "running":
        time.sleep(0.02)
    assert pid_of(supervisor, part) != before
    assert "started again once" in supervisor.status(part).detail
    supervisor.stop("sleeper", grace_s=5)
    keeper.look([part], ignore_event, AT_ONCE)
    assert supervisor.status(part).state == "stopped", "what was stopped stays stopped"
    assert not belonging_to(folder)
    supervisor.ensure(part, ignore_event)
    assert supervisor.status(part).detail == ""


def test_a_part_that_dies_again_and_again_is_left_alone_and_named(folder: Path) -> None:
    part = a_part(folder, STAYS)
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    keeper = Keeper(supervisor, nullcontext)
    events: list[str] = []
    for _ in range(AT_ONCE.most + 3):
        if (pid := supervisor.status(part).pid) is not None:
            kill(pid)
        keeper.look([part], lambda event, **_fields: events.append(event), AT_ONCE)
    assert events.count("sleeper.starting") == AT_ONCE.most
    assert events.count("sleeper.left_alone") == 1
    died = supervisor.status(part)
    assert (died.state, "started again 3 times" in died.detail) == ("died", True)


def test_a_part_whose_port_is_taken_for_a_moment_is_tried_again(folder: Path) -> None:
    port = free_port()
    part = a_part(folder, STAYS, (Port("127.0.0.1", port, "SONDE_X"),))
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    kill(pid_of(supervisor, part))
    keeper = Keeper(supervisor, nullcontext)
    events: list[str] = []
    with socket.create_server(("127.0.0.1", port)):
        keeper.look([part], lambda event, **_fields: events.append(event), AT_ONCE)
        assert (events[-1], supervisor.status(part).state) == ("sleeper.not_started", "died")
    keeper.look([part], ignore_event, AT_ONCE)
    assert supervisor.status(part).pid is not None


def test_the_waits_between_two_starts_double_and_end() -> None:
    policy = RestartPolicy(most=4, within_s=100.0, first_s=1.0, longest_s=5.0)
    assert [policy.next_at([50.0] * n, 50.0) for n in range(5)] == [51.0, 52.0, 54.0, 55.0, None]
    assert policy.next_at([0.0] * 9, 200.0) == 201.0, "what is long ago does not count"


def test_a_log_that_grows_is_cut_while_its_part_writes_on_and_stays_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("local_stack.supervisor.MOST_LOG_BYTES", 1000)
    writes = f"""
        print({READY!r}, flush=True)
        print("x" * 2000, flush=True)
        import time
        from pathlib import Path
        while not Path("go").exists(): time.sleep(0.02)
        print("further", flush=True)
        time.sleep(600)
    """
    part = replace(a_part(folder, writes), asked_once=True)
    supervisor = Supervisor(folder)
    supervisor.ensure(part, ignore_event)
    while part.log.stat().st_size <= 2000:
        time.sleep(0.02)
    Keeper(supervisor, nullcontext).look([part], ignore_event)
    assert part.log.stat().st_size == 0
    assert READY in part.log.with_name("sleeper.log.1").read_text()
    (folder / "go").touch()
    while not part.log.stat().st_size:
        time.sleep(0.02)
    assert part.log.read_text() == "further\n"
    assert supervisor.status(part).state == "running"


def test_the_keeper_of_sonde_up_looks_after_the_servers_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SONDE_ELASTICSEARCH__URL", "SONDE_BROKER__URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SONDE_STACK__FOLDER", str(folder))
    (keeper,) = [one for one in stack_of(load_settings()).services if one.name == KEEPER]
    for name, value in keeper.env.items():
        monkeypatch.setenv(name, value)
    parts = {one.name: one.state for one in stack_of(load_settings()).status()}
    assert (parts["elasticsearch"], parts["broker"]) == ("stopped", "stopped"), "no server of somebody else's"
