"""What questions leave out, and the formats and licences that they prefer, in six languages."""

from __future__ import annotations

import pytest

from core.geo import BBox
from core.timespan import TimeSpan
from reading.conditions import read_exclusions, read_offers
from reading.times import TimeReader
from search_api.search.filtering.cql2 import parse
from search_api.search.filtering.translate import clause_of
from search_api.search.retrieval.conditions import exclusion_clauses, offer_clause, offer_filter
from search_api.search.understanding.interpretation import QueryExclusion, QueryOffer, TextSpan

EXCLUDED = [
    # question, what it leaves out, kind, platform
    ("river runoff without simulations", "simulations", "simulation", None),
    ("lake ice but no remote sensing", "remote sensing", "observation", "satellite"),
    ("snow depth excluding reanalyses", "reanalyses", "reanalysis", None),
    ("aerosol except sea salt", "sea salt", None, None),
    ("cloud cover, not MODIS", "MODIS", "observation", "satellite"),
    ("Windgeschwindigkeit ohne Modelle", "Modelle", "simulation", None),
    ("Schneehöhe, keine Satellitenbilder", "Satellitenbilder", "observation", "satellite"),
    ("débit sans modèles", "modèles", "simulation", None),
    ("neige sauf réanalyses", "réanalyses", "reanalysis", None),
    ("nieve sin simulaciones", "simulaciones", "simulation", None),
    ("viento excepto reanálisis", "reanálisis", "reanalysis", None),
    ("vento senza simulazioni", "simulazioni", "simulation", None),
    ("neve tranne dati da satelliti", "dati da satelliti", "observation", "satellite"),
    ("vento sem simulações", "simulações", "simulation", None),
    ("neve exceto reanálise", "reanálise", "reanalysis", None),
    ("sea ice not bathymetry", "bathymetry", None, None),
    ("hail not radar", "radar", None, None),
    ("hail NOT radar", "radar", None, None),
    ("hail WITHOUT aircraft", "aircraft", "observation", "airborne"),
    ("Ozon nicht Sonden", "Sonden", None, None),
    ("runoff, I don't want projections", "projections", "projection", None),
    ("cloud cover, we would rather not use aircraft", "aircraft", "observation", "airborne"),
    ("dew point rather than simulations", "simulations", "simulation", None),
    ("hail, avoiding reanalysis", "reanalysis", "reanalysis", None),
    ("snow leaving out satellite images", "satellite images", "observation", "satellite"),
    ("piogge non disdrometro", "disdrometro", None, None),
    ("Hagel, weder Radar", "Radar", None, None),
    ("ozono, no quiero simulaciones", "simulaciones", "simulation", None),
]


@pytest.mark.parametrize(
    ("question", "subject", "kind", "platform"), EXCLUDED, ids=[case[0].replace(" ", "-") for case in EXCLUDED]
)
def test_what_is_left_out(question: str, subject: str, kind: str | None, platform: str | None) -> None:
    (mention,) = read_exclusions(question)
    assert subject.endswith(mention.subject)
    assert (mention.kind, mention.platform) == (kind, platform)
    assert question.endswith(mention.text)


NOT_EXCLUDED = [
    ("NO and NO2 over Berlin", "en"),
    ("NO radar", "en"),
    ("non-methane hydrocarbons", "en"),
    ("why is permafrost not stable", "en"),
    ("umidade no solo", "pt"),
    ("station no. 12", "en"),
    ("data not available", "en"),
    ("stations not operating", "en"),
    ("whether or not rain fell", "en"),
    ("rivers not frozen", "en"),
    ("not only snow", "en"),
    ("non-linear internal waves", "en"),
    ("non hydrostatic flow", "en"),
    ("how to avoid flooding", "en"),
    ("neither warm nor cold rain", "en"),
    ("non-parametric trends", "en"),
    ("stations that do not report snow", "en"),
]


@pytest.mark.parametrize(
    ("question", "language"), NOT_EXCLUDED, ids=[case[0].replace(" ", "-") for case in NOT_EXCLUDED]
)
def test_other_words_leave_nothing_out(question: str, language: str) -> None:
    assert read_exclusions(question, language=language) == []


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("non-satellite cloud data", ["satellite"]),
        ("données non satellitaires de neige", ["satellitaires"]),
        ("humidity, neither from models nor from aircraft", ["models", "aircraft"]),
        ("Wind, weder Sodar noch Modelle", ["Sodar", "Modelle"]),
        ("viento, ni satélite ni modelos", ["satélite", "modelos"]),
    ],
)
def test_words_before_a_kind(question: str, subjects: list[str]) -> None:
    assert [mention.subject for mention in read_exclusions(question)] == subjects


def test_two_kinds_are_two_exclusions() -> None:
    mentions = read_exclusions("wind without model or satellite data")
    assert [(mention.subject, mention.text) for mention in mentions] == [
        ("model", "without model"),
        ("satellite data", "or satellite data"),
    ]


def test_a_place_ends_what_is_left_out() -> None:
    question = "wind without dust Chad"
    (mention,) = read_exclusions(question, [(question.index("Chad"), len(question))])
    assert mention.subject == "dust"


OFFERS = [
    ("sea level as NetCDF", "format", "netcdf"),
    ("elevation GeoTIFF", "format", "geotiff"),
    ("gauge data in csv format", "format", "csv"),
    ("forests shapefile", "format", "shape"),
    ("waves hdf5", "format", "hdf"),
    ("soil CC BY 4.0", "licence", "CC-BY"),
    ("soil cc-by-nc", "licence", "CC-BY-NC"),
    ("relief in the public domain", "licence", "public domain"),
    ("altitude domaine public", "licence", "public domain"),
    ("soil CC0", "licence", "CC0"),
    ("Creative Commons glaciers", "licence", "CC"),
    ("glaciers open licence", "licence", "open"),
    ("Gletscher offene Daten", "licence", "open"),
    ("glaciers données ouvertes", "licence", "open"),
    ("glaciares datos abiertos", "licence", "open"),
    ("ghiacciai dati aperti", "licence", "open"),
    ("geleiras dados abertos", "licence", "open"),
]


@pytest.mark.parametrize(("question", "kind", "value"), OFFERS, ids=[case[0].replace(" ", "-") for case in OFFERS])
def test_formats_and_licences(question: str, kind: str, value: str) -> None:
    (mention,) = read_offers(question)
    assert (mention.kind, mention.value) == (kind, value)


@pytest.mark.parametrize("question", ["excellent mapping", "open ocean", "grid cells", "ccn counts"])
def test_words_that_look_alike(question: str) -> None:
    assert read_offers(question) == []


_SPAN = TextSpan("", 0, 0, "pattern", 1.0)


@pytest.mark.parametrize(
    "offer", [QueryOffer(_SPAN, "format", "netcdf"), QueryOffer(_SPAN, "licence", "CC-BY")], ids=["format", "licence"]
)
def test_the_filter_of_an_offer_can_be_read(offer: QueryOffer) -> None:
    assert clause_of(parse(offer_filter(offer), "cql2-text"))
    assert offer_clause(offer)["bool"]["should"]


def test_model_data_are_three_kinds() -> None:
    (clause,) = exclusion_clauses([QueryExclusion(_SPAN, "model data", "simulation")])
    (excluded,) = clause["bool"]["must_not"]
    assert excluded == {"terms": {"provenance.kind": ["simulation", "projection", "reanalysis"]}}
    assert exclusion_clauses([]) == ()


@pytest.mark.parametrize(
    "question", ["wind except 2010", "wind, not in 2010", "Wind ohne das Jahr 2010", "vent sauf 2010"]
)
def test_a_time_is_left_out(question: str) -> None:
    times = TimeReader().read(question)
    (mention,) = read_exclusions(question, times=times)
    assert mention.span == TimeSpan.from_iso("2010", "2010")


@pytest.mark.parametrize(
    "question", ["wind except 2010", "wind except during summer 2010", "vent hors 2010", "Wind ohne das Jahr 2010"]
)
def test_a_time_after_more_small_words_is_left_out(question: str) -> None:
    (mention,) = read_exclusions(question, times=TimeReader().read(question))
    assert mention.span is not None
    assert question.endswith(mention.text)


def test_a_time_after_other_words_is_not_left_out() -> None:
    for question in ("chuva no verão de 2010", "data not available since 2010", "rain in 2010"):
        assert all(mention.span is None for mention in read_exclusions(question, [], TimeReader().read(question), None))


def test_an_excluded_place_takes_boxes_that_stick_out_with_it() -> None:
    outside = QueryExclusion(TextSpan("outside it", 0, 10, "pattern", 1.0), "it", bbox=BBox(0.0, 40.0, 20.0, 60.0))
    ((filtered,),) = [exclusion_clauses([outside])]
    shape = filtered["bool"]["must_not"][0]["geo_shape"]["extent"]["shape"]
    (west, north), (east, south) = shape["coordinates"]
    assert (60.5 < north < 61.0, 39.0 < south < 39.5, -3.0 < west < -0.8, 20.8 < east < 23.0) == (True,) * 4
