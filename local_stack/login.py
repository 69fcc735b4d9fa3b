"""The login of the Elasticsearch that a stack starts: made once, kept in the stack's folder for its owner alone.

Every account of a machine can reach a port of 127.0.0.1, and so can a page in a browser whose name was bound to that
address. The node knows a hash of the password only.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from local_stack.state import file_lock

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
