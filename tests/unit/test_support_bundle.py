"""The bundle of `sonde doctor --support` has none of the secrets that are planted in every setting, file and log."""

from __future__ import annotations

import base64
import io
import json
import os
import secrets
import tarfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import BaseModel, SecretStr

from local_stack.part import PartStatus
from sonde.ops.doctor.finding import Finding
from sonde.ops.doctor.support import Scrubber, changed_settings, last_lines, scrubber_of, support_texts, write_bundle
from sonde.settings import ElasticsearchSettings, HarvestSettings, Settings

PLAIN = Scrubber({})
LETTERS = "abcdefghij"


@dataclass
class Planted:
    """Words that no form gives away: only knowing them hides them."""

    words: list[str]

    def word(self, start: str = "") -> str:
        number = "".join(LETTERS[int(digit)] for digit in f"{len(self.words):03}")
        self.words.append(f"{start}heron {number} +ü/lake")
        return self.words[-1]


def _planted_value(annotation: str, planted: Planted) -> object | None:
    """A value of a setting of this type with a planted word in it; None for numbers, switches and choices."""
    if "Literal" in annotation or annotation in ("<class 'int'>", "<class 'float'>", "<class 'bool'>"):
        return None
    if "SecretStr" in annotation:
        return SecretStr(planted.word())
    if "Path" in annotation:
        return Path(planted.word("/"))
    address = f"https://ann:{quote(planted.word(), safe='')}@host.example/x?key={quote(planted.word(), safe='')}"
    return (planted.word(), address) if "tuple" in annotation else address


def _with_secrets_everywhere(planted: Planted) -> Settings:
    groups: dict[str, BaseModel] = {}
    for group in Settings.model_fields:
        model = getattr(Settings(), group)
        values = {
            name: value
            for name, field in type(model).model_fields.items()
            if (value := _planted_value(str(field.annotation), planted)) is not None
        }
        groups[group] = model.model_copy(update=values)
    return Settings().model_copy(update=groups)


def _forms(word: str) -> Iterator[str]:
    yield word
    yield quote(word, safe="")
    yield json.dumps(word)[1:-1]
    yield base64.b64encode(word.encode()).decode()
    yield base64.b64encode(f"ann:{word}".encode()).decode()


def _bundle(texts: dict[str, str]) -> str:
    stream = io.BytesIO()
    write_bundle(stream, texts)
    stream.seek(0)
    with tarfile.open(fileobj=stream) as bundle:
        files = [(entry.name, bundle.extractfile(entry)) for entry in bundle.getmembers()]
        return "\n".join(f"{name}\n{file.read().decode()}" for name, file in files if file is not None)


def test_what_is_planted_in_every_setting_file_address_and_log_is_not_in_the_bundle(tmp_path: Path) -> None:
    planted = Planted([])
    settings = _with_secrets_everywhere(planted)
    assert len(planted.words) > 90
    replaced = {str(settings.stack.folder), str(settings.harvest.sources)}
    planted.words = [word for word in planted.words if word not in replaced]
    stack, sources = tmp_path / "stack", tmp_path / "sources.yaml"
    (stack / "logs").mkdir(parents=True)
    (stack / "elasticsearch-password").write_text(planted.word().encode("ascii", "ignore").decode(), "ascii")
    planted.words.append((stack / "elasticsearch-password").read_text("ascii"))
    sources.write_text(
        f"sources:\n  - {{id: lakes, type: folder, path: here, options: {{headers: {{X-Key: '{planted.word()}'}}}}}}\n",
        "utf-8",
    )
    environment = {
        "PROXY_PASSWORD": planted.word(),
        "HTTPS_PROXY": f"http://me:{quote(planted.word(), safe='')}@proxy.example",
        "DEPLOY_KEY": f"{planted.word()}\n{planted.word()}",
    }
    settings = settings.model_copy(
        update={
            "stack": settings.stack.model_copy(update={"folder": stack}),
            "harvest": settings.harvest.model_copy(update={"sources": sources}),
            "elasticsearch": settings.elasticsearch.model_copy(update={"url": settings.elasticsearch.url}),
        }
    )
    lines = [f"GET https://ann:{form}@host failed: {form}" for word in planted.words for form in _forms(word)]
    basic = [f"Authorization: Basic {base64.b64encode(f'u:{word}'.encode()).decode()}" for word in planted.words]
    (stack / "logs" / "api.log").write_text("\n".join([*lines, *basic, "harvest.ended source=lakes"]), "utf-8")
    more = tmp_path / "pod.log"
    more.write_text(json.dumps({"event": "failed", "words": planted.words}), "utf-8")
    findings = [Finding("broker", "broken", f"{word} is refused") for word in planted.words]

    parts = [PartStatus(f"part {word}", "died", detail=word) for word in planted.words]
    text = _bundle(support_texts(settings, environment, findings, parts, [more]))

    assert [word for word in planted.words for form in _forms(word) if form in text] == []
    assert "harvest.ended source=lakes" in text
    assert "<SONDE_ALERTS__SECRET> is refused" in text
    assert "sonde-support/logs/pod.log" in text
    assert '"id": "lakes"' in text


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("connected to redis://:s3cret@valkey:6379/0", "s3cret"),
        ("GET /api?token=abc&q=ice HTTP/1.1", "abc"),
        ('{"password": "two words", "n": 5}', "two words"),
        (r'{"body": "{\"api_key\": \"quiet\"}"}', "quiet"),
        ("SONDE_MAIL__PASSWORD=otter", "otter"),
        ("client_secret: 'otter otter'", "otter"),
        ("Authorization: Bearer otter", "otter"),
        ("x-api-key: otter", "otter"),
        ("Set-Cookie: session=otter", "otter"),
        ("mail to ada.lovelace@mail.example", "ada"),
        ("client 192.0.2.17 asked", "192.0.2.17"),
        ('"address": "2001:db8::17"', "2001:db8"),
        ("from [2001:db8:0:1:2:3:4:5]:443", "2001:db8"),
        ("-----BEGIN PRIVATE KEY-----\nMIIB\nAAAA\n-----END PRIVATE KEY-----", "MIIB"),
        ("eyJhbGciOi.eyJzdWIi.c2ln", "eyJzdWIi"),
    ],
    ids=lambda value: value[:24],
)
def test_what_has_the_form_of_a_secret_is_hidden_without_being_known(line: str, secret: str) -> None:
    assert secret in line
    assert secret not in PLAIN.scrub(line)


def test_random_words_become_numbers_that_stay_the_same() -> None:
    for _ in range(300):
        for word in (secrets.token_urlsafe(32), secrets.token_hex(24), str(uuid.uuid4()), secrets.token_urlsafe(24)):
            assert word not in PLAIN.scrub(f"key {word} seen")
    hidden = PLAIN.scrub("request_id=7f3a9c2d4b1e8f60a5d3c7b2 and again 7f3a9c2d4b1e8f60a5d3c7b2")
    first, second = hidden.removeprefix("request_id=").split(" and again ")
    assert first == second


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-27T07:31:12.051543Z [info] request.answered path=/healthz status=200 took_ms=1.0",
        "sonde-records-000001: 10875 records by artifact:all-minilm-l6-v2, with token vectors",
        'File "/opt/sonde/lib/python3.11/site-packages/elasticsearch/_sync/client/__init__.py", line 12',
        "nobody answers at 127.0.0.1:9270: start it (`sonde up`), or set SONDE_ELASTICSEARCH__URL",
        "version 9.4.3, the cluster is green",
        "answers at [::1]:8080 since 12:30:45",
    ],
    ids=lambda line: line[:24],
)
def test_what_helps_stays(line: str) -> None:
    assert PLAIN.scrub(line) == line


def test_short_passwords_are_hidden_and_short_names_stay() -> None:
    settings = Settings(
        elasticsearch=ElasticsearchSettings(url="http://sonde:pw1@search:9200", username="sonde", password="zq7")
    )
    scrubbed = scrubber_of(settings, {}).scrub("sonde up: pw1 zq7")
    assert scrubbed == "sonde up: <SONDE_ELASTICSEARCH__URL> <SONDE_ELASTICSEARCH__PASSWORD>"


def test_numbers_and_choices_are_shown_and_texts_only_as_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SONDE_")]:
        monkeypatch.delenv(name)
    settings = Settings(
        harvest=HarvestSettings(batch=17, sources=Path("/etc/x.yaml")),
        elasticsearch=ElasticsearchSettings(version="8.19.13", password="abc"),
    )
    assert changed_settings(settings) == {
        "SONDE_ELASTICSEARCH__PASSWORD": "(set)",
        "SONDE_ELASTICSEARCH__VERSION": "8.19.13",
        "SONDE_HARVEST__BATCH": 17,
        "SONDE_HARVEST__SOURCES": "(set)",
    }


def test_the_end_of_a_long_log_begins_with_a_whole_line(tmp_path: Path) -> None:
    log = tmp_path / "long.log"
    log.write_text("password=first\n" + "x" * 40 + "\n" + "line\n" * 300_000, "utf-8")
    assert set(last_lines(log).splitlines()) == {"line"}


@pytest.mark.parametrize("entry", ["{id: lakes, type: csw, uri: x}", "{id: lakes, since: 2026-13-45}"])
def test_a_wrong_file_of_sources_does_not_prevent_the_bundle(tmp_path: Path, entry: str) -> None:
    (tmp_path / "sources.yaml").write_text(f"sources:\n  - {entry}\n", "utf-8")
    settings = Settings(harvest=HarvestSettings(sources=tmp_path / "sources.yaml"))
    assert json.loads(support_texts(settings, {}, [], [])["sources.json"]) == []


def test_two_logs_of_one_name_are_both_kept(tmp_path: Path) -> None:
    logs = [tmp_path / pod / "pod.log" for pod in ("one", "two")]
    for log in logs:
        log.parent.mkdir()
        log.write_text(f"of {log.parent.name}\n", "utf-8")
    texts = support_texts(Settings(), {}, [], [], logs)
    assert {text for name, text in texts.items() if name.endswith("pod.log")} == {"of one\n", "of two\n"}
