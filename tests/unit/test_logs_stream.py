"""Logs go where standard error is now, not where it was when they were set up."""

from __future__ import annotations

import click
import pytest
import structlog
from click.testing import CliRunner

from sonde.logs import configure_logs
from sonde.settings import LogSettings


def test_a_closed_standard_error_is_not_written_to(capsys: pytest.CaptureFixture[str]) -> None:
    log = structlog.get_logger("test")

    @click.command()
    def command() -> None:
        configure_logs(LogSettings())
        log.info("inside")

    before = structlog.get_config()
    try:
        assert "inside" in CliRunner().invoke(command).stderr
        log.info("afterwards")
        assert "afterwards" in capsys.readouterr().err
    finally:
        structlog.configure(**before)
