"""The one-machine stack as the settings describe it.

``python -m sonde.ops.one_machine`` is its part `keeper`: it starts parts again that die, and cuts logs. With the name
of a part it becomes that part, for a service manager; with ``--wait`` before it, it ends when the part answers.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import structlog

from core.errors import SondeError
from local_stack.errors import StackError
from local_stack.part import StackPart
from local_stack.services import Stack, api_service, beat_service, worker_service
from local_stack.settings import ApiConfig, NodeConfig, ServiceProcess, StackConfig, ValkeyConfig
from local_stack.state import USER, password_file
from sonde.settings import Settings, load_settings
from sonde.telemetry.logs import configure_logs
from workers.config import QUEUES as ALL_QUEUES

_LOOK_S = 1.0
QUEUES = ",".join(ALL_QUEUES)
KEEPER = "keeper"
_WORKERS = {"worker": ("harvest,embed", 0), "documents": ("documents", 1), "library": ("library", 1)}
"""Queues, and tasks at the same time. Three workers: harvests never wait for documents, nor users for catalogues."""
log = structlog.get_logger(__name__)


def stack_of(settings: Settings) -> Stack:
    """Servers and services; a server with an address in the settings is used and not started."""
    return Stack(
        StackConfig(
            folder=settings.stack.folder,
            environment=own_environment(),
            **({"cache": settings.stack.cache} if settings.stack.cache else {}),
            elasticsearch=NodeConfig(
                url=settings.elasticsearch.url,
                http_port=settings.elasticsearch.port,
                transport_port=settings.elasticsearch.transport_port,
                heap=settings.elasticsearch.heap,
                version=settings.elasticsearch.version,
                home=settings.elasticsearch.home,
                http_port_setting="SONDE_ELASTICSEARCH__PORT",
                transport_port_setting="SONDE_ELASTICSEARCH__TRANSPORT_PORT",
                with_login=settings.elasticsearch.url is None,
            ),
            broker=ValkeyConfig(url=settings.broker.url, port=settings.broker.port, port_setting="SONDE_BROKER__PORT"),
            services=_services(settings),
        )
    )


def serve_command() -> tuple[str, ...]:
    """The command that serves the API with the settings of the environment."""
    return (sys.executable, "-m", "sonde.server")


def served_at(port: int) -> dict[str, str]:
    """The environment of an API that a command starts, so that it does not disturb a running one."""
    return {"SONDE_API__HOST": "127.0.0.1", "SONDE_API__PORT": str(port), "SONDE_API__PROBES_PORT": ""}


def elasticsearch_environment(settings: Settings) -> dict[str, str]:
    """The variables by which another process finds the same Elasticsearch; of our own node's password only the file.

    Call it when the stack is up, or is about to be: the file is made before the first part starts.
    """
    variables = {"SONDE_ELASTICSEARCH__URL": settings.elasticsearch_url}
    if settings.elasticsearch.url is not None:
        return variables
    file = password_file(settings.stack.folder).resolve()
    login = {"SONDE_ELASTICSEARCH__USERNAME": USER, "SONDE_ELASTICSEARCH__PASSWORD_FILE": str(file)}
    return {**variables, **login, "SONDE_ELASTICSEARCH__API_KEY": ""}


def _services(settings: Settings) -> tuple[ServiceProcess, ...]:
    python, folder = Path(sys.executable), Path.cwd()
    addresses = {
        **elasticsearch_environment(settings),
        "SONDE_BROKER__URL": settings.broker_url,
        "SONDE_HARVEST__SOURCES": str(settings.harvest.sources.resolve()),
    }
    api = ApiConfig(host=settings.api.host, port=settings.api.port)
    app = "sonde.celery_app"
    workers = [
        worker_service(python, app, queues, folder, addresses, name, at_once)
        for name, (queues, at_once) in _WORKERS.items()
    ]
    return (
        *workers,
        beat_service(python, app, folder, addresses),
        api_service(serve_command(), api, folder, addresses),
        # Without the addresses above: to it too, a server that was started here is no external one.
        ServiceProcess(KEEPER, (sys.executable, "-m", "sonde.ops.one_machine"), folder),
    )


def own_environment() -> dict[str, str]:
    """The environment of the stack's processes: this process's, with our command's folder first on the path."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def main(arguments: Sequence[str] = ()) -> None:
    settings = load_settings()
    configure_logs(settings.log)
    stack = stack_of(settings)
    if not arguments:
        stack.keep(KEEPER, _report_event)
    part = next((part for part in stack.parts if part.name == arguments[-1]), None)
    if part is None:
        raise SondeError(f"{arguments[-1]} is no part that is started here")
    if arguments[0] == "--wait":
        _await(part)
    else:
        _become(part)


def _become(part: StackPart) -> None:
    """This process is the part from then on. Raises SondeError."""
    try:
        command = part.prepare(_report_event)
    except StackError as error:
        raise SondeError(str(error)) from error
    os.chdir(command.cwd)
    os.execve(command.argv[0], command.argv, dict(command.env))  # noqa: S606 - the stack's own commands  # nosec B606


def _await(part: StackPart) -> None:
    """Returns when the part answers. One that reports in its log only is not awaited; the manager limits the time."""
    while not part.asked_once and part.trouble() is not None:
        time.sleep(_LOOK_S)


def _report_event(event: str, **fields: object) -> None:
    log.warning(event, **fields)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SondeError as error:
        sys.exit(f"sonde: {error}")
