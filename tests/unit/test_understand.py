"""Hard questions read by the whole Understander, with the real gazetteer."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.timespan import TimeSpan
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from reading.times import TimeReader
from search_api.search.request import ALL_PARTS
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.understand import Understander

TODAY = date(2025, 6, 15)
UNDERSTANDER = Understander(PlaceReader(Gazetteer()), TimeReader(lambda: TODAY))


def read(question: str, *parts: str) -> Interpretation:
    return UNDERSTANDER.understand(question, frozenset(parts) if parts else ALL_PARTS)  # type: ignore[arg-type]


WHERE = [
    # question, topic, places as (name, country)
    ("temperature in Georgia", "temperature", [("Georgia", "GE")]),
    ("peanut harvest in Georgia and Alabama", "peanut harvest", [("Georgia", "US"), ("Alabama", "US")]),
    ("soil in Georgia, USA", "soil", [("Georgia", "US")]),
    ("South Georgia penguins", "penguins", [("South Georgia", None)]),
    ("Strait of Georgia salmon", "Strait of Georgia salmon", []),
    ("Victoria bushfires", "bushfires", [("Victoria", "AU")]),
    ("Lake Victoria water level", "water level", [("Lake Victoria", None)]),
    ("Victoria, British Columbia weather", "weather", [("Victoria", "CA")]),
    ("temperature of the Baltic", "temperature", [("Baltic Sea", None)]),
    ("salinity in the Baltic Sea", "salinity", [("Baltic Sea", None)]),
    ("Baltic states forest", "forest", [("Baltic states", None)]),
    ("Nile basin discharge", "discharge", [("Nile", None)]),
    ("rainfall in southern Africa", "rainfall", [("Southern Africa", None)]),
    ("drought in South Africa", "drought", [("South Africa", "ZA")]),
    ("Italian rainfall", "rainfall", [("Italy", "IT")]),
    ("Italian and Spanish rivers", "rivers", [("Italy", "IT"), ("Spain", "ES")]),
    ("Sicily volcano", "volcano", [("Sicily", None)]),
    ("Galapagos Islands sea lions", "sea lions", [("Galápagos Islands", None)]),
    ("South China Sea currents", "currents", [("South China Sea", None)]),
    ("erosion along the US East Coast", "erosion", [("US East Coast", None)]),
    ("soil in Kenya, Uganda and Malawi", "soil", [("Kenya", "KE"), ("Uganda", "UG"), ("Malawi", "MW")]),
    ("rivers of Germany and France", "rivers", [("Germany", "DE"), ("France", "FR")]),
    ("rain over Spain and snow", "rain and snow", [("Spain", "ES")]),
    ("precipitation in and around Munich", "precipitation", [("Munich", "DE")]),
    ("global land cover", "global land cover", []),
    ("global warming in Europe", "global warming", [("Europe", None)]),
    ("Niederschlag in Norditalien", "Niederschlag", [("Italy", "IT")]),
    ("Klimadaten Deutschlands", "Klimadaten", [("Germany", "DE")]),
    ("italienische Seen", "Seen", [("Italy", "IT")]),
    ("Wind an der Nordseeküste", "Wind", [("North Sea", None)]),
    ("Wasserstand im Bodenseeraum", "Wasserstand", [("Lake Constance", None)]),
    ("Luftqualität in Mailand", "Luftqualität", [("Milan", "IT")]),
    ("Köln Hochwasser", "Hochwasser", [("Köln", "DE")]),
    ("Grundwasser im Ruhrgebiet", "Grundwasser", [("Ruhr", None)]),
    ("débit du Rhône", "débit", [("Rhône", None)]),
    ("glaciers suisses", "glaciers", [("Switzerland", "CH")]),
    ("précipitations en Afrique australe", "précipitations", [("Southern Africa", None)]),
    ("pluie sur la France", "pluie", [("France", "FR")]),
    ("inondations aux États-Unis", "inondations", [("United States of America", "US")]),
    ("fiumi tedeschi", "fiumi", [("Germany", "DE")]),
    ("qualità dell'aria a Milano", "qualità dell'aria", [("Milan", "IT")]),
    ("precipitazioni in Italia settentrionale", "precipitazioni", [("Italy", "IT")]),
    ("ríos españoles", "ríos", [("Spain", "ES")]),
    ("caudales en la cuenca del Amazonas", "caudales", [("Amazon basin", None)]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "topic", "places"), WHERE, ids=[row[0] for row in WHERE])
def test_where(question: str, topic: str, places: list[tuple[str, str | None]]) -> None:
    one = read(question)
    assert [(place.name, place.country) for place in one.places] == places
    assert one.thematic == topic


ITALY = [6.603, 35.489, 18.517, 47.085]
NORTH_HALF = [6.603, 41.287, 18.517, 47.085]  # (35.489 + 47.085) / 2 = 41.287
NORTH_OF = [6.603, 47.085, 18.517, 58.681]  # as high as Italy: 47.085 + 11.596
AREAS = [
    ("rain in Italy", "in", ITALY),
    ("rain within Italy", "within", ITALY),
    ("rain north of Italy", "north_of", NORTH_OF),
    ("rain to the north of Italy", "north_of", NORTH_OF),
    ("rain in the north of Italy", "part_north", NORTH_HALF),
    ("the north of Italy, rain", "part_north", NORTH_HALF),
    ("Regen nördlich von Italien", "north_of", NORTH_OF),
    ("Regen im Norden Italiens", "part_north", NORTH_HALF),
    ("pluie au nord de l'Italie", "north_of", NORTH_OF),
    ("Nord de l'Italie pluie", "part_north", NORTH_HALF),
    ("lluvia al norte de Italia", "north_of", NORTH_OF),
    ("norte de Italia lluvia", "part_north", NORTH_HALF),
    ("piogge a nord dell'Italia", "north_of", NORTH_OF),
    ("erosion along the coast of Italy", "coast", [6.103, 34.989, 19.017, 47.585]),
    ("fish off the coast of Italy", "off_coast", [4.603, 33.489, 20.517, 49.085]),
    ("wind between 45.5N 10.2E and 46.5N 12.2E", "between", [10.2, 45.5, 12.2, 46.5]),
    ("rain near 52.5, 13.4", "near", [12.9, 52.0, 13.9, 53.0]),
]


@pytest.mark.parametrize(("question", "relation", "area"), AREAS, ids=[row[0] for row in AREAS])
def test_relations_shape_the_area(question: str, relation: str, area: list[float]) -> None:
    one = read(question)
    assert relation in [found.relation for found in one.relations]
    (box,) = one.areas
    assert box.as_list() == pytest.approx(area, abs=1e-9)


def test_northern_italy_is_a_half_and_keeps_its_name() -> None:
    (place,) = read("rain in northern Italy").places
    assert (place.name, place.bbox.as_list(), place.estimated) == ("northern Italy", NORTH_HALF, True)


def test_outside_aims_at_nothing_and_global_is_a_level() -> None:
    assert read("rain outside of Europe").areas == ()
    one = read("worldwide earthquakes")
    assert (one.areas, one.scales[0].level) == ((), "global")


@pytest.mark.parametrize(
    ("question", "box"),
    [
        ("wind at 45.5N 10.2E", [10.2, 45.5, 10.2, 45.5]),
        ("data between 10S and 20S", [-180.0, -20.0, 180.0, -10.0]),
        ("buoys 10-20S, 30-40E", [30.0, -20.0, 40.0, -10.0]),
        ("bbox 5,45,15,55 temperature", [5.0, 45.0, 15.0, 55.0]),
    ],
)
def test_coordinates_in_the_text(question: str, box: list[float]) -> None:
    (place,) = read(question).places
    assert (place.mention.source, place.bbox.as_list()) == ("coordinates", box)


WHEN = [
    ("rainfall since 2010", "rainfall", "2010-01-01", None),
    ("temperature in the 1990s", "temperature", "1990-01-01", "1999-12-31"),
    ("precipitation of the last 30 years", "precipitation", "1995-06-15", "2025-06-15"),
    ("snow in May 2003", "snow", "2003-05-01", "2003-05-31"),
    ("ozone before 1950", "ozone", None, "1949-12-31"),
    ("pre-industrial CO2", "CO2", "1850-01-01", "1900-12-31"),
    ("climate reference period temperature", "temperature", "1991-01-01", "2020-12-31"),
    ("future climate of Spain", "climate", "2025-06-15", None),
    ("Holocene vegetation", "Holocene vegetation", "-9700-01-01", None),
    ("wind 2001-01-01/2005-12-31", "wind", "2001-01-01", "2005-12-31"),
    ("wind 2001/..", "wind", "2001-01-01", None),
    ("Last Glacial Maximum temperature", "Last Glacial Maximum temperature", "-21000-01-01", "-17000-12-31"),
    ("sea level rise by 2050", "sea level rise", "2025-06-15", "2050-12-31"),
    ("Regen in Süddeutschland seit 1990", "Regen", "1990-01-01", None),
    ("pluie au Maroc depuis 1990", "pluie", "1990-01-01", None),
    ("piogge in Sicilia dal 1980", "piogge", "1980-01-01", None),
]


@pytest.mark.parametrize(("question", "topic", "start", "end"), WHEN, ids=[row[0] for row in WHEN])
def test_when(question: str, topic: str, start: str | None, end: str | None) -> None:
    one = read(question)
    assert one.span is not None
    found = [edge and edge.partition("T")[0] for edge in (one.span.start_iso, one.span.end_iso)]
    assert (found, one.thematic) == ([start, end], topic)


def test_recent_asks_for_the_newest_and_for_no_period() -> None:
    one = read("recent sea ice extent")
    assert (one.latest, one.span, one.thematic) == (True, None, "sea ice extent")


SCALES = [
    ("30 m elevation", (30.0, None, None, None)),
    ("1:50 000 geological map", (None, 50_000, None, None)),
    ("daily precipitation", (None, None, "P1D", None)),
    ("global land cover", (None, None, None, "global")),
    ("annual land cover at 30 m", (None, None, "P1Y", None)),
    ("land surface temperature at 30 m", (30.0, None, None, None)),
]


@pytest.mark.parametrize(("question", "meaning"), SCALES, ids=[row[0] for row in SCALES])
def test_scale(question: str, meaning: tuple[float | None, int | None, str | None, str | None]) -> None:
    first = read(question).scales[0]
    assert (first.metres, first.scale_denominator, first.time_step, first.level) == meaning


@pytest.mark.parametrize(
    "question", ["temperature at 1000 m", "wind speed at 10 m", "Temperatur in 2 m", "2 m temperature"]
)
def test_a_height_is_no_resolution(question: str) -> None:
    assert read(question).scales == ()


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("observations of methane", "observation"),
        ("satellite soil moisture", "observation"),
        ("in situ ocean temperature", "observation"),
        ("model output of rainfall", "simulation"),
        ("reanalysis of wind", "reanalysis"),
        ("projections for Spain", "projection"),
    ],
)
def test_kind(question: str, kind: str) -> None:
    assert read(question).kinds[0].kind == kind


@pytest.mark.parametrize(
    ("question", "has_time"),
    [
        ("historical simulations", False),
        ("pre-industrial control", False),
        ("historical rainfall", True),
        ("simulations of 1998", True),
    ],
)
def test_an_experiment_of_a_model_names_no_time(question: str, has_time: bool) -> None:
    interpretation = read(question)
    assert bool(interpretation.times) is has_time
    assert has_time or interpretation.thematic == question


@pytest.mark.parametrize(
    ("question", "kind", "value"),
    [
        ("10.24381/cds.adbb2d47", "doi", "10.24381/cds.adbb2d47"),
        ("https://doi.org/10.17882/42182", "doi", "10.17882/42182"),
        ("doi:10.5065/7NB6-RJ33.", "doi", "10.5065/7nb6-rj33"),
        ("550e8400-e29b-41d4-a716-446655440000", "uuid", "550e8400-e29b-41d4-a716-446655440000"),
    ],
)
def test_an_identifier_leaves_no_topic(question: str, kind: str, value: str) -> None:
    one = read(question)
    assert [(found.kind, found.value) for found in one.identifiers] == [(kind, value)]
    assert one.thematic == ""


@pytest.mark.parametrize("question", ["the of and", "what is it", "in", "der die das", "?!", "", "   "])
def test_small_words_say_nothing(question: str) -> None:
    one = read(question)
    assert one.is_empty
    assert (one.thematic, one.places, one.times) == ("", (), ())


def test_who_writes_nothing_or_a_star_wants_to_see_what_there_is() -> None:
    assert [read(text).is_stopwords_only for text in ("", "  ", "*", "the of", "?!", "rain", "Kenya")] == [
        *(False, False, False),
        *(True, True),
        *(False, False),
    ]


def test_where_no_record_says_place_or_time_in_numbers_their_words_stay_in_the_topic() -> None:
    question = "sea level in Kenya since 1990"
    both, place, neither = (
        UNDERSTANDER.understand(question, ALL_PARTS, leaving)
        for leaving in (frozenset({"place", "time"}), frozenset({"place"}), frozenset())
    )
    assert (both.thematic, both.named) == ("sea level", "Kenya since 1990")
    assert (place.thematic, place.named) == ("sea level since 1990", "Kenya")
    assert (neither.thematic, neither.named) == (question, "")
    assert both.places == place.places == neither.places  # read and shown all the same
    assert both.span == neither.span


@pytest.mark.parametrize("question", ["Berlin", "in Berlin", "1990", "since 2010", "10.17882/42182", "rain", "WHO"])
def test_a_place_a_period_an_identifier_or_a_topic_says_something(question: str) -> None:
    assert not read(question).is_empty


def test_each_part_can_be_switched_off_and_its_words_stay_in_the_topic() -> None:
    question = "daily observations of rain north of Italy since 2010"
    whole = read(question)
    assert (whole.thematic, whole.scales[0].time_step, whole.kinds[0].kind) == (
        "daily observations of rain",
        "P1D",
        "observation",
    )
    assert read(question, "time").thematic == "daily observations of rain north of Italy"
    assert read(question, "place").thematic == "daily observations of rain north since 2010"
    assert read(question, "place", "relation", "time").scales == ()
    nothing = UNDERSTANDER.understand(question, frozenset())
    assert (nothing.thematic, nothing.places, nothing.times, nothing.kinds) == (question, (), (), ())


PIECES = [
    "rain",
    "in",
    "Italy",
    "since",
    "2010",
    "north of",
    ",",
    "and",
    "Georgia",
    "30 m",
    "daily",
    "dell'",
    "10.5/x",
    "–",
]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join))
def test_spans_are_the_words_they_name_and_a_topic_is_part_of_the_text(question: str) -> None:
    one = read(question)
    for part in (*one.places, *one.relations, *one.times, *one.scales, *one.kinds, *one.identifiers):
        assert question[part.mention.start : part.mention.end] == part.mention.text
        assert 0.0 < part.mention.confidence <= 1.0
    said = iter(re.findall(r"\w+", question))
    assert all(word in said for word in re.findall(r"\w+", one.thematic))  # in their order, none made up


PERIODS = [
    ("frost Chile winter 2011", "2011-06-01", "2011-08-31"),
    ("heat South Africa summer 2015/16", "2015-12-01", "2016-02-29"),
    ("Hitze Sommer 2003 Spanien", "2003-06-01", "2003-08-31"),
    ("rain DJF 2010 Australia", "2009-12-01", "2010-02-28"),
    ("sunshine in the 1950s and 1960s", "1950-01-01", "1969-12-31"),
    ("Pegel 1988, 1989 und 1991", "1988-01-01", "1991-12-31"),
    ("runoff water year 2011", "2010-10-01", "2011-09-30"),
    ("débit année hydrologique 2011", "2010-10-01", "2011-09-30"),
    ("hurricane season 1998", "1998-06-01", "1998-11-30"),
    ("1998 typhoon season winds", "1998-05-01", "1998-10-31"),
    ("lightning 1990s, August 1994", "1994-08-01", "1994-08-31"),
]


@pytest.mark.parametrize(
    ("question", "start", "end"), PERIODS, ids=[question.replace(" ", "-") for question, _, _ in PERIODS]
)
def test_seasons_lists_and_the_more_exact_period(question: str, start: str, end: str) -> None:
    span = read(question).span
    assert span is not None
    assert (str(span.start_iso)[:10], str(span.end_iso)[:10]) == (start, end)


def test_a_season_of_storms_leaves_their_name_in_the_topic() -> None:
    assert read("hurricane season 1998").thematic == "hurricane"


def test_what_is_left_out_is_not_of_the_topic() -> None:
    one = read("wind observations Norway without model data")
    assert (one.thematic, [kind.kind for kind in one.kinds]) == ("wind observations", ["observation"])
    assert [exclusion.kind for exclusion in one.exclusions] == ["simulation"]
    assert "model" not in one.written_out[0]


def test_an_excluded_place_is_no_asked_place() -> None:
    one = read("salinity global but not Europe")
    assert (one.places, one.areas, one.named) == ((), (), "")
    assert [(exclusion.subject, exclusion.bbox is not None) for exclusion in one.exclusions] == [("Europe", True)]


def test_a_format_is_the_topic_if_nothing_else_is() -> None:
    assert (read("netcdf").thematic, read("netcdf").offers) == ("netcdf", ())
    assert (read("wind netcdf").thematic, len(read("wind netcdf").offers)) == ("wind", 1)


def test_without_the_part_conditions_nothing_is_left_out() -> None:
    one = read("wind without satellite data netcdf", "place", "time", "kind")
    assert (one.exclusions, one.offers) == ((), ())
    assert "satellite" in one.thematic


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("snow in winter in Canada", "snow"),
        ("summer monsoon India", "summer monsoon"),
        ("winter", "winter"),
        ("1982-83 El Nino rainfall", "El Nino rainfall"),
        ("pollen Eocene", "pollen Eocene"),
        ("wind except 2010", "wind"),
        ("wind speed in m/s in Denmark", "wind speed in m/s"),
        ("Brazil's rivers", "rivers"),
        ("snow on Iceland’s glaciers", "snow glaciers"),
        ("pluie hors Corse", "pluie"),
        ("pluie pendant les années 1970", "pluie"),
        ("lluvia durante los años ochenta", "lluvia"),
        ("chuva ao longo dos anos 1970", "chuva"),
        ("Regen im Laufe der 1970er Jahre", "Regen"),
        ("soil PMID 20150315", "soil PMID 20150315"),
    ],
)
def test_what_is_left_is_the_topic(question: str, topic: str) -> None:
    assert read(question).thematic == topic


@pytest.mark.parametrize(
    ("question", "topic", "subject"),
    [
        ("soil moisture in Spain except in winter", "soil moisture", "winter"),
        ("Bodenfeuchte in Spanien außer im Winter", "Bodenfeuchte", "Winter"),
        ("pluie sauf en hiver", "pluie", "hiver"),
        ("pluie hors hiver", "pluie", "hiver"),
        ("pluie sauf pendant l'été", "pluie", "été"),
        ("lluvia excepto en invierno", "lluvia", "invierno"),
        ("pioggia tranne in inverno", "pioggia", "inverno"),
        ("chuva exceto no inverno", "chuva", "inverno"),
        ("rain excluding winter", "rain", "winter"),
        ("rain, not in July", "rain", "July"),
        ("wind except winter months", "wind", "winter months"),
    ],
)
def test_a_season_that_is_left_out_is_not_preferred(question: str, topic: str, subject: str) -> None:
    one = read(question)
    assert (one.thematic, one.seasons) == (topic, ())
    assert [exclusion.subject for exclusion in one.exclusions] == [subject]


@pytest.mark.parametrize(
    "question", ["why is there snow not in winter?", "rain not only in winter", "chuva no inverno"]
)
def test_other_seasons_are_preferred(question: str) -> None:
    one = read(question)
    assert (one.months, one.exclusions) == ((12, 1, 2), ())


def test_months_are_of_the_hemisphere() -> None:
    assert read("rainfall in winter in Australia").months == (6, 7, 8)
    assert read("rainfall in winter in Canada").months == (12, 1, 2)


@pytest.mark.parametrize(
    ("question", "periods"),
    [
        ("storms 1992 and 2005", [("1992", "1992"), ("2005", "2005")]),
        ("wind 1990 to 1995 and 2001 to 2003", [("1990", "1995"), ("2001", "2003")]),
        ("rain July 2004 and August 2006", [("2004-07", "2004-07"), ("2006-08", "2006-08")]),
        ("rain 1970s and 1980s", [("1970", "1989")]),
        ("rain in the 2000s, July 2004", [("2004-07", "2004-07")]),
    ],
)
def test_several_periods_are_several(question: str, periods: list[tuple[str, str]]) -> None:
    assert read(question).spans == tuple(TimeSpan.from_iso(*period) for period in periods)


def test_the_same_is_said_once() -> None:
    query = read("snow Colorado 1998 Colorado 1998 Colorado")
    assert (len(query.places), len(query.times), len(query.areas), query.thematic) == (1, 1, 1, "snow")


def test_a_distance_goes_with_its_place() -> None:
    query = read("radar within 80 km of Denver in 1999", "place")
    assert (query.thematic, [relation.distance_km for relation in query.relations]) == ("radar in 1999", [80.0])
    assert query.areas[0].width_deg > 1.5


@pytest.mark.parametrize(
    ("question", "distance_km"),
    [
        ("radar within fifty miles of Denver", 80.5),
        ("radar within twenty-five km of Denver", 25.0),
        ("rain two hundred kilometers north of Iceland", 200.0),
        ("rain 3 degrees south of Nairobi", 333.6),
        ("Wind im Umkreis von 20 km um Boulder", 20.0),
    ],
)
def test_distances_in_words_and_degrees(question: str, distance_km: float) -> None:
    query = read(question)
    assert [relation.distance_km for relation in query.relations] == [pytest.approx(distance_km, abs=0.1)]
    assert query.scales == ()


def test_an_absurd_distance_is_near() -> None:
    query = read("snow within 99999 km of Denver")
    assert [(relation.relation, relation.distance_km) for relation in query.relations] == [("near", None)]
    assert query.areas[0].width_deg < 3.0


def test_a_distance_from_a_pole_is_a_ring() -> None:
    (area,) = read("wind 20 km south of the North Pole").areas
    assert (area.width_deg, area.south < 89.82 < area.north) == (360.0, True)


def test_a_distance_from_an_unknown_place_is_no_resolution() -> None:
    assert read("Regen im Umkreis von 30 km um Xyzdorf").scales == ()


@pytest.mark.parametrize("question", ["Romanovsky permafrost", "ISS webcam", "Perth aerosols", "NASA ozone Antarctica"])
def test_letters_alone_are_no_language(question: str) -> None:
    assert UNDERSTANDER.understand(question, ALL_PARTS).language in (None, "en")
