"""The one-machine stack: ``up``, ``down``, ``status``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from local_stack.elasticsearch import elasticsearch_part
from local_stack.errors import StackError
from local_stack.login import made_login
from local_stack.part import External, OneAtATime, PartStatus, Reporter, StackPart, silent
from local_stack.services import service_part
from local_stack.settings import ServiceProcess, StackConfig
from local_stack.state import file_lock
from local_stack.supervisor import LOOK_S, Keeper, Supervisor
from local_stack.valkey import broker_part

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

    def up(self, report: Reporter = silent) -> list[PartStatus]:
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
