"""What the embedder is adapted with, and what shows whether that helped: ``python -m tests.quality.build_embedder_pairs
FOLDER``.

``FOLDER/train.jsonl``: keywords and key phrases of NCAR records outside the groups that a test question, or one put
aside, asks for. ``FOLDER/phrases`` and ``FOLDER/keywords``: collections in BEIR layout over all
records of test groups (only them), asked by key phrases and by keywords of a drawn tenth of the catalogue inside these
groups. Keywords are in no searched text, so that no arm reads the answer off.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.ports import Embedder
from core.record import Record
from evaluation.collection import JudgedCollection, read_halves
from evaluation.collections import ncar
from evaluation.vector_cache import CachedEmbedder, VectorCache
from sonde.settings import Settings
from sonde.wiring.models import Models
from tests.quality.build_reranker_pairs import ncar_documents
from tests.quality.ncar_groups import group_of
from tests.shared_data import shared_data
from training.corpora import documents_of_records
from training.examples import write_examples
from training.hard_negatives import Mining, mine_negatives
from training.questions.ways import QuestionModels, QuestionSettings, by_key_phrases, questions

_JUDGED = Path(__file__).resolve().parent / "ncar"
_SEED = 11
ASKING = QuestionSettings(("key-phrases",), seed=_SEED, shared_keywords=3, phrase_questions=6)
_TENTH = 0.1
_PHRASE_QUESTIONS = 400
_KEYWORD_QUESTIONS = 150
_FEW, _MANY = 5, 400  # records that bear a keyword worth asking for
_SPACE = re.compile(r"\s+")


def test_records(collection: JudgedCollection) -> list[Record]:
    """Records of groups that a test question asks for and no train question does."""
    halves = read_halves(_JUDGED / "split.tsv")
    asked: dict[str | None, set[str]] = {"train": set(), "test": set(), None: set()}
    for question, grades in collection.qrels.items():
        asked[halves[question]] |= {group_of(record) for record, grade in grades.items() if grade >= 2}
    kept = asked["test"] - asked["train"]
    return [record for record in collection.records if group_of(record.id) in kept]


def keyword_questions(
    records: Iterable[Record], tenth: Iterable[Record]
) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Keywords of the tenth; relevant are all records that bear one, whether their text says it or not."""
    bearing: dict[str, set[str]] = {}
    for record in records:
        for keyword in record.keywords:
            bearing.setdefault(_last(keyword.term), set()).add(record.id)
    of_tenth = {_last(keyword.term) for record in tenth for keyword in record.keywords}
    fit = sorted(term for term in of_tenth if _FEW <= len(bearing[term]) <= _MANY and len(term) > 3)
    terms = random.Random(_SEED).sample(fit, min(_KEYWORD_QUESTIONS, len(fit)))
    questions = {f"k{at}": term for at, term in enumerate(terms)}
    return questions, {name: dict.fromkeys(sorted(bearing[term]), 1) for name, term in questions.items()}


def phrase_questions(
    records: Iterable[Record], tenth: list[Record], embedder: Embedder
) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Key phrases of the tenth, weighed by the base embedder; records of the same title and text answer as well."""
    twins: dict[str, list[str]] = {}
    for record in records:
        twins.setdefault(_plain(record.embedding_text), []).append(record.id)
    text_of = {record.id: _plain(record.embedding_text) for record in tenth}
    some = random.Random(_SEED).sample(tenth, min(_PHRASE_QUESTIONS, len(tenth)))
    asked = list(by_key_phrases(list(documents_of_records(some, "ncar")), embedder))
    questions = {f"p{at}": one.question for at, one in enumerate(asked)}
    answers = {f"p{at}": dict.fromkeys(twins[text_of[one.document.id]], 1) for at, one in enumerate(asked)}
    return questions, answers


def write_collection(
    folder: Path, records: Iterable[Record], questions: Mapping[str, str], qrels: Mapping[str, Mapping[str, int]]
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    corpus = ({"_id": one.id, "title": one.title, "text": one.abstract} for one in records)
    queries = ({"_id": name, "text": text} for name, text in questions.items())
    for name, rows in (("corpus", corpus), ("queries", queries)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    judged = [f"{name}\t{record}\t{grade}\n" for name, found in qrels.items() for record, grade in found.items()]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(judged), "utf-8")


def _last(term: str) -> str:
    return term.rpartition(">")[2].strip().lower()


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().lower()


def main(folder: Path) -> None:
    data = shared_data("catalogues").parent
    settings = Settings()
    embedder = CachedEmbedder(Models(settings).embedder(), VectorCache(settings.models.folder / "vectors.sqlite"))
    collection = ncar.load(data, _JUDGED)
    held = test_records(collection)
    tenth = random.Random(_SEED).sample(held, int(_TENTH * len(collection.records)))
    write_collection(folder / "keywords", held, *keyword_questions(held, tenth))
    write_collection(folder / "phrases", held, *phrase_questions(held, tenth, embedder))
    sys.stderr.write(f"{len(held)} records of test groups, {len(tenth)} drawn\n")
    documents = ncar_documents(data)
    asked = questions(documents, ASKING, QuestionModels(embedder))
    examples = mine_negatives(asked, documents, embedder, Mining(count=1, seed=_SEED))
    write_examples(folder / "train.jsonl", examples)
    sys.stderr.write(f"{len(examples)} examples of {len(documents)} records\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
