"""An embedder is trained end to end: it gets better on what it did not see, is exported, checked, and described."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors
from tiny_models import tiny_embedder
from tiny_training import tiny_examples

from encoders.catalogue import load_embedder
from encoders.model_card import damaged_files
from encoders.quantise import sample_texts
from encoders.specs import EmbedderSpec
from tests.model_cards import read_card
from training.embedder.encoder import EmbedderTrainingSettings, TrainableEncoder, task_instruction
from training.embedder.learner import EmbedderLearner, HeldOut
from training.embedder.train import Base, train_embedder
from training.examples import Example, TrainingError, split_by_group
from training.loop import Checkpoints, HeldOutEvaluation, Optimisation, TrainingBudget
from training.provenance import Origin

pytestmark = pytest.mark.models

SPLIT = split_by_group(tiny_examples(), 0.2)
SETTINGS = EmbedderTrainingSettings(learning_rate=3e-3, batch=16, max_tokens=32, threads=1, seed=1)
ORIGIN = Origin("tiny", "Apache-2.0", {"tiny": "CC0"}, "abc", "sonde train embedder --from tiny.jsonl")


@pytest.fixture
def base(tmp_path: Path) -> Base:
    return Base(tiny_embedder(tmp_path / "base"), 0.0)


def test_it_gets_better_on_held_out_questions_and_the_folder_serves(tmp_path: Path, base: Base) -> None:
    settings = replace(SETTINGS, instruction=task_instruction("find data"), matryoshka=(32, 16))
    out = tmp_path / "made"
    card = train_embedder(base, SPLIT, settings, TrainingBudget(steps=80, look_every=20), ORIGIN, out)
    found = card.figures["nDCG@10"]
    assert found["after"] > found["before"] + 0.1
    assert card.figures["nDCG@10 p"] < 0.05
    assert card.figures["nDCG@10 at 16"] > found["before"]
    assert card.figures["int8_mean_cosine"] >= 0.99
    assert read_card(out) == card
    assert damaged_files(out) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".made")] in ([], [".made.lock"])
    served = load_embedder(EmbedderSpec(str(out), tmp_path / "cache", "onnx-fp32"))
    assert served.card.instruction == "Instruct: find data\nQuery: "
    assert served.card.max_tokens == 64
    wanted = np.array(card.recorded["vectors"])
    np.testing.assert_allclose(served.embed(sample_texts()[:2], "document"), wanted, atol=2e-3)


def trained(
    base: Base, settings: EmbedderTrainingSettings, course: TrainingBudget, checkpoints: Path, at: int = 0
) -> TrainableEncoder:
    """Without the export; ``at``: interrupted at the look after that step, then resumed."""

    def interrupt(look: HeldOutEvaluation) -> None:
        if look.step == at:
            raise KeyboardInterrupt

    from training.trainer import train  # seconds to import

    examples = [one for one in SPLIT.train if one.negatives]
    held_out, optimisation = HeldOut.of(SPLIT.held_out), Optimisation(settings.learning_rate, seed=settings.seed)
    if at:
        learner = EmbedderLearner(TrainableEncoder(base.folder, settings), examples, held_out)
        with pytest.raises(KeyboardInterrupt):
            train(learner, optimisation, course, Checkpoints(checkpoints), interrupt)
    encoder = TrainableEncoder(base.folder, settings)
    learner = EmbedderLearner(encoder, examples, held_out)
    train(learner, optimisation, course, Checkpoints(checkpoints, resume=bool(at)))
    return encoder


def test_low_rank_adapters_learn_a_teachers_margins_and_are_merged(tmp_path: Path, base: Base) -> None:
    settings = replace(SETTINGS, loss="margin_mse", lora=True, learning_rate=1e-2, margin_scale=10.0)
    held_out = HeldOut.of(SPLIT.held_out)
    before = held_out.evaluate(TrainableEncoder(base.folder, settings).embed).means["RR"]
    encoder = trained(base, settings, TrainingBudget(steps=60, look_every=20), tmp_path / "checkpoints")
    after = held_out.evaluate(encoder.embed).means["RR"]
    assert after > before
    encoder.save(tmp_path / "made")
    with safetensors.safe_open(tmp_path / "made" / "model.safetensors", "np") as weights:  # type: ignore[no-untyped-call]
        assert not [name for name in weights.keys() if "lora" in name]  # noqa: SIM118 - no mapping
    merged = TrainableEncoder(tmp_path / "made", replace(settings, lora=False))
    assert held_out.evaluate(merged.embed).means["RR"] == pytest.approx(after)


def test_frozen_layers_keep_the_bases_weights_and_the_last_ones_learn(tmp_path: Path, base: Base) -> None:
    before = TrainableEncoder(base.folder, SETTINGS).module.state_dict()
    settings = replace(SETTINGS, frozen=1, questions_each=2, siblings=2)
    encoder = trained(base, settings, TrainingBudget(steps=2, look_every=2), tmp_path / "checkpoints")
    after = {name: value.detach() for name, value in encoder.module.state_dict().items()}
    same = {name for name, value in before.items() if np.array_equal(value.numpy(), after[name].numpy())}
    low = ("embeddings.", "encoder.layer.0.")
    assert {name for name in before if name.startswith(low)} <= same
    assert [name for name in before if name.startswith("encoder.layer.1.") and name not in same]
    with pytest.raises(TrainingError, match="Of 2 layers 2 cannot be frozen"):
        TrainableEncoder(base.folder, replace(SETTINGS, frozen=2))


def test_an_interrupted_run_goes_on_to_the_same_weights(tmp_path: Path, base: Base) -> None:
    course = TrainingBudget(steps=6, look_every=2, patience=9)
    whole = trained(base, SETTINGS, course, tmp_path / "whole").embed(["rain in Peru"])
    again = trained(base, SETTINGS, course, tmp_path / "broken", at=4).embed(["rain in Peru"])
    np.testing.assert_array_equal(again, whole)


def test_too_little_text_and_a_missing_teacher_are_said(tmp_path: Path, base: Base) -> None:
    few = replace(SPLIT, train=SPLIT.train[:5])
    with pytest.raises(TrainingError, match="5 examples are too little"):
        train_embedder(base, few, SETTINGS, TrainingBudget(), ORIGIN, tmp_path / "made")
    untaught = replace(SPLIT, train=(_untaught(SPLIT.train[0]), *SPLIT.train[1:]))
    with pytest.raises(TrainingError, match=r"1 of \d+ examples lack a teacher's scores"):
        train_embedder(
            base, untaught, replace(SETTINGS, loss="margin_mse"), TrainingBudget(), ORIGIN, tmp_path / "made"
        )
    with pytest.raises(TrainingError, match="between 1 and the model's 32; 64 does not"):
        train_embedder(base, SPLIT, replace(SETTINGS, matryoshka=(64,)), TrainingBudget(), ORIGIN, tmp_path / "made")


def test_a_folder_with_a_graph_alone_cannot_learn(tmp_path: Path) -> None:
    folder = tmp_path / "graph"
    folder.mkdir()
    (folder / "card.json").write_text(json.dumps({"pooling": "cls", "max_tokens": 64, "dims": 32}))
    with pytest.raises(TrainingError, match="without weights that could learn"):
        TrainableEncoder(folder, SETTINGS)


def _untaught(example: Example) -> Example:
    return replace(example, positive=replace(example.positive, teacher=None))
