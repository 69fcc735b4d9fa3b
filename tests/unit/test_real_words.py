"""Words of the Earth sciences exist, whatever the records write; misspelt ones do not."""

from __future__ import annotations

from importlib.resources import files

import pytest

from reading.concepts import Concept, Label, NamedVocabulary
from reading.real_words import is_real_word
from reading.sentences import word_set
from reading.vocabulary import Vocabulary, only_own_vocabulary

TRANSLATOR = only_own_vocabulary().translator

REAL = word_set(
    """tephra loess isostasy bathymetry gyre albedo firn varve varves foraminifera orogeny ophiolite turbidite lahar
jokulhlaup esker eskers drumlin kame karst polje doline speleothem stalagmites diatoms radiolaria ostracods palynology
thermocline seiche bentonite halite dolomite marl chert gneiss schist ignimbrite zircons hypsometry tomography evaporite
piezometer pyranometer ceilometer magnetometry interferometry graben flysch mylonite paleosol chernozem gley palsa
frazil hoarfrost virga bora mistral bolide regolith isopach isohyet hodograph salp bryozoa ammonite conodonts eddies
precipitation temperature hors sous malgré zwischen radiometer"""
)
MISSPELT = word_set(
    """precipitaton tempreature temprature rainfal humidty glaicer glaciar evapotranspirtion bathymtery salinty
vegetaion biodivrsity earthquke seimsic volcanc atmoshperic ozne chlorophil permafrst radiatoin reanalisys streamflw
grondwater sedimnt phytoplankon hydrolgy topograpy magnetc aeorsol tsunammi irigation nitrogn moistre wildfre
interferometr"""
)


@pytest.mark.parametrize("word", sorted(REAL))
def test_a_word_of_the_field_is_real(word: str) -> None:
    assert is_real_word(word, None, TRANSLATOR)


@pytest.mark.parametrize("word", sorted(MISSPELT))
def test_a_misspelt_word_is_not(word: str) -> None:
    assert not is_real_word(word, None, TRANSLATOR)


def test_words_of_another_language_count_in_its_questions() -> None:
    assert is_real_word("lluvia", "es", TRANSLATOR)
    assert not is_real_word("lluvia", "en", TRANSLATOR)


def test_words_of_a_loaded_vocabulary_are_real() -> None:
    concept = Concept("u", (Label("boulder clays", "en"), Label("Geschiebelehm", "de")))
    translator = Vocabulary.of([NamedVocabulary("own", (concept,))]).translator
    assert is_real_word("boulder", None, translator)
    assert is_real_word("geschiebelehm", "de", translator)


def test_the_list_has_each_word_once_in_small_letters() -> None:
    lines = files("reading").joinpath("real_words.txt").read_text(encoding="utf-8").splitlines()
    words = [word for line in lines if not line.startswith("#") for word in line.split()]
    assert len(words) == len(set(words))
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
