"""`sonde train cross-encoder` end to end: the samples, a few steps of the model that ships, and the result in use."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from tiny_models import tiny_embedder
from tiny_training import tiny_examples

from encoders.catalogue import load_cross_encoder
from encoders.locate import SHIPPED, locate
from encoders.registry import entry_of_folder, verify
from encoders.specs import CrossEncoderSpec
from sonde.cli import cli
from training.cross_encoder.train import load_trainable
from training.examples import TrainingError, write_examples
from training.loop import Checkpoints

pytestmark = pytest.mark.models

SHIPPED_NAME = "shipped:cross-encoder-minilm-l6"
QUESTION = "snow depth in Norway"
TEXTS = ["Snow depth at stations in Norway, daily since 1957.", "Wave heights from buoys off Chile.", "Snow."]


def run(home: Path, *words: str, **settings: str) -> Result:
    environment = {"SONDE_MODELS__FOLDER": str(home / "cache"), "SONDE_ANSWERS__URL": "", **settings}
    return CliRunner().invoke(cli, ["train", "cross-encoder", *words], env=environment)


def test_the_samples_make_one_that_a_search_can_load(tmp_path: Path) -> None:
    tiny_embedder(tmp_path / "embedder")
    (tmp_path / "given.jsonl").write_text(
        "".join(
            json.dumps({"question": f"depth of well {n}?", "passage": f"Well {n + at} is 9 m deep.", "label": 1 - at})
            + "\n"
            for n in range(0, 60, 2)
            for at in (0, 1)
        )
    )
    out = tmp_path / "mine"
    done = run(
        tmp_path, "--from", "samples", "--questions", "keywords,place-and-time", "--pairs",
        str(tmp_path / "given.jsonl"), "--steps", "2", "--look-every", "1", "--batch", "8", "--max-tokens", "64",
        "--threads", "1", "--out", str(out), SONDE_EMBEDDER__MODEL=str(tmp_path / "embedder"),
    )  # fmt: skip
    assert done.exception is None, done.output
    assert f"SONDE_CROSS_ENCODER__MODEL={out}" in done.stdout
    card = json.loads((out / "card.json").read_text())
    assert (card["kind"], card["licence"], card["judges"]) == ("reranker", "Apache-2.0", True)
    assert {row["name"] for row in card["data"]} == {"samples", "given"}
    assert {row["note"] for row in card["data"]} == {"learnt", "not learnt"}
    assert card["figures"]["steps"] == 2
    assert card["figures"]["calibration error"]["after"] < 0.3
    assert {"hours", "pairs left out"} <= card["figures"].keys()
    assert (out / "model.onnx").stat().st_size < 25 * 2**20
    model = load_cross_encoder(CrossEncoderSpec(str(out), tmp_path / "cache"))
    assert (model.card.temperature, model.card.offset) == (card["temperature"], card["offset"])
    assert int(np.argmax(model.score(QUESTION, TEXTS))) == 0
    entry = entry_of_folder(out)
    assert entry is not None
    assert [check.ok for check in verify(entry, tmp_path / "cache")] == [True, True]


def test_weights_read_back_from_the_graph_that_ships_give_its_logits(tmp_path: Path) -> None:
    import torch

    from encoders.cross_encoder import PairTokeniser
    from encoders.onnx_session import pad_inputs

    module = load_trainable(locate(SHIPPED_NAME, tmp_path), tmp_path, threads=1, seed=0).eval()
    tokens = PairTokeniser(SHIPPED / "cross-encoder-minilm-l6" / "tokenizer.json", 384).pairs(QUESTION, TEXTS).tokens
    arrays, _ = pad_inputs(tokens)
    with torch.inference_mode():
        logits = module(**{name: torch.from_numpy(value) for name, value in arrays.items()}).logits[:, 0].numpy()
    expected = load_cross_encoder(CrossEncoderSpec(SHIPPED_NAME, tmp_path)).score(QUESTION, TEXTS)
    assert logits.tolist() == pytest.approx(expected.tolist(), abs=0.5)
    assert logits.argsort().tolist() == expected.argsort().tolist()


def words_of(home: Path, out: Path) -> list[str]:
    examples = home / "tiny.jsonl"
    write_examples(examples, tiny_examples())
    base = tiny_embedder(home / "base")
    return [
        "--from", str(examples), "--base", str(base), "--base-licence", "CC0", "--look-every", "2", "--batch", "8",
        "--max-tokens", "48", "--rate", "1e-3", "--threads", "1", "--out", str(out),
    ]  # fmt: skip


def test_an_interrupted_training_continues_to_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from training.cross_encoder.learner import CrossEncoderLearner

    words = words_of(tmp_path, tmp_path / "whole")
    assert run(tmp_path, *words, "--steps", "4").exception is None
    out, whole_loss = tmp_path / "broken", CrossEncoderLearner.loss
    words[-1] = str(out)

    def loss(learner: CrossEncoderLearner, step: int) -> object:
        if step == 4:
            raise KeyboardInterrupt
        return whole_loss(learner, step)

    with monkeypatch.context() as patch:
        patch.setattr(CrossEncoderLearner, "loss", loss)
        broken = run(tmp_path, *words, "--steps", "4")
    assert broken.exit_code == 130
    assert "--resume" in broken.stderr
    assert Checkpoints.of_output(out).last() is not None
    assert run(tmp_path, *words, "--steps", "4", "--resume").exception is None
    models = [
        load_cross_encoder(CrossEncoderSpec(str(tmp_path / name), tmp_path / "c")) for name in ("whole", "broken")
    ]
    first, second = (model.score("rain in Peru", ["precipitation totals made for Peru", "wind"]) for model in models)
    assert first.tolist() == pytest.approx(second.tolist(), abs=1e-4)
    assert Checkpoints.of_output(out).last() is None


def test_what_is_there_is_never_written_over(tmp_path: Path) -> None:
    words = words_of(tmp_path, tmp_path / "base")
    assert isinstance(run(tmp_path, *words, "--steps", "1").exception, TrainingError)
