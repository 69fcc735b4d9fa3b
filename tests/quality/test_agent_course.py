"""A scripted agent takes the written course over the real ``/mcp``: where each task ends, and at what price."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp.client import Client

from tests.agents import Told, over_http, told
from tests.live import serving
from tests.service import Service

COURSE: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("agent_course.yaml").read_text("utf-8"))
MOST_CHARACTERS = 20_000
"""About 5,000 tokens for all answers of one task."""


@dataclass
class Agent:
    """Calls what the script says, with the best hit and the next page of what it has seen. Keeps every answer."""

    client: Client
    answers: list[Told] = field(default_factory=list)
    best: str = ""
    following: str = ""

    async def call(self, tool: str, arguments: dict[str, Any]) -> Told:
        known = {"$best": self.best, "$next": self.following}
        given = {
            name: known.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()
        }
        answer = await told(self.client, tool, given)
        self.answers.append(answer)
        if not answer.is_error:
            self.best = _best(answer.quoted) or self.best
            self.following = answer.own.get("next_cursor", "")
        return answer


def _best(quoted: Any) -> str | None:
    """The id of the record, or of the first of the records, that an answer quotes."""
    if isinstance(quoted, list):
        return next((one["id"] for one in quoted if isinstance(one, dict) and "id" in one), None)
    return quoted.get("id") or _best(quoted.get("best", []))


@pytest.fixture(scope="module")
def walked(samples: Service) -> Iterator[list[Agent]]:
    """Every task, over one connection."""

    async def walk(client: Client) -> list[Agent]:
        agents = []
        for task in COURSE:
            agent = Agent(client)
            for call in task["calls"]:
                ((tool, arguments),) = [(name, value) for name, value in call.items() if name != "error"]
                answer = await agent.call(tool, arguments)
                assert answer.is_error == ("error" in call), (task["task"], answer.text)
                assert call.get("error", "") in answer.text
            agents.append(agent)
        return agents

    with serving(samples.app) as address:
        yield over_http(address, walk)


def test_the_course_has_thirty_tasks_with_an_end() -> None:
    assert len(COURSE) == 30
    assert all({"record", "says", "nothing"} & task.keys() for task in COURSE)


@pytest.mark.parametrize("place", range(30), ids=[task["task"][:50] for task in COURSE])
def test_the_task_ends_where_it_should(walked: list[Agent], place: int) -> None:
    task, agent = COURSE[place], walked[place]
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
    assert sum(calls) < 60
