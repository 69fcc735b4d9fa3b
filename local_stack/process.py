"""Processes that outlive their starter: each has its own session, is recognised by pid and time of birth, and is
stopped with all its children.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from local_stack.accounts import Account
from local_stack.errors import StackError

MARK = "SONDE_STACK_PART"  # in the environment of each part: it is found even if its record was lost
_KEPT_LOG_SUFFIX = ".1"
_TERM_REST_S = 5.0
_KILL_REST_S = 10.0


@dataclass(frozen=True, slots=True)
class Command:
    """What to start. ``env`` is the whole environment; ``log`` takes both outputs; ``account`` only for root."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    log: Path
    account: Account | None = None


@dataclass(frozen=True, slots=True)
class Started:
    """A process that was started. ``birth`` distinguishes it from a later process with the same pid."""

    pid: int
    birth: str


def start(command: Command, mark: str) -> tuple[Started, subprocess.Popen[bytes]]:
    """Starts it detached, with a new log (the log of the last run is kept as ``.1``).

    The caller keeps the Popen: a process must be collected by its starter when it ends.
    Raises StackError where the program cannot be started at all.
    """
    account = command.account
    command.log.parent.mkdir(parents=True, exist_ok=True)
    if command.log.exists():
        command.log.replace(command.log.with_name(command.log.name + _KEPT_LOG_SUFFIX))
    with command.log.open("ab") as log:
        try:
            child = subprocess.Popen(  # noqa: S603 - commands are handed in by the front door
                command.argv,
                env={**command.env, MARK: mark},
                cwd=command.cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            )
        except OSError as error:
            raise StackError(f"cannot start {command.argv[0]}: {error.strerror}") from error
    return Started(child.pid, birth_of(child.pid) or ""), child


def rotate(log: Path, most_bytes: int) -> bool:
    """Moves a log that has grown too large to ``.1``; True if it did. Its process continues to write to the same file.

    Text that it writes between the copy and the cut is lost: one line at most.
    """
    if not log.exists() or log.stat().st_size <= most_bytes:
        return False
    shutil.copyfile(log, log.with_name(log.name + _KEPT_LOG_SUFFIX))
    os.truncate(log, 0)
    return True


def birth_of(pid: int) -> str | None:
    """When the process with this pid was born, as text to compare; None where there is none or it has ended.

    On Linux ticks since boot and the boot's id: unlike a wall clock these do not move when the clock is set.
    """
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            _collect(pid)
            return None
        proc = Path(f"/proc/{pid}/stat")
        if not proc.exists():
            return f"{process.create_time():.2f}"
        ticks = proc.read_text().rsplit(")", 1)[1].split()[19]
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}:{ticks}"
    except (psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
        return None


def _collect(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return  # someone else's child: its parent collects it


def is_alive(started: Started) -> bool:
    return started.birth != "" and birth_of(started.pid) == started.birth


def members(started: Started | None, mark: str) -> list[psutil.Process]:
    """All living processes of a part: its session, and whatever carries its mark."""
    session = started.pid if started is not None and birth_of(started.pid) in (None, started.birth) else None
    return [process for process in psutil.process_iter() if _belongs(process, session, mark)]


def _belongs(process: psutil.Process, session: int | None, mark: str) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        if session is not None and os.getsid(process.pid) == session:
            return True
        return process.environ().get(MARK) == mark
    except (psutil.Error, OSError):
        return False  # gone meanwhile, or another user's, which we could not have started


def stop(started: Started | None, mark: str, grace_s: float) -> None:
    """Ends all of a part: SIGTERM to its first process, which ends its own, then to the rest, then SIGKILL.

    Raises StackError where something of it still lives after that.
    """
    if started is not None and is_alive(started):
        _signal(started.pid, signal.SIGTERM)
        _wait_until_gone(started, grace_s)
    for number, timeout_s in ((signal.SIGTERM, _TERM_REST_S), (signal.SIGKILL, _KILL_REST_S)):
        survivors = members(started, mark)
        for process in survivors:
            _signal(process.pid, number)
        psutil.wait_procs(survivors, timeout=timeout_s)
    surviving_pids = [str(process.pid) for process in members(started, mark)]
    if surviving_pids:
        raise StackError(f"process {', '.join(surviving_pids)} does not end, not even by SIGKILL")


def _wait_until_gone(started: Started, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while is_alive(started) and time.monotonic() < deadline:
        time.sleep(0.05)


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def tail(log: Path, lines: int = 15) -> str:
    """The last lines of a log; empty where there is none."""
    if not log.exists():
        return ""
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - 64 * 1024))
        return "\n".join(stream.read().decode(errors="replace").splitlines()[-lines:])
