"""`sonde train answers` as it is typed: passages of a real index, a language model behind HTTP that dies on the way."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from elasticsearch import Elasticsearch

from core.ports import EmbedderCard
from es_mappings.indices import ensure_indices
from search_api.search.passages.values import REFUSAL
from sonde.cli import cli
from training.examples import TrainingError

pytestmark = pytest.mark.elasticsearch

CARD = EmbedderCard("test/none", 4, 64, 0.0)
PLACES = ("Norway", "Ghana", "Peru", "Japan", "Crete", "Kenya", "Nepal", "Chile", "Malta")
ASKED = 9


class Chat(BaseHTTPRequestHandler):
    """A stub of an OpenAI-style endpoint, not a model: it asks about the passage it is shown, finds every pair good,
    and without a passage says something else. After ``left`` answers it is gone."""

    answered: list[str] = []  # noqa: RUF012
    left = 0

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
        if type(self).left == 0:
            self.send_error(500)
            return
        type(self).left -= 1
        said = _said(messages)
        type(self).answered.append(json.dumps(messages))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        event = {"choices": [{"delta": {"content": said}}]}
        self.wfile.write(f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, *_: Any) -> None:
        pass


def _said(messages: list[dict[str, str]]) -> str:
    if messages[0]["content"].startswith("Judge"):
        return "3"
    if messages[0]["role"] == "system":
        text = messages[1]["content"]
        return json.dumps({"question": f"What is measured by this: {text[:24]}?", "answer": text})
    return "Satellites see it."


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    Chat.answered = []
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def run(home: Path, endpoint: str, elasticsearch_url: str, prefix: str) -> Result:
    environment = {
        "SONDE_MODELS__FOLDER": str(home / "cache"),
        "SONDE_ELASTICSEARCH__URL": elasticsearch_url,
        "SONDE_INDEX__PREFIX": prefix,
        "SONDE_ANSWERS__URL": endpoint,
        "SONDE_ANSWERS__MODEL": "stub",
    }
    words = ["train", "answers", "--out", str(home / "sets"), "--count", str(ASKED), "--passages", "3"]
    return CliRunner().invoke(cli, words, env=environment)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_dead_endpoint_keeps_what_it_said_and_the_same_command_asks_for_the_rest(
    tmp_path: Path, es_client: Elasticsearch, elasticsearch_url: str, prefix: str, endpoint: str
) -> None:
    """Nine passages: eight are answered and one is not (the eighth). Asked are 9 questions, 9 judgements and, but for
    the eighth, 8 guesses without a passage: 26 in all, each once over both runs."""
    ensure_indices(es_client, prefix, CARD, kinds=("passages", "library"))
    for place in PLACES:
        text = f"{place} has rain gauges that give daily totals since 1950."
        row = {"document": place, "ordinal": 0, "kind": "text", "owner": "public", "text": text, "title": place}
        es_client.index(index=f"{prefix}-passages", id=f"{place}#0", document=row)
    es_client.indices.refresh(index=f"{prefix}-*")

    Chat.left = 7
    broken = run(tmp_path, endpoint, elasticsearch_url, prefix)
    assert isinstance(broken.exception, TrainingError)
    assert "does not answer" in str(broken.exception)
    assert len(rows(tmp_path / "sets" / "raft.jsonl")) == 3  # three whole pairs of question and judgement

    Chat.left = 99
    done = run(tmp_path, endpoint, elasticsearch_url, prefix)
    assert done.exception is None, done.output
    raft, dpo = rows(tmp_path / "sets" / "raft.jsonl"), rows(tmp_path / "sets" / "dpo.jsonl")
    assert len(raft) == len(dpo) == ASKED
    answers = [row["messages"][-1]["content"] for row in raft]
    assert [at for at, said in enumerate(answers) if said == REFUSAL] == [7]
    assert all("since 1950 [" in said for at, said in enumerate(answers) if at != 7)
    assert dpo[0]["rejected"][0]["content"] == "Satellites see it."
    assert dpo[7]["chosen"][0]["content"] == REFUSAL
    assert len(Chat.answered) == len(set(Chat.answered)) == 26
    assert sorted(path.name for path in (tmp_path / "sets").iterdir()) == ["dpo.jsonl", "raft.jsonl"]
