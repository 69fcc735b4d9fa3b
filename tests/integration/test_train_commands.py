"""`sonde train embedder | segmenter | tagger | answers` as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tiny_models import tiny_embedder
from tiny_training import tiny_examples

from core.errors import ModelMissing, SondeError
from encoders.registry import entry_of, verify
from sonde.cli import cli
from sonde.settings import Settings
from sonde.wiring.models import Models
from training.examples import TrainingError, write_examples

pytestmark = pytest.mark.models


def run(home: Path, *words: str) -> Result:
    environment = {"SONDE_MODELS__FOLDER": str(home / "cache"), "SONDE_ANSWERS__URL": ""}
    return CliRunner().invoke(cli, ["train", *words], env=environment)


def test_an_embedder_is_trained_from_a_file_of_examples_and_never_written_over(tmp_path: Path) -> None:
    base = tiny_embedder(tmp_path / "base")
    write_examples(tmp_path / "tiny.jsonl", tiny_examples())
    out = tmp_path / "made"
    words = ("embedder", "--from", str(tmp_path / "tiny.jsonl"), "--base", str(base), "--out", str(out))
    done = run(tmp_path, *words, "--steps", "4", "--rate", "1e-3", "--task", "find data", "--lora", "--threads", "1")
    assert done.exception is None
    assert "sonde models use" in done.stdout
    card = json.loads((out / "card.json").read_text())
    assert card["instruction"] == "Instruct: find data\nQuery: "
    assert (card["settings"]["lora"], card["figures"]["steps"]) == (True, 4)
    assert "| nDCG@10 |" in (out / "card.md").read_text()
    again = run(tmp_path, *words)
    assert isinstance(again.exception, TrainingError)
    assert "is there already" in str(again.exception)


def test_what_cannot_be_trained_from_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    out = tmp_path / "made"
    (tmp_path / "few.jsonl").write_text("")
    done = run(tmp_path, "embedder", "--from", str(tmp_path / "few.jsonl"), "--out", str(out))
    assert isinstance(done.exception, TrainingError)
    assert "too few" in str(done.exception)
    done = run(tmp_path, "embedder", "--from", "samples", "--base", str(tmp_path / "nowhere"), "--out", str(out))
    assert isinstance(done.exception, ModelMissing)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("One sentence stands here alone. And another one does.")
    base = tiny_embedder(tmp_path / "base")
    done = run(tmp_path, "segmenter", "--from", str(tmp_path / "notes"), "--base", str(base), "--out", str(out))
    assert isinstance(done.exception, TrainingError)
    assert "too little text" in str(done.exception)
    assert not out.exists()


def test_a_tagger_is_trained_with_the_names_of_records_and_used(tmp_path: Path) -> None:
    out = tmp_path / "tagger"
    words = ("tagger", "--from", "samples", "--out", str(out))
    done = run(tmp_path, *words, "--questions", "500", "--epochs", "1")
    assert done.exception is None
    card = json.loads((out / "card.json").read_text())
    assert [data["name"] for data in card["data"]][1:] == ["names of the records of samples"]
    assert "rules and tagger precision" in card["figures"]
    tagger = Models(Settings(_env_file=None, models={"tagger": out})).question_tagger  # type: ignore[call-arg, arg-type]
    assert tagger is not None
    assert 0.0 <= tagger.place_certainty("ozone longyearbyen", 6, 18) <= 1.0
    entry = entry_of(str(out), tmp_path)
    assert [(check.what, check.ok) for check in verify(entry, tmp_path)] == [("files", True), ("loads", True)]
    assert isinstance(run(tmp_path, *words).exception, TrainingError)


def test_answer_sets_want_a_language_model(tmp_path: Path) -> None:
    done = run(tmp_path, "answers", "--out", str(tmp_path / "sets"))
    assert isinstance(done.exception, SondeError)
    assert "set SONDE_ANSWERS__URL" in str(done.exception)
