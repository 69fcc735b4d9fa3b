"""A scripted agent takes the written course over the real ``/mcp``: where each task ends, and at what price."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp.client import Client

from core.record import Link
from evaluation.local_server import serve
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.granules.searches import GranuleSearches
from search_api.catalogue.listing import RecordReader, StoredRecord
from search_api.catalogue.rows.tables import TableReader
from sonde.wiring.api import api_parts
from tests.agents import Told, over_http, told
from tests.api.test_rows import FILES
from tests.live import serving
from tests.servers.opendap import OpendapServer
from tests.service import Service


def _course(name: str) -> list[dict[str, Any]]:
    tasks: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name(name).read_text("utf-8"))
    return tasks


COURSE, DATA_COURSE = _course("agent_course.yaml"), _course("agent_data_course.yaml")
TASKS = [*COURSE, *DATA_COURSE]
MOST_CHARACTERS = 20_000
"""About 5,000 tokens for all answers of one task."""


@dataclass
class Agent:
    """Calls what the script says, with the best hit and the next page of what it has seen. Keeps every answer."""

    client: Client
    answers: list[Told] = field(default_factory=list)
    best: str = ""
    following: str = ""
    table: str = ""

    async def call(self, tool: str, arguments: dict[str, Any]) -> Told:
        known = {"$best": self.best, "$next": self.following, "$table": self.table}
        given = {
            name: known.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()
        }
        answer = await told(self.client, tool, given)
        self.answers.append(answer)
        if not answer.is_error:
            self.best = _best(answer.quoted) or self.best
            self.following = answer.own.get("next_cursor", "")
            tables = answer.quoted.get("tables") if isinstance(answer.quoted, dict) else None
            self.table = tables[-1] if tables else self.table
        return answer


def _best(quoted: Any) -> str | None:
    """The id of the record, or of the first of the records, that an answer quotes."""
    if isinstance(quoted, list):
        return next((one["id"] for one in quoted if isinstance(one, dict) and "id" in one), None)
    return quoted.get("id") or _best(quoted.get("best", []))


class LinkedByRecord:
    """The real records; some have these links instead of their own."""

    def __init__(self, records: RecordReader, links: dict[str, tuple[Link, ...]]) -> None:
        self._records, self._links = records, links

    def record(self, record_id: str, source: str | None = None) -> StoredRecord:
        found = self._records.record(record_id, source)
        links = self._links.get(record_id, found.record.links)
        return replace(found, record=replace(found.record, links=links))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)


class _Data(OpendapServer):
    """The grid of OpendapServer, and the tables of test_rows."""

    def do_GET(self) -> None:
        kind, content = FILES.get(self.path, ("", b""))
        if not content:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def data_service(samples: Service) -> Iterator[str]:
    """The samples, of which three lead to tables, to a grid and to granules."""
    parts = api_parts(samples.settings, samples.models)
    gate = Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"})))
    with serving(samples.app) as stac, serve(ThreadingHTTPServer(("127.0.0.1", 0), _Data)) as data:
        links = {
            "samples:ghcn-daily": (Link(f"{data}/rain.csv"), Link(f"{data}/erddap/tabledap/buoys.html")),
            "samples:era5-single-levels-hourly": (Link(f"{data}/thredds/dodsC/sst.nc.html"),),
            "samples:chirps-v2-africa-monthly": (Link(f"{stac}/stac/collections/samples"),),
        }
        app = create_app(
            replace(
                parts,
                records=LinkedByRecord(parts.records, links),  # type: ignore[arg-type]
                tables=TableReader(lambda: gate),
                granules=GranuleSearches(lambda: gate),
            )
        )
        with serving(app) as address:
            yield address


@pytest.fixture(scope="module")
def walked(samples: Service) -> list[Agent]:
    """Every task, over one connection for each course."""
    with serving(samples.app) as address:
        agents = _walk(address, COURSE)
    with data_service(samples) as address:
        return [*agents, *_walk(address, DATA_COURSE)]


def _walk(address: str, course: list[dict[str, Any]]) -> list[Agent]:
    async def walk(client: Client) -> list[Agent]:
        agents = []
        for task in course:
            agent = Agent(client)
            for call in task["calls"]:
                ((tool, arguments),) = [(name, value) for name, value in call.items() if name != "error"]
                answer = await agent.call(tool, arguments)
                assert answer.is_error == ("error" in call), (task["task"], answer.text)
                assert call.get("error", "") in answer.text
            agents.append(agent)
        return agents

    return over_http(address, walk)


def test_the_course_has_forty_five_tasks_with_an_end() -> None:
    assert (len(COURSE), len(DATA_COURSE)) == (30, 15)
    assert all({"record", "says", "nothing"} & task.keys() for task in TASKS)


@pytest.mark.parametrize("place", range(len(TASKS)), ids=[task["task"][:50] for task in TASKS])
def test_the_task_ends_where_it_should(walked: list[Agent], place: int) -> None:
    task, agent = TASKS[place], walked[place]
    last = agent.answers[-1]
    if task.get("nothing"):
        assert "nothing" in last.own
        assert last.quoted == []
    for words in task.get("says", []):
        assert words in json.dumps(last.quoted)
    if "record" in task:
        assert agent.best.removeprefix("samples:") in task["record"]


def test_the_course_is_cheap(walked: list[Agent]) -> None:
    prices = [sum(len(answer.text) for answer in agent.answers) for agent in walked]
    calls = [len(agent.answers) for agent in walked]
    assert max(prices) < MOST_CHARACTERS, f"{sum(calls)} calls, {sum(prices)} characters; dearest {max(prices)}"
    assert sum(calls) < 2 * len(TASKS)
