"""Folders that are no complete cross-encoder: each is refused with what it lacks; none gets random weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tiny_models import tiny_cross_encoder, tiny_embedder, tiny_headed_cross_encoder

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder
from encoders.locate import weights_digest
from encoders.specs import CrossEncoderSpec
from encoders.torch_models import export

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def headed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_headed_cross_encoder(tmp_path_factory.mktemp("headed") / "model")


@pytest.fixture
def copied(headed: Path, tmp_path: Path) -> Path:
    """One that a test may damage."""
    return Path(shutil.copytree(headed, tmp_path / "model"))


def refused(folder: Path) -> str:
    with pytest.raises(ModelMissing) as raised:
        load_cross_encoder(CrossEncoderSpec(str(folder), folder.parent / "cache", runtime="torch"))
    return str(raised.value)


def test_a_model_without_a_classification_head_is_refused_by_both_runtimes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_embedder(tmp_path / "embedder")
    (folder / "modules.json").unlink()
    said = "no complete classification head: classifier.bias, classifier.weight are missing"
    assert said in refused(folder)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # the exporter sets it; restored after this test
    with pytest.raises(ModelMissing, match=said):
        export(folder, tmp_path / "model.onnx", "logits")


def test_an_embedder_is_refused(tmp_path: Path) -> None:
    folder = tiny_embedder(tmp_path / "embedder")
    said = "is an embedder, not a cross-encoder: modules.json has no Dense that writes 'scores'"
    rows = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps(rows[:2]))
    assert said in refused(folder)
    assert said in refused(tiny_headed_cross_encoder(tmp_path / "dense", scores=False))


def test_weights_that_are_missing_or_of_another_size_are_named(copied: Path) -> None:
    weights = copied / "2_Dense" / "model.safetensors"
    shutil.copyfile(copied / "4_Dense" / "model.safetensors", weights)
    assert "2_Dense holds weights of another layer" in refused(copied)
    weights.unlink()
    assert "2_Dense lacks weights of the classification head: weight is missing" in refused(copied)


@pytest.mark.parametrize(
    ("place", "changed", "said"),
    [
        ("2_Dense", {"activation_function": "os.system"}, "the activation os.system, which is not one of PyTorch's"),
        ("2_Dense", {"use_residual": True}, "a Dense with a residual connection is not supported"),
        ("1_Pooling", {"pooling_mode": "lasttoken"}, "pools by 'lasttoken'"),
    ],
)
def test_settings_of_a_head_that_are_not_supported_are_named(
    copied: Path, place: str, changed: dict, said: str
) -> None:  # type: ignore[type-arg]
    file = copied / place / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changed}))
    assert said in refused(copied)


def test_a_language_model_is_sent_to_an_endpoint(copied: Path) -> None:
    (copied / "config.json").write_text(json.dumps({"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}))
    assert "set SONDE_CROSS_ENCODER__RUNTIME=remote" in refused(copied)


def test_a_model_with_code_of_its_own_is_refused_and_the_code_not_run(copied: Path) -> None:
    (copied / "modules.json").unlink()
    (copied / "own.py").write_text("raise SystemExit('run')")
    own = {"model_type": "own", "auto_map": {"AutoConfig": "own.A", "AutoModelForSequenceClassification": "own.B"}}
    (copied / "config.json").write_text(json.dumps(own))
    assert "cannot be loaded by transformers" in refused(copied)


def test_a_classifier_of_three_labels_is_refused(tmp_path: Path) -> None:
    assert "this model has 3" in refused(tiny_cross_encoder(tmp_path / "three", 3))


def test_another_head_is_another_model(headed: Path, copied: Path) -> None:
    assert weights_digest(headed) == weights_digest(copied)
    shutil.copyfile(copied / "3_LayerNorm" / "model.safetensors", copied / "2_Dense" / "model.safetensors")
    assert weights_digest(headed) != weights_digest(copied)
