"""Takes from the process that reads a document what it does not need: other files, other processes, the network.

Nothing of this needs a privilege, so it works in a container without capabilities. Landlock (Linux 5.13) limits the
files and hides other processes, also from root; a seccomp filter refuses sockets and system calls that read other
processes. Where a kernel lacks the first, the worker makes itself unreadable (``hide_from_children``), and a process
of root gives root up. ``python -m indexer.documents.confinement FOLDER`` tries what is still possible.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from indexer.documents.system_calls import (
    close_network_namespace,
    filter_system_calls,
    landlock_version,
    no_new_privileges,
    prctl,
    restrict_files,
)

_ROOT = Path(__file__).resolve().parents[2]
_NOBODY = 65534
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
    installed = (Path(path).resolve() for path in (sys.prefix, sys.base_prefix, *programs))
    named = (Path(path) for path in (*_SYSTEM, *(path for path in sys.path if "site-packages" in path)))
    return [path for path in (*packages, *installed, *named) if path != Path("/") and path.exists()]


def _give_up_root(folder: Path) -> None:
    for path in (folder, *folder.iterdir()):
        os.chown(path, _NOBODY, _NOBODY)
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)


def tried(folder: Path) -> Confinement:
    """Confines this process, then tries to leave."""
    secret = folder.parent / f"{folder.name}.secret"
    secret.write_text("a file of another")
    parent = f"/proc/{os.getppid()}/environ"
    confine_process(folder)
    found = Confinement(
        secrets_hidden=not _can_read(parent),
        network_closed=not _has_sockets(),
        files_limited=not _can_read(str(secret)),
    )
    with suppress(OSError):
        secret.unlink()
    return found


def _can_read(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return bool(file.read(1))
    except OSError:
        return False


def _has_sockets() -> bool:
    """Whether it can open a socket that leads somewhere."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.connect(("192.0.2.1", 9))  # sends nothing
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(tried(Path(sys.argv[1])))))
