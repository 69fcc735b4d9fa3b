"""`sonde ask-evaluate` on a real Elasticsearch: two texts, three questions, both ways of answering; nothing stays."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner
from elasticsearch import Elasticsearch

from core.errors import SondeError
from evaluation.local_server import serve
from evaluation.temporary_index import PREFIX
from indexer.documents.index.ingest import IncomingDocument, ingest
from reading.sentences import sentences
from sonde.cli.ask_evaluate import ask_evaluate, ask_questions
from sonde.wiring.clients import prepare_indices
from sonde.wiring.documents import document_parts
from tests.pdf_files import PdfPage, paragraph, pdf
from tests.service import Service

TEXTS = {
    "The Brumm estuary is 31 km long. Its tides reach 4 metres at the mouth, and seals rest on its sand banks.": [
        ("a1", "How long is the Brumm estuary?", "It is 31 km long.", "1.0"),
        ("a2", "Who painted the ceiling of the Sistine Chapel?", "", "0.0"),
    ],
    "Offshore wind farms need cables. The Dorsch cable carries 600 megawatts from the platform to the coast.": [
        ("b1", "How many megawatts does the Dorsch cable carry?", "600 megawatts", "1.0"),
    ],
}
PAGES = [
    "The Brumm estuary is 31 km long.",
    "It lies in the north.",
    "The tides of the Brumm estuary reach 4 metres.",
    "Seals rest on its sand banks.",
]
COLUMNS = ["id_qa", "question_en_origin", "answer_en_origin", "answer_en_validate", "abstract", "at_labels"]


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder in the layout of the shared data with a collection in Pirá's form."""
    folder = tmp_path / "data" / "judged" / "pira"
    folder.mkdir(parents=True)
    (folder / "reports_questions.json").write_text("[]")
    with (folder / "validation.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        rows.writerows(
            (id, question, answer, answer, text, label)
            for text, asked in TEXTS.items()
            for id, question, answer, label in asked
        )
    return tmp_path


class Stub(BaseHTTPRequestHandler):
    """An endpoint that is no model: it copies the first sentence of the first passage."""

    first_passage = re.compile(
        r"^\[1\] \([^\n]*\)\n(?P<text>.*?)(?=\n\n\[2\] |\n=====PASSAGES-)", re.DOTALL | re.MULTILINE
    )

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        match = self.first_passage.search(request["messages"][-1]["content"])
        text = next(iter(sentences(match["text"].replace("\n", " "))), "") if match is not None else "I know nothing."
        reply = {"choices": [{"message": {"content": f"{text.rstrip('.')} [1]." if match is not None else text}}]}
        body = f"data: {json.dumps(reply)}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@pytest.fixture
def stub() -> Iterator[str]:
    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Stub)) as url:
        yield f"{url}/v1"


@pytest.mark.parametrize("mode", ["extractive", "endpoint"])
def test_what_is_found_cited_and_refused_is_measured(
    shared: Path,
    mode: str,
    stub: str,
    elasticsearch_url: str,
    es_client: Elasticsearch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", elasticsearch_url)
    if mode == "endpoint":
        monkeypatch.setenv("SONDE_ANSWERS__URL", stub)
        monkeypatch.setenv("SONDE_ANSWERS__MODEL", "stub")
    out, page = shared / "out.json", shared / "page.html"
    arguments = ["--shared", str(shared), "--json", str(out), "--page", str(page)]
    done = CliRunner().invoke(ask_evaluate, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text())
    assert (found["recall@1"], found["refused_wrongly"], found["refused_rightly"]) == (1.0, 0.0, 1.0)
    assert found["citation_precision"] == 1.0
    assert found["sentences_supported"] == 1.0
    assert found["questions"] == 3
    assert found["off_topic"] >= 80, "nonsense is asked even where no other collection is at hand"
    assert found["off_topic_refused"] > 0.9
    assert found["intervals"]["recall@1"] == [1.0, 1.0]
    by_question = {row["id"]: row for row in found["by_question"]}
    assert "31 km" in by_question["a1"]["answer"]
    if mode == "endpoint":
        assert "The model stub" in found["made"]
        assert found["answer_recall_without_retrieval"] == 0.0
        assert by_question["b1"]["answer"] == "Offshore wind farms need cables [1]."
    assert by_question["a1"]["as"] in page.read_text()
    left = es_client.search(index=f"{PREFIX}*-passages-*", query={"match": {"text": "Brumm"}}, ignore_unavailable=True)
    assert left["hits"]["hits"] == []


def test_ones_own_questions_are_asked_of_the_running_index(
    tmp_path: Path, elasticsearch_url: str, es_client: Elasticsearch, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", elasticsearch_url)
    monkeypatch.setenv("SONDE_INDEX__PREFIX", prefix)
    service = Service(es_client, elasticsearch_url, prefix)
    parts = document_parts(service.settings, service.models, es_client)
    prepare_indices(es_client, service.settings, service.models)
    pages = [PdfPage(paragraph(72, 100, [*line])) for line in (PAGES[:2], PAGES[2:])]
    assert ingest(IncomingDocument(pdf(pages), "brumm.pdf", "brumm.pdf"), parts).entry.state == "ready"
    es_client.indices.refresh(index=f"{prefix}-*")

    asked, out = tmp_path / "questions.jsonl", tmp_path / "out.json"
    lines = [
        {
            "question": "How long is the Brumm estuary?",
            "document": "brumm.pdf",
            "pages": [1],
            "answers": ["31 km long."],
        },
        {"question": "How high are the tides of the Brumm estuary?", "document": "brumm.pdf", "pages": [7]},
        {"question": "Who painted the ceiling of the Sistine Chapel?", "answerable": False},
        {"question": "best recipe for apple cake", "off_topic": True},
    ]
    asked.write_text("\n".join(json.dumps(line) for line in lines))
    done = CliRunner().invoke(ask_evaluate, ["--questions", str(asked), "--json", str(out)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text())
    assert (found["refused_wrongly"], found["refused_rightly"], found["statement_recall"]) == (0.0, 1.0, 1.0)
    assert (found["unanswerable"], found["off_topic_refused"]) == (1, 1.0)
    assert found["right_page_first"] == 0.5, "there is no page 7"

    made = CliRunner().invoke(ask_questions, ["--out", str(asked), "--count", "2"], catch_exceptions=False)
    assert made.exit_code == 0, made.output
    assert "0 several" in made.output, "there is one document"
    done = CliRunner().invoke(ask_evaluate, ["--questions", str(asked), "--json", str(out)], catch_exceptions=False)
    found = json.loads(out.read_text())
    assert (found["recall@1"], found["right_page_cited"]) == (1.0, 1.0), "each quotes the text that answers it"
    assert found["by_kind"]["fact"]["questions"] == len(found["by_question"])
    assert "fact" in done.output

    asked.write_text('{"question": "a"}\n{"document": 3}\nrubbish\n')
    with pytest.raises(SondeError, match=r"line 2: question.*line 3"):
        CliRunner().invoke(ask_evaluate, ["--questions", str(asked)], catch_exceptions=False)
    asked.write_text('{"question": "a", "document": "nowhere.pdf"}\n')
    with pytest.raises(SondeError, match=r"0 public documents are called 'nowhere.pdf'"):
        CliRunner().invoke(ask_evaluate, ["--questions", str(asked)], catch_exceptions=False)
