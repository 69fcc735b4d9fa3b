"""Commands print titles, ids and messages of others as data: no markup, no emoji codes, no control characters."""

from __future__ import annotations

import ast
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.progress import Progress

from core.errors import SondeError
from core.json_types import Json
from es_mappings.codecs.runs import Refusal, RunReport, WarningKind
from indexer.quality.quality import QualityFinding, QualityReport
from sonde.cli import cli
from sonde.cli.catalogue import show_reports
from sonde.cli.documents import show_answer
from sonde.cli.screen import DataConsole, NameColumn, say, say_json, screen
from sonde.cli.search import show
from sonde.cli.sources import _show_quality
from tests.servers.files import file_server
from tests.shared_data import shared_data

ROOT = Path(__file__).resolve().parents[2]
TEXTS = (
    "[Map of the Rhine valley]",
    "Chart [cartographic material] / by a surveyor",
    "Rhine soundings [/]",
    "[bold]loud[/bold] [link=https://a.example]x[/link] [/red]",
    "salmon :fish: counts",
    "oai:x:0",
    "urn:fish:ice:4",
    "a\\[b]",
    "{task.description} %s {0}",
    "Zürich 水文 ☃",
    "a title so long that it does not fit in any terminal, " * 8,
)
HOSTILE = "a\x1b[2J\x1b]0;title\x07b\x9b31mc\x08d\re\u2028f\u202eg\u2066"
SHOWN = r"a\u001b[2J\u001b]0;title\u0007b\u009b31mc\u0008d\u000de\u2028f\u202eg\u2066"


def _hits(titles: tuple[str, ...]) -> Json:
    read = {"thematic": titles[0], "places": [{"name": titles[0], "bbox": [1, 2, 3, 4]}], "datetime": None, "kinds": []}
    return {
        "sonde:interpretation": read,
        "sonde:degraded": [],
        "features": [
            {
                "properties": {"title": title},
                "sonde:score": 0.5,
                "sonde:explanation": {"signals": [{"contribution": 0.1, "signal": "bm25", "reason": title}]},
            }
            for title in titles
        ],
        "numberReturned": len(titles),
        "numberMatched": len(titles),
    }


def _report(text: str) -> RunReport:
    return RunReport(
        "1",
        text,
        "failed",
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z",
        message=text,
        refusals=(Refusal(text, text),),
        warnings={"a": WarningKind(1, (text,))},
    )


def _quality(text: str) -> QualityReport:
    found = (QualityFinding(text, 1, (text,)),)
    return QualityReport(text, 1, 0.5, (), found, found, found, broken_links=found, passed_over=found)


def _answer(text: str) -> Json:
    passage = {"number": 1, "title": text, "pages": None, "section": [text], "record": text}
    sentences = [{"supported": False, "text": text, "why": text, "citations": [1]}]
    return {"answer": text, "sentences": sentences, "passages": [passage], "degraded": []}


PRINTERS: list[Callable[[str], object]] = [
    say,
    lambda text: show(screen(), _hits((text,)), explain=True),
    lambda text: show_reports(screen(), [_report(text)]),
    lambda text: _show_quality(screen(), _quality(text)),
    lambda text: show_answer(screen(), _answer(text)),
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], text: str) -> None:
    for printer in PRINTERS:
        printer(text)
        assert text.strip() in capsys.readouterr().out


def test_a_terminal_gets_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    for printer in PRINTERS:
        printer(HOSTILE)
        out = capsys.readouterr().out
        assert SHOWN in out
        assert not set(out) & set("\x1b\x07\x9b\x08\r\u2028")


def test_json_stays_the_same_data(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"title": HOSTILE + "\x7f\ud800", "id": TEXTS[3]}
    say_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert not set(out) & set("\x1b\x9b\x7f\ud800")


def test_the_name_beside_a_bar_is_data_too() -> None:
    console = DataConsole(file=StringIO(), force_terminal=True, width=200)
    with Progress(NameColumn(), console=console) as bar:
        bar.add_task("[/] :fish: \x1b]0;x\x07", total=1)
    assert "[/] :fish: \\u001b]0;x\\u0007" in console.file.getvalue()  # type: ignore[attr-defined]


def test_sonde_search_prints_the_titles_of_a_library_that_needs_a_key() -> None:
    records = json.loads(shared_data("cases", "15-cli-markup", "library.json").read_text("utf-8"))
    titles = tuple(record["dct_title_s"] for record in records)
    with _service(_hits(titles)) as url:
        refused = CliRunner().invoke(cli, ["search", "rhine", "--url", url])
        done = CliRunner().invoke(cli, ["search", "rhine", "--url", url], env={"SONDE_KEY": "k1"})
    assert str(refused.exception) == "A key is needed."
    assert done.exit_code == 0
    assert all(title in done.output for title in titles)


@contextmanager
def _service(answer: Json) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            allowed = self.headers["Authorization"] == "Bearer k1"
            self.send_response(200 if allowed else 401)
            self.end_headers()
            self.wfile.write(json.dumps(answer if allowed else {"detail": "A key is needed."}).encode())

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_address_of_something_else_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "search").write_text("<p>A portal.</p>", "utf-8")
    with file_server(tmp_path) as url:
        done = CliRunner().invoke(cli, ["search", "rain", "--url", url.rstrip("/")])
    assert isinstance(done.exception, SondeError)
    assert str(done.exception) == f"{url}search answers 200 without JSON: no service of Sonde is there."


def test_commands_print_by_the_screen_alone() -> None:
    made = {
        f"{file.relative_to(ROOT)}: {ast.unparse(node)}"
        for folder in ("sonde/cli", "lab/cli")
        for file in (ROOT / folder).rglob("*.py")
        if file.name != "screen.py"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if (isinstance(node, ast.Call) and ast.unparse(node.func) in ("Console", "click.secho", "print"))
        or ast.unparse(node).startswith("TextColumn('{")
        or (isinstance(node, ast.Attribute) and ast.unparse(node) == "click.echo" and folder == "sonde/cli")
    }
    assert not made
