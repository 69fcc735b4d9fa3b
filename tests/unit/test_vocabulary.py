"""Terms of vocabularies: found by their longest name, widened by a few others, read from SKOS without the net."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from reading.concepts import LONGEST_LABEL, Concept, Label, NamedVocabulary, read_files
from reading.vocabulary import MOST_NARROWER, Vocabulary, names_to_add, own_vocabulary, term_key
from tests.shared_data import shared_data

TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix ex: <urn:example:> .
ex:water a skos:Concept ; skos:prefLabel "water"@en, "Wasser"@de ; skos:narrower ex:rain .
ex:rain a skos:Concept ; skos:prefLabel "rain (weather)"@en-GB ; skos:altLabel "rainfall"@en, " wet   stuff "@en .
ex:snow a skos:Concept ; skos:prefLabel "snow"@en ; skos:broader ex:water .
ex:nothing a skos:Concept ; skos:definition "no label"@en .
"""


def read(tmp_path: Path, text: str, name: str = "words.ttl") -> tuple[Concept, ...]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_files([path])


def test_turtle_is_read_with_both_directions_of_the_hierarchy(tmp_path: Path) -> None:
    rain, snow, water = read(tmp_path, TURTLE)
    assert rain.labels == (Label("rain", "en"), Label("rainfall", "en"), Label("wet stuff", "en"))
    assert snow.narrower == ()
    assert water.narrower == ("urn:example:rain", "urn:example:snow")


def test_labels_of_one_concept_may_come_in_several_files(tmp_path: Path) -> None:
    head = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">'
    paths = []
    for language, label in (("en", "rain"), ("de", "Regen")):
        paths.append(tmp_path / f"{language}.rdf")
        concept = f'<skos:Concept rdf:about="urn:x:1"><skos:prefLabel xml:lang="{language}">{label}</skos:prefLabel>'
        paths[-1].write_text(f"{head}{concept}</skos:Concept></rdf:RDF>", encoding="utf-8")
    assert read_files(paths) == (Concept("urn:x:1", (Label("Regen", "de"), Label("rain", "en"))),)


def test_a_keyword_tree_is_read_as_concepts(tmp_path: Path) -> None:
    tree = '[{"uuid": "1", "label": "WATER", "children": [{"uuid": "2", "label": "RAIN", "children": []}]}]'
    one, two = read(tmp_path, tree, "tree.json")
    assert (one.labels, one.narrower) == ((Label("WATER", "en"),), ("urn:uuid:2",))
    assert two.uri == "urn:uuid:2"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "empty.ttl"),
        ("no turtle at all", "broken.ttl"),
        ("<rdf:RDF", "cut-off.rdf"),
        ("<html><body>not found</body></html>", "page.rdf"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><x>&e;</x>', "entity.rdf"),
        ("{", "broken.json"),
        ('{"a": 1}', "other.json"),
        ("[" * 100_000, "deep.json"),
        ("rain", "words.docx"),
    ],
)
def test_what_is_no_vocabulary_is_refused_by_name(tmp_path: Path, text: str, name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        read(tmp_path, text, name)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"absent\.ttl"):
        read_files([tmp_path / "absent.ttl"])


def test_a_description_is_no_label(tmp_path: Path) -> None:
    long = "x" * (LONGEST_LABEL + 1)
    (water,) = read(tmp_path, TURTLE.split("ex:rain a")[0].replace('"water"@en', f'"water"@en, "{long}"@en'))
    assert [label.text for label in water.labels] == ["Wasser", "water"]


BOOK = Vocabulary.of(
    [
        NamedVocabulary(
            "a",
            (
                Concept(
                    "sst", (Label("sea surface temperature", "en"), Label("SST", "en"), Label("Meerestemperatur", "de"))
                ),
                Concept("sea", (Label("sea", "en"), Label("mer", "fr")), ("sst",)),
                Concept("et", (Label("evapotranspiration", "en"), Label("ET", "en"))),
                Concept("species", (Label("species", "en"), Label("Art", "de"))),
            ),
        ),
        NamedVocabulary("b", (Concept("b:sea", (Label("sea", "en"), Label("ocean", "en"))),)),
    ]
)


def found(text: str, language: str | None = None) -> list[tuple[str, str, str]]:
    return [(one.text, one.vocabulary, one.uri) for one in BOOK.find(text, [(0, len(text))], language)]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("sea surface temperatures", "en", [("sea surface temperatures", "a", "sst")]),  # the longest name, the plural
        ("Sea-surface temperature", "en", [("Sea-surface temperature", "a", "sst")]),
        ("sea, surface temperature", "en", [("sea", "a", "sea"), ("sea", "b", "b:sea")]),  # a comma parts
        ("sst", "en", [("sst", "a", "sst")]),
        ("ET of crops", "en", [("ET", "a", "et")]),
        ("soil et forest", "en", []),  # "et" is a short form only in capitals
        ("Art der Karte", "de", [("Art", "a", "species")]),
        ("art of mapping", "en", []),  # German names are not read in English
        ("art", None, []),  # nor short ones where the language is not known
        ("Meerestemperatur", None, [("Meerestemperatur", "a", "sst")]),
        ("", None, []),
    ],
)  # fmt: skip
def test_find(text: str, language: str | None, expected: list[tuple[str, str, str]]) -> None:
    assert found(text, language) == expected


MARKED = (
    "PM2.5", "CO2/H2O", "NO2 (tropospheric)", "2,4-D", "nino 3.4", "C/N ratio", "U.S.", "N+1 flux", "St. Elmo's fire",
    "1,1,1-trichloroethane", "soil pH (CaCl2)", "wind speed, 10 m", "P/E", "rain & snow", "T.S. Eliot", "a:b ratio",
)  # fmt: skip


@pytest.mark.parametrize("label", MARKED)
@pytest.mark.parametrize("question", ["{}", "{} in Delhi", "the {}, since 1990", "Is {}?", "({})", "{}."])
def test_a_name_with_marks_inside_is_found(label: str, question: str) -> None:
    names = NamedVocabulary("v", tuple(Concept(one, (Label(one, "en"), Label("other", "en"))) for one in MARKED))
    text = question.format(label)
    (found,) = Vocabulary.of([names]).find(text, [(0, len(text))], "en")
    assert found.uri == label
    assert found.text.rstrip(".") == label.rstrip(".")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("PM 2.5", "PM2.5"), ("PM-2.5", "PM2.5"), ("PM 10", "PM10"), ("Nino3.4", "nino 3.4"), ("CO2 H2O", "CO2/H2O"),
        ("CO2, H2O", None), ("NO2. Tropospheric", None), ("C; N ratio", None), ("2.4-D", None), ("PM2,5", None),
    ],
)  # fmt: skip
def test_other_spellings_of_such_a_name(text: str, label: str | None) -> None:
    names = (*MARKED, "PM10")
    concepts = tuple(Concept(one, (Label(one, "en"), Label("other", "en"))) for one in names)
    found = Vocabulary.of([NamedVocabulary("v", concepts)]).find(text, [(0, len(text))], "en")
    assert [one.uri for one in found] == ([] if label is None else [label])


def test_every_shipped_name_is_found_by_itself() -> None:
    own = own_vocabulary()
    book = Vocabulary.of([own])
    for concept in own.concepts:
        for label in concept.labels if len(concept.labels) > 1 else ():
            mentions = book.find(label.text, [(0, len(label.text))], label.language)
            assert concept.uri in {one.uri for one in mentions}, label


def test_taken_words_are_left_alone() -> None:
    text = "sea surface temperature"
    assert [one.text for one in BOOK.find(text, [(0, 3), (11, 23)])] == ["sea", "sea"]


def test_a_mention_names_what_else_it_is_called_and_what_lies_under_it() -> None:
    first, second = BOOK.find("the sea", [(0, 7)], "en")
    assert (first.synonyms, first.confidence) == ((Label("mer", "fr"),), 0.9)
    assert [label.text for label in first.narrower] == ["sea surface temperature", "Meerestemperatur"]
    assert (second.start, second.end, second.synonyms) == (4, 7, (Label("ocean", "en"),))


def test_a_second_name_is_less_sure_than_the_preferred_one() -> None:
    (one,) = BOOK.find("SST", [(0, 3)], "en")
    assert one.confidence == 0.8


def test_widening_prefers_the_question_and_english_and_drops_what_adds_nothing() -> None:
    (one,) = Vocabulary.of([own_vocabulary()]).find("soil moisture", [(0, 13)], "en")
    synonyms, _ = names_to_add(one, "en")
    assert [label.text for label in synonyms[:2]] == ["soil water content", "soil wetness"]
    languages = [label.language for label in synonyms[2:]]
    assert languages == ["de", "es", "fr", "it", "pt"]


def test_a_concept_with_many_kinds_is_not_widened_by_them() -> None:
    kinds = tuple(Concept(f"k{n}", (Label(f"kind {chr(97 + n)}", "en"),)) for n in range(MOST_NARROWER + 1))
    for count, expected in ((MOST_NARROWER, MOST_NARROWER), (MOST_NARROWER + 1, 0)):
        whole = Concept("w", (Label("whole", "en"),), tuple(kind.uri for kind in kinds[:count]))
        (one,) = Vocabulary.of([NamedVocabulary("v", (whole, *kinds))]).find("whole", [(0, 5)])
        assert len(names_to_add(one, "en")[1]) == expected


@pytest.mark.parametrize(("question", "other"), [("rainfall", "precipitation"), ("SST", "sea surface temperature"),
    ("streamflow", "river discharge"), ("Niederschlag", "precipitation"), ("sismicità", "earthquake"),
    ("chuva", "rainfall"), ("débit", "streamflow"), ("glaciares", "glacier")])  # fmt: skip
def test_the_shipped_vocabulary_knows_what_people_say(question: str, other: str) -> None:
    terms = Vocabulary.of([own_vocabulary()]).find(question, [(0, len(question))])
    assert other in [label.text for term in terms for label in term.synonyms]


def test_every_shipped_concept_has_an_english_name_and_no_name_means_four_concepts() -> None:
    concepts = own_vocabulary().concepts
    assert len(concepts) >= 90
    assert all(any(label.language == "en" for label in concept.labels) for concept in concepts)
    known = {concept.uri for concept in concepts}
    assert {below for concept in concepts for below in concept.narrower} <= known


@given(st.text(max_size=60), st.sampled_from([None, "en", "de", "fr"]))
def test_mentions_lie_in_the_text_and_never_overlap(text: str, language: str | None) -> None:
    end = 0
    for one in BOOK.find(text, [(0, len(text))], language):
        assert text[one.start : one.end] == one.text
        assert one.start >= end or one.vocabulary == "b"
        end = one.end


@given(st.text(max_size=40))
def test_a_key_of_a_key_is_the_key_of_its_words(text: str) -> None:
    assert term_key(text.upper()) == term_key(text.lower()) or not text.isascii()


def test_gemet_is_read(tmp_path: Path) -> None:
    with tarfile.open(shared_data("vocab", "gemet.tar.gz")) as archive:
        archive.extract("gemet/gemet-definitions-en.rdf", tmp_path, filter="data")
    concepts = read_files([tmp_path / "gemet" / "gemet-definitions-en.rdf"])
    assert len(concepts) > 5_000
    labels = {concept.uri.rpartition("/")[2]: concept.labels for concept in concepts}
    assert labels["8"] == (Label("abandoned vehicle", "en"),)


def test_gcmd_is_read_from_its_tree(tmp_path: Path) -> None:
    with tarfile.open(shared_data("vocab", "gcmd.tar.gz")) as archive:
        archive.extract("gcmd/gcmd-sciencekeywords.json", tmp_path, filter="data")
    book = Vocabulary.of([NamedVocabulary("gcmd", read_files([tmp_path / "gcmd" / "gcmd-sciencekeywords.json"]))])
    terms = book.find("atmospheric winds", [(0, 17)], "en")
    assert "SURFACE WINDS" in [label.text for term in terms for label in term.narrower]


def test_a_vocabulary_before_others_changes_nothing_but_the_order() -> None:
    first = NamedVocabulary("first", (Concept("f", (Label("rain", "en"), Label("wet weather days", "en"))),))
    second = NamedVocabulary("second", (Concept("s", (Label("rain", "en"), Label("precipitation", "en"))),))
    joined = Vocabulary.of([second]).preceded_by(first)
    assert joined == Vocabulary.of([first, second])
