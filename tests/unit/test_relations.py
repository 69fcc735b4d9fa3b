"""Relations around places. In the sentences a place stands in square brackets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.relations import is_along_river, read_relations


def marked(sentence: str) -> tuple[str, list[tuple[int, int]]]:
    """The sentence without its brackets, and where the places stand."""
    text, mentions, read = "", [], 0
    for match in re.finditer(r"\[(.+?)\]", sentence):
        text += sentence[read : match.start()]
        mentions.append((len(text), len(text) + len(match[1])))
        text, read = text + match[1], match.end()
    return text + sentence[read:], mentions


@pytest.mark.parametrize(
    ("sentence", "relation", "words"),
    [
        ("rain in [Kenya]", "in", "in"),
        ("rain within [Kenya]", "within", "within"),
        ("rain inside the [Sahel]", "within", "inside the"),
        ("rain over the [Alps]", "over", "over the"),
        ("rain across [Europe]", "over", "across"),
        ("rain near [Rome]", "near", "near"),
        ("rain close to [Rome]", "near", "close to"),
        ("rain around [Rome]", "near", "around"),
        ("rain in the vicinity of [Rome]", "near", "in the vicinity of"),
        ("tides along the coast of [Kenya]", "coast", "along the coast of"),
        ("tides on [Kenya]'s coast", "coast", "'s coast"),
        ("fish off the coast of [Peru]", "off_coast", "off the coast of"),
        ("fish off the west coast of [Africa]", "off_coast", "off the west coast of"),
        ("gases north of [Italy]", "north_of", "north of"),
        ("gases to the south east of [Italy]", "southeast_of", "to the south east of"),
        ("gases NW of [Italy]", "northwest_of", "NW of"),
        ("snow in the north of [Italy]", "part_north", "in the north of"),
        ("northern [Italy]", "part_north", "northern"),
        ("south-western [France]", "part_southwest", "south-western"),
        ("the eastern part of [Brazil]", "part_east", "the eastern part of"),
        ("central [Asia]", "part_central", "central"),
        ("everywhere outside [Europe]", "outside", "outside"),
        ("all except [Europe]", "outside", "except"),
        ("pluie hors [Corse]", "outside", "hors"),
        ("pluie hors de [Corse]", "outside", "hors de"),
        ("hail anywhere but in [Peru]", "outside", "anywhere but in"),
        ("Schnee überall außer in [Tirol]", "outside", "überall außer in"),
        ("non-[European] rivers", "outside", "non-"),
        ("rain rather than in [Chile]", "outside", "rather than in"),
        ("aerosol above the [Sahara]", "over", "above the"),
        ("lacs sous l'[Antarctique]", "over", "sous l'"),
        ("poussière au-dessus de l'[Afrique]", "over", "au-dessus de l'"),
        ("polvo por encima del [Atlántico]", "over", "por encima del"),
        ("polvere sopra il [Mediterraneo]", "over", "sopra il"),
        ("nahe [Berlin]", "near", "nahe"),
        ("nördlich von [Italien]", "north_of", "nördlich von"),
        ("südöstlich der [Alpen]", "southeast_of", "südöstlich der"),
        ("im Norden von [Italien]", "part_north", "im Norden von"),
        ("nördliches [Italien]", "part_north", "nördliches"),
        ("Nord[italien]", "part_north", "Nord"),
        ("an der Küste von [Kenia]", "coast", "an der Küste von"),
        ("près de [Paris]", "near", "près de"),
        ("au nord de la [France]", "north_of", "au nord de la"),
        ("dans le nord de la [France]", "part_north", "dans le nord de la"),
        ("au large du [Pérou]", "off_coast", "au large du"),
        ("cerca de [Lima]", "near", "cerca de"),
        ("al norte de [España]", "north_of", "al norte de"),
        ("en el norte de [España]", "part_north", "en el norte de"),
        ("vicino a [Roma]", "near", "vicino a"),
        ("a nord di [Roma]", "north_of", "a nord di"),
        ("nel nord dell'[Italia]", "part_north", "nel nord dell'"),
        ("piogge [Italia] settentrionale", "part_north", "settentrionale"),
        ("perto de [Lisboa]", "near", "perto de"),
        ("ao norte de [Portugal]", "north_of", "ao norte de"),
    ],
)
def test_one_relation(sentence: str, relation: str, words: str) -> None:
    text, mentions = marked(sentence)
    (read,) = read_relations(text, mentions)
    assert (read.relation, text[read.start : read.end], read.arguments) == (relation, words, (0,))


@pytest.mark.parametrize(
    ("sentence", "relation", "distance_km", "words"),
    [
        ("gauges within 100 km of [Denver]", "within_distance", 100.0, "within 100 km of"),
        ("quakes 20 miles from [Boston]", "within_distance", 32.18688, "20 miles from"),
        ("soil 20 km north of [Lincoln]", "north_of", 20.0, "20 km north of"),
        ("Regen im Umkreis von 50 km um [Berlin]", "within_distance", 50.0, "im Umkreis von 50 km um"),
        ("Pegel 2,5 km nördlich von [Hamburg]", "north_of", 2.5, "2,5 km nördlich von"),
        ("pluie à moins de 100 km de [Paris]", "within_distance", 100.0, "à moins de 100 km de"),
        ("sismos a 30 km al norte de [Lima]", "north_of", 30.0, "a 30 km al norte de"),
        ("pioggia entro 50 km da [Roma]", "within_distance", 50.0, "entro 50 km da"),
        ("chuva num raio de 100 km de [Manaus]", "within_distance", 100.0, "num raio de 100 km de"),
        ("ships within 1,000 km of [Hawaii]", "within_distance", 1000.0, "within 1,000 km of"),
        ("Beben im Umkreis von 1.000 km um [Rom]", "within_distance", 1000.0, "im Umkreis von 1.000 km um"),
        ("ozone à 20 km au nord de [Lyon]", "north_of", 20.0, "à 20 km au nord de"),
        ("wind 5 km east of [Niwot Ridge]", "east_of", 5.0, "5 km east of"),
    ],
)
def test_a_distance(sentence: str, relation: str, distance_km: float, words: str) -> None:
    text, mentions = marked(sentence)
    (read,) = read_relations(text, mentions)
    assert (read.relation, text[read.start : read.end], read.distance_km) == (
        relation,
        words,
        pytest.approx(distance_km),
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "sediment upstream of [Manaus]",
        "Pegel stromaufwärts von [Dresden]",
        "débit en aval de [Lyon]",
        "sedimento aguas arriba de [Manaus]",
        "portata a monte di [Torino]",
        "vazão a jusante de [Manaus]",
    ],
)
def test_along_a_river_is_near(sentence: str) -> None:
    assert [read.relation for read in read_relations(*marked(sentence))] == ["near"]


@pytest.mark.parametrize(
    "sentence", ["30 km grid over [Italy]", "1 km precipitation in [Peru]", "10 km resolution [Rome]"]
)
def test_a_resolution_is_no_distance(sentence: str) -> None:
    assert all(read.distance_km is None for read in read_relations(*marked(sentence)))


@pytest.mark.parametrize(
    "sentence",
    ["between [Rome] and [Naples]", "zwischen [Rom] und [Neapel]", "entre [Roma] y [Nápoles]", "tra [Roma] e [Napoli]"],
)
def test_between_has_two_places(sentence: str) -> None:
    (read,) = read_relations(*marked(sentence))
    assert (read.relation, read.arguments) == ("between", (0, 1))


def test_a_list_shares_its_relation() -> None:
    (read,) = read_relations(*marked("rain in [Kenya], [Uganda] and [Malawi]"))
    assert (read.relation, read.arguments) == ("in", (0, 1, 2))


def test_relations_stand_in_a_row() -> None:
    read = read_relations(*marked("near the coast of northern [Chile]"))
    assert [one.relation for one in read] == ["near", "coast", "part_north"]


def test_each_place_has_its_own() -> None:
    read = read_relations(*marked("rain in [Kenya], north of the [Serengeti]"))
    assert [(one.relation, one.arguments) for one in read] == [("in", (0,)), ("north_of", (1,))]


@pytest.mark.parametrize(
    "text", ["global soil moisture", "soil worldwide", "weltweit", "données mondiales", "the whole world"]
)
def test_the_world_needs_no_place(text: str) -> None:
    (read,) = read_relations(text, [])
    assert (read.relation, read.arguments) == ("global", ())


@pytest.mark.parametrize(
    "sentence", ["[North Sea] ice", "rain [Kenya]", "global warming", "north wind", "[Global Ocean]"]
)
def test_no_relation(sentence: str) -> None:
    assert read_relations(*marked(sentence)) == []


@pytest.mark.parametrize(
    ("sentence", "relations"),
    [
        ("wind speed in m/s in [Denmark]", ["in"]),
        ("velocidad del viento m/s en [Chile]", ["in"]),
        ("runoff in m3/s of the [Rhine]", []),
        ("m/e of [Greenland]", []),
        ("flux in W m-2 s of [Africa]", []),
        ("transport in m² s of [Africa]", []),
        ("[Germany]'s [Black Forest]", []),
        ("PM10 S [Africa]", ["part_south"]),
        ("Sentinel-2 S [Africa]", ["part_south"]),
        ("mooring 500 m S of [Iceland]", ["south_of"]),
        ("runoff/northern [Africa]", ["part_north"]),
        ("nell'Est [Europa]", ["part_east", "in"]),
    ],
)
def test_a_letter_of_a_unit_is_no_side(sentence: str, relations: list[str]) -> None:
    read = read_relations(*marked(sentence))
    assert sorted(mention.relation for mention in read) == sorted(relations)


@pytest.mark.parametrize(
    "sentence",
    [
        "qualité de l'eau hors [Paris]",
        "pluie hormis la [Corse]",
        "pluie à l'exception de la [Corse]",
        "Regen ausgenommen in [Bayern]",
        "Regen mit Ausnahme von [Bayern]",
        "lluvia salvo en [Galicia]",
        "lluvia sin [Galicia]",
        "pioggia esclusa la [Sicilia]",
        "pioggia ad eccezione della [Sicilia]",
        "chuva com exceção da [Bahia]",
        "pluie excluant la [Corse]",
        "lluvia excluyendo [Galicia]",
        "pioggia escludendo la [Sicilia]",
        "chuva excluindo a [Bahia]",
        "rain with the exception of [Bavaria]",
    ],
)
def test_words_that_leave_a_place_out(sentence: str) -> None:
    assert [mention.relation for mention in read_relations(*marked(sentence))] == ["outside"]


@given(
    st.lists(st.sampled_from(["in ", "[A]", "north ", "of ", "between ", " and ", ", ", "the ", "coast "]), max_size=20)
)
def test_words_of_relations_never_lie_in_a_place(pieces: list[str]) -> None:
    text, mentions = marked("".join(pieces))
    for read in read_relations(text, mentions):
        assert read.start < read.end <= len(text)
        assert all(read.end <= start or end <= read.start for start, end in mentions)
        assert all(0 <= index < len(mentions) for index in read.arguments)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("rain in all of [Africa] but [Kenya]", "but"),
        ("rain in [Africa], but in the [Sahel]", "but in the"),
        ("lluvia en [África] menos [Kenia]", "menos"),
        ("Regen in [Afrika] bis auf [Kenia]", "bis auf"),
        ("pluie en [Afrique] à part le [Kenya]", "à part le"),
    ],
)
def test_after_a_place_but_leaves_a_part_of_it_out(sentence: str, words: str) -> None:
    text, mentions = marked(sentence)
    (outside,) = [relation for relation in read_relations(text, mentions) if relation.relation == "outside"]
    assert (text[outside.start : outside.end], outside.arguments) == (words, (1,))


def test_but_alone_leaves_nothing_out() -> None:
    text, mentions = marked("warm but [Kenya]")
    assert read_relations(text, mentions) == []


@pytest.mark.parametrize(
    ("sentence", "is_side"),
    [
        ("flow upstream of [Rome]", True),
        ("débit en amont de [Lyon]", True),
        ("Abfluss stromabwärts von [Bonn]", True),
        ("Schnee oberhalb der [Alpen]", False),
        ("flow near [Rome]", False),
    ],
)
def test_a_side_that_a_river_decides_is_near(sentence: str, is_side: bool) -> None:
    text, mentions = marked(sentence)
    (relation,) = read_relations(text, mentions)
    assert (relation.relation, is_along_river(text[relation.start : relation.end])) == ("near", is_side)
