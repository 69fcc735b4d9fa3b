"""Collections in BEIR layout, the project's own, their halves; what is wrong with one is named by file and line."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.errors import SondeError
from core.geo import BBox
from core.timespan import TimeSpan
from evaluation.collection import BadCollection, JudgedCollection, half_of
from evaluation.collections import ncar, public, samples
from evaluation.collections.beir import BeirFiles, files_of, load
from tests.shared_data import shared_data

_SAMPLES = Path(__file__).resolve().parents[2] / "samples"
_SPLITS = Path(__file__).resolve().parents[1] / "quality" / "splits"


def _files(folder: Path, corpus: Any = None, queries: Any = None, qrels: str = "q1\td1\t1\n") -> BeirFiles:
    files = BeirFiles(folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv")
    files.corpus.write_text(_jsonl(corpus or [{"_id": "d1", "title": "Rain", "text": "Rain in Spain."}]))
    files.queries.write_text(_jsonl(queries or [{"_id": "q1", "text": "rain"}]))
    files.qrels.write_text(qrels)
    return files


def _jsonl(rows: Any) -> str:
    return "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)


def test_a_document_becomes_the_record_that_a_harvest_would_make(tmp_path: Path) -> None:
    corpus = [
        {"_id": 7, "title": "Rain", "text": "Gauges.", "bbox": [-10, 35, 5, 44], "start": "1990", "end": "2000-05"},
        {"_id": "x y", "title": None, "text": "Fiji", "bbox": [[170, -20, -170, -10], [0, 0, 1, 1]], "start": "1990"},
        {"_id": "t", "text": "as text", "bbox": "1,2,3,4", "metadata": {"year": 1}},
    ]
    collection = load(_files(tmp_path, corpus, qrels="q1\t7\t2\n"))
    rain, fiji, text = collection.records
    assert [collection.documents[record.id] for record in collection.records] == ["7", "x y", "t"]
    assert (rain.title, rain.abstract, rain.extents) == ("Rain", "Gauges.", (BBox(-10, 35, 5, 44),))
    assert rain.times == (TimeSpan.from_iso("1990", "2000-05"),)
    assert fiji.id == "judged:x~20y"
    assert fiji.extents[0].crosses_antimeridian
    assert fiji.times == (TimeSpan.from_iso("1990", None),)
    assert (text.extents, text.times, text.embedding_text) == ((BBox(1, 2, 3, 4),), (), "as text")


def test_only_judged_questions_are_asked_and_the_rest_is_noted(tmp_path: Path) -> None:
    queries = [{"_id": "q0", "text": "fog"}, {"_id": "q1", "text": "rain", "bbox": [0, 1, 2, 3]}]
    collection = load(_files(tmp_path, queries=queries))
    assert [question.id for question in collection.questions] == ["q1"]
    assert collection.questions[0].areas == (BBox(0, 1, 2, 3),)
    assert collection.notes == ("left out 1 questions that nobody judged",)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"corpus": [{"_id": "d1"}, {"_id": "d1"}]}, "line 2: the id 'd1' is there twice"),
        ({"corpus": [{"title": "no id"}]}, "line 1: _id: Field required"),
        ({"corpus": ["{broken\n"]}, "line 1: is not JSON"),
        ({"corpus": ["[" * 100_000 + "\n"]}, "line 1: is not JSON"),
        ({"corpus": ["[]\n"]}, "line 1: line: Input should be"),
        ({"corpus": [{"_id": "d1", "bbox": [1, 2, 3]}]}, "line 1: bbox"),
        ({"corpus": [{"_id": "d1", "bbox": [0, 50, 1, 40]}]}, "line 1: south is larger than north"),
        ({"corpus": [{"_id": "d1", "bbox": 5}]}, "line 1: bbox"),
        ({"corpus": [{"_id": "d1", "bbox": []}]}, None),
        ({"corpus": [{"_id": "d1", "start": "yesterday"}]}, "line 1: 'yesterday' is not an ISO 8601 date"),
        ({"corpus": [{"_id": "d1", "start": "2001", "end": "1999"}]}, "line 1: the start lies after the end"),
        ({"queries": [{"_id": "q1", "text": " "}]}, "line 1: the question 'q1' is empty"),
        ({"queries": [{"_id": "q1"}]}, "line 1: text: Field required"),
        ({"queries": [{"_id": "q1", "text": "a"}, {"_id": "q1", "text": "b"}]}, "line 2: the id 'q1' is there twice"),
        ({"qrels": "q1\td9\t1\n"}, "the qrels of question 'q1' name the document 'd9', which is absent"),
        ({"qrels": "q9\td1\t1\n"}, "the qrels name the question 'q9', which is absent"),
        ({"qrels": "query-id\tcorpus-id\tscore\n"}, "no question was judged"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, wrong: dict[str, Any], said: str | None) -> None:
    files = _files(tmp_path, **wrong)
    if said is None:
        assert load(files).records[0].extents == ()
        return
    with pytest.raises(BadCollection) as caught:
        load(files)
    assert said in str(caught.value)


def test_many_faults_are_told_at_once_and_the_rest_counted(tmp_path: Path) -> None:
    files = _files(tmp_path, qrels="".join(f"q1\tnot{number:02}\t1\n" for number in range(13)))
    with pytest.raises(BadCollection) as caught:
        load(files)
    assert len(caught.value.faults) == 13
    assert str(caught.value).endswith("'not09', which is absent; and 3 more.")


def test_unknown_ids_can_be_left_out(tmp_path: Path) -> None:
    files = _files(tmp_path, qrels="q1\td1\t1\nq1\td9\t1\nq9\td1\t1\n")
    collection = load(files, skip_unknown=True)
    assert collection.qrels == {"q1": {"d1": 1}}
    assert collection.notes == ("left out 2 judgements of what is not there",)


def test_a_folder_is_read_as_beir_lays_it_out_plain_or_packed(tmp_path: Path) -> None:
    plain = _files(tmp_path, [{"_id": "d1", "text": "Überschwemmung 洪水"}])
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t3\n")
    assert files_of(tmp_path) == plain  # no qrels/test.tsv: the one beside the corpus
    assert load(files_of(tmp_path, "dev")).qrels == {"q1": {"d1": 3}}
    packed = tmp_path / "packed"
    packed.mkdir()
    for file in (plain.corpus, plain.queries, plain.qrels):
        (packed / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
    assert [record.abstract for record in load(files_of(packed)).records] == ["Überschwemmung 洪水"]
    with pytest.raises(BadCollection, match=r"corpus\.jsonl is not there; .*qrels/test\.tsv or qrels\.tsv is not"):
        files_of(tmp_path / "qrels")


@pytest.mark.parametrize("cut", [5, 30])
def test_a_gzip_file_that_was_cut_off_or_is_none_is_refused(tmp_path: Path, cut: int) -> None:
    plain = _files(tmp_path)
    packed = tmp_path / "corpus.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.corpus.read_bytes())[:cut])
    with pytest.raises(SondeError, match="is not a whole gzip file"):
        load(BeirFiles(packed, plain.queries, plain.qrels))
    packed.write_text("no gzip at all")
    with pytest.raises(SondeError, match="is not a whole gzip file"):
        load(BeirFiles(packed, plain.queries, plain.qrels))


def _small(tmp_path: Path) -> JudgedCollection:
    corpus = [{"_id": name, "text": name} for name in ("d1", "d2")]
    queries = [{"_id": name, "text": name} for name in ("q1", "q2")]
    return load(_files(tmp_path, corpus, queries, "q1\td1\t1\nq2\td1\t1\nq2\td2\t1\n"))


def test_a_half_keeps_all_records_and_only_its_questions(tmp_path: Path) -> None:
    (tmp_path / "split.tsv").write_text("query-id\thalf\nq1\ttune\nq2\ttest\n")
    half = half_of(_small(tmp_path), "test", tmp_path / "split.tsv")
    assert [question.id for question in half.questions] == ["q2"]
    assert set(half.qrels) == {"q2"}
    assert len(half.records) == 2


def test_a_split_that_forgets_a_question_or_makes_no_sense_is_refused(tmp_path: Path) -> None:
    (tmp_path / "split.tsv").write_text("q1\ttest\nq7\ttest\n")
    with pytest.raises(BadCollection, match="the question 'q2' is in no half"):
        half_of(_small(tmp_path), "test", tmp_path / "split.tsv")
    (tmp_path / "split.tsv").write_text("q1\ttest\nq2\taside\n")
    with pytest.raises(BadCollection, match="no question is in the half train"):
        half_of(_small(tmp_path), "train", tmp_path / "split.tsv")
    (tmp_path / "split.tsv").write_text("q1\tmiddle\n")
    with pytest.raises(BadCollection, match="line 1: 'middle' is not train, test or aside"):
        half_of(_small(tmp_path), "test", tmp_path / "split.tsv")


def test_a_subset_of_documents_takes_their_judgements_with_it(tmp_path: Path) -> None:
    part = _small(tmp_path).with_documents({"d2"})
    assert [part.documents[record.id] for record in part.records] == ["d2"]
    assert part.qrels == {"q1": {}, "q2": {"d2": 1}}


def test_the_samples() -> None:
    collection = samples.load(_SAMPLES)
    assert len(collection.questions) >= 40
    first = collection.questions[0]
    assert first.areas == (BBox(10, -35, 41, -8),)
    assert collection.qrels["q01"]["tamsat-rainfall-africa"] == 2
    assert collection.qrels["q01"]["chirps-v2-global"] == 1


def test_the_translated_questions_have_the_judgements_of_the_english_ones() -> None:
    english, translated = samples.load(_SAMPLES), samples.load_languages(_SAMPLES)
    assert len(translated.questions) == 60  # 15 questions in four languages
    by_id = {question.id: question.text for question in translated.questions}
    assert by_id["q20-de"] == "Gletscher im Himalaja"
    assert by_id["q20-it"] == "ghiacciai dell'Himalaia"
    assert all(grades == english.qrels[name[:3]] for name, grades in translated.qrels.items())


def test_pubmedqa_asks_each_question_of_its_own_abstract() -> None:
    collection = public.load_pubmedqa(shared_data("judged", "pubmedqa").parents[1])
    assert (len(collection.records), len(collection.questions)) == (1000, 1000)
    assert collection.qrels["21645374"] == {"21645374": 1}
    assert len(half_of(collection, "test", _SPLITS / "pubmedqa.tsv").questions) == 495


def test_cranfield_as_its_source_counts_it() -> None:
    collection = public.load_cranfield(shared_data("judged", "cranfield").parents[1])
    assert (len(collection.records), len(collection.questions)) == (1400, 225)
    assert sum(map(len, collection.qrels.values())) == 1837


def test_climate_fever_as_its_source_counts_it() -> None:
    collection = public.load_climate_fever(shared_data("judged", "climate_fever").parents[1])
    assert len(collection.records) == 5240
    assert "Extinction_risk_from_global_warming:170" in collection.documents.values()
    assert "Extinction_risk_from_global_warming:170" not in collection.qrels["0"]


def test_pira_texts_are_plain_and_each_question_has_one() -> None:
    data = shared_data("judged", "pira").parents[1]
    english, portuguese = public.load_pira(data), public.load_pira(data, "pt")
    ids = [question.id for question in english.questions]
    assert len(ids) == len(set(ids)) == 698  # ten of the file's 708 questions stand in it twice
    assert Counter(len(found) for found in english.qrels.values()) == {1: 697, 2: 1}
    assert not any("<p>" in record.abstract for record in english.records)
    assert english.qrels == portuguese.qrels
    assert english.questions != portuguese.questions
    assert public.plain_text("<p>a &amp; b</p>\n<p>c</p>") == "a & b c"


def test_grades_given_by_hand_are_read_with_their_reasons_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "hand.tsv"
    path.write_text("query-id\tcorpus-id\tscore\treason\nn1\td1\t3\tfits\nn1\td2\t0\twrong year\n")
    assert ncar.hand_grades(path) == {"n1": {"d1": 3, "d2": 0}}
    path.write_text("n1\td1\tgood\tfits\nn1\td2\t1\n")
    with pytest.raises(BadCollection, match="line 1: is not question, record, grade and reason; line 2"):
        ncar.hand_grades(path)
