"""PostgreSQL from Debian's package, in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local_stack.ports import free_port
from tests.servers.environments import not_possible


@contextmanager
def postgres(name: str) -> Iterator[str]:
    """The address of an empty database of that name, owned by a user of that name who needs no password."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        not_possible("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    # Not below pytest's folder: that is closed to the account that PostgreSQL steps down to.
    folder = Path(tempfile.mkdtemp(prefix="sonde-postgres-"))
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    data, port = folder / "data", free_port()

    def run(program: str, *arguments: str) -> None:
        command = [str(programs[-1] / program), *arguments]
        log = folder / "steps.log"
        with log.open("ab") as words:
            done = subprocess.run(command, cwd=folder, stdout=words, stderr=words, check=False, timeout=60, **who)
        assert done.returncode == 0, log.read_text("utf-8", "replace")[-2000:]

    run("initdb", "-D", str(data), "-A", "trust", "-U", name, "-N", "-E", "UTF8")
    run(
        "pg_ctl", "-D", str(data), "-o", f"-p {port} -k {folder} -c fsync=off", "-l", str(folder / "log"), "-w", "start"
    )
    try:
        run("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", name, name)
        yield f"postgresql://{name}@127.0.0.1:{port}/{name}"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)
