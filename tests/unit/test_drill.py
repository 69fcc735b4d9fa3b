"""`sonde drill`: each fault is on the page of troubleshooting and has a line of doctor; what was not noticed fails."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import httpx
import pytest
from click.testing import CliRunner

from core.errors import SondeError
from lab.operating import drill
from lab.operating.drill import FAULTS, PAGE, Fault, Outcome, Site
from sonde.cli import cli

ROOT = Path(__file__).resolve().parents[2]
SITE = Site({"SONDE_API__PORT": "9"}, ANY)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_page_of_troubleshooting_says_what_to_do(fault: Fault) -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    assert fault.row in page
    examined = (ROOT / "sonde" / "ops" / "doctor" / "examine.py").read_text("utf-8")
    assert fault.part in re.findall(r'^        "([a-z -]+)": ', examined, re.M)


def test_no_two_faults_have_one_name() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) > 10


class Rehearsed(Site):
    """A service with one fault, which doctor sees or not."""

    def __init__(self, findings: dict[str, str]) -> None:
        super().__init__({}, ANY)
        self.broken, self.findings = False, findings

    def search(self, path: str = "/search") -> str:
        return f"503 {path}" if self.broken else "200"

    def doctor(self) -> dict[str, str]:
        return {"mail": "as always"} | (self.findings if self.broken else {})


def _fault() -> Fault:
    return Fault("x", "api", "row", "act", lambda s: setattr(s, "broken", True), lambda s: setattr(s, "broken", False))


def test_an_outcome_has_what_users_saw_and_the_new_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drill, "_PAUSE_S", 0)
    outcome = drill._rehearse(_fault(), Rehearsed({"api": "start it"}), {"mail": "as always"})
    assert outcome == Outcome("x", {"503 /search": 6}, "start it", "act", ANY)
    assert outcome.repaired_s is not None
    assert drill._rehearse(_fault(), Rehearsed({"queues": "wait"}), {"mail": "as always"}).doctor == ""


def test_a_fault_that_stays_is_not_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drill, "_PAUSE_S", 0)
    monkeypatch.setattr(drill, "_LONGEST_S", 0)
    fault = Fault("x", "api", "row", "act", lambda site: setattr(site, "broken", True), lambda _site: None)
    assert drill._rehearse(fault, Rehearsed({"api": "start it"}), {}).repaired_s is None


def test_a_repair_that_fails_is_tried_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drill, "_PAUSE_S", 0)
    tries: list[Site] = []

    def repair(site: Site) -> None:
        tries.append(site)
        if len(tries) == 1:
            raise SondeError("elasticsearch is red, 180 s after its start")
        site.broken = False  # type: ignore[attr-defined]

    fault = replace(_fault(), repair=repair)
    assert drill._rehearse(fault, Rehearsed({"api": "start it"}), {}).repaired_s is not None

    def refuse(_site: Site) -> None:
        raise SondeError("it does not start")

    assert drill._rehearse(replace(fault, repair=refuse), Rehearsed({"api": "start it"}), {}).repaired_s is None


def test_the_answers_of_a_service_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([httpx.Response(503), httpx.Response(200, json={"sonde:degraded": ["dense"]}), httpx.Response(401)])
    monkeypatch.setattr(httpx, "get", lambda *_args, **_options: next(answers))
    assert [SITE.search() for _ in range(3)] == ["503", "200 without dense", "401"]


def test_a_question_is_posted_as_its_contract_says(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def post(url: str, json: Any, **_options: Any) -> httpx.Response:
        asked.append((url.rpartition("/")[2], json))
        return httpx.Response(200, json={"sonde:degraded": ["language_model"]})

    monkeypatch.setattr(httpx, "post", post)
    assert SITE.search("/ask") == "200 without language_model"
    assert asked == [("ask", {"question": "rainfall in Africa"})]


def test_a_fault_that_cannot_be_caused_here_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    site = Rehearsed({})
    site.faketime = tmp_path / "libfaketime.so.1"
    monkeypatch.setattr(drill, "started_site", lambda _console, _faketime: nullcontext(site))
    done = CliRunner().invoke(cli, ["drill", "--fault", "the clock jumps"])
    assert done.exit_code == 0
    assert "the clock jumps: not tried, there is no libfaketime at" in done.output.replace("\n", " ")


def test_only_known_faults_are_chosen() -> None:
    done = CliRunner().invoke(cli, ["drill", "--fault", "a volcano"])
    assert done.exit_code == 2
    assert "the disk is full" in done.output
