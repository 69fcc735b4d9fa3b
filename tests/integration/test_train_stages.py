"""The stages of a training as they are typed: examples of several corpora, a teacher, its student, a calibration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tiny_models import tiny_cross_encoder, tiny_embedder
from tiny_training import tiny_examples

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder
from encoders.specs import CrossEncoderSpec
from sonde.cli import cli
from training.examples import TrainingError, read_examples, write_examples

pytestmark = pytest.mark.models

SKOS = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n" + "\n".join(
    f'<urn:{name}> skos:prefLabel "{name}"@en ; skos:definition "A {name} is one of the many things of which the tests'
    f' of this house say a little more than nothing, number {at}."@en .'
    for at, name in enumerate(("firn", "moraine", "albedo"))
)
REPORT = "\n\n".join(
    f"Chapter {at}\n\nThe gauges of valley {at} were read by hand each morning of the year. Snow lay until May came."
    for at in range(3)
)


def run(home: Path, *words: str, **settings: str) -> Result:
    environment = {"SONDE_MODELS__FOLDER": str(home / "cache"), "SONDE_ANSWERS__URL": "", **settings}
    return CliRunner().invoke(cli, list(words), env=environment)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small embedder, a small cross-encoder, a vocabulary, a report and a file of examples."""
    home = tmp_path_factory.mktemp("stages")
    tiny_embedder(home / "base")
    (tiny_cross_encoder(home / "teacher") / "card.json").unlink()  # as a hub has it: nothing says what a logit means
    (home / "ice-terms.ttl").write_text(SKOS)
    (home / "reports").mkdir()
    (home / "reports" / "snow.txt").write_text(REPORT)
    write_examples(home / "tiny.jsonl", tiny_examples())
    return home


def test_all_corpora_give_examples_with_their_own_names(home: Path) -> None:
    out = home / "all.jsonl"
    done = run(
        home, "train", "examples", "--from", "samples", "--corpus", "all", "--concepts", str(home / "ice-terms.ttl"),
        "--literature", str(home / "reports"), "--questions", "titles,sentences,place-and-time", "--mined", "4",
        "--out", str(out), SONDE_EMBEDDER__MODEL=str(home / "base"),
    )  # fmt: skip
    assert done.exception is None, done.output
    found = read_examples(out)
    assert {one.corpus for one in found} == {"samples", "ice", "reports"}
    assert {one.question for one in found if one.corpus == "ice"} >= {"firn", "moraine", "albedo"}
    assert {one.origin for one in found if one.corpus == "samples"} == {"title", "sentence", "place and time"}
    wrong = [one for one in found if any(text.why in ("place", "time") for text in one.negatives)]
    assert wrong
    assert not (home / ".all.jsonl.asked").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--corpus", "concepts"), "name them with --concepts"),
        (("--literature", "library"), "add them to --corpus"),
        (("--questions", "guesses"), "is not all or a list of titles"),
        (("--questions", "language-model"), "set SONDE_ANSWERS__URL"),
        (("--corpus", "literature", "--literature", "nowhere"), "neither library nor a file or folder"),
    ],
)
def test_what_does_not_fit_together_is_said(home: Path, words: tuple[str, ...], said: str) -> None:
    out = home / "never.jsonl"
    done = run(
        home, "train", "examples", "--from", "samples", *words, "--out", str(out),
        SONDE_EMBEDDER__MODEL=str(home / "base"),
    )  # fmt: skip
    assert isinstance(done.exception, TrainingError)
    assert said in str(done.exception)
    assert not out.exists()


def test_a_corpus_of_finished_examples_cannot_be_chosen(home: Path) -> None:
    done = run(
        home, "train", "embedder", "--from", str(home / "tiny.jsonl"), "--corpus", "all", "--concepts",
        str(home / "ice-terms.ttl"), "--literature", "library", "--out", str(home / "never"),
    )  # fmt: skip
    assert "holds examples" in str(done.exception)


def test_a_teacher_scores_and_a_student_learns_from_it(home: Path) -> None:
    distilled = home / "distilled.jsonl"
    done = run(
        home, "train", "teach", "--from", str(home / "tiny.jsonl"), "--teacher", str(home / "teacher"),
        "--out", str(distilled),
    )  # fmt: skip
    assert done.exception is None, done.output
    model = load_cross_encoder(CrossEncoderSpec(str(home / "teacher"), home / "cache"))
    for one in read_examples(distilled)[:3]:
        wanted = model.score(one.question, [text.text for text in one.candidates])
        assert [text.teacher for text in one.candidates] == pytest.approx(wanted.tolist(), abs=1e-3)
    out = home / "student"
    done = run(
        home, "train", "embedder", "--from", str(home / "tiny.jsonl"), "--teacher", str(home / "teacher"), "--loss",
        "margin_mse", "--base", str(home / "base"), "--steps", "2", "--threads", "1", "--licence", "CC0 1.0",
        "--out", str(out),
    )  # fmt: skip
    assert done.exception is None, done.output
    card = json.loads((out / "card.json").read_text())
    assert card["settings"]["loss"] == "margin_mse"
    assert {one["licence"] for one in card["data"]} == {"CC0 1.0"}
    assert not (home / ".student.asked").exists()


def test_a_teacher_that_is_not_there_stops_before_anything_is_made(home: Path) -> None:
    out = home / "never"
    done = run(
        home, "train", "embedder", "--from", str(home / "tiny.jsonl"), "--teacher", str(home / "gone"), "--loss",
        "margin_mse", "--base", str(home / "base"), "--out", str(out),
    )  # fmt: skip
    assert isinstance(done.exception, ModelMissing)
    assert not out.exists()


def test_a_model_without_a_calibration_is_given_one(home: Path) -> None:
    before = load_cross_encoder(CrossEncoderSpec(str(home / "teacher"), home / "cache")).card
    assert (before.temperature, before.offset) == (1.0, 0.0)
    words = ("models", "calibrate", str(home / "teacher"), "--from", str(home / "tiny.jsonl"), "--lists", "40")
    assert "kept in" not in run(home, *words, "--dry-run").stdout
    done = run(home, *words)
    assert done.exception is None, done.output
    assert "expected calibration error" in done.stdout
    assert "MAP@3" in done.stdout
    after = load_cross_encoder(CrossEncoderSpec(str(home / "teacher"), home / "cache")).card
    assert f"{after.temperature:.4f}" in done.stdout
    assert (after.temperature, after.offset) != (1.0, 0.0)
    (kept,) = (home / "cache" / "calibration").iterdir()
    kept.write_text('{"temperature": 0}')
    with pytest.raises(ModelMissing, match="sonde models calibrate"):
        load_cross_encoder(CrossEncoderSpec(str(home / "teacher"), home / "cache"))
    kept.unlink()
