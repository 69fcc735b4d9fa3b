"""The doctor names what is well, what wants attention and what is broken, each with what to do."""

from __future__ import annotations

import json
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import ANY

import pytest
import redis
from click.testing import CliRunner
from pydantic import SecretStr
from structlog.testing import capture_logs

from es_mappings.names import alias, concrete
from evaluation.local_server import serve
from local_stack.ports import free_port
from search_api.http.access.keys import ApiKey, Grant
from sonde.cli import cli
from sonde.document_settings import LibrarySettings
from sonde.model_settings import AnswersSettings
from sonde.ops.doctor.elasticsearch import NodeDisk, Watermark, Watermarks, judge_disks
from sonde.ops.doctor.examine import api, clocks, examine, judge_keys, language_model, mail, waiting_tasks
from sonde.ops.doctor.finding import Finding, of_broker
from sonde.settings import (
    ApiSettings,
    BrokerSettings,
    ElasticsearchSettings,
    HarvestSettings,
    IndexSettings,
    MailSettings,
    Settings,
)
from sonde.wiring.models import Models
from tests.integration.small_catalogue import write_catalogue
from tests.service import Service
from tests.smtp_server import smtp_server
from workers.broker import HEADER

NOW = datetime(2027, 1, 1, tzinfo=UTC)
DEAD = "127.0.0.1:9"  # the discard port: nobody listens
NOBODY = BrokerSettings(url=f"redis://:secret@{DEAD}/0")


def _found(settings: Settings, models: Models) -> dict[str, Finding]:
    return {finding.part: finding for finding in examine(settings, models)}


def test_an_installation_that_is_well(samples: Service, broker_url: str, tmp_path: Path) -> None:
    sources = tmp_path / "sources.yaml"
    sources.write_text("sources:\n  - {id: here, type: folder, path: .}\n", "utf-8")
    settings = samples.settings.model_copy(
        update={"broker": BrokerSettings(url=broker_url), "harvest": HarvestSettings(sources=sources)}
    )
    found = _found(settings, samples.models)
    assert {part for part, finding in found.items() if finding.state == "broken"} == set()
    assert "169 records" in found["index"].message
    assert found["sources"].message.endswith("here")
    assert "waiting: harvest 0" in found["broker"].message
    assert found["workers"].message.startswith("nobody takes tasks from documents, embed, harvest")
    assert "start beat" in found["beat"].message
    assert "GiB free at Elasticsearch's node" in found["disk"].message


@pytest.mark.parametrize(
    ("free", "total", "state"),
    [
        (16, 100, "ok"),
        (14, 100, "warning"),
        (4, 100, "broken"),
        (201, 10_000, "ok"),  # of a large disk not 15 %, but 200 GiB
        (199, 10_000, "warning"),
        (99, 10_000, "broken"),
    ],
)
def test_a_disk_is_held_against_the_marks_of_elasticsearch(free: int, total: int, state: str) -> None:
    fullest = NodeDisk("n2", free << 30, total << 30)
    assert judge_disks([NodeDisk("n1", 99 << 30, 100 << 30), fullest, NodeDisk("n3", 98 << 30, 100 << 30)]) == (
        state,
        ANY,
    )
    assert f"{free} of {total} GiB free at Elasticsearch's node n2" in judge_disks([fullest])[1]


def test_a_queue_whose_oldest_task_waits_too_long_is_named(samples: Service, broker_url: str) -> None:
    settings = samples.settings.model_copy(update={"broker": BrokerSettings(url=broker_url)})
    with redis.Redis.from_url(broker_url) as broker:
        queue = f"{settings.index.prefix}:library"
        assert waiting_tasks(settings) == ("ok", "no task waits")
        for age_s in (60, 3600, 5):  # the oldest is taken first: the one on the right
            broker.rpush(queue, json.dumps({"headers": {HEADER: time.time() - age_s}}))
        try:
            assert waiting_tasks(settings)[0] == "ok"
            broker.rpop(queue)
            state, told = waiting_tasks(settings)
            assert (state, told.split(":")[0]) == ("warning", "the oldest task waits in library for 60 min")
            assert "the worker of library" in told
        finally:
            broker.delete(queue)


def test_a_worker_whose_clock_is_wrong_is_named(samples: Service, broker_url: str) -> None:
    settings = samples.settings.model_copy(update={"broker": BrokerSettings(url=broker_url)})
    with redis.Redis.from_url(broker_url) as broker:
        signs = {queue: f"{settings.index.prefix}:worker:{queue}" for queue in ("harvest", "library")}
        try:
            broker.set(signs["harvest"], time.time() - 3600 - 20, ex=45)  # as written 20 s ago, an hour behind
            broker.set(signs["library"], time.time() - 20, ex=45)
            state, told = clocks(settings, samples.client)
        finally:
            broker.delete(*signs.values())
    assert state == "warning"
    assert told.startswith("the worker of harvest is 60 min behind this machine: set the clock")
    assert clocks(settings, samples.client)[0] == "ok"


def test_a_lost_index_of_records_is_told_from_one_that_was_never_there(
    samples: Service, prefix: str, tmp_path: Path
) -> None:
    service = Service(samples.client, samples.url, prefix)
    assert "`sonde harvest` makes it" in _found(service.settings, service.models)["index"].message
    write_catalogue(tmp_path, 2)
    service.harvest(tmp_path, "portal")
    samples.client.indices.refresh(index=alias(prefix, "ledger"))
    samples.client.indices.delete(index=concrete(prefix, "records", 1))
    finding = _found(service.settings, service.models)["index"]
    assert finding.state == "broken"
    assert "with the 2 records that the ledger knows: `sonde backup restore`" in finding.message


@pytest.mark.parametrize(
    ("used", "headroom", "free_gib"),
    [("85%", "200GB", 15), ("0.9", "150gb", 10), ("95%", "2GB", 2), ("3gb", "-1", 3), ("85%", "-1", 15)],
)
def test_the_marks_that_a_cluster_sets_are_read(used: str, headroom: str, free_gib: int) -> None:
    assert Watermark.read(used, headroom).free(100 << 30) == pytest.approx(free_gib << 30)


def test_a_disk_that_elasticsearch_does_not_watch_fills_up() -> None:
    state, told = judge_disks([NodeDisk("n1", 4 << 30, 100 << 30)], Watermarks(watched=False))
    assert (state, "writes until the disk is full" in told) == ("broken", True)


def test_an_elasticsearch_that_tells_of_no_disk_is_no_reason_to_fail() -> None:
    assert judge_disks([])[0] == "warning"


def test_what_does_not_answer_is_broken_and_the_rest_is_still_looked_at(samples: Service) -> None:
    settings = Settings(
        elasticsearch=ElasticsearchSettings(url=f"http://{DEAD}"), broker=BrokerSettings(url=f"redis://{DEAD}")
    )
    found = _found(settings, samples.models)
    assert found["elasticsearch"].state == found["broker"].state == "broken"
    assert found["embedder"].state == "ok"


def test_an_empty_installation_is_told_what_comes_next(samples: Service, prefix: str, tmp_path: Path) -> None:
    settings = samples.settings.model_copy(
        update={"index": IndexSettings(prefix=prefix), "harvest": HarvestSettings(sources=tmp_path / "none.yaml")}
    )
    found = _found(settings, samples.models)
    assert found["index"].state == "warning"
    assert "sonde harvest" in found["index"].message
    assert found["sources"].state == "warning"


@contextmanager
def saying(status: int) -> Iterator[str]:
    """A server that answers every request so, as Elasticsearch does to a login that is wrong or may too little."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"error": {"type": "security_exception", "reason": "no"}}'
            self.send_response(status)
            self.send_header("X-elastic-product", "Elasticsearch")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_POST = do_GET  # noqa: N815 - as the base class asks for them

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("status", "says"),
    [(401, "set SONDE_ELASTICSEARCH__API_KEY"), (403, "read, write, manage on sonde-*"), (500, "it answers 500")],
)
def test_a_login_that_is_refused_is_told_what_it_needs(samples: Service, status: int, says: str) -> None:
    with saying(status) as url:
        found = _found(Settings(elasticsearch=ElasticsearchSettings(url=url), broker=NOBODY), samples.models)
    assert {found[part].state for part in ("elasticsearch", "index", "harvests")} == {"broken"}
    assert says in found["elasticsearch"].message


def test_each_breakage_names_the_setting_that_mends_it(samples: Service, tmp_path: Path) -> None:
    sources = tmp_path / "sources.yaml"
    sources.write_text("sources:\n  - {id: a, type: csww}\n", "utf-8")
    settings = Settings(
        elasticsearch=ElasticsearchSettings(url=samples.url.replace("http://", "https://")),
        broker=NOBODY,
        harvest=HarvestSettings(sources=sources),
        library=LibrarySettings(enabled=False),
    )
    found = _found(settings, samples.models)
    assert "SONDE_ELASTICSEARCH__CA_CERTS" in found["elasticsearch"].message
    for part in ("broker", "workers", "beat"):
        assert "SONDE_BROKER__URL" in found[part].message
        assert "secret" not in found[part].message, "the password stays out"
    assert "line 2" in found["sources"].message
    assert found["library"] == Finding("library", "ok", "uploads are off")


def test_a_broker_that_wants_another_password_says_so() -> None:
    settings = Settings(broker=NOBODY)
    for error in (redis.AuthenticationError("WRONGPASS"), redis.ResponseError("NOAUTH Authentication required.")):
        assert "refuses the password" in of_broker(error, settings)
    assert "rediss://" in of_broker(redis.TimeoutError("Timeout"), settings)


@contextmanager
def chat_endpoint(names: list[str]) -> Iterator[str]:
    """An endpoint that lists these models, up to and including ``/v1``; it wants the key ``k``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.headers["Authorization"] == "Bearer k"
            body = json.dumps({"data": [{"id": name} for name in names]}).encode()
            self.send_response(200 if known and self.path == "/v1/models" else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield f"{url}/v1"


def _answers(url: str, key: str = "k") -> AnswersSettings:
    return AnswersSettings(url=url, model="wanted", key=SecretStr(key))


def test_a_language_model_is_asked_for_by_name_and_key() -> None:
    def told(answers: AnswersSettings) -> tuple[str, str]:
        settings = Settings(answers=answers)
        return language_model(settings, Models(settings))

    assert told(AnswersSettings())[0] == "ok"
    with chat_endpoint(["other", "wanted"]) as url:
        assert told(_answers(url)) == ("ok", "wanted answers")
        state, said = told(_answers(url, "wrong"))
        assert (state, "refuses the key (401)" in said) == ("warning", True)
    with chat_endpoint(["other"]) as url:
        assert "has no model of this name; it has other" in told(_answers(url))[1]
    state, said = told(_answers(f"http://{DEAD}/v1"))
    assert (state, "does not answer" in said, "wanted" in said) == ("warning", True, True)


def test_a_mail_server_is_asked_and_gets_no_mail() -> None:
    assert mail(Settings())[0] == "ok"
    with smtp_server() as box:
        given = MailSettings(host="127.0.0.1", port=box.port, tls="none")
        assert mail(Settings(mail=given, api=ApiSettings(public_url="https://s.example")))[0] == "ok"
        state, said = mail(Settings(mail=given, api=ApiSettings(host="0.0.0.0")))
        assert (state, "http://127.0.0.1:8080: set SONDE_API__PUBLIC_URL" in said) == ("warning", True)
        assert box.mails == []
    state, said = mail(Settings(mail=MailSettings(host="127.0.0.1", port=9, tls="none")))
    assert (state, "127.0.0.1:9" in said, "SONDE_MAIL__HOST" in said) == ("warning", True, True)


def test_an_api_that_does_not_answer_is_said_with_its_addresses() -> None:
    port = free_port()
    dead = ApiSettings(port=port, public_url=f"http://{DEAD}")
    state, said = api(Settings(api=dead))
    assert (state, f"127.0.0.1:{port}" in said, DEAD in said) == ("warning", True, True)

    class Alive(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serve(ThreadingHTTPServer(("127.0.0.1", port), Alive)) as url:
        assert api(Settings(api=dead)) == ("ok", f"answers at {url}")


def _key(name: str, expires_d: int | None, used_d: int | None, **more: datetime) -> ApiKey:
    grant = Grant(name, frozenset(("search",)), frozenset(), NOW + timedelta(days=expires_d) if expires_d else None)
    return ApiKey(
        f"id-{name}", grant, (), NOW, last_used=None if used_d is None else NOW - timedelta(days=used_d), **more
    )


def test_keys_in_use_are_named_before_and_after_their_end() -> None:
    well = [_key("ada", 200, 0), _key("bo", None, 0), _key("unused", 3, None), _key("old", -90, 91)]
    revoked = _key("cy", 3, 1, revoked=NOW)
    assert judge_keys([*well, revoked], NOW) == ("ok", "3 active; none in use ends within 14 days")
    state, message = judge_keys([*well, revoked, _key("dan", 13, 1), _key("eve", -2, 3)], NOW)
    assert state == "warning"
    assert message.startswith(
        "id-dan of dan expires on 2027-01-14, id-eve of eve expired on 2026-12-30: `sonde keys add`"
    )


def test_the_bundle_for_a_bug_report_has_the_findings_and_no_password(
    samples: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = samples.settings.index.prefix
    for name, value in {
        "SONDE_ELASTICSEARCH__URL": samples.settings.elasticsearch_url,
        "SONDE_BROKER__URL": f"redis://:quietotter@{DEAD}/0",
        "SONDE_INDEX__PREFIX": index,
        "SONDE_STACK__FOLDER": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    log, bundle = tmp_path / "pod.log", tmp_path / "support.tar.gz"
    log.write_text("cannot reach quietotter\nharvest.ended\n", "utf-8")
    done = CliRunner().invoke(cli, ["doctor", "--support", str(bundle), "--log", str(log)])
    assert done.exit_code == 1, done.output  # the broker is broken
    assert "Read it before you send it" in done.stderr
    with tarfile.open(bundle) as files:
        texts = {file.name: files.extractfile(file).read().decode() for file in files}  # type: ignore[union-attr]
    assert not [name for name, text in texts.items() if "quietotter" in text]
    findings = {one["part"]: one["state"] for one in json.loads(texts["sonde-support/doctor.json"])}
    assert (findings["index"], findings["broker"]) == ("ok", "broken")
    assert texts["sonde-support/logs/pod.log"] == "cannot reach <SONDE_BROKER__URL>\nharvest.ended\n"
    with capture_logs():  # the console script sends them to standard error
        assert CliRunner().invoke(cli, ["doctor", "--support", "-"]).stdout_bytes[:2] == b"\x1f\x8b"
