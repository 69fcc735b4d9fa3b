"""The encoders' arithmetic and small parts, without a model."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelMissing
from encoders.catalogue import load_cross_encoder, load_embedder
from encoders.cross_encoder import one_logit
from encoders.files import exclusive_lock, publish_folder
from encoders.onnx_session import Compute, TokenIds, pad_inputs
from encoders.pinned import check_file, tree_sha256
from encoders.pooling import agreement, pool_states, unit
from encoders.presets import preset_for
from encoders.quantise import Int8Comparison, sample_texts
from encoders.recipe import Recipe, read_pair_limit, read_recipe
from encoders.specs import CrossEncoderSpec, EmbedderSpec

STATES = np.array([[[3.0, 4.0], [5.0, -4.0], [100.0, 100.0]]], dtype=np.float32)
MASK = np.array([[1, 1, 0]])


def test_mean_pooling_leaves_padding_out() -> None:
    """The mean of (3, 4) and (5, -4) is (4, 0), of norm 1: (1, 0)."""
    np.testing.assert_allclose(pool_states(STATES, MASK, "mean"), [[1.0, 0.0]])


def test_cls_pooling_takes_the_first_token() -> None:
    """(3, 4) has norm 5."""
    np.testing.assert_allclose(pool_states(STATES, MASK, "cls"), [[0.6, 0.8]])


def test_a_zero_vector_stays_zero() -> None:
    np.testing.assert_array_equal(unit(np.zeros((1, 3), dtype=np.float32)), [[0.0, 0.0, 0.0]])


def test_agreement_is_the_mean_and_the_smallest_cosine() -> None:
    a = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)
    b = np.array([[1.0, 0.0], [0.8, 0.6]], dtype=np.float32)
    assert agreement(a, b) == pytest.approx((0.8, 0.6))


@pytest.mark.parametrize(("mean", "good"), [(0.99, True), (0.9899, False)])
def test_int8_is_good_from_a_mean_of_99_hundredths(mean: float, good: bool) -> None:
    assert Int8Comparison(mean, 0.9, 64).is_good is good


def test_the_sample_has_at_least_64_texts_of_many_lengths() -> None:
    texts = sample_texts()
    assert len(texts) >= 64
    assert len(set(texts)) == len(texts)
    assert min(map(len, texts)) < 10
    assert max(map(len, texts)) > 500


def test_inputs_are_padded_to_the_longest_of_the_batch() -> None:
    feed, mask = pad_inputs([TokenIds([5, 6, 7], [0, 0, 1]), TokenIds([8])])
    np.testing.assert_array_equal(feed["input_ids"], [[5, 6, 7], [8, 0, 0]])
    np.testing.assert_array_equal(feed["token_type_ids"], [[0, 0, 1], [0, 0, 0]])
    np.testing.assert_array_equal(mask, [[1, 1, 1], [1, 0, 0]])


def test_a_processor_computes_texts_singly_and_a_gpu_in_batches() -> None:
    assert (Compute(3).workers, Compute(3).batch_size) == (3, 1)
    assert (Compute(3, "cuda").workers, Compute(3, "cuda").batch_size) == (1, 32)
    assert Compute().workers >= 1


def test_of_two_labels_the_difference_is_the_logit() -> None:
    np.testing.assert_array_equal(one_logit(np.array([[1.0], [2.0]], dtype=np.float32)), [1.0, 2.0])
    np.testing.assert_array_equal(one_logit(np.array([[1.0, 4.0]], dtype=np.float32)), [3.0])
    with pytest.raises(ModelMissing, match="has 3"):
        one_logit(np.zeros((1, 3), dtype=np.float32))


def sentence_folder(folder: Path, pooling: dict[str, object], **limits: int) -> Path:
    """The small files of a sentence-transformers model, without weights."""
    (folder / "1_Pooling").mkdir(parents=True)
    kinds = {"Transformer": "", "Pooling": "1_Pooling"}
    modules = [{"type": f"sentence_transformers.models.{kind}", "path": path} for kind, path in kinds.items()]
    files: dict[str, object] = {
        "modules.json": modules,
        "config.json": {"hidden_size": 384, "max_position_embeddings": limits["positions"]},
        "tokenizer_config.json": {"model_max_length": limits["tokenizer"]},
        "sentence_bert_config.json": {"max_seq_length": limits["said"]} if "said" in limits else {},
        "1_Pooling/config.json": pooling,
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("pooling", "mode"),
    [
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode": "mean", "embedding_dimension": 384}, "mean"),
    ],
)
def test_the_recipe_is_read_from_old_and_new_files(tmp_path: Path, pooling: dict[str, object], mode: str) -> None:
    folder = sentence_folder(tmp_path / "model", pooling, positions=512, tokenizer=512, said=256)
    assert read_recipe(folder) == Recipe(mode, 256, 384)  # type: ignore[arg-type]


def test_without_a_said_length_the_smaller_of_tokenizer_and_positions_counts(tmp_path: Path) -> None:
    folder = sentence_folder(tmp_path / "model", {"pooling_mode": "cls"}, positions=512, tokenizer=10**30)
    assert read_recipe(folder).max_tokens == 512


@pytest.mark.parametrize(
    ("pooling", "said"),
    [
        ({"pooling_mode": "max"}, "pools by 'max'; use the torch runtime"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, "use the torch runtime"),
    ],
)
def test_other_pooling_is_left_to_torch(tmp_path: Path, pooling: dict[str, object], said: str) -> None:
    with pytest.raises(ModelMissing, match=said):
        read_recipe(sentence_folder(tmp_path / "model", pooling, positions=512, tokenizer=512))


def test_a_folder_that_is_no_model_and_a_damaged_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"has no modules\.json"):
        read_recipe(tmp_path)
    (tmp_path / "modules.json").write_text("{")
    with pytest.raises(ModelMissing, match="is not JSON"):
        read_recipe(tmp_path)


def test_a_card_is_enough_for_an_onnx_folder(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text(json.dumps({"pooling": "cls", "max_tokens": 512, "dims": 384}))
    assert read_recipe(tmp_path) == Recipe("cls", 512, 384)


def test_a_pair_is_as_long_as_the_smallest_limit_that_is_said(tmp_path: Path) -> None:
    assert read_pair_limit(tmp_path) == 512
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 256}))
    (tmp_path / "card.json").write_text(json.dumps({"max_tokens": 128}))
    assert read_pair_limit(tmp_path) == 128


@given(st.integers(1, 600))
def test_a_recipe_is_only_ever_shortened(limit: int) -> None:
    assert Recipe("mean", 256, 384).limited_to(limit).max_tokens == min(limit, 256)


def test_a_draft_is_published_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "model"

    def fail() -> None:
        with publish_folder(target) as draft:
            (draft / "half").write_text("x")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        fail()
    assert list(tmp_path.iterdir()) == []
    with publish_folder(target) as draft:
        (draft / "card.json").write_text("{}")
        assert not target.exists()
    assert [path.name for path in target.iterdir()] == ["card.json"]
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_is_made_by_one_at_a_time(tmp_path: Path) -> None:
    inside, most = [], []

    def work() -> None:
        with exclusive_lock(tmp_path / "model"):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 6


def test_a_changed_file_is_not_the_pinned_one(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    check_file(file, empty)
    file.write_bytes(b"x")
    with pytest.raises(ModelMissing, match="SHA-256 differs"):
        check_file(file, empty)
    with pytest.raises(ModelMissing, match="is missing"):
        check_file(tmp_path / "other", empty)


def test_a_tree_is_known_by_the_names_and_bytes_of_its_named_parts(tmp_path: Path) -> None:
    for name in ("a", "b/c", "ignored"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    first = tree_sha256(tmp_path, ("a", "b"))
    (tmp_path / "ignored").write_text("changed")
    assert tree_sha256(tmp_path, ("b", "a")) == first
    (tmp_path / "b/c").rename(tmp_path / "b/d")
    assert tree_sha256(tmp_path, ("a", "b")) != first


def test_a_spec_does_not_show_its_key() -> None:
    assert "secret" not in repr(EmbedderSpec(key="secret"))


def test_presets_know_a_model_by_either_name() -> None:
    assert preset_for("sentence-transformers/all-MiniLM-L6-v2") == preset_for("artifact:all-MiniLM-L6-v2")
    assert preset_for("BAAI/bge-small-en-v1.5").instruction.startswith("Represent this sentence")
    assert preset_for("somebody/else").min_score == 0.0


def test_no_cross_encoder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="no cross-encoder is named"):
        load_cross_encoder(CrossEncoderSpec())
    with pytest.raises(ModelMissing, match="is not on this machine"):
        load_cross_encoder(CrossEncoderSpec("cross-encoder/ms-marco-MiniLM-L6-v2", tmp_path))


def test_a_remote_embedder_needs_an_address(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="give no address"):
        load_embedder(EmbedderSpec("m", tmp_path, "remote"))


def test_a_model_that_a_read_only_folder_lacks_is_named_with_what_to_do(ordinary_account: None) -> None:
    with tempfile.TemporaryDirectory() as made:  # pytest's own folders are closed to other accounts
        Path(made).chmod(0o555)
        with (
            pytest.raises(ModelMissing, match=r"e5-small is not in .* read-only: run .*sonde\.ops\.prepare_models"),
            exclusive_lock(Path(made) / "e5-small"),
        ):
            pass
