"""What is written down of a stack: small JSON files, whole or not at all, one lock, and the login of its Elasticsearch.

The login is made once and readable only by the stack's owner: every account of a machine can reach a port of 127.0.0.1,
and so can a page in a browser whose name was bound to that address. The node knows a hash of the password only.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_stack.process import Started


def write_json(path: Path, value: object) -> None:
    """Writes beside, flushes to the disk, renames: after a power cut there is the old file or the new one."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    with temporary.open("w", encoding="utf-8") as stream:
        json.dump(value, stream, indent=1)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def read_json(path: Path) -> Any:
    """What was written, or None where there is nothing or only half of something."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


_RESTARTS_KEPT = 20


class Records:
    """Which process each part of a stack is, in ``run/NAME.json``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._restarts = folder / "restarts"

    def read(self, name: str) -> Started | None:
        value = read_json(self._path(name))
        if not isinstance(value, dict) or not isinstance(value.get("pid"), int):
            return None
        return Started(value["pid"], str(value.get("birth", "")))

    def was_written(self, name: str) -> bool:
        """True even where the file is broken: the part was started once and not stopped since."""
        return self._path(name).exists()

    def write(self, name: str, started: Started, address: str | None) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_json(self._path(name), {"pid": started.pid, "birth": started.birth, "address": address})

    def mark_up(self, name: str) -> None:
        """It answered after its start."""
        value = read_json(self._path(name))
        if isinstance(value, dict):
            write_json(self._path(name), {**value, "up": True})

    def was_up(self, name: str) -> bool:
        value = read_json(self._path(name))
        return isinstance(value, dict) and value.get("up") is True

    def restarts(self, name: str) -> list[float]:
        """When the part was started again after it had died; seconds since 1970."""
        value = read_json(self._restarts / f"{name}.json")
        return [float(restart_s) for restart_s in value] if isinstance(value, list) else []

    def note_restart(self, name: str, restarted_s: float) -> None:
        self._restarts.mkdir(parents=True, exist_ok=True)
        write_json(self._restarts / f"{name}.json", [*self.restarts(name), restarted_s][-_RESTARTS_KEPT:])

    def forget_restarts(self, name: str) -> None:
        (self._restarts / f"{name}.json").unlink(missing_ok=True)

    def forget(self, name: str) -> None:
        for path in (self._path(name), *self._folder.glob(f"{name}.json.*.new")):
            path.unlink(missing_ok=True)

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Waits until this lock is free; the system frees it when its holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


USER = "sonde"
ROLE = "superuser"
_FILE = "elasticsearch-password"
_BYTES = 32
_ITERATIONS = 10_000
_SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Login:
    """A user of the node, and the password."""

    user: str
    password: str = field(repr=False)

    @property
    def as_pair(self) -> tuple[str, str]:
        return self.user, self.password


def password_file(stack_folder: Path) -> Path:
    return stack_folder / _FILE


def login_of(stack_folder: Path) -> Login | None:
    """None if no password was made yet."""
    try:
        return Login(USER, password_file(stack_folder).read_text("ascii").strip())
    except FileNotFoundError:
        return None


def made_login(stack_folder: Path) -> Login:
    """The login of this folder, made if there is none: 256 random bits in a file that only its owner can read."""
    file = password_file(stack_folder)
    with file_lock(stack_folder / f"{_FILE}.lock"):
        if not file.exists():
            new_file = file.with_name(f"{_FILE}.new")
            new_file.unlink(missing_ok=True)
            with os.fdopen(os.open(new_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
                stream.write(secrets.token_hex(_BYTES))
            new_file.rename(file)  # whole, or not at all
        return Login(USER, file.read_text("ascii").strip())


def user_lines(login: Login, salt: bytes | None = None) -> tuple[str, str]:
    """The lines of ``users`` and ``users_roles``, Elasticsearch's file realm; the hash is PBKDF2 with HMAC-SHA-512."""
    salt_bytes = secrets.token_bytes(_SALT_BYTES) if salt is None else salt
    hash_bytes = hashlib.pbkdf2_hmac("sha512", login.password.encode(), salt_bytes, _ITERATIONS, 32)
    encoded_parts = "$".join(base64.b64encode(part).decode("ascii") for part in (salt_bytes, hash_bytes))
    return f"{login.user}:{{PBKDF2}}{_ITERATIONS}${encoded_parts}\n", f"{ROLE}:{login.user}\n"
