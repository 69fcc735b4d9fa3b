"""Public collections are fetched by the gate from a server with their homes' layout, checked, kept, and explained."""

from __future__ import annotations

import hashlib
import io
import json
import socketserver
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from core.errors import SondeError
from evaluation.collections.fetching import HOMES, Fetching, Home, NotFetched, RecordFolder, digest_of, fetch_collection
from evaluation.collections.public import load_pira, load_pubmedqa
from net.gate import Gate, GatePolicy
from sonde.cli import cli

COMMIT = "0" * 40


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[tuple[str, list[str]]]:
    """The address, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path)
            asked.append(path)
            body = files.get(path)
            self.send_response(404 if body is None else 200)
            self.send_header("content-length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()


def fetching(folder: Path, mirror: str, *homes: Home, said: list[str] | None = None) -> Fetching:
    gate = Gate(GatePolicy(allowed_hosts=frozenset({mirror.removeprefix("http://")})))
    named = {"own": homes[0]} if homes else HOMES
    return Fetching(folder, gate, mirror, (said if said is not None else []).append, named)


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def home_of(name: str, files: dict[str, bytes]) -> tuple[Home, dict[str, bytes]]:
    """The home of the collection with other contents, and what its server answers, by path."""
    home = HOMES[name]
    known = tuple(replace(file, sha256=_sha(files[file.local_name])) for file in home.files)
    served = {f"/{home.repository}/{COMMIT}/{file.path}": files[file.local_name] for file in home.files}
    return replace(home, commit=COMMIT, files=known), served


def test_files_are_fetched_once_and_read(tmp_path: Path) -> None:
    content = json.dumps({"7": {"QUESTION": "Do leaves fall?", "CONTEXTS": ["Leaves.", "They fall."]}}).encode()
    said: list[str] = []
    home, served = home_of("pubmedqa", {"ori_pqal.json": content})
    with serving(served) as (url, asked):
        for _ in range(2):
            data = fetch_collection("own", fetching(tmp_path, url, home, said=said))
    assert load_pubmedqa(data).records[0].abstract == "Leaves. They fall."
    assert asked == [f"/pubmedqa/pubmedqa/{COMMIT}/data/ori_pqal.json"]
    assert said == [f"fetching {url}/pubmedqa/pubmedqa/{COMMIT}/data/ori_pqal.json (MIT)"]


def test_the_questions_of_pira_are_taken_from_both_editions_without_the_test_split(tmp_path: Path) -> None:
    entry = {"corpus": 2, "question_pt_origin": "?", "answer_in_text": True, "answer_en_origin": "an answer"}
    entries = [
        {**entry, "id_qa": "B1", "question_en_origin": "Is it deep?", "text_excerpts_un_reports": "<p>It is deep.</p>"},
        {**entry, "id_qa": "B2", "question_en_origin": "Tested?", "text_excerpts_un_reports": "It is."},
        {**entry, "id_qa": "A3", "question_en_origin": "Elsewhere?", "text_excerpts_un_reports": ""},
    ]
    files = {
        "validation.csv": b"id_qa,question_en_origin,abstract,at_labels\nA4,Is it warm?,Warm water.,1.0\n",
        "test.csv": b"id_qa,abstract\nB2,x\n",
        "first_edition.json": json.dumps(entries).encode(),
    }
    home, served = home_of("pira", files)
    with serving(served) as (url, asked):
        data = fetch_collection("own", fetching(tmp_path, url, home))
    assert {question.id: question.text for question in load_pira(data).questions} == {
        "B1": "Is it deep?",
        "A4": "Is it warm?",
    }
    assert f"/C4AI/Pira/{COMMIT}/Pira1.0/JSON/Pirá-T-Total.json" in asked
    assert "an answer" not in (data / "judged/pira/reports_questions.json").read_text("utf-8")


def test_other_content_is_refused_and_not_kept(tmp_path: Path) -> None:
    home, served = home_of("climate_fever", {"climate-fever.jsonl": b"{}"})
    with (
        serving(dict.fromkeys(served, b"changed")) as (url, _),
        pytest.raises(NotFetched, match=f"has the SHA-256 {_sha(b'changed')[:12]} instead of {_sha(b'{}')[:12]}"),
    ):
        fetch_collection("own", fetching(tmp_path, url, home))
    assert list((tmp_path / "judged/climate_fever").iterdir()) == []


def archive(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:
        for name, content in members.items():
            entry = tarfile.TarInfo(f"repository-{COMMIT}/{name}")
            entry.size = len(content)
            file.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


RECORDS = {"rda/b.xml": b"<b/>", "rda/a.xml": b"<a/>"}


HOME = Home(
    "own/records", COMMIT, "CC0", "catalogues", records=(RecordFolder("rda", digest_of(RECORDS), "rda.tar.gz"),)
)


def test_records_are_taken_from_the_repository_s_archive_the_same_bytes_each_time(
    tmp_path: Path,
) -> None:
    others = {"README.md": b"text", "rda/.a.swp": b"x", "ral/c.xml": b"<c/>"}
    packed = []
    for order in (RECORDS | others, others | dict(reversed(RECORDS.items()))):
        folder = tmp_path / str(len(packed))
        with serving({f"/own/records/tar.gz/{COMMIT}": archive(order)}) as (url, asked):
            for _ in range(2):
                fetch_collection("own", fetching(folder, url, HOME))
        assert len(asked) == 1
        packed.append((folder / "catalogues/rda.tar.gz").read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(fileobj=io.BytesIO(packed[0])) as kept:
        assert kept.getnames() == ["rda/a.xml", "rda/b.xml"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (archive({"rda/a.xml": b"<a/>"}), "the 1 files of rda/ are not those that were judged"),
        (archive(RECORDS)[:60], "the archive cannot be read"),
    ],
    ids=["a file is missing", "the archive is cut"],
)
def test_other_records_are_refused(tmp_path: Path, body: bytes, why: str) -> None:
    with serving({f"/own/records/tar.gz/{COMMIT}": body}) as (url, _), pytest.raises(NotFetched, match=why):
        fetch_collection("own", fetching(tmp_path, url, HOME))
    assert list((tmp_path / "catalogues").iterdir()) == []


def test_what_is_not_reached_is_said_with_what_to_do(tmp_path: Path) -> None:
    with serving({}) as (url, _), pytest.raises(NotFetched) as told:
        fetch_collection("cranfield", fetching(tmp_path, url))
    host = url.removeprefix("http://")
    assert str(told.value) == (
        f"The collection cranfield was not fetched from {host}: {host} answered with HTTP status 404. Try again with "
        "network, or set SONDE_EVALUATION__MIRROR to a server that has github.com/feroshjacob/cranfield at d9d5324f03a1"
        ", or name a folder that holds its files with --shared."
    )
    with pytest.raises(NotFetched, match="typed has no public home"):
        fetch_collection("typed", fetching(tmp_path, url))


def test_the_command_asks_the_mirror_and_keeps_files_in_the_state_folder(tmp_path: Path) -> None:
    home = HOMES["cranfield"]
    kept = tmp_path / "collections" / home.folder
    kept.mkdir(parents=True)
    for file in home.files[1:]:
        (kept / file.local_name).write_text("[]")
    with serving({}) as (url, asked):
        environment = {
            "SONDE_STACK__FOLDER": str(tmp_path),
            "SONDE_EVALUATION__MIRROR": url,
            "SONDE_NET__ALLOWED_HOSTS": url.removeprefix("http://"),
        }
        run = CliRunner(env=environment).invoke
        missing = run(cli, ["evaluate", "--collection", "cranfield", "--fetch-only"])
        (kept / home.files[0].local_name).write_text("[]")
        done = run(cli, ["evaluate", "--collection", "cranfield", "--fetch-only"])
    assert asked == [f"/{home.repository}/{home.commit}/{home.files[0].path}"]
    assert isinstance(missing.exception, NotFetched)
    assert done.output.strip() == str(tmp_path / "collections")
    assert isinstance(run(cli, ["evaluate", "--fetch-only"]).exception, SondeError)


@pytest.mark.parametrize("name", sorted(HOMES))
def test_each_home_names_a_commit_hashes_and_a_licence(name: str) -> None:
    home = HOMES[name]
    assert len(home.commit) == 40
    assert home.licence
    assert all(len(file.sha256) == 64 for file in home.files)
    assert all(len(records.digest) == 64 for records in home.records)
    assert home.files or home.records
    assert not any(Path(file.local_name).is_absolute() for file in home.files)
