"""The one-machine stack as services of systemd: one unit for each part, with limits and without privileges.

A unit runs ``python -m sonde.ops.one_machine PART``, which prepares the part as `sonde up` does and becomes it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

from core.errors import SondeError
from local_stack.accounts import Account, can_reach
from local_stack.part import StackPart
from sonde.ops.capacity import PROCESS_MB
from sonde.ops.one_machine import KEEPER, stack_of
from sonde.settings import Settings, load_settings

USER = "sonde"
STATE, CACHE = Path("/var/lib/sonde/service"), Path("/var/cache/sonde/service")
ENVIRONMENT = Path("sonde/environment")
_SERVERS = ("elasticsearch", "broker")
_MIB = 1 << 20
_SERVER_MIB = {"broker": 512, "beat": 512}
_SPARE_MIB = 1024
_SMALLEST_API_MIB = 2048

_HARDENING = """\
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service mincore seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
SystemCallErrorNumber=EPERM
UMask=0077
"""
_TARGET = """\
[Unit]
Description=Sonde, the search service
Wants={units}

[Install]
WantedBy=multi-user.target
"""
_JOURNAL = """\
# Logs of Sonde: journalctl --namespace=sonde -u sonde-api
[Journal]
SystemMaxUse=1G
SystemMaxFileSize=50M
MaxRetentionSec=90day
RateLimitIntervalSec=30s
RateLimitBurst=10000
"""
_ENVIRONMENT = """\
# Settings of Sonde's services (docs/operators/settings.md). Secrets: NAME_FILE=/etc/sonde/FILE
SONDE_STACK__FOLDER={state}
SONDE_STACK__CACHE={cache}
SONDE_LIBRARY__FOLDER={state}/library
SONDE_MODELS__FOLDER={models}
SONDE_HARVEST__SOURCES={sources}
"""


def service_settings(etc: Path) -> Settings:
    """What the services read: the file of an earlier call; before the first call, the environment. Raises SondeError.

    ``sudo`` hides the environment of the operator, and units from other settings would not fit the services.
    """
    file = etc / ENVIRONMENT
    if file.exists():
        for name in [name for name in os.environ if name.startswith("SONDE_")]:
            del os.environ[name]
        os.environ.update(_assignments(file.read_text("utf-8")))
    return load_settings()


def _assignments(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith(("#", ";")):
            is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            yield name, value[1:-1] if is_quoted else value


def service_files(settings: Settings, python: Path = Path(sys.executable)) -> dict[Path, str]:
    """Paths below /etc, and contents. Raises SondeError if the account could not run ``python``."""
    _require_reachable(python)
    parts = [part for part in stack_of(settings).parts if part.name != KEEPER]
    servers = [_unit(part.name) for part in parts if part.name in _SERVERS]
    units = {Path(f"systemd/system/{_unit(part.name)}"): _unit_text(part, settings, python, servers) for part in parts}
    wanted_units = " ".join(_unit(part.name) for part in parts)
    is_own = "folder" in settings.models.model_fields_set  # as in an offline bundle, whose services may fetch nothing
    paths = {
        "state": STATE,
        "cache": settings.stack.cache or CACHE,
        "models": settings.models.folder if is_own else CACHE / "models",
        "sources": settings.harvest.sources.resolve(),
    }
    return {
        **units,
        Path("systemd/system/sonde.target"): _TARGET.format(units=wanted_units),
        Path("systemd/journald@sonde.conf"): _JOURNAL,
        Path("sysusers.d/sonde.conf"): f'u {USER} - "Sonde" {STATE}\n',
        ENVIRONMENT: _ENVIRONMENT.format(**paths),
    }


def write_service_files(files: Mapping[Path, str], etc: Path) -> Iterator[Path]:
    """Yields each file that was written. An existing file of settings stays."""
    for path, text in files.items():
        file = etc / path
        if path != ENVIRONMENT or not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            yield file


def memory_mib(part: str, settings: Settings, machine_mib: int) -> int:
    """The most memory of a part. The API and each worker process fit themselves to less."""
    if part == "elasticsearch":
        return 2 * _heap_mib(settings.elasticsearch.heap)
    if part == "api":
        wanted_mib = settings.api.memory_mb or PROCESS_MB * settings.api.workers or machine_mib // 4
        return max(_SMALLEST_API_MIB, wanted_mib)
    return _SERVER_MIB.get(part, settings.worker.memory_mib + _SPARE_MIB)


def _heap_mib(heap: str) -> int:
    return int(heap[:-1]) * (1024 if heap.endswith("g") else 1)


def _unit(part: str) -> str:
    return f"sonde-{part}.service"


def _unit_text(part: StackPart, settings: Settings, python: Path, servers: Sequence[str]) -> str:
    command = f"{python} -m sonde.ops.one_machine"
    after = " ".join(["network-online.target", *([] if part.name in _SERVERS else servers)])
    limit_mib = memory_mib(part.name, settings, psutil.virtual_memory().total // _MIB)
    return f"""\
# Written by `sonde up --service`.
[Unit]
Description=Sonde: {part.name}
After={after}
Wants={after}
PartOf=sonde.target
StartLimitIntervalSec=600
StartLimitBurst=10

[Service]
Type=exec
User={USER}
Group={USER}
EnvironmentFile=/etc/{ENVIRONMENT}
WorkingDirectory={STATE}
StateDirectory={STATE.relative_to("/var/lib")}
StateDirectoryMode=0700
CacheDirectory={CACHE.relative_to("/var/cache")}
ExecStart={command} {part.name}
ExecStartPost={command} --wait {part.name}
TimeoutStartSec={900 if part.name == "elasticsearch" else 300}
TimeoutStopSec={part.stop_grace_s + 10:.0f}
KillMode=mixed
Restart=on-failure
RestartSec=2
OOMPolicy={"continue" if part.asked_once else "stop"}
MemoryMax={limit_mib}M
MemorySwapMax=0
TasksMax=4096
LimitNOFILE=65535
LogNamespace=sonde
SyslogIdentifier={_unit(part.name).removesuffix(".service")}
{_HARDENING}
[Install]
WantedBy=sonde.target
"""


def _require_reachable(python: Path) -> None:
    other_account = Account(USER, -1, -1)
    for path in (python.parent, python.resolve().parent, Path(__file__).parent):
        if not can_reach(other_account, path):
            raise SondeError(
                f"other accounts cannot enter {path}, so no service could run as {USER}: "
                "install Sonde below /opt, and run `sonde up --service` there"
            )
    if re.search(r"[\s%\"'\\$]", str(python)):
        raise SondeError(f"{python} has a character that a unit of systemd would misread: install Sonde elsewhere")
