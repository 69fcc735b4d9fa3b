"""Token layers: copies of an embedder's last ones, which learn and are exported; the embedder stays as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from encoders.onnx_graphs import LOWER_STATES, REPLACED_LAYERS
from encoders.onnx_session import Compute, OnnxSession
from encoders.token_head import TokenHead
from tests.lazy_module import LazyModule
from training.examples import TrainingError
from training.tokens.learn_layers import CandidateList, LayerData, LayerSettings, token_rows, train_layers

torch, transformers = LazyModule("torch"), LazyModule("transformers")
train_tokens, token_layers = LazyModule("sonde.cli.train_tokens"), LazyModule("training.tokens.layers")

_STATES, _DIMS, _WORDS = 32, 16, 60
_SILENT = frozenset({1, 2, 3})
_TEXTS = [[[1, 10, 11, 10, 3, 2]], [[1, 3, 2]], [[1, 20, 21, 22, 2], [1, 23, 24, 2]]]


def _base(layers: int = REPLACED_LAYERS + 1) -> transformers.BertModel:
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=_WORDS,
        hidden_size=_STATES,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=32,
        initializer_range=0.5,
    )
    return transformers.BertModel(config, add_pooling_layer=False).eval()


def _head() -> TokenHead:
    random = np.random.default_rng(0)
    projection, _ = np.linalg.qr(random.normal(size=(_STATES, _DIMS)))
    return TokenHead(np.zeros(_STATES, np.float32), projection.astype(np.float32), _SILENT)


def _lesson() -> LayerData:
    """Each question asks for the text with the words that come one later: nothing that a random base knows."""
    random = np.random.default_rng(1)
    words = [random.choice(np.arange(10, _WORDS - 1), size=4, replace=False).tolist() for _ in range(24)]
    texts = [[[1, *(word + 1 for word in own), 2]] for own in words]
    lists = []
    for at in range(len(words)):
        others = [other for other in range(len(words)) if other != at][:8]
        places = np.array([at, *others], dtype=np.intp)
        grades = np.eye(1, len(places), dtype=np.float32)[0]
        lists.append(CandidateList(at, places, np.full(len(places), 0.5, np.float32), grades))
    return LayerData([[1, *own, 2] for own in words], texts, {"made": lists}, [], _SILENT)


def test_until_they_learn_they_give_the_embedder_s_own_states() -> None:
    base, read = _base(), token_rows([parts[0] for parts in _TEXTS], _SILENT)
    ids, mask = torch.from_numpy(read.ids), torch.from_numpy(read.mask)
    own = token_layers.TokenLayers(base, _head()).eval().states(ids, mask)
    with torch.no_grad():
        wanted = torch.nn.functional.normalize(base(ids, attention_mask=mask.long()).last_hidden_state, dim=-1)
    assert torch.allclose(own[mask], wanted[mask], atol=1e-5)


def test_texts_and_questions_are_made_of_states_as_in_service() -> None:
    layers, head = token_layers.TokenLayers(_base(), _head()).eval(), _head()
    parts = [part for parts in _TEXTS for part in parts]
    read = token_rows(parts, _SILENT)
    ids, mask = torch.from_numpy(read.ids), torch.from_numpy(read.mask)
    with torch.no_grad():
        states = layers.states(ids, mask)
        signs, there = layers.documents(ids, mask, torch.from_numpy(read.places), read.count)
        asked = layers.project(states).numpy()
    for row, part in enumerate(parts):
        own = states[row, : len(part)].numpy()
        served = head.vectors(part, own, "document")
        assert np.array_equal(signs[row][there[row]].numpy() > 0, served > 0)
        assert np.allclose(asked[row][read.content[row]], head.vectors(part, own, "query"), atol=1e-5)


def test_they_learn_from_grades_and_again_the_same() -> None:
    settings = LayerSettings(steps=60, rate=3e-3, head_rate=3e-3, judged=8)
    losses: list[float] = []
    layers = token_layers.TokenLayers(_base(), _head(), dropout=0.0)
    before = [one.clone() for one in layers.lower.parameters()]
    train_layers(layers, _lesson(), settings, lambda _step, loss: losses.append(loss))
    assert losses[-1] < losses[0] - 0.5
    assert all(torch.equal(a, b) for a, b in zip(before, layers.lower.parameters(), strict=True))
    again = token_layers.TokenLayers(_base(), _head(), dropout=0.0)
    train_layers(again, _lesson(), settings, lambda _step, _loss: None)
    assert torch.equal(again.projection, layers.projection)


def test_they_learn_from_a_teacher_what_nobody_judged() -> None:
    lesson = _lesson()
    made = [
        replace(one, fused=None, grades=None, teacher_scores=np.where(one.grades > 0, 0.5, 0.3).astype(np.float32))
        for one in lesson.judged_lists["made"]
        if one.grades is not None
    ]
    losses: list[float] = []
    settings = LayerSettings(steps=60, rate=3e-3, head_rate=3e-3, made=8)
    layers = token_layers.TokenLayers(_base(), _head(), dropout=0.0)
    train_layers(
        layers,
        replace(lesson, judged_lists={}, generated_lists=made),
        settings,
        lambda _step, loss: losses.append(loss),
    )
    assert losses[-1] < losses[0] / 2


def test_the_graph_gives_the_states_of_the_layers(tmp_path: Path) -> None:
    layers, read = (
        token_layers.TokenLayers(_base(), _head()).eval(),
        token_rows([parts[0] for parts in _TEXTS], _SILENT),
    )
    ids, mask = torch.from_numpy(read.ids), torch.from_numpy(read.mask)
    with torch.no_grad():
        below = layers.lower(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        wanted = layers(below, mask).numpy()
    token_layers.export_layers(layers, tmp_path / "layers.onnx")
    assert [file.name for file in tmp_path.iterdir()] == ["layers.onnx"]
    session = OnnxSession(tmp_path / "layers.onnx", Compute(1))
    found = session.run_batch({LOWER_STATES: below.numpy(), "attention_mask": read.mask.astype(np.int64)})
    cosines = (found * wanted).sum(-1) / np.linalg.norm(found, axis=-1) / np.linalg.norm(wanted, axis=-1)
    assert cosines[read.mask].min() > 0.98


def test_an_embedder_of_too_few_layers_is_refused() -> None:
    with pytest.raises(TrainingError, match=f"more than {REPLACED_LAYERS} layers"):
        token_layers.TokenLayers(_base(REPLACED_LAYERS), _head())


@pytest.mark.parametrize(
    ("given", "wanted"),
    [((), "--judged or --examples to learn from"), (("--examples", __file__), "needs a --teacher")],
)
def test_what_they_cannot_learn_from_is_refused_at_once(given: tuple[str, ...], wanted: str) -> None:
    done = CliRunner().invoke(train_tokens.tokens, ["--from", "samples", "--layers", *given])
    assert done.exit_code == 2
    assert wanted in done.output
