"""Elasticsearch refuses to run as root: the account it runs under then, and folders that account can reach."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from local_stack.errors import RequirementMissing

RELOCATED_STATE = Path("/var/lib/sonde")
RELOCATED_CACHE = Path("/var/cache/sonde")


@dataclass(frozen=True, slots=True)
class Account:
    """A user to start a process as; needs no home and no shell."""

    name: str
    uid: int
    gid: int


def unprivileged_account(name: str) -> Account | None:
    """The account to step down to; None where we are not root and simply stay who we are."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError as error:
        raise RequirementMissing(
            f"Elasticsearch refuses to run as root and there is no account {name!r} to run it as: "
            "create it (useradd --system) or start as an ordinary user"
        ) from error
    if entry.pw_uid == 0:
        raise RequirementMissing(f"Elasticsearch refuses to run as root, and {name!r} is root: name another account")
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def can_reach(account: Account, path: Path) -> bool:
    """Whether the account may enter every existing folder on the way to ``path``, itself included."""
    absolute = path.resolve()
    return all(_may_enter(account, step) for step in (absolute, *absolute.parents) if step.is_dir())


def _may_enter(account: Account, folder: Path) -> bool:
    status = folder.stat()
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == account.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def node_folder(state: Path, account: Account | None) -> Path:
    """Where a node's configuration and data lie: in the stack's folder, or beside it where that cannot be reached.

    A checkout under /root is closed to every other account, so the node's part moves to /var/lib/sonde, named by
    a hash of the stack's folder: the same folder finds the same data again.
    """
    if account is None or can_reach(account, state):
        return state / "elasticsearch"
    name = hashlib.sha256(str(state.resolve()).encode()).hexdigest()[:16]
    return RELOCATED_STATE / name


def reachable_cache(cache: Path, account: Account | None) -> Path:
    """The cache itself, or the machine's where the account cannot read the one that was asked for."""
    return cache if account is None or can_reach(account, cache) else RELOCATED_CACHE


def make_shared_folder(folder: Path) -> None:
    """A folder everyone may read, whatever the umask; folders above it that are missing are made likewise."""
    missing_folders = [step for step in (folder, *folder.parents) if not step.exists()]
    for step in reversed(missing_folders):
        step.mkdir(exist_ok=True)
        step.chmod(0o755)


def make_private_folder(folder: Path, account: Account | None) -> None:
    """A folder that only its owner may enter: the account, else the user of this process."""
    make_shared_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    if account is not None:
        shutil.chown(folder, account.uid, account.gid)
