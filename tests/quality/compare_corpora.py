"""The four corpora of Wetzel and Mäs on the NCAR records: ``python -m tests.quality.compare_corpora FOLDER
[--minutes 30]``.

FOLDER is what ``tests.quality.build_embedder_pairs`` wrote: its two collections judge, over test groups' records only.
For each corpus (1a descriptions, 1b with concepts of GEMET and GCMD, 2 literature, 3 all) an embedder is trained for
the same minutes from the same base with the same seed, and searched with. A model that is there already is not trained
again, so that a run that was cut short goes on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.ports import Embedder
from encoders.catalogue import load_embedder
from encoders.pooling import unit
from encoders.specs import EmbedderSpec
from evaluation.collection import JudgedCollection
from evaluation.collections.beir import files_of, load
from evaluation.metrics import RunMeasures, measure, paired_randomisation
from evaluation.vector_cache import CachedEmbedder, VectorCache
from indexer.documents.segment.passages import SegmentOptions, segment
from sonde.settings import Settings
from sonde.wiring.checkout import own_commit
from sonde.wiring.models import Models
from sonde.wiring.training.corpora import LICENCES, read_files
from sonde.wiring.training.run import embedder_base
from tests.quality.build_reranker_pairs import ncar_documents
from tests.shared_data import shared_data
from training.corpora import CorpusDocument, documents_of_concepts, documents_of_passages, read_definitions
from training.embedder.encoder import EmbedderTrainingSettings
from training.embedder.train import train_embedder
from training.examples import split_by_group
from training.hard_negatives import Mining, mine_negatives
from training.loop import TrainingBudget
from training.provenance import Origin
from training.questions.ways import QuestionModels, QuestionSettings, questions
from training.weights import fastest_precision

CORPORA = {
    "1a": ("descriptions",),
    "1b": ("descriptions", "concepts"),
    "2": ("literature",),
    "3": ("descriptions", "concepts", "literature"),
}
_VOCABULARIES = (("gemet", "gemet/gemet-definitions-en.rdf"), ("gcmd", "gcmd/gcmd-sciencekeywords.json"))
# Of the PDFs those whose licence allows what is made of them: CC BY, or public domain.
_LITERATURE = (
    "goce-2011.pdf", "jss816.pdf", "NES_manuscript.pdf", "use-the-disturbance.pdf", "seawaveQ.pdf", "rloadest-app1.pdf",
    "rloadest-app3.pdf", "10.21105.jose.00037.pdf", "10.21105.jose.00090.pdf",
)  # fmt: skip
_EACH = 1500  # texts of a kind, so that none of the corpora is asked about for hours
_SEED = 11
_ASKING = QuestionSettings(("key-phrases",), seed=_SEED, shared_keywords=3, phrase_questions=4)
# Those that the adapted embedder of results/ was trained with.
_SETTINGS = EmbedderTrainingSettings(
    learning_rate=1e-4, batch=192, questions_each=4, siblings=6, negatives=0, frozen=2, seed=_SEED, threads=1
)
_LOOK_EVERY = 20  # steps
_HELD_OUT = {"2": 0.3}  # of the groups; nine documents are too few for a tenth
_DEPTH = 100
_SHOWN = ("AP@100", "ap_over_k@100", "nDCG@10", "R@1", "R@3", "R@5", "R@8", "R@32", "R@64")


def texts_of(kind: str, data: Path, embedder: Embedder) -> list[CorpusDocument]:
    made = {"descriptions": ncar_documents, "concepts": _concepts}
    found = list(_literature(data, embedder)) if kind == "literature" else made[kind](data)
    return random.Random(_SEED).sample(found, min(_EACH, len(found)))


def _concepts(data: Path) -> list[CorpusDocument]:
    found: list[CorpusDocument] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, member in _VOCABULARIES:
            with tarfile.open(data / "vocab" / f"{name}.tar.gz") as archive:
                archive.extract(member, folder, filter="data")
            found += documents_of_concepts(read_definitions(Path(folder) / member), name)
    return found


def _literature(data: Path, embedder: Embedder) -> Iterator[CorpusDocument]:
    for name in _LITERATURE:
        for file, document in read_files(data / "pdfs" / name):
            yield from documents_of_passages(segment(document, file, embedder, SegmentOptions()).passages, "pdfs")


def trained(corpus: str, folder: Path, minutes: float, embedder: Embedder, settings: Settings) -> Path:
    """The model of that corpus, made now where it is not there."""
    out = folder / f"corpus-{corpus}"
    if (out / "card.json").is_file():
        return out
    data = shared_data("catalogues").parent
    documents = [text for kind in CORPORA[corpus] for text in texts_of(kind, data, embedder)]
    asked = questions(documents, _ASKING, QuestionModels(embedder))
    examples = mine_negatives(asked, documents, embedder, Mining(count=1, seed=_SEED))
    base = embedder_base(settings.embedder.model, settings)
    wanted = replace(_SETTINGS, instruction=base.instruction, precision=fastest_precision())
    command = f"python -m tests.quality.compare_corpora {folder} --minutes {minutes:g}"
    origin = Origin(settings.embedder.model, "Apache-2.0", LICENCES, own_commit(), command)
    split = split_by_group(examples, _HELD_OUT.get(corpus, 0.1), _SEED)
    train_embedder(
        base, split, wanted, TrainingBudget(minutes=minutes, look_every=_LOOK_EVERY), origin, out, resume=True
    )
    return out


def searched(embedder: Embedder, collection: JudgedCollection) -> RunMeasures:
    """The best hundred by cosine alone."""
    names = [collection.documents[record.id] for record in collection.records]
    texts = unit(embedder.embed([record.embedding_text for record in collection.records], "document"))
    run: dict[str, list[tuple[str, float]]] = {}
    asked = embedder.embed([question.text for question in collection.questions], "query")
    for question, vector in zip(collection.questions, asked, strict=True):
        cosines = texts @ vector
        best = np.argsort(-cosines, kind="stable")[:_DEPTH]
        run[question.id] = [(names[at], float(cosines[at])) for at in best]
    return measure(run, collection.qrels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    given = parser.parse_args()
    settings = Settings()
    base = CachedEmbedder(Models(settings).embedder(), VectorCache(settings.models.folder / "vectors.sqlite"))
    collections = {name: load(files_of(given.folder / name)) for name in ("phrases", "keywords")}
    before = {name: searched(base, one) for name, one in collections.items()}
    told = {"base": {name: dict(found.means) for name, found in before.items()}}
    _show("base", told["base"])
    for corpus in CORPORA:
        folder = trained(corpus, given.folder, given.minutes, base, settings)
        model = load_embedder(EmbedderSpec(str(folder), settings.models.folder))
        told[corpus] = {}
        for name, collection in collections.items():
            found = searched(model, collection)
            p = paired_randomisation(found.column("AP@100"), before[name].column("AP@100")).p
            told[corpus][name] = {**found.means, "AP@100 p": p}
        _show(corpus, told[corpus])
    (given.folder / "corpora.json").write_text(json.dumps(told, indent=2), "utf-8")


def _show(corpus: str, by_collection: Mapping[str, Mapping[str, float]]) -> None:
    for name, means in by_collection.items():
        figures = "  ".join(f"{measured} {means[measured]:.4f}" for measured in _SHOWN)
        p = f"  p {means['AP@100 p']:.4f}" if "AP@100 p" in means else ""
        sys.stdout.write(f"{corpus:<5} {name:<9} {figures}{p}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
