"""`sonde evaluate --live`: the index that serves, with its rules; a fall is told by the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.errors import SondeError
from evaluation.live import LiveResult, fall
from sonde.cli.evaluate import evaluate_command
from tests.api.conftest import Few

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
