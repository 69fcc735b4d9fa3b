"""Makes the examples that the shipped token layers learn from:
``python -m tests.quality.build_reranker_pairs OUT.jsonl``.

From train halves only: NCAR records outside the groups that a test question or one put aside asks for, Climate-FEVER
and Pirá by their halves, PubMedQA's train half, GEMET and GCMD definitions. Cranfield, test halves and the samples are
not read. The same data give the same questions; negatives follow from the embedder of the settings.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from lxml import etree

from evaluation.collection import half_of, read_halves
from evaluation.collections import ncar, public
from evaluation.vector_cache import CachedEmbedder, VectorCache
from sonde.settings import Settings
from sonde.wiring.models import Models
from tests.quality.ncar_groups import group_of
from tests.shared_data import shared_data
from training.corpora import CorpusDocument, PseudoQuestion, distinct, documents_of_concepts, documents_of_records
from training.examples import CandidateText, Example, write_examples
from training.hard_negatives import Mining, mine_negatives
from training.questions.ways import by_keywords, by_sentence, by_title

_QUALITY = Path(__file__).resolve().parent
_SEED = 5
_EACH = 4000  # questions of each kind from the records, at most
_CONCEPTS = 4000
_PUBMED_WORDS = 90  # about what the reranker reads
_SKOS = "{http://www.w3.org/2004/02/skos/core#}"


def ncar_documents(data: Path) -> list[CorpusDocument]:
    """Records of groups that neither a test question nor one put aside finds relevant; one of each title."""
    collection = ncar.load(data, _QUALITY / "ncar")
    halves = read_halves(_QUALITY / "ncar" / "split.tsv")
    barred = {
        group_of(record)
        for question, grades in collection.qrels.items()
        if halves[question] != "train"
        for record, grade in grades.items()
        if grade >= 2
    }
    barred |= {group_of(record) for grades in ncar.hand_grades(_QUALITY / "ncar" / "hand_checked.tsv").values()
               for record, grade in grades.items() if grade >= 2}  # fmt: skip
    allowed = [record for record in collection.records if group_of(record.id) not in barred]
    documents = (replace(one, group=f"ncar:{group_of(one.id)}") for one in documents_of_records(allowed, "ncar"))
    return list({one.title.casefold(): one for one in documents}.values())


def judged_documents(collection: Any, corpus: str, allowed: Iterable[str]) -> dict[str, CorpusDocument]:
    """The collection's texts by their id in the qrels, those of ``allowed`` only."""
    kept = set(allowed)
    return {
        name: CorpusDocument(name, "", record.abstract, corpus=corpus, group=f"{corpus}:{name}")
        for record in collection.records
        if (name := collection.documents[record.id]) in kept
    }


def climate(data: Path) -> tuple[list[PseudoQuestion], list[CorpusDocument]]:
    """Claims of the train half; sentences of articles that no test claim (nor one put aside) finds relevant."""
    whole = public.load_climate_fever(data)
    path = _QUALITY / "splits" / "climate_fever.tsv"
    train, halves = half_of(whole, "train", path), read_halves(path)
    barred = {
        _article(name) for question, found in whole.qrels.items() if halves[question] != "train" for name in found
    }
    kept = [name for name in whole.documents.values() if _article(name) not in barred]
    documents = judged_documents(whole, "climate_fever", kept)
    documents = {name: replace(one, group=f"climate_fever:{_article(name)}") for name, one in documents.items()}
    asked = [
        PseudoQuestion(question.text, documents[name].text, "judged", documents[name])
        for question in train.questions
        for name in train.qrels[question.id]
        if name in documents
    ]
    return asked, list(documents.values())


def _article(name: str) -> str:
    return name.rpartition(":")[0]


def ocean(data: Path) -> tuple[list[PseudoQuestion], list[CorpusDocument]]:
    train = half_of(public.load_pira(data), "train", _QUALITY / "splits" / "pira.tsv")
    documents = judged_documents(train, "pira", {name for found in train.qrels.values() for name in found})
    asked = [
        PseudoQuestion(question.text, documents[name].text, "judged", documents[name])
        for question in train.questions
        for name in train.qrels[question.id]
    ]
    return asked, list(documents.values())


def medicine(data: Path) -> tuple[list[PseudoQuestion], list[CorpusDocument]]:
    """The general text that is mixed in: questions with the beginning of the abstract that answers them."""
    halves = read_halves(_QUALITY / "splits" / "pubmedqa.tsv")
    with gzip.open(data / "judged" / "pubmedqa" / "ori_pqal.json.gz", "rt", encoding="utf-8") as file:
        entries = json.load(file)
    asked = []
    for name, entry in entries.items():
        if halves[name] == "train":
            text = " ".join(" ".join(entry["CONTEXTS"]).split()[:_PUBMED_WORDS])
            document = CorpusDocument(name, "", text, corpus="pubmedqa", group=f"pubmedqa:{name}")
            asked.append(PseudoQuestion(entry["QUESTION"], text, "judged", document))
    return asked, [one.document for one in asked]


def concepts(data: Path) -> list[CorpusDocument]:
    with tarfile.open(data / "vocab" / "gemet.tar.gz") as archive:
        file = archive.extractfile("gemet/gemet-definitions-en.rdf")
        tree = etree.parse(file)  # type: ignore[arg-type]
    gemet = (
        (node.findtext(f"{_SKOS}prefLabel") or "", node.findtext(f"{_SKOS}definition") or "") for node in tree.getroot()
    )
    with tarfile.open(data / "vocab" / "gcmd.tar.gz") as archive:
        keywords = json.load(archive.extractfile("gcmd/gcmd-sciencekeywords.json"))  # type: ignore[arg-type]
    gcmd = [(label.lower(), text) for label, text in _nested(keywords) if not text.startswith("No definition")]
    return [*documents_of_concepts(gemet, "gemet"), *documents_of_concepts(dict(gcmd).items(), "gcmd")]


def _nested(entries: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for entry in entries:
        yield entry["label"], entry.get("definition") or ""
        yield from _nested(entry.get("children") or [])


def drawn(asked: Iterable[PseudoQuestion], count: int) -> list[PseudoQuestion]:
    found = list(distinct(asked))
    return random.Random(_SEED).sample(found, min(count, len(found)))


def with_all_answers(examples: list[Example]) -> list[Example]:
    """A question with several answers: the others are no negatives of it."""
    answers: dict[str, set[str]] = {}
    for example in examples:
        answers.setdefault(example.question, set()).add(example.positive.text)

    def wrong(example: Example, one: CandidateText) -> bool:
        return one.text not in answers[example.question]

    return [replace(one, negatives=tuple(n for n in one.negatives if wrong(one, n))) for one in examples]


def main(out: Path) -> None:
    data = shared_data("catalogues").parent
    settings = Settings()
    cache = VectorCache(settings.models.folder / "vectors.sqlite")
    embedder = CachedEmbedder(Models(settings).embedder(), cache)
    records, terms = ncar_documents(data), concepts(data)
    of_fields = chain(
        drawn(by_title(records), _EACH),
        drawn(by_keywords(records, _SEED), _EACH),
        drawn(by_sentence(records, _SEED), _EACH),
    )
    sets = [(list(of_fields), records), (drawn(by_title(terms), _CONCEPTS), terms)]
    sets += [climate(data), ocean(data), medicine(data)]
    examples: list[Example] = []
    for asked, documents in sets:
        found = with_all_answers(mine_negatives(asked, documents, embedder, Mining(seed=_SEED)))
        examples += found
        print(documents[0].corpus, len(asked), len(documents), len(found), flush=True)  # noqa: T201
    write_examples(out, examples)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
