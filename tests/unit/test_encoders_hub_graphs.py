"""A cross-encoder of a hub without PyTorch: the graph that fits the processor, and what is said of those that do not
work.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import huggingface_hub.constants
import numpy as np
import pytest
from structlog.testing import capture_logs

from core.errors import ModelMissing
from core.ports import CrossEncoder
from encoders import late_interaction
from encoders.catalogue import load_cross_encoder
from encoders.late_interaction import GRAPHS_BY_PROCESSOR, Processor
from encoders.quantise import quantise
from encoders.recipe import read_pair_limit
from encoders.registry import entry_of
from encoders.specs import CrossEncoderSpec
from tests.hub_folder import expected, hub_folder, write_graph

OF_A_HUB = (
    "model.onnx",
    "model_O1.onnx",
    "model_O2.onnx",
    "model_O3.onnx",
    "model_O4.onnx",
    "model_qint8_arm64.onnx",
    "model_qint8_avx512.onnx",
    "model_qint8_avx512_vnni.onnx",
    "model_quint8_avx2.onnx",
)
TEXTS = ["monthly rainfall in Africa", "sea ice", ""]


def load(folder: Path) -> CrossEncoder:
    return load_cross_encoder(CrossEncoderSpec(str(folder), folder.parent / "cache", threads=1))


def refused(folder: Path) -> str:
    with pytest.raises(ModelMissing) as caught:
        load(folder)
    return str(caught.value)


@pytest.fixture
def on_vnni(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_interaction, "processor", lambda _device: "vnni")


@pytest.mark.parametrize(
    ("processor", "chosen"),
    [
        ("vnni", "model_qint8_avx512_vnni.onnx"),
        ("x86", "model_quint8_avx2.onnx"),
        ("arm", "model_qint8_arm64.onnx"),
        ("gpu", "model.onnx"),
    ],
)
def test_the_graph_that_fits_the_processor_is_served(
    processor: Processor, chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = hub_folder(tmp_path / "model", OF_A_HUB)
    monkeypatch.setattr(late_interaction, "processor", lambda _device: processor)
    logits = load(folder).score("rain in Africa", TEXTS)
    bias = 100.0 * (1 + OF_A_HUB.index(chosen))
    assert logits == pytest.approx([bias + expected("rain in Africa", text) for text in TEXTS], abs=1e-4)
    assert not (tmp_path / "cache").exists(), "nothing is prepared"


@pytest.mark.parametrize(
    ("machine", "kind", "processor"),
    [
        ("x86_64", "vnni", "vnni"),
        ("AMD64", "portable", "x86"),
        ("aarch64", "vnni", "arm"),
        ("arm64", "portable", "arm"),
    ],
)
def test_the_processor_is_known(machine: str, kind: str, processor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr(late_interaction, "int8_kind", lambda: kind)
    assert late_interaction.processor("cpu") == processor
    assert late_interaction.processor("cuda") == "gpu"


def test_signed_weights_of_eight_bits_are_never_given_to_a_processor_on_which_they_overflow() -> None:
    assert not [name for name in GRAPHS_BY_PROCESSOR["x86"] if "qint8" in name]
    assert not [name for name in GRAPHS_BY_PROCESSOR["gpu"] if "int8" in name or "quantized" in name]


@pytest.mark.parametrize("names", [["model.onnx"], ["model_O2.onnx"], ["model_q4f16.onnx", "model.onnx"]])
def test_without_a_quantised_graph_that_fits_the_whole_one_is_served(names: list[str], tmp_path: Path) -> None:
    logits = load(hub_folder(tmp_path / "model", names)).score("snow", ["ice"])
    assert logits == pytest.approx([100.0 * len(names) + expected("snow", "ice")], abs=1e-4)


def test_a_quantised_graph_gives_nearly_the_same(tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "model", [])
    write_graph(tmp_path / "whole.onnx")
    quantise(tmp_path / "whole.onnx", folder / "onnx" / "model_quantized.onnx", "portable")
    logits = load(folder).score("rain in Africa", TEXTS)
    assert logits == pytest.approx([expected("rain in Africa", text) for text in TEXTS], abs=0.05)


def test_quantised_graphs_at_the_root_are_found_too(tmp_path: Path, on_vnni: None) -> None:
    folder = hub_folder(tmp_path / "model", [])
    write_graph(folder / "model_quantized.onnx", bias=7.0)
    write_graph(folder / "model.onnx", bias=8.0)
    assert load(folder).score("snow", ["ice"]) == pytest.approx([7.0 + expected("snow", "ice")], abs=1e-4)


def test_of_two_logits_the_difference_is_the_score(tmp_path: Path) -> None:
    logits = load(hub_folder(tmp_path / "model", ["model.onnx"], labels=2)).score("rain", TEXTS)
    assert logits == pytest.approx([100.0 + expected("rain", text, labels=2) for text in TEXTS], abs=1e-4)


def test_a_damaged_graph_is_left_out_and_said(tmp_path: Path, on_vnni: None) -> None:
    """As where Git LFS was not installed."""
    folder = hub_folder(tmp_path / "model", ["model.onnx", "model_quantized.onnx"])
    (folder / "onnx" / "model_quantized.onnx").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with capture_logs() as logs:
        assert load(folder).score("snow", ["ice"])[0] > 50.0
    (line,) = [line for line in logs if line["event"] == "cross_encoder.graph_left_out"]
    assert line["graph"].endswith("model_quantized.onnx")
    (folder / "onnx" / "model.onnx").write_bytes(b"cut")
    assert "model_quantized.onnx: " in (said := refused(folder))
    assert "model.onnx is not a graph ONNX Runtime can run" in said


def test_what_is_no_cross_encoder_is_refused(tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "model", [])
    graph = folder / "onnx" / "model.onnx"
    write_graph(graph, states=True)
    assert "gives states of tokens" in refused(folder)
    write_graph(graph, more="position_ids")
    assert "needs inputs that are not token ids: position_ids" in refused(folder)
    write_graph(graph, bias=float("nan"))
    assert "it gives no finite number" in refused(folder)
    write_graph(graph)
    (folder / "config.json").write_text(json.dumps({"architectures": ["Qwen3ForCausalLM"]}))
    assert "set SONDE_CROSS_ENCODER__RUNTIME=remote" in refused(folder)


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "model", ["model_qint8_arm64.onnx"])
    if late_interaction.processor("cpu") != "arm":
        assert "no graph for this processor, only model_qint8_arm64.onnx: add its model.onnx" in refused(folder)
    write_graph(folder / "onnx" / "model.onnx")
    (folder / "tokenizer.json").write_text('{"model": 3}')
    assert "tokenizer.json is damaged" in refused(folder)
    (folder / "tokenizer.json").unlink()
    assert "needs its tokenizer.json" in refused(folder)
    (folder / "tokenizer.json").symlink_to(folder)
    assert "needs its tokenizer.json" in refused(folder)


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "model", [])
    (folder / "pytorch_model.bin").write_bytes(b"pickle")
    assert "pickled weights are not loaded" in refused(folder)


def test_a_file_that_the_system_does_not_give_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = hub_folder(tmp_path / "model", ["model.onnx"])

    def denied(_folder: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("encoders.locate.weights_digest", denied)
    assert refused(folder).endswith("model cannot be read (Permission denied)")


def test_pytorch_and_transformers_are_not_imported(tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "model", ["model.onnx"])
    served = f"""
import sys
away = ("torch", "transformers", "sentence_transformers", "huggingface_hub")
sys.modules.update(dict.fromkeys(away))
from encoders.catalogue import load_cross_encoder
from encoders.specs import CrossEncoderSpec
print(float(load_cross_encoder(CrossEncoderSpec({str(folder)!r}, threads=1)).score("snow", ["ice"])[0]))
"""
    done = subprocess.run([sys.executable, "-c", served], capture_output=True, text=True, check=True)
    assert float(done.stdout) == pytest.approx(100.0 + expected("snow", "ice"), abs=1e-4)


def test_a_hub_id_is_served_from_the_cache_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are links to blobs there."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    made = hub_folder(tmp_path / "made", ["model.onnx"])
    held = tmp_path / "hub" / "models--org--reader"
    snapshot = held / "snapshots" / "0123"
    for number, file in enumerate(sorted(file for file in made.rglob("*") if file.is_file())):
        blob, link = held / "blobs" / str(number), snapshot / file.relative_to(made)
        for parent in (blob.parent, link.parent, held / "refs"):
            parent.mkdir(parents=True, exist_ok=True)
        file.rename(blob)
        link.symlink_to(blob)
    (held / "refs" / "main").write_text("0123")
    model = load_cross_encoder(CrossEncoderSpec("org/reader", tmp_path / "cache", threads=1))
    assert model.score("snow", ["ice"]) == pytest.approx([100.0 + expected("snow", "ice")], abs=1e-4)
    assert entry_of("org/reader", tmp_path / "cache").kind == "reranker"


@pytest.mark.parametrize(
    ("config", "limit"),
    [
        ({"model_type": "bert", "max_position_embeddings": 128}, 128),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 130, "pad_token_id": 1}, 128),
        ({"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}, 512),
        ({}, 512),
    ],
)
def test_config_json_alone_says_how_much_is_read(config: dict[str, object], limit: int, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read_pair_limit(tmp_path) == limit


def test_a_long_text_is_cut_to_what_the_model_reads(tmp_path: Path) -> None:
    model = load(hub_folder(tmp_path / "model", ["model.onnx"]))
    assert model.card.max_tokens == 64
    long = " ".join(["snow"] * 200)
    assert np.isfinite(model.score("ice", [long])).all()
    assert model.score("ice", [long])[0] == model.score("ice", [" ".join(["snow"] * 60)])[0]
