"""`sonde models`: what is here, whether it is still what was recorded, and how it is put in service."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tiny_models import tiny_colbert, tiny_cross_encoder, tiny_embedder, tiny_headed_cross_encoder

from encoders.catalogue import load_embedder
from encoders.model_card import ModelCard, record_embedder, write_card
from encoders.presets import KNOWN_MODELS, known_model, preset_for
from encoders.registry import entry_of
from encoders.specs import EmbedderSpec
from sonde.cli import EXIT_USER_ERROR, cli, main

pytestmark = pytest.mark.models

CARD = ModelCard(
    "embedder", "own", "tiny", "Apache-2.0", (), {}, 1, "abc", "2026-11-22T05:00:00Z", {}, "sonde train embedder"
)
SERVING = {"pooling": "mean", "max_tokens": 64, "dims": 32, "min_score": 0.1, "instruction": "find: "}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models folder with a trained model in it, its vectors recorded."""
    home = tmp_path_factory.mktemp("models")
    folder = tiny_embedder(home / "trained" / "own")
    (folder / "card.json").write_text(json.dumps(SERVING))
    recorded = record_embedder(load_embedder(EmbedderSpec(str(folder), home, "onnx-fp32", threads=1)))
    write_card(folder, replace(CARD, serving=SERVING, recorded=recorded))
    return home


def run(cache: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["models", *words], env={"SONDE_MODELS__FOLDER": str(cache)})


def test_own_models_stand_before_the_well_known_ones(cache: Path) -> None:
    rows = json.loads(run(cache, "list", "--json").stdout)
    own = next(row for row in rows if row["own"] and row["name"] == str(cache / "trained" / "own"))
    assert (own["kind"], own["dims"], own["max_tokens"], own["licence"]) == ("embedder", 32, 64, "Apache-2.0")
    assert [row["name"] for row in rows if not row["own"]] == [one.name for one in KNOWN_MODELS]
    (minilm,) = [row for row in rows if row["name"] == "sentence-transformers/all-MiniLM-L6-v2"]
    assert minilm["folder"] is not None
    assert minilm["in_use"]


def test_a_model_that_gives_its_recorded_vectors_again_may_be_used_after_a_reindex(cache: Path) -> None:
    folder = str(cache / "trained" / "own")
    done = run(cache, "verify", folder)
    assert done.exit_code == 0
    assert "ok files: as the card says" in done.stdout
    assert (
        "ok recorded vectors: least cosine 1.0" in done.stdout
        or "ok recorded vectors: least cosine 0.99" in done.stdout
    )
    assert "ok int8 against fp32" in done.stdout
    said = run(cache, "use", folder).stdout
    assert f"export SONDE_EMBEDDER__MODEL={folder}" in said
    assert "sonde reindex" in said


def test_other_vectors_than_recorded_and_changed_files_are_told(cache: Path, tmp_path: Path) -> None:
    folder = tiny_embedder(tmp_path / "own")
    (folder / "card.json").write_text(json.dumps(SERVING))
    write_card(folder, replace(CARD, serving=SERVING, recorded={"vectors": [[1.0, *[0.0] * 31]]}))
    done = run(cache, "verify", str(folder))
    assert done.exit_code == 1
    assert "NO recorded vectors" in done.stdout
    (folder / "model.safetensors").write_bytes(b"other weights")
    done = run(cache, "verify", "--json", str(folder))
    assert done.exit_code == 1
    (told,) = json.loads(done.stdout)
    assert told["checks"] == [{"what": "files", "ok": False, "message": "changed or missing: model.safetensors"}]


def test_what_is_damaged_is_not_put_in_service(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny_embedder(tmp_path / "own")
    write_card(folder, replace(CARD, serving=SERVING))
    (folder / "config.json").write_text("{}")
    monkeypatch.setenv("SONDE_MODELS__FOLDER", str(cache))
    monkeypatch.setattr("sys.argv", ["sonde", "models", "use", str(folder)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == EXIT_USER_ERROR
    assert "do not put it into service" in capsys.readouterr().err


def test_a_head_of_token_vectors_is_used_after_a_reindex(cache: Path) -> None:
    done = run(cache, "use", "shipped:tokens-minilm-l6")
    assert "export SONDE_EMBEDDER__TOKENS=auto" in done.stdout
    assert "sonde reindex" in done.stdout


def test_a_folder_without_a_card_is_listed_as_what_it_is(cache: Path, tmp_path: Path) -> None:
    pairs = [
        tiny_cross_encoder(tmp_path / "pairs"),
        tiny_headed_cross_encoder(tmp_path / "headed"),
        tiny_colbert(tmp_path / "colbert"),
    ]
    assert {entry_of(str(folder), cache).kind for folder in pairs} == {"reranker"}
    assert entry_of(str(tiny_embedder(tmp_path / "texts")), cache).kind == "embedder"


def test_a_well_known_model_brings_its_instruction() -> None:
    assert preset_for("intfloat/e5-small-v2").instruction == "query: "
    assert preset_for("intfloat/multilingual-e5-large-instruct").instruction.startswith("Instruct: Given")
    assert preset_for("BAAI/bge-small-en-v1.5").min_score == 0.52
    assert preset_for("somebody/unknown").instruction == ""
    found = known_model("artifact:bge-small-en-v1.5")
    assert found is not None
    assert (found.dims, found.licence) == (384, "MIT")
