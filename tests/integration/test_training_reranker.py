"""A reranker trained end to end, on a dictionary: a question's words never stand in its answer, their partners do."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import tiny_embedder

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder
from encoders.model_card import damaged_files
from encoders.specs import CrossEncoderSpec
from search_api.search.ranking.rerank import calibrated
from tests.model_cards import read_card
from training.examples import Candidate, Example, TrainingError
from training.loop import Evaluation, TrainingBudget
from training.provenance import Origin
from training.reranker.model import LateModel
from training.reranker.settings import RerankerSettings
from training.reranker.train import Texts, train_reranker
from training.splits import split_by_group

PARTNERS = {
    "rain": "precipitation", "snow": "winter", "river": "discharge", "ocean": "marine", "tree": "forest",
    "bird": "wildlife", "heat": "temperature", "wind": "gust", "cloud": "cover", "rock": "geology",
}  # fmt: skip
HEADLINE = "nDCG@10 on fused candidates"


def _examples() -> list[Example]:
    pairs = list(itertools.combinations(PARTNERS, 2))
    answers = {pair: f"data of {PARTNERS[pair[0]]} and {PARTNERS[pair[1]]}" for pair in pairs}
    return [
        Example(
            id="-".join(pair),
            question=" ".join(pair),
            positive=Candidate("-".join(pair), answers[pair], 1),
            negatives=tuple(
                Candidate("-".join(other), answers[other], why="bm25") for other in pairs if not set(other) & set(pair)
            )[:16],
            corpus="dictionary",
            group="-".join(pair),
        )
        for pair in pairs
    ]


def _train(
    home: Path, steps: int, every: int, *, resume: bool = False, told: list[Evaluation] | None = None, **more: Any
) -> Path:
    base = home / "base"
    if not base.exists():
        tiny_embedder(base)
    settings = RerankerSettings(
        layers=2, learning_layers=2, negatives=16, learning_rate=2e-3, head_rate=5e-3, max_tokens=16,
        served_tokens=32, question_tokens=16, seed=3, threads=1, **more,
    )  # fmt: skip
    looks: list[Evaluation] = [] if told is None else told
    train_reranker(
        base,
        Texts(split_by_group(_examples(), 0.25, 1)),
        settings,
        TrainingBudget(minutes=5, steps=steps, look_every=every),
        Origin("tiny", "Apache-2.0", {"dictionary": "Apache-2.0"}, "abc", "sonde train reranker"),
        home / "reranker",
        resume=resume,
        told=looks.append,
    )
    return home / "reranker"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _train(tmp_path_factory.mktemp("trained"), 60, 30)


def test_it_orders_held_out_questions_better_than_before(trained: Path) -> None:
    figures = read_card(trained).figures
    assert figures[HEADLINE]["after"] > figures[HEADLINE]["before"] + 0.1
    assert (figures["int8 rank correlation"] >= 0.98) == (read_card(trained).serving["graph"] == "model.int8.onnx")
    assert figures["expected calibration error"]["after"] < figures["expected calibration error"]["before"]


def test_the_folder_is_whole_and_says_where_it_is_from(trained: Path) -> None:
    card = read_card(trained)
    held = sorted(file.name for file in trained.iterdir())
    assert held == ["card.json", "card.md", card.serving["graph"], "tokenizer.json"]
    assert damaged_files(trained) == []
    assert [(one.name, one.licence, one.note) for one in card.data] == [
        ("dictionary", "Apache-2.0", ""),
        ("dictionary", "Apache-2.0", "held out"),
    ]
    assert not (trained.parent / ".reranker.checkpoints").exists()


def test_it_serves_behind_the_port_with_its_calibration(trained: Path) -> None:
    model = load_cross_encoder(CrossEncoderSpec(str(trained)))
    logits = model.score("rain snow", ["data of precipitation and winter", "data of forest and wildlife"])
    facts = read_card(trained).serving
    wanted = 1.0 / (1.0 + np.exp(-(logits / facts["temperature"] + facts["offset"])))
    assert calibrated(logits, model.card).tolist() == pytest.approx(wanted.tolist())
    assert abs(logits[0] - logits[1]) > 0.0
    assert model.score("rain", []).shape == (0,)
    assert np.isfinite(model.score("", ["", "snow " * 500])).all()


def test_before_anything_is_learnt_all_layers_are_the_base_and_half_of_them_are_not(tmp_path: Path) -> None:
    tiny_embedder(tmp_path / "base")
    drift = []
    for layers in (2, 1):
        settings = RerankerSettings(layers=layers, learning_layers=1, near_base=1.0, threads=1)
        model = LateModel(tmp_path / "base", settings)
        model.module.eval()
        drift.append(float(model.drift(model.scores(["rain snow"], ["winter"], [0])).detach()))
    assert drift[0] == pytest.approx(0.0, abs=2e-6)
    assert drift[1] > 2e-5


def test_kept_near_its_base_in_half_precision_it_learns_as_well(tmp_path: Path) -> None:
    told: list[Evaluation] = []
    _train(tmp_path, 30, 30, told=told, near_base=0.5, precision="bfloat16")
    assert told[-1].measure > told[0].measure


def test_a_long_text_is_read_where_the_question_is_about_it(trained: Path) -> None:
    """Thirty words of forest before the answer: a reader of the beginning alone would see no difference."""
    model = load_cross_encoder(CrossEncoderSpec(str(trained)))
    padding = "forest " * 40
    told, silent = model.score("precipitation winter", [padding + "precipitation and winter", padding + "wildlife"])
    assert told > silent


def test_a_changed_graph_is_not_served(trained: Path, tmp_path: Path) -> None:
    graph = read_card(trained).serving["graph"]
    for name in ("card.json", "tokenizer.json", graph):
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    with (tmp_path / graph).open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ModelMissing, match="damaged"):
        load_cross_encoder(CrossEncoderSpec(str(tmp_path)))


def test_an_interrupted_training_goes_on_where_it_stood(tmp_path: Path) -> None:
    class Interrupted(list[Evaluation]):
        def append(self, look: Evaluation) -> None:
            super().append(look)
            if look.step == 8:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _train(tmp_path, 16, 8, told=Interrupted())
    assert not (tmp_path / "reranker").exists()
    looks: list[Evaluation] = []
    card = json.loads((_train(tmp_path, 16, 8, resume=True, told=looks) / "card.json").read_text("utf-8"))
    assert [look.step for look in looks] == [16]
    assert card["figures"]["steps"] == 16


def test_too_little_text_is_one_sentence(tmp_path: Path) -> None:
    tiny_embedder(tmp_path / "base")
    few = _examples()[:12]
    with pytest.raises(TrainingError, match="too little to learn from"):
        train_reranker(
            tmp_path / "base", Texts(split_by_group(few, 0.5, 1)), RerankerSettings(layers=2, learning_layers=2),
            TrainingBudget(steps=1), Origin("tiny"), tmp_path / "out",
        )  # fmt: skip
