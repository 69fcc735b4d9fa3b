"""`sonde evaluate --live`: the index that serves, with its rules; a fall is told by the exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from core.errors import SondeError
from evaluation.live import LiveResult, fall
from search_api.app import create_app
from search_api.search.curation_rules import CurationStore, RuleChange, RuleKey
from search_api.stewards.insight import MeasurementStore
from sonde.cli.evaluate import evaluate_command
from sonde.telemetry.service_metrics import ServiceState
from sonde.wiring.api import api_parts
from tests.api.conftest import Few, StewardAndReaders
from tests.smtp_server import smtp_server

pytestmark = pytest.mark.elasticsearch


def test_a_fall_below_the_usual_value_is_told(few: Few, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", few.service.url)
    monkeypatch.setenv("SONDE_INDEX__PREFIX", few.service.prefix)
    found = few.service.http.get("/search?q=rainfall in Africa").get_json()["features"]
    queries, history = tmp_path / "queries.jsonl", tmp_path / "history.jsonl"
    queries.write_text(json.dumps({"_id": "q1", "text": "rainfall in Africa"}) + "\n", "utf-8")

    def measured(best: str) -> Result:
        qrels = tmp_path / "qrels.tsv"
        qrels.write_text(f"query-id\tcorpus-id\tscore\nq1\t{best}\t3\n", "utf-8")
        given = ["--live", "--queries", str(queries), "--qrels", str(qrels), "--history", str(history)]
        return CliRunner().invoke(evaluate_command, given)

    first = measured(found[0]["id"])
    assert (first.exit_code, first.stdout) == (0, "1 questions: nDCG@10 1.0000, R@100 1.0000\n"), first.output
    fallen = measured("samples:gone")
    assert (fallen.exit_code, "fell by 1.0000" in fallen.stderr) == (1, True)
    assert [json.loads(line)["ndcg_at_10"] for line in history.read_text("utf-8").splitlines()] == [1.0, 0.0]


def test_live_needs_questions_and_judgements() -> None:
    with pytest.raises(SondeError, match="--live needs"):
        CliRunner().invoke(evaluate_command, ["--live"], catch_exceptions=False)


def test_a_fall_is_measured_from_the_median_of_seven() -> None:
    before = [LiveResult("", 1, value, 0.0) for value in (0.1, *([0.5] * 4), 0.9, 0.6, 0.4)]
    assert fall(LiveResult("", 1, 0.45, 0.0), before) == pytest.approx(0.05)
    assert fall(LiveResult("", 1, 0.7, 0.0), before) == fall(LiveResult("", 1, 0.1, 0.0), []) == 0.0


def test_a_night_is_kept_drawn_and_told(few: Few, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries, qrels = tmp_path / "queries.jsonl", tmp_path / "qrels.tsv"
    queries.write_text(json.dumps({"_id": "q1", "text": "rainfall in Africa"}) + "\n", "utf-8")
    best = few.service.http.get("/search?q=rainfall in Africa").get_json()["features"][0]["id"]
    qrels.write_text(f"query-id\tcorpus-id\tscore\nq1\t{best}\t3\n", "utf-8")
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", few.service.url)
    monkeypatch.setenv("SONDE_INDEX__PREFIX", few.service.prefix)
    monkeypatch.setenv("SONDE_EVALUATION__QUERIES", str(queries))
    monkeypatch.setenv("SONDE_EVALUATION__QRELS", str(qrels))
    with smtp_server() as box:
        monkeypatch.setenv("SONDE_MAIL__HOST", "127.0.0.1")
        monkeypatch.setenv("SONDE_MAIL__PORT", str(box.port))
        monkeypatch.setenv("SONDE_MAIL__TLS", "none")
        monkeypatch.setenv("SONDE_MAIL__OPERATOR", "ops@portal.example")
        night = CliRunner().invoke(evaluate_command, ["--live"])
        told = "1 questions: nDCG@10 1.0000, R@100 1.0000\n"
        assert (night.exit_code, told in night.stdout) == (0, True), night.output
        assert box.mails == []
        store = MeasurementStore(few.service.client, few.service.prefix)
        (good,) = store.latest()
        store.keep(replace(good, at="2026-01-02T03:04:05+00:00", judged="of other questions", ndcg_at_10=0.1))
        pins = CurationStore(few.service.client, few.service.prefix)
        key = RuleKey("blocks", "worse")
        pins.write([RuleChange(key, "added", None, {"id": "worse", "record": best}, "ada", "2026-01-01T00:00:00Z")])
        try:
            fallen = CliRunner().invoke(evaluate_command, ["--live"])
        finally:
            pins.write(
                [RuleChange(key, "removed", {"id": "worse", "record": best}, None, "ada", "2026-01-01T00:00:00Z")]
            )
        assert (fallen.exit_code, "fell by 1.0000" in fallen.stderr) == (1, True), fallen.output
        (mail,) = box.mails
    assert (mail["To"], "became worse by 1.000" in str(mail["Subject"])) == ("ops@portal.example", True)
    parts = replace(api_parts(few.service.settings, few.service.models), authenticator=StewardAndReaders())
    http = create_app(parts).test_client()
    assert http.get("/insight/measurements", headers={"Authorization": "Bearer reader"}).status_code == 403
    asked = {"headers": {"Authorization": "Bearer steward"}}
    listed = http.get("/insight/measurements", **asked).get_json()["measurements"]
    assert [(one["ndcg_at_10"], one["fall"]) for one in listed] == [(pytest.approx(0.1), 0.0), (1.0, 0.0), (0.0, 1.0)]
    drawn = http.get("/insight/measurements?f=svg", **asked)
    assert drawn.mimetype == "image/svg+xml"
    svg = etree.fromstring(drawn.data)
    assert len(svg.findall("{*}circle")) == 3
    assert len(svg.findall("{*}polyline")) == 2, "other judgements begin another line"
    assert http.get("/insight/alerts", **asked).get_json()["deliveries"] == []
    metrics = ServiceState.of(few.service.settings, few.service.client).read()
    told = {one.name: [sample.value for sample in one.samples] for one in metrics}
    assert (told["sonde_live_ndcg"], told["sonde_live_ndcg_fall"]) == ([0.0], [1.0])
