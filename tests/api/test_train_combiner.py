"""`sonde train combiner` over an index that serves: written and served if it is better, else a card that says why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from search_api.app import create_app
from sonde.cli.train_combiner import combiner
from sonde.settings import RankingSettings
from sonde.wiring.api import api_parts
from sonde.wiring.evaluation.judged import judged
from tests.service import Service

pytestmark = pytest.mark.elasticsearch

Grades = Mapping[str, Mapping[str, int]]


@pytest.fixture
def questions(samples: Service, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """Thirty of the samples' questions by id; the command reads the samples' index."""
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", samples.url)
    monkeypatch.setenv("SONDE_INDEX__PREFIX", samples.prefix)
    return {one.id: one.text for one in judged("samples", None, None).questions[:30]}


def _trained(folder: Path, questions: Mapping[str, str], grades: Grades) -> Result:
    queries, qrels = folder / "queries.jsonl", folder / "qrels.tsv"
    queries.write_text("".join(json.dumps({"_id": id, "text": text}) + "\n" for id, text in questions.items()), "utf-8")
    rows = [f"{id}\t{record}\t{grade}\n" for id, own in grades.items() for record, grade in own.items()]
    qrels.write_text("query-id\tcorpus-id\tscore\n" + "".join(rows), "utf-8")
    given = ["--queries", str(queries), "--qrels", str(qrels), "--folds", "3", "--out", str(folder / "combiner")]
    return CliRunner().invoke(combiner, given)


def test_judges_who_go_by_words_alone_get_a_ranking_that_serves(
    samples: Service, questions: Mapping[str, str], tmp_path: Path
) -> None:
    by_words = {id: samples.search(text, algorithm="bm25", limit=3)["features"] for id, text in questions.items()}
    grades = {id: {one["id"]: 3 - rank for rank, one in enumerate(found)} for id, found in by_words.items()}
    result = _trained(tmp_path, questions, grades)
    assert result.exit_code == 0, result.output
    assert f"SONDE_RANKING__CONFIG={tmp_path / 'combiner' / 'ranking.json'}" in result.stdout
    learned = RankingSettings(config=tmp_path / "combiner" / "ranking.json")
    served = replace(samples)
    settings = samples.settings.model_copy(update={"ranking": learned})
    served.__dict__["app"] = create_app(api_parts(settings, samples.models))
    best = {questions[id]: _first(found) for id, found in by_words.items()}
    before, after = (sum(_first_of(one, text) == best[text] for text in best) for one in (samples, served))
    assert after > before
    for hit in served.search("rainfall in Africa", explain="true")["features"]:
        parts = [part["contribution"] for part in hit["sonde:explanation"]["signals"]]
        assert sum(parts) == pytest.approx(hit["sonde:score"])


def test_judges_who_agree_with_the_weighted_sum_leave_it_as_it_is(
    samples: Service, questions: Mapping[str, str], tmp_path: Path
) -> None:
    grades = {id: {_first_of(samples, text): 2} for id, text in questions.items()}
    result = _trained(tmp_path, questions, grades)
    assert (result.exit_code, "Not better" in result.stderr) == (1, True), result.output
    assert sorted(one.name for one in (tmp_path / "combiner").iterdir()) == ["card.json", "card.md"]


def test_too_few_questions_are_refused(questions: Mapping[str, str], tmp_path: Path) -> None:
    result = _trained(tmp_path, dict(list(questions.items())[:3]), {"q01": {"samples:arc2-africa-rainfall": 1}})
    assert "at least 20 are needed" in str(result.exception)
    assert not (tmp_path / "combiner").exists()


def _first_of(service: Service, text: str) -> str:
    return _first(service.search(text, limit=1)["features"])


def _first(features: list[dict[str, object]]) -> str:
    return str(features[0]["id"]) if features else ""
