"""Takes from a process that reads a strange file what it does not need: other files, other processes, the network.

Nothing of this needs a privilege, so it works in a container without capabilities. Landlock (Linux 5.13) limits the
files and hides other processes, also from root; a seccomp filter refuses sockets and system calls that read other
processes. Where a kernel lacks the first, the worker makes itself unreadable (``hide_from_children``), and a process
of root gives root up. ``python -m indexer.confinement FOLDER`` tries what is still possible.

Neither Python nor its libraries offer Landlock, seccomp and namespaces, so they are called by their numbers.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION = 1
_BENEATH_PATH = 1
_EXECUTE, _WRITE, _READ, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _DEVICES = 1 << 13, 1 << 14, 1 << 15
_FIRST_RIGHTS = (1 << 13) - 1
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICES
_TCP = 0b11  # to bind, to connect
_SCOPES = 0b11  # no abstract sockets and no signals to others
_SET_SECCOMP, _SET_NO_NEW_PRIVILEGES, _FILTER = 22, 38, 2
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # of BPF
_ALLOW, _NOT_PERMITTED = 0x7FFF0000, 0x00050001
_OTHER_ABI = 0x40000000  # system calls of x32, which an x86-64 process can make too

_REFUSED_CALLS: dict[str, tuple[int, tuple[int, ...]]] = {
    "x86_64": (0xC000003E, (41, 101, 248, 249, 250, 298, 310, 311, 321, 323, 425, 438)),
    "aarch64": (0xC00000B7, (198, 117, 217, 218, 219, 241, 270, 271, 280, 282, 425, 438)),
}
"""By machine: its number in filters, and the numbers of socket, ptrace, add_key, request_key, keyctl, perf_event_open,
process_vm_readv, process_vm_writev, bpf, userfaultfd, io_uring_setup and pidfd_getfd."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, value: int, pointer: object = None) -> bool:
    """Whether the kernel took it."""
    argument = pointer if pointer is not None else ctypes.c_ulong(0)
    zero = ctypes.c_ulong(0)
    return bool(_libc().prctl(ctypes.c_int(option), ctypes.c_ulong(value), argument, zero, zero) == 0)


def no_new_privileges() -> bool:
    """No program that this process starts gains rights by its file. Landlock and filters ask for it."""
    return prctl(_SET_NO_NEW_PRIVILEGES, 1)


def landlock_version() -> int:
    """0 where the kernel has no Landlock, or a container's rules refuse it."""
    version = _libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return max(int(version), 0)


def restrict_files(readable: Iterable[Path], writable: Path) -> None:
    """Leaves these paths, and what is below them. Raises OSError."""
    version = landlock_version()
    all_rights = _FIRST_RIGHTS
    for since_version, access_right in ((2, _REFER), (3, _TRUNCATE), (5, _DEVICES)):
        all_rights |= access_right if version >= since_version else 0
    rules = _Ruleset(all_rights, _TCP, _SCOPES)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _call(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for path in readable:
            _allow(ruleset, path, _EXECUTE | _READ | _READ_FOLDER)
        _allow(ruleset, writable, all_rights)
        _allow(ruleset, Path(os.devnull), (_READ | _WRITE) & all_rights)
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        beneath_path = _PathBeneathAttr(rights if path.is_dir() else rights & _OF_FILES, place)
        _call(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_BENEATH_PATH),
            ctypes.byref(beneath_path),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    answer = int(_libc().syscall(ctypes.c_long(number), *arguments))
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def filter_system_calls() -> bool:
    """Refuses sockets and what reads other processes; whether this machine is known and took the filter."""
    architecture_and_calls = _REFUSED_CALLS.get(platform.machine())
    if architecture_and_calls is None:
        return False
    machine, refused_calls = architecture_and_calls
    checks = [_Instruction(_AT_LEAST, len(refused_calls) + 1, 0, _OTHER_ABI)]
    checks += [
        _Instruction(_EQUAL, len(refused_calls) - place, 0, number) for place, number in enumerate(refused_calls)
    ]
    program = [
        _Instruction(_LOAD, 0, 0, 4),  # the machine of the call
        _Instruction(_EQUAL, 1, 0, machine),
        _Instruction(_RETURN, 0, 0, _NOT_PERMITTED),
        _Instruction(_LOAD, 0, 0, 0),  # its number
        *checks,
        _Instruction(_RETURN, 0, 0, _ALLOW),
        _Instruction(_RETURN, 0, 0, _NOT_PERMITTED),
    ]
    instructions = (_Instruction * len(program))(*program)
    return prctl(_SET_SECCOMP, _FILTER, ctypes.byref(_Program(len(program), instructions)))


def close_network_namespace() -> bool:
    """Moves this process into an empty network namespace; whether the kernel and the container allow it."""
    flags = _NEW_NETWORK if os.geteuid() == 0 else _NEW_USER | _NEW_NETWORK
    return bool(_libc().unshare(ctypes.c_int(flags)) == 0)


_ROOT = Path(__file__).resolve().parents[1]
_NOBODY_UID = 65534
_DUMPABLE = 4  # of prctl
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a process that reads a document cannot do on this machine, as tried."""

    secrets_hidden: bool
    """It cannot read the environment of the process that started it."""
    network_closed: bool
    files_limited: bool
    """It cannot read files but its own and the installed programs."""


def environment_for_child(folder: Path) -> dict[str, str]:
    """The child's environment without keys and addresses. One thread per library, to bound memory."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(_ROOT),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills a child that leads its own process group, with all its children."""
    with suppress(ProcessLookupError):  # the whole process group has ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def hide_from_children() -> None:
    """Makes this process unreadable for others of its user, where Landlock does not hide it."""
    if sys.platform == "linux" and not landlock_version():
        prctl(_DUMPABLE, 0)


def confine_process(folder: Path, programs: Sequence[str] = ()) -> None:
    """For good, and for all children: leaves the folder, the installed programs, and nothing else.

    Call it when all modules are loaded, and before the document is opened.
    """
    if sys.platform != "linux":
        return
    no_new_privileges()
    if landlock_version():
        restrict_files(_readable(programs), folder)
    elif os.geteuid() == 0:
        _give_up_root(folder)
    if not filter_system_calls():
        close_network_namespace()


def _readable(programs: Sequence[str]) -> Iterable[Path]:
    """What is installed. The folder of our own modules may hold a user's other files, so each package is named."""
    packages = (path.parent for path in _ROOT.glob("*/__init__.py"))
    program_paths = (Path(path).resolve() for path in (sys.prefix, sys.base_prefix, *programs))
    other_paths = (Path(path) for path in (*_SYSTEM, *(path for path in sys.path if "site-packages" in path)))
    return [path for path in (*packages, *program_paths, *other_paths) if path != Path("/") and path.exists()]


def _give_up_root(folder: Path) -> None:
    for path in (folder, *folder.iterdir()):
        os.chown(path, _NOBODY_UID, _NOBODY_UID)
    os.setgroups([])
    os.setgid(_NOBODY_UID)
    os.setuid(_NOBODY_UID)


def try_to_escape(folder: Path) -> Confinement:
    """Confines this process, then tries to leave."""
    secret = folder.parent / f"{folder.name}.secret"
    secret.write_text("a file of another")
    parent = f"/proc/{os.getppid()}/environ"
    confine_process(folder)
    confinement = Confinement(
        secrets_hidden=not _can_read(parent),
        network_closed=not _has_sockets(),
        files_limited=not _can_read(str(secret)),
    )
    with suppress(OSError):
        secret.unlink()
    return confinement


def _can_read(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def _has_sockets() -> bool:
    """Whether it can open a socket that leads somewhere."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # sends nothing
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(try_to_escape(Path(sys.argv[1])))))
