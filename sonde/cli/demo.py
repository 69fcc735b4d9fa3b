"""`sonde demo`: everything on this machine, the samples, and a few example searches."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, stop_after_delay, wait_fixed

from core.errors import SondeError
from core.json_types import Json
from es_mappings.codecs.runs import RunReport
from search_api.app import create_app
from sonde.cli.catalogue import run_to_end, show_reports
from sonde.cli.screen import messages, screen
from sonde.cli.search import ask
from sonde.cli.search import show as show_answer
from sonde.cli.stack import show as show_stack
from sonde.cli.stack import start_stack
from sonde.model_settings import CrossEncoderSettings
from sonde.settings import Settings, load_settings
from sonde.wiring.api import api_parts
from sonde.wiring.harvesting import Harvester, SourceBusy
from sonde.wiring.models import Models

_QUESTIONS = (
    "rainfall in southern Africa since 1990",
    "greenhouse gas measurements north of Italy since 2010",
    "how much ice has Greenland lost",
)
_CROSS_ENCODER = "shipped:cross-encoder-minilm-l6"
_FILE = Path(__file__).resolve()
_SAMPLES = (_FILE.parents[2] / "samples" / "records", _FILE.parents[1] / "sample_records")
"""In a checkout, and in an installed package."""
_RETRY = Retrying(
    retry=retry_if_exception_type(SondeError), stop=stop_after_attempt(4), wait=wait_fixed(5), reraise=True
)
"""A slow machine that has just started everything may answer its first searches too late."""
_RETRY_HARVEST = Retrying(
    retry=retry_if_exception_type(SourceBusy),
    stop=stop_after_delay(300),
    wait=wait_fixed(2),
    before_sleep=lambda attempt: _say_waiting() if attempt.attempt_number == 1 else None,
    reraise=True,
)
"""A checkout's sources.yaml has the samples too: a worker may harvest them first."""


@click.command()
def demo() -> None:
    """Start everything, harvest samples/, run a few searches and keep running; `sonde down` stops it."""
    started = time.monotonic()
    console = screen()
    samples = next((folder for folder in _SAMPLES if folder.is_dir()), None)
    if samples is None:
        raise SondeError(f"The sample records are missing: {_SAMPLES[1]}. Install Sonde again.")
    show_stack(console, start_stack(console))
    settings = load_settings()
    reports = [_harvest(Harvester(settings), samples)]
    show_reports(console, reports)
    if reports[0].state != "complete":
        sys.exit(1)
    for question in _QUESTIONS:
        console.print(f"\n> {question}", style="bold")
        show_answer(console, _answer(settings.api_url, question))
    console.print(f"\n> {_QUESTIONS[-1]}", style="bold")
    console.print(f"With SONDE_CROSS_ENCODER__MODEL={_CROSS_ENCODER}, which reads the best hits again:", style="dim")
    show_answer(console, _answer_with_cross_encoder(settings, _QUESTIONS[-1]))
    console.print(
        f"\nReady after {time.monotonic() - started:.0f} s. Search at {settings.api_url}/ ; "
        "`sonde down` ends it (in a checkout `make down`)."
    )


def _say_waiting() -> None:
    messages().print("A worker harvests the samples; waiting for it.")


def _harvest(harvester: Harvester, samples: Path) -> RunReport:
    return _RETRY_HARVEST(run_to_end, messages(), harvester, str(samples), "samples")


def _answer(address: str, question: str) -> Json:
    return _RETRY(ask, f"{address}/search", {"q": question, "limit": 5})


def _answer_with_cross_encoder(settings: Settings, question: str) -> Json:
    """Searched in this process: the service that runs is the one of the default settings."""
    demo_settings = settings.model_copy(update={"cross_encoder": CrossEncoderSettings(model=_CROSS_ENCODER)})
    service = create_app(api_parts(demo_settings, Models(demo_settings))).test_client()

    def answer() -> Json:
        response = service.get("/search", query_string={"q": question, "limit": 5})
        content: Json = response.get_json()
        if response.status_code != 200:
            raise SondeError(str(content["detail"]))
        return content

    return _RETRY(answer)


COMMANDS = (demo,)
