"""An API of a command's own: served as it ships on a free port of this machine, ended with the ``with``."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from core.errors import SondeError
from local_stack.errors import StackError
from local_stack.part import ignore_event
from local_stack.ports import free_port
from local_stack.services import api_service, service_part
from local_stack.settings import ApiConfig, StackConfig
from local_stack.supervisor import Supervisor
from sonde.ops.one_machine import elasticsearch_environment, own_environment, serve_command, served_at
from sonde.settings import Settings


@contextmanager
def own_api(
    settings: Settings, prefix: str, processes: int, variables: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of an API over the indices of ``prefix``, models loaded, without limits by address or key.

    ``variables``: further variables of its environment.

    Raises SondeError if it does not come up.
    """
    port = free_port()
    environment = {
        **own_environment(),
        **elasticsearch_environment(settings),
        "SONDE_INDEX__PREFIX": prefix,
        **served_at(port),
        "SONDE_API__WORKERS": str(processes),
        "SONDE_API__PRELOAD": "true",
        "SONDE_ACCESS__ANONYMOUS_SEARCH": "true",
        "SONDE_LIMITS__PER_ADDRESS": "none",
        "SONDE_LIMITS__PER_KEY": "none",
        "SONDE_LOG__LEVEL": "ERROR",
        **(variables or {}),
    }
    service = api_service(serve_command(), ApiConfig(port=port), Path.cwd(), {})
    with tempfile.TemporaryDirectory(prefix="sonde-api-") as name:
        folder = Path(name)
        supervisor, part = Supervisor(folder), service_part(StackConfig(folder, environment), service)
        try:
            supervisor.ensure(part, ignore_event)
            yield str(part.address)
        except StackError as error:
            # The log goes with its folder; what it said last stands in the notes.
            raise SondeError("\n".join((str(error), *getattr(error, "__notes__", ())))) from error
        finally:
            supervisor.stop(part.name, part.stop_grace_s)
