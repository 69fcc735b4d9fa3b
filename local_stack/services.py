"""The service's own processes as parts, the usual commands of Celery, and the stack of all parts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import httpx

from local_stack.elasticsearch import elasticsearch_part
from local_stack.errors import StackError
from local_stack.part import External, OneAtATime, PartStatus, Reporter, StackPart, ignore_event
from local_stack.process import Command
from local_stack.settings import ApiConfig, Port, ServiceProcess, StackConfig
from local_stack.state import file_lock, made_login
from local_stack.supervisor import LOOK_S, Keeper, Supervisor
from local_stack.valkey import broker_part

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
        status = httpx.get(url, timeout=_ASK_TIMEOUT_S, trust_env=False).status_code
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


_DEFAULT_GRACE_S = 20.0


class Stack:
    """One folder's stack. Several processes may call it at once: ``up`` and ``down`` take turns."""

    def __init__(self, settings: StackConfig) -> None:
        self._settings = settings
        self._folder = settings.folder
        self._servers: list[StackPart | External] = [elasticsearch_part(settings), broker_part(settings)]
        self._services: list[StackPart | External] = [service_part(settings, service) for service in settings.services]
        self._supervisor = Supervisor(settings.folder)

    @property
    def services(self) -> tuple[ServiceProcess, ...]:
        """The service's own processes, in the order of their status."""
        return self._settings.services

    @property
    def parts(self) -> tuple[StackPart, ...]:
        """The parts that are started here, servers first."""
        return tuple(part for part in (*self._servers, *self._services) if isinstance(part, StackPart))

    def up(self, report: Reporter = ignore_event) -> list[PartStatus]:
        """Every part runs and answers on return; parts that ran already are not restarted.

        Raises StackError (PortTaken, StartFailed, RequirementMissing, FetchFailed); parts that came up stay up,
        so a second ``up`` starts only the others, and ``down`` ends them.
        """
        reporter = OneAtATime(report)
        with file_lock(self._folder / "lock"):
            if self._settings.elasticsearch.with_login:
                made_login(self._folder)
            for parts in (self._servers, self._services):
                self._ensure_all(parts, reporter)
        return self.status()

    def _ensure_all(self, parts: Sequence[StackPart | External], report: Reporter) -> None:
        if not parts:
            return
        with ThreadPoolExecutor(len(parts)) as pool:
            pending = [pool.submit(self._supervisor.ensure, part, report) for part in parts]
            self._await_all(pending)

    def _await_all(self, pending: list[Future[None]]) -> None:
        try:
            wait(pending)
        except KeyboardInterrupt:
            self._supervisor.cancelled.set()  # the threads end at their next look
            raise
        for future in pending:
            future.result()

    def down(self, only: Sequence[str] = ()) -> None:
        """No process of this stack lives on return, services first; or of the parts named in ``only``. Data and logs
        stay.

        Raises StackError for a name that is no part, and where a process does not even end by SIGKILL.
        """
        with file_lock(self._folder / "lock"):
            grace = {part.name: part.stop_grace_s for part in self.parts}
            unknown_names = [name for name in self._supervisor.started_names() if name not in grace]
            services = [*unknown_names, *(part.name for part in self.parts if part not in self._servers)]
            servers = [part.name for part in self.parts if part in self._servers]
            for name in only:
                if name not in (*services, *servers):
                    raise StackError(f"{name} is no part that is started here; there are {', '.join(sorted(grace))}")
            for names in (services, servers):
                self._stop_all([name for name in names if not only or name in only], grace)

    def _stop_all(self, names: Sequence[str], grace: dict[str, float]) -> None:
        if names:
            with ThreadPoolExecutor(len(names)) as pool:
                list(pool.map(lambda name: self._supervisor.stop(name, grace.get(name, _DEFAULT_GRACE_S)), names))

    def keep(self, own_part: str, report: Reporter) -> None:
        """Restarts parts that died and cuts their logs, until the process ends. ``own_part``: the part that does it."""
        keeper = Keeper(self._supervisor, lambda: file_lock(self._folder / "lock"))
        parts = [part for part in self.parts if part.name != own_part]
        while True:
            keeper.look(parts, report)
            time.sleep(LOOK_S)

    def status(self) -> list[PartStatus]:
        """Elasticsearch, the broker, then the services in their order. Changes nothing and waits for nothing."""
        parts = [*self._servers, *self._services]
        with ThreadPoolExecutor(len(parts)) as pool:
            return list(pool.map(self._supervisor.status, parts))
