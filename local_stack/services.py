"""The service's own processes, as parts; and the usual commands of Celery."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import httpx

from local_stack.part import StackPart
from local_stack.process import Command
from local_stack.settings import ApiConfig, Port, ServiceProcess, StackConfig

_ASK_TIMEOUT_S = 5.0
_READ_FOR_TEXT_BYTES = 1 << 20  # what says "ready" is written early


def service_part(stack: StackConfig, service: ServiceProcess) -> StackPart:
    log = stack.folder / "logs" / f"{service.name}.log"
    command = Command(service.argv, {**stack.environment, **service.env}, service.cwd, log)
    return StackPart(
        name=service.name,
        log=log,
        prepare=lambda _report: command,
        trouble=lambda: trouble(service, log),
        address=service.address,
        ports=(service.port,) if service.port else (),
        start_timeout_s=service.start_timeout_s,
        stop_grace_s=service.stop_grace_s,
        asked_once=service.health_url is None,
    )


def trouble(service: ServiceProcess, log: Path) -> str | None:
    """What is wrong with a service that runs, as a phrase; None where it is up."""
    if service.health_url is not None:
        return _probe_error(service.health_url)
    if service.ready_text is not None and not _log_contains(log, service.ready_text):
        return f"has not written {service.ready_text!r} yet"
    return None


def _probe_error(url: str) -> str | None:
    try:
        status = httpx.get(url, timeout=_ASK_TIMEOUT_S).status_code
    except httpx.HTTPError as error:
        return f"does not answer ({type(error).__name__})"
    return None if status == httpx.codes.OK else f"answers {status}"


def _log_contains(log: Path, text: str) -> bool:
    if not log.exists():
        return False
    with log.open("rb") as stream:
        return text.encode() in stream.read(_READ_FOR_TEXT_BYTES)


def api_service(argv: tuple[str, ...], api: ApiConfig, cwd: Path, env: Mapping[str, str]) -> ServiceProcess:
    """The API as the command ``argv`` serves it; host and port are the command's own affair and only named here."""
    bind = f"[{api.host}]:{api.port}" if ":" in api.host else f"{api.host}:{api.port}"
    asked_at = "127.0.0.1" if api.host in ("0.0.0.0", "::") else api.host  # compared, not bound  # noqa: S104  # nosec B104
    address = f"http://{bind if asked_at == api.host else f'{asked_at}:{api.port}'}"
    return ServiceProcess(
        name="api",
        argv=argv,
        cwd=cwd,
        env=env,
        address=address,
        port=Port(api.host, api.port, api.port_setting),
        health_url=f"{address}/healthz",
        stop_grace_s=api.stop_grace_s,
    )


_LOG_ENVIRONMENT = {"SONDE_LOG__LEVEL": "INFO"}
"""What says that Celery is ready is a line of this level, whatever level was asked for."""


def worker_service(
    python: Path,
    application: str,
    queues: str,
    cwd: Path,
    env: Mapping[str, str],
    name: str = "worker",
    at_once: int = 0,
) -> ServiceProcess:
    """A Celery worker; ``queues`` is a list with commas. SIGTERM lets a slice of a harvest come to its end.

    ``at_once``: tasks at the same time, each in a process; 0: one for each core.
    """
    celery = (str(python), "-m", "celery", "-A", application, "worker", "--loglevel", "INFO")
    argv = (*celery, "-Q", queues, "-n", f"{name}@%h", *(("-c", str(at_once)) if at_once else ()))
    return ServiceProcess(
        name=name, argv=argv, cwd=cwd, env={**env, **_LOG_ENVIRONMENT}, ready_text=" ready.", stop_grace_s=60.0
    )


def beat_service(python: Path, application: str, cwd: Path, env: Mapping[str, str]) -> ServiceProcess:
    """Celery beat; its schedule lives in the broker, so no pid or schedule file is left in ``cwd``."""
    argv = (str(python), "-m", "celery", "-A", application, "beat", "--loglevel", "INFO", "--pidfile=")
    return ServiceProcess(name="beat", argv=argv, cwd=cwd, env={**env, **_LOG_ENVIRONMENT}, ready_text="beat: Starting")
