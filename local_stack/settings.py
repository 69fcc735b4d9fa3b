"""The settings of a stack: folders, ports, addresses and the commands of the service's own processes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

DEFAULT_VERSION = "9.4.3"
_HEAP = re.compile(r"^[1-9]\d*[kKmMgG]$")


def default_cache() -> Path:
    """Where downloads are kept: the user's cache, or, for root, the machine's.

    Elasticsearch refuses to run as root, and nobody else can read below root's home.
    """
    if os.geteuid() == 0:
        return platformdirs.site_cache_path("sonde")
    return platformdirs.user_cache_path("sonde")


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """One node on 127.0.0.1, or, with ``url``, a server that is already there (then none is started).

    The ports lie beside the well-known ones, so that a machine that already runs an Elasticsearch is not in the way.
    ``ca_certs``: a PEM file with the CA that signed the named server's certificate. ``heap`` is the JVM's notation
    ("1g"). ``version`` is one of those that are known (distribution.py); with ``home``, an installed Elasticsearch,
    it has no effect. ``run_as`` is the account used when started by root. ``home_setting``,
    ``http_port_setting`` and ``transport_port_setting`` are what the operator knows them as. ``members``: transport
    port by name of every node of a cluster, this one included; none means a node alone. ``jvm_options`` are added to
    the node's own. ``with_login``: the node asks for the login of the stack's folder.
    Raises ValueError for a heap that the JVM would not understand.
    """

    url: str | None = None
    ca_certs: Path | None = None
    http_port: int = 9270
    transport_port: int = 9370
    heap: str = "1g"
    version: str = DEFAULT_VERSION
    home: Path | None = None
    home_setting: str = "SONDE_ELASTICSEARCH__HOME"
    run_as: str = "nobody"
    start_timeout_s: float = 180.0
    http_port_setting: str = "SONDE_ELASTICSEARCH__PORT"
    transport_port_setting: str = "SONDE_ELASTICSEARCH__TRANSPORT_PORT"
    with_login: bool = False
    node: str = "node-1"
    members: Mapping[str, int] = field(default_factory=dict)
    jvm_options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if _HEAP.match(self.heap) is None:
            raise ValueError(f"heap {self.heap!r} is not a size such as 512m or 1g")


@dataclass(frozen=True, slots=True)
class ValkeyConfig:
    """A Valkey server on 127.0.0.1, or, with ``url``, a Redis-protocol server that is already there."""

    url: str | None = None
    port: int = 6399
    start_timeout_s: float = 30.0
    port_setting: str = "SONDE_BROKER__PORT"


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """Where the API listens, which setting changes that, and how long it may finish open requests at its end."""

    host: str = "127.0.0.1"
    port: int = 8080
    port_setting: str = "SONDE_API__PORT"
    stop_grace_s: float = 40.0


@dataclass(frozen=True, slots=True)
class Port:
    """A TCP port a part listens on, and the setting that moves it."""

    host: str
    number: int
    setting: str


@dataclass(frozen=True, slots=True)
class ServiceProcess:
    """One process of the service itself, started once Elasticsearch and the broker answer.

    ``env`` replaces values of ``StackConfig.environment``. It counts as up when ``health_url`` answers 200, else
    when its log contains ``ready_text``, else as soon as it runs. ``stop_grace_s``: how long SIGTERM may take.
    """

    name: str
    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    address: str | None = None
    port: Port | None = None
    health_url: str | None = None
    ready_text: str | None = None
    start_timeout_s: float = 120.0
    stop_grace_s: float = 20.0


@dataclass(frozen=True, slots=True)
class StackConfig:
    """One stack. Several may run at once in different folders and on different ports.

    ``folder`` holds state, data and ``logs/``; ``environment`` is what programs inherit (PATH, JAVA_HOME, proxies).
    """

    folder: Path
    environment: Mapping[str, str]
    cache: Path = field(default_factory=default_cache)
    elasticsearch: NodeConfig = field(default_factory=NodeConfig)
    broker: ValkeyConfig = field(default_factory=ValkeyConfig)
    services: tuple[ServiceProcess, ...] = ()

    @property
    def elasticsearch_url(self) -> str:
        return self.elasticsearch.url or f"http://127.0.0.1:{self.elasticsearch.http_port}"

    @property
    def broker_url(self) -> str:
        return self.broker.url or f"redis://127.0.0.1:{self.broker.port}/0"
