"""Logs go where standard error is now, not where it was when they were set up; libraries' lines have our times."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from typing import Literal

import click
import pytest
import structlog
from click.testing import CliRunner

from sonde.settings import LogSettings
from sonde.telemetry.logs import _of_libraries, configure_logs


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


def test_a_librarys_line_has_its_time_in_utc() -> None:
    program = (
        "import logging; from sonde.telemetry.logs import configure_logs; from sonde.settings import LogSettings;"
        "configure_logs(LogSettings());"
        "line = logging.makeLogRecord({'name': 'celery', 'levelno': 30, 'levelname': 'WARNING', 'msg': 'late',"
        " 'created': 86400.25, 'msecs': 250.0});"
        "logging.getLogger().handle(line)"
    )
    environment = {**os.environ, "TZ": "Asia/Tokyo", "SONDE_LOG__FORMAT": "console"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == "1970-01-02T00:00:00.250Z [WARNING] celery: late\n"


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_traceback_shows_no_local_variable(
    form: Literal["console", "json"], capsys: pytest.CaptureFixture[str]
) -> None:
    before = structlog.get_config()
    try:
        configure_logs(LogSettings(format=form))
        key = "sonde_" + "secret"
        try:
            raise RuntimeError(f"{len(key)} letters")
        except RuntimeError:
            structlog.get_logger().exception("request.failed")
    finally:
        structlog.configure(**before)
    said = capsys.readouterr().err
    assert "12 letters" in said
    assert "test_logs_stream.py" in said  # the traceback is there
    assert "sonde_secret" not in said


def test_what_a_caller_sends_cannot_write_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    before = structlog.get_config()
    try:
        configure_logs(LogSettings())
        sent = "/\x1b]0;owned\x07\x1b[2J\r\nfake [info] line \x9b31m \u202e"
        structlog.get_logger().info("request.answered", path=sent, status=200)
        line = logging.makeLogRecord({"name": "library", "levelno": 30, "levelname": "WARNING", "msg": sent})
        said = capsys.readouterr().err + _of_libraries(LogSettings()).format(line) + "\n"
    finally:
        structlog.configure(**before)
    assert said.count("\n") == 2
    assert "\\x1b]0;owned" in said
    assert not any(one in said for one in "\x1b\x07\r\x9b\u202e")
