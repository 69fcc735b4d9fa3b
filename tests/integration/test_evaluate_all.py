"""`sonde evaluate --all` on the real parts: two tiny collections, and two that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.errors import SondeError
from evaluation.collection import JudgedCollection
from evaluation.collections import public
from evaluation.collections.beir import BeirFiles, load
from lab.results.tables import ResultRow, take_figures
from sonde.cli import evaluate_all
from sonde.cli.evaluate import evaluate_command
from sonde.wiring import evaluating

pytestmark = [pytest.mark.elasticsearch, pytest.mark.models]

_TEXTS = {"rain": "Daily rainfall of Norway", "ice": "Ice sheet mass of Greenland", "sst": "Sea surface temperature"}
_QUERIES = {"q1": "rainfall in Norway", "q2": "mass of the ice sheet"}
_QRELS = {"tiny": "q1\train\t1\nq2\tice\t1\n", "wrong": "q1\train\t1\nq2\tsst\t1\n"}
"""In ``wrong`` the second question's answer cannot come first."""


def _tiny(data: Path, name: str) -> JudgedCollection:
    folder = data / "judged" / name
    return load(BeirFiles(folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv"))


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elasticsearch_url: str) -> Path:
    """Its ``data`` has the two; only ``wrong`` has halves, its first question for tuning."""
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", elasticsearch_url)
    for name, qrels in _QRELS.items():
        folder = tmp_path / "data" / "judged" / name
        folder.mkdir(parents=True)
        texts = [json.dumps({"_id": id, "text": text}) for id, text in _TEXTS.items()]
        queries = [json.dumps({"_id": id, "text": text}) for id, text in _QUERIES.items()]
        (folder / "corpus.jsonl").write_text("\n".join(texts))
        (folder / "queries.jsonl").write_text("\n".join(queries))
        (folder / "qrels.tsv").write_text(qrels)
    splits = tmp_path / "quality" / "splits"
    splits.mkdir(parents=True)
    (splits / "wrong.tsv").write_text("q1\ttune\nq2\ttest\n")
    loaders = {
        "tiny": lambda data: _tiny(data, "tiny"),
        "cranfield": public.load_cranfield,
        "gone": lambda data: _tiny(data, "gone"),
        "wrong": lambda data: _tiny(data, "wrong"),
    }
    monkeypatch.setattr(evaluating, "LOADERS", loaders)
    monkeypatch.setattr(evaluating, "QUALITY", tmp_path / "quality")
    monkeypatch.setattr(evaluate_all, "WEIGHTS", {"tiny": 1.0, "cranfield": 1.0, "gone": 1.0, "wrong": 0.5})
    return tmp_path


def _evaluate(shared: Path, *options: str) -> Result:
    return CliRunner().invoke(evaluate_command, ["--all", "--shared", str(shared), *options])


def test_it_goes_on_without_what_is_missing_and_writes_what_results_understand(shared: Path) -> None:
    out = shared / "out.json"
    done = _evaluate(shared, "--ablate", "--no-rerank", "--json", str(out))
    assert done.exit_code == 0, done.output
    written = json.loads(out.read_text())
    tiny, wrong = written["collections"]
    assert (tiny["name"], tiny["ndcg_at_10"], tiny["success_at_1"], tiny["questions"]) == ("tiny", 1.0, 1.0, 2)
    assert wrong["success_at_1"] == 0.5
    assert written["mean"]["success_at_1"] == pytest.approx((1.0 + 0.5 * 0.5) / 1.5)
    assert [one["name"] for one in written["missing"]] == ["cranfield", "gone"]
    assert written["made_with"]["embedder"]["model"]
    assert {"bm25 alone", "dense alone", "no place"} <= {one["name"] for one in written["stages"]}
    for said in ("1 of 4: tiny", "left out cranfield", "cranfield_data.json is missing", "no place"):
        assert said in done.output
    cranfield, gone = written["missing"]
    assert "--shared names a folder whose data/ has the files of cranfield" in cranfield["why"]
    assert cranfield["why"].endswith("Sonde fetches them.")
    assert "No such file or directory. --shared names a folder" in gone["why"]
    rows = [line.split() for line in done.output.splitlines()]
    assert ["tiny", "2", "1.0000", "1.0000", "1"] in rows
    assert ["mean", "4", f"{written['mean']['ndcg_at_10']:.4f}", "0.8333", "1.5"] in rows
    take = {"tiny": "collections/name=tiny/ndcg_at_10", "place": "stages/name=no place/gain"}
    row = ResultRow(what="All", figures={"tiny": 0.0, "place": 0.0}, command="sonde evaluate --all", data="", take=take)
    assert take_figures(row, written).figures["tiny"] == 1.0


def test_a_half_and_a_limit_hold_for_each(shared: Path) -> None:
    out = shared / "out.json"
    done = _evaluate(shared, "--half", "test", "--limit-queries", "1", "--algorithm", "bm25", "--json", str(out))
    assert done.exit_code == 0, done.output
    written = json.loads(out.read_text())
    assert [(one["name"], one["questions"]) for one in written["collections"]] == [("tiny", 1), ("wrong", 1)]
    assert written["collections"][1]["success_at_1"] == 0.0  # the question of its test half
    done = _evaluate(shared, "--half", "train", "--algorithm", "bm25")
    assert "left out tiny: tiny has no halves: all of it is for testing." in done.output
    assert "left out wrong" not in done.output


def test_nothing_to_read_is_an_error(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_all, "WEIGHTS", {"gone": 1.0})
    done = _evaluate(shared)
    assert isinstance(done.exception, SondeError)
    assert str(done.exception) == "None of the collections can be read."


def test_features_give_the_nDCG_of_the_pipeline_and_are_read_again(shared: Path) -> None:
    """Judged by what a search finds, and again from the file alone."""
    measures, table, features = shared / "all.json", shared / "left.json", shared / "features.npz"
    assert _evaluate(shared, "--json", str(measures)).exit_code == 0
    options = ("--leave-one-out", "--features", str(features), "--json", str(table))
    done = _evaluate(shared, *options)
    assert done.exit_code == 0, done.output
    written = json.loads(table.read_text())
    expected = {one["name"]: one["ndcg_at_10"] for one in json.loads(measures.read_text())["collections"]}
    assert {one["name"]: one["shipped"] for one in written["collections"]} == pytest.approx(expected, abs=1e-12)
    assert written["mean"]["difference"] == pytest.approx(written["mean"]["fitted"] - written["mean"]["shipped"])
    again = _evaluate(shared / "nowhere", *options, "--fit", "late")
    assert again.exit_code == 0, again.output
    assert json.loads(table.read_text())["fitted"] == ["late"]
    assert "1 of 4" not in again.output


def test_one_collection_cannot_be_left_out(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_all, "WEIGHTS", {"tiny": 1.0})
    done = _evaluate(shared, "--leave-one-out")
    assert isinstance(done.exception, SondeError)
    assert "two collections" in str(done.exception)
