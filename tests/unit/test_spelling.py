"""Which unknown word is surely a typing error, and of what."""

from __future__ import annotations

import pytest

from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from search_api.search.retrieval.spelling import (
    PlaceSpelling,
    corrected_question,
    edits,
    likely_correction,
    near_words_section,
    one_edit_away,
    sure_correction,
)
from search_api.search.understanding.interpretation import Interpretation, NearWord, QueryName, TextSpan, UnknownWord


def unknown(word: str, **near: int) -> UnknownWord:
    return UnknownWord(word, tuple(NearWord(text, count) for text, count in near.items()))


@pytest.mark.parametrize(
    ("left", "right", "count"),
    [("snow", "snow", 0), ("snoow", "snow", 1), ("nsow", "snow", 1), ("sno", "snow", 1), ("snaw", "snow", 1),
     ("", "snow", 4), ("walus", "values", 2)],
)  # fmt: skip
def test_edits_are_dropped_added_replaced_and_swapped_letters(left: str, right: str, count: int) -> None:
    assert edits(left, right) == edits(right, left) == count


@pytest.mark.parametrize(
    ("word", "correction"),
    [
        (unknown("ojtical", optical=40), "optical"),
        (unknown("walus", walls=24, walrus=5), None),  # a short word with two neighbours
        (unknown("dukt", duct=60, dust=4), None),
        (unknown("dukt", duct=90, dust=4), "duct"),  # not even a short one
        (unknown("reanalysiss", reanalysis=228, reanalyses=64), "reanalysis"),  # forms of one word
        (unknown("mercery", mercury=60, merger=2), "mercury"),  # the other is two letters away
        (unknown("seksmic", seismic=30, seksmik=9), None),  # not far more common
        (unknown("seksmic", seismic=90, seksmik=9), "seismic"),
        (unknown("greeness", greenness=1), "greenness"),  # so long a word has no other neighbours
        (unknown("dinok", dino=2), None),  # rare
        (unknown("smokes"), None),
    ],
    ids=lambda value: value.text if isinstance(value, UnknownWord) else str(value),
)
def test_the_one_near_common_word_is_sure(word: UnknownWord, correction: str | None) -> None:
    assert sure_correction(word) == correction


@pytest.mark.parametrize(
    ("word", "correction"),
    [
        (unknown("ozne", ozone=40, one=900, zone=50), "ozone"),  # a letter is missing
        (unknown("walus", walls=24, walrus=5), "walrus"),
        (unknown("snw", snow=50), "snow"),
        (unknown("bost", boost=9, boast=8), None),
        (unknown("ozne", ozone=2), None),  # rare
        (unknown("kezumo"), None),
    ],
    ids=["dropped", "not replaced", "three letters", "two of them", "rare", "none"],
)
def test_where_nothing_is_found_a_dropped_letter_is_likely(word: UnknownWord, correction: str | None) -> None:
    assert likely_correction(word) == correction


def question(text: str, *words: UnknownWord, names: tuple[QueryName, ...] = ()) -> Interpretation:
    return Interpretation(text, text, unknown_words=words, names=names)


def test_each_sure_word_is_replaced_whatever_its_letters_size() -> None:
    corrected = corrected_question(question("Snoow depth", unknown("snoow", snow=50)), ())
    assert corrected is not None
    assert (corrected.text, corrected.pairs) == ("snow depth", (("snoow", "snow"),))


@pytest.mark.parametrize("real_words", [("unicorn",), ()], ids=["a word of the model", "not"])
def test_a_word_that_exists_is_no_error(real_words: tuple[str, ...]) -> None:
    corrected = corrected_question(question("unicorn migration", unknown("unicorn", unicorm=50)), real_words)
    assert (corrected is None) == bool(real_words)


@pytest.mark.parametrize(
    ("asked", "written"), [("vapours", "vapors"), ("sulphur", "sulfur"), ("colour", "color"), ("gray", "grey")]
)
def test_a_real_word_may_be_written_as_the_records_spell_it(asked: str, written: str) -> None:
    corrected = corrected_question(question(f"organic {asked}", unknown(asked, **{written: 50})), {asked})
    assert corrected is not None
    assert corrected.text == f"organic {written}"


def test_a_word_in_capitals_inside_a_sentence_is_a_name() -> None:
    assert corrected_question(question("volcanoes on Venusa", unknown("venusa", venues=90)), ()) is None


@pytest.mark.parametrize(("count", "is_corrected"), [(5, True), (50, False)])
def test_the_beginning_of_a_name_stays_unless_far_more_records_have_the_correction(
    count: int, is_corrected: bool
) -> None:
    name = QueryName(TextSpan("lidaar", 0, 6, "names", 1.0), "beginning", ("lidaar",), count, 0.01)
    corrected = corrected_question(question("lidaar", unknown("lidaar", lidar=90), names=(name,)), ())
    assert (corrected is not None) == is_corrected


PLACES = PlaceSpelling(PlaceReader(Gazetteer()), Gazetteer())


@pytest.mark.parametrize(
    ("text", "word", "corrected"),
    [
        ("drought in Keenya", unknown("keenya", keen=70, kenya=5), "drought in Kenya"),
        ("wind Sout Dakota", unknown("sout", south=900, soot=40), "wind South Dakota"),
        ("rain oregn", unknown("oregn", oregon=2, organ=40), "rain oregon"),  # rare in the records, but large
        ("storms of Scotlnad", unknown("scotlnad"), "storms of Scotland"),  # no record has it: a large place
        ("storms of Wickk", unknown("wickk"), None),  # a little one
        ("ice ccores Greenland", unknown("ccores", scores=8, cores=9), None),  # Açores, but records have neighbours
        ("volcanoes on Venusa", unknown("venusa", venues=90), None),
        ("wind at Wangara", unknown("wangara", angara=1), None),  # an old name of Ankara
        ("snow in Hoston", unknown("hoston", houston=30, boston=20), None),  # two places
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_misspelt_place_is_corrected_where_it_would_be_read(
    text: str, word: UnknownWord, corrected: str | None
) -> None:
    answer = corrected_question(question(text, word), (), places=PLACES)
    assert (answer.text if answer else None) == corrected


def test_the_beginning_of_a_word_is_completed() -> None:
    name = QueryName(TextSpan("chemistr", 7, 15, "names", 1.0), "beginning", ("chemistr",), 900, 0.1)
    corrected = corrected_question(question("stream chemistr", unknown("chemistr", chemistry=950), names=(name,)), ())
    assert corrected is not None
    assert corrected.text == "stream chemistry"


def test_texts_with_one_other_letter_are_one_edit_away() -> None:
    near = one_edit_away("snow")
    assert {"now", "snoww", "sonw", "snew"} <= near
    assert all(edits("snow", text) == 1 for text in near)


def test_a_word_of_more_letters_than_any_has_no_neighbours() -> None:
    long_word = "e" * 41
    assert near_words_section([long_word]) == {}
    assert len(near_words_section([long_word[1:]])) == 2
    assert PLACES.near(long_word) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("data for Nice", unknown("nice", nile=80)),  # a name of the gazetteer that is also a word
        ("snow in Davos", unknown("davos", davis=40)),  # a place that the gazetteer lacks
        ("snow in Sils", unknown("sils", silt=40)),
        ("waves at Sylt", unknown("sylt", silt=40)),
        ("rain in Kanda", unknown("kanda", canada=0, panda=4)),
        ("rain in Bouldar", unknown("bouldar", boulder=40)),  # a replaced letter, and no large place
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_place_that_may_exist_is_no_misspelt_other_place(text: str, word: UnknownWord) -> None:
    assert corrected_question(question(text, word), (), places=PLACES) is None


@pytest.mark.parametrize(
    ("text", "word", "corrected"),
    [
        ("dust in Egpyt", unknown("egpyt", egypt=4), "dust in Egypt"),
        ("air in Lndon", unknown("lndon", london=9), "air in London"),
        ("rain in Bouldr", unknown("bouldr", boulder=40), "rain in Boulder"),
        ("snow in Norwey", unknown("norwey", norway=9), "snow in Norway"),
        ("rain in Amazn", unknown("amazn", amazon=40), "rain in Amazon"),  # the name of its basin
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_large_place_or_a_lost_letter_is_sure(text: str, word: UnknownWord, corrected: str) -> None:
    answer = corrected_question(question(text, word), (), places=PLACES)
    assert answer is not None
    assert answer.text == corrected


def test_a_real_word_is_no_misspelt_place_either() -> None:
    ice = question("frazil ice", unknown("frazil", brazil=90))
    assert corrected_question(ice, (), places=PLACES) is not None
    assert corrected_question(ice, ("frazil",), places=PLACES) is None


@pytest.mark.parametrize(
    "word",
    [
        unknown("hypsometry", hypsometer=9),  # another word of the same stem
        unknown("dolomite", delimite=1),  # two letters, and rare
    ],
    ids=["another word of the stem", "rare"],
)
def test_two_letters_make_another_word(word: UnknownWord) -> None:
    assert sure_correction(word) is None
