"""Preparing models for ONNX Runtime: the same numbers as PyTorch, whole or not at all, once for many processes."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import TEXTS, tiny_cross_encoder, tiny_embedder, tiny_headed_cross_encoder

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder, load_embedder
from encoders.cross_encoder import PairTokeniser
from encoders.prepare import make
from encoders.quantise import INT8_GRAPHS, Int8Kind, int8_kind
from encoders.recipe import UnfitForOnnx
from encoders.specs import CrossEncoderSpec, EmbedderSpec

pytestmark = pytest.mark.models

HOUSE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def theirs() -> Any:
    """sentence-transformers, imported when a test asks: ten seconds of work, and each process collects every file."""
    return importlib.import_module("sentence_transformers")


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> EmbedderSpec:
    """A model with a card of its own, prepared once."""
    home = tmp_path_factory.mktemp("ready")
    folder = tiny_embedder(home / "model")
    (folder / "card.json").write_text(json.dumps({"min_score": 0.3, "instruction": "find: "}))
    spec = EmbedderSpec(str(folder), home / "cache", "onnx-fp32")
    load_embedder(spec)
    return spec


@pytest.fixture
def copied(ready: EmbedderSpec, tmp_path: Path) -> EmbedderSpec:
    """The same with a cache that a test may damage."""
    assert ready.cache is not None
    return replace(ready, cache=Path(shutil.copytree(ready.cache, tmp_path / "cache")))


def made_by(spec: EmbedderSpec) -> Path:
    assert spec.cache is not None
    (made,) = [path for path in spec.cache.iterdir() if path.is_dir()]
    return made


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_onnx_fp32_gives_the_vectors_of_sentence_transformers(
    theirs: Any, ready: EmbedderSpec, tmp_path: Path, pooling: str
) -> None:
    asked = ready
    if pooling == "cls":
        asked = EmbedderSpec(str(tiny_embedder(tmp_path / "model", "cls")), tmp_path / "cache", "onnx-fp32")
    ours = load_embedder(asked)
    model = theirs.SentenceTransformer(asked.name, device="cpu")
    whole = [text for text in TEXTS if ours.count_tokens([text])[0] <= 64]  # the library cuts longer ones
    assert len(whole) == len(TEXTS) - 1
    np.testing.assert_allclose(ours.embed(whole, "document"), model.encode(whole), atol=2e-5)
    assert (ours.card.dims, ours.card.max_tokens, ours.card.runtime) == (32, 64, "onnx-fp32")


def test_the_torch_runtime_gives_the_same_vectors_and_card(ready: EmbedderSpec) -> None:
    onnx = load_embedder(ready)
    torch = load_embedder(replace(ready, runtime="torch", instruction="find: "))
    np.testing.assert_allclose(torch.embed(TEXTS, "document"), onnx.embed(TEXTS, "document"), atol=2e-5)
    np.testing.assert_allclose(torch.embed(["rain"], "query"), onnx.embed(["find: rain"], "document"), atol=2e-5)
    assert torch.count_tokens(TEXTS) == onnx.count_tokens(TEXTS)
    assert (torch.card.dims, torch.card.max_tokens, torch.card.runtime) == (32, 64, "torch")


def test_a_layer_we_do_not_compute_goes_to_torch_or_is_named(theirs: Any, tmp_path: Path) -> None:
    folder = tiny_embedder(tmp_path / "model", extra_layer="Dense")
    (folder / "2_Dense").mkdir()
    dense = theirs.models.Dense(32, 16)
    dense.save(str(folder / "2_Dense"))
    assert load_embedder(EmbedderSpec(str(folder), tmp_path / "cache")).card.dims == 16
    with pytest.raises(UnfitForOnnx, match="Dense; use the torch runtime"):
        load_embedder(EmbedderSpec(str(folder), tmp_path / "cache", "onnx-fp32"))


def test_a_model_reads_fewer_tokens_where_asked_and_never_more(ready: EmbedderSpec) -> None:
    short = load_embedder(replace(ready, max_tokens=4))
    assert short.card.max_tokens == 4
    # [CLS] snow and [SEP] are the first part, [CLS] ice [SEP] the second, which counts half as much.
    first, second, both = short.embed(["snow and", "ice", "snow and ice"], "document")
    np.testing.assert_allclose(both, (2 * first + second) / np.linalg.norm(2 * first + second), atol=1e-6)
    assert short.count_tokens(["snow and ice"]) == [5]
    assert load_embedder(replace(ready, max_tokens=1000)).card.max_tokens == 64


def test_the_card_says_what_was_measured_and_guards_the_bytes(copied: EmbedderSpec) -> None:
    made = made_by(copied)
    card = json.loads((made / "card.json").read_text())
    assert card["int8"]["texts"] >= 64
    assert card["int8"]["good"] == (card["int8"]["mean"] >= 0.99)
    with (made / "model.onnx").open("r+b") as graph:
        graph.seek(100)
        graph.write(b"\x00damaged")
    with pytest.raises(ModelMissing, match=r"model\.onnx is damaged; delete"):
        load_embedder(copied)


def test_a_model_that_disagrees_in_int8_is_served_in_fp32(copied: EmbedderSpec) -> None:
    made, spec = made_by(copied), replace(copied, runtime="auto")
    first = load_embedder(spec).card.runtime
    card = json.loads((made / "card.json").read_text())
    counted = card["int8"] if int8_kind() == "portable" else card["int8"]["vnni"]
    assert first == ("onnx-int8" if counted["good"] else "onnx-fp32")
    counted["good"] = not counted["good"]
    (made / "card.json").write_text(json.dumps(card))
    assert {first, load_embedder(spec).card.runtime} == {"onnx-int8", "onnx-fp32"}


@pytest.mark.parametrize("kind", ["portable", "vnni"])
def test_what_one_processor_prepared_serves_on_any(
    copied: EmbedderSpec, monkeypatch: pytest.MonkeyPatch, kind: Int8Kind
) -> None:
    """Only the look at the processor is replaced: no machine has both kinds."""
    made = made_by(copied)
    monkeypatch.setattr("encoders.catalogue.int8_kind", lambda: kind)
    (made / next(file for other, file in INT8_GRAPHS.items() if other != kind)).unlink()
    assert load_embedder(replace(copied, runtime="onnx-int8")).card.runtime == "onnx-int8"
    assert made_by(copied) == made  # nothing was made anew


def test_a_model_says_its_own_instruction_and_threshold_and_settings_come_first(ready: EmbedderSpec) -> None:
    own = load_embedder(ready)
    assert (own.card.min_score, own.card.instruction) == (0.3, "find: ")
    np.testing.assert_array_equal(own.embed(["rain"], "query"), own.embed(["find: rain"], "document"))
    asked = load_embedder(replace(ready, instruction="", min_score=0.1))
    assert (asked.card.min_score, asked.card.instruction) == (0.1, "")


def test_processes_that_ask_at_once_make_it_once(tmp_path: Path) -> None:
    folder, cache = tiny_embedder(tmp_path / "model"), tmp_path / "cache"
    program = (
        "import sys; from pathlib import Path; from encoders.catalogue import load_embedder;"
        "from encoders.specs import EmbedderSpec;"
        "load_embedder(EmbedderSpec(sys.argv[1], Path(sys.argv[2]))).embed(['rain'], 'query')"
    )
    command = [sys.executable, "-c", program, str(folder), str(cache)]
    running = [subprocess.Popen(command, cwd=HOUSE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors
    assert [path.name[:6] for path in cache.iterdir() if path.is_dir()] == ["model-"]


def test_what_a_killed_process_left_is_made_anew(copied: EmbedderSpec) -> None:
    made = made_by(copied)
    (made / "card.json").unlink()
    (made / "model.onnx").write_bytes(b"half")
    assert load_embedder(copied).embed(["rain"], "query").shape == (1, 32)


@pytest.fixture(scope="module")
def pair_spec(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoderSpec:
    home = tmp_path_factory.mktemp("pairs")
    return CrossEncoderSpec(str(tiny_cross_encoder(home / "model")), home / "cache")


@pytest.fixture(scope="module")
def headed_spec(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoderSpec:
    """Its head in modules of sentence-transformers."""
    home = tmp_path_factory.mktemp("headed")
    return CrossEncoderSpec(str(tiny_headed_cross_encoder(home / "model")), home / "cache")


def exported(spec: CrossEncoderSpec) -> CrossEncoderSpec:
    """Exports in this process, where torch is loaded: another one takes 20 seconds to load it."""
    source = Path(str(spec.name))
    target = source.with_name("exported")
    target.mkdir()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HF_HUB_OFFLINE", "1")  # the exporter sets it
        make(source, target, "logits")
    return replace(spec, name=str(target), runtime="onnx")


def test_a_cross_encoder_gives_the_logits_of_sentence_transformers(theirs: Any, pair_spec: CrossEncoderSpec) -> None:
    for runtime in ("onnx", "torch"):
        same_logits(theirs, pair_spec, replace(pair_spec, runtime=runtime))


def test_a_head_in_modules_of_sentence_transformers_is_applied(theirs: Any, headed_spec: CrossEncoderSpec) -> None:
    same_logits(theirs, headed_spec, replace(headed_spec, runtime="torch"))
    same_logits(theirs, headed_spec, exported(headed_spec))


def same_logits(theirs: Any, spec: CrossEncoderSpec, served: CrossEncoderSpec) -> None:
    ours = load_cross_encoder(served)
    options = {"activation_fn": _identity(), "model_kwargs": {"dtype": "float32"}}
    model = theirs.CrossEncoder(str(spec.name), device="cpu", **options)
    question, texts = "rain in Africa", ["rain gauges", "a long abstract of many words " * 3, "sea ice"]
    expected = model.predict([(question, text) for text in texts])
    found = ours.score(question, texts)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    assert np.ptp(found) > 0.01
    assert ours.card.max_tokens == 64
    assert ours.score(question, []).shape == (0,)


def test_a_card_brings_its_calibration(pair_spec: CrossEncoderSpec) -> None:
    card = load_cross_encoder(pair_spec).card
    assert (card.temperature, card.offset) == (2.0, -0.5)


def _identity() -> object:
    import torch

    return torch.nn.Identity()


def test_two_labels_are_scored_by_their_difference(tmp_path: Path) -> None:
    two = load_cross_encoder(CrossEncoderSpec(str(tiny_cross_encoder(tmp_path / "two", 2)), runtime="torch"))
    assert two.score("rain", ["snow", "ice"]).shape == (2,)


def test_a_long_candidate_is_cut_and_counted_and_the_question_kept(pair_spec: CrossEncoderSpec) -> None:
    model = load_cross_encoder(pair_spec)
    # 64 tokens less [CLS], [SEP], [SEP] and the 3 of the question leave 58 for the text.
    fits, long = "rain " * 58, "rain " * 59
    tokeniser = PairTokeniser(Path(str(pair_spec.name)) / "tokenizer.json", 64)
    assert tokeniser.pairs("snow in spring", [fits, long]).cut == 1
    kept, cut = model.score("snow in spring", [fits, long])
    assert kept == pytest.approx(cut, abs=1e-5)
