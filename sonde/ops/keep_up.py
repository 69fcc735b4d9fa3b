"""The part `keeper` of `sonde up`: ``python -m sonde.ops.keep_up``. It starts parts again that die, and cuts logs."""

from __future__ import annotations

import structlog

from sonde.ops.one_machine import KEEPER, stack_of
from sonde.settings import load_settings
from sonde.telemetry.logs import configure_logs

log = structlog.get_logger(__name__)


def main() -> None:
    settings = load_settings()
    configure_logs(settings.log)
    stack_of(settings).keep(KEEPER, _tell)


def _tell(event: str, **fields: object) -> None:
    log.warning(event, **fields)


if __name__ == "__main__":
    main()
