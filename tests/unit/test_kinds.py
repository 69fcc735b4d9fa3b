"""Kinds of product, asked for and inferred."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.kinds import infer_kind, read_kinds


@pytest.mark.parametrize(
    ("question", "words", "kind", "platform"),
    [
        ("observations of rainfall", "observations", "observation", "in_situ"),
        ("in situ soil moisture", "in situ", "observation", "in_situ"),
        ("greenhouse gas measurements", "measurements", "observation", "in_situ"),
        ("satellite rainfall", "satellite", "observation", "satellite"),
        ("airborne gravity", "airborne", "observation", "airborne"),
        ("reanalysis wind", "reanalysis", "reanalysis", None),
        ("ERA5 wind", "ERA5", "reanalysis", None),
        ("projections of rainfall", "projections", "projection", None),
        ("RCP 8.5 rainfall", "RCP 8.5", "projection", None),
        ("SSP2-4.5 rainfall", "SSP2-4.5", "projection", None),
        ("future climate of Spain", "future climate", "projection", None),
        ("model output for rainfall", "model output", "simulation", None),
        ("seasonal hindcasts", "hindcasts", "simulation", None),
        ("vegetation index", "index", "derived", None),
        ("gridded product of rain", "gridded product", "derived", None),
        ("Messungen von Ozon", "Messungen", "observation", "in_situ"),
        ("télédétection forêts", "télédétection", "observation", "satellite"),
        ("proyecciones de lluvia", "proyecciones", "projection", None),
        ("rianalisi del vento", "rianalisi", "reanalysis", None),
        ("pre-industrial control", "pre-industrial control", "simulation", None),
        ("historical CESM2 runs", "historical CESM2 runs", "simulation", None),
        ("CMIP5 historical tas", "CMIP5 historical", "simulation", None),
        ("simulations préindustrielles", "simulations préindustrielles", "simulation", None),
        ("vorindustrielle Kontrollsimulation", "vorindustrielle Kontrollsimulation", "simulation", None),
        ("piControl", "piControl", "simulation", None),
        ("Wettervorhersagen Wien", "Wettervorhersagen", "simulation", None),
        ("prévisions de pluie", "prévisions", "simulation", None),
        ("simulações de chuva", "simulações", "simulation", None),
    ],
)
def test_asked(question: str, words: str, kind: str, platform: str | None) -> None:
    (read,) = read_kinds(question)
    assert (read.text, read.kind, read.platform) == (words, kind, platform)
    assert question[read.start : read.end] == words


@pytest.mark.parametrize(
    "question", ["rainfall in Kenya", "historical rainfall", "pre-industrial", "map projection", "SSP", "indexing", ""]
)
def test_not_asked(question: str) -> None:
    assert read_kinds(question) == []


@pytest.mark.parametrize(
    ("title", "abstract", "lineage", "kind"),
    [
        ("ERA5", "ERA5 is the fifth generation ECMWF reanalysis of the global climate.", None, "reanalysis"),
        ("JRA-55", "The Japanese reanalysis assimilates radiosonde observations.", None, "reanalysis"),
        ("Bias-corrected CMIP6 projections for Africa", "", None, "projection"),
        ("Runoff until 2100", "Runoff simulated under RCP 4.5, projections of CMIP5.", None, "projection"),
        ("Rainfall grid", "Data derived from station observations by interpolation.", None, "derived"),
        ("Rainfall grid", "Monthly rainfall.", "Interpolated from rain gauge data with kriging.", "derived"),
        ("Land cover", "Land cover classification produced from satellite images.", None, "derived"),
        ("Surface fluxes", "Observations used to evaluate climate models and reanalyses.", None, "observation"),
        ("Daily weather", "Daily observations from weather stations in 180 countries.", None, "observation"),
        ("Soundings", "Radiosonde soundings of the field campaign in 1994.", None, "observation"),
        ("Large ensemble", "Output of 40 simulations driven by observed temperatures.", None, "simulation"),
        ("Downscaled wind", "WRF simulation driven by the ERA-Interim reanalysis.", None, "simulation"),
        ("Data", "A data set.", None, "unknown"),
        ("Borders in Mollweide map projection", "", None, "unknown"),
    ],
)  # fmt: skip
def test_inferred(title: str, abstract: str, lineage: str | None, kind: str) -> None:
    inferred, confidence = infer_kind(title, abstract, lineage)
    assert inferred == kind
    assert (confidence == 0) == (kind == "unknown")


def test_more_signs_make_surer() -> None:
    one = infer_kind("Rain", "Rainfall observations.", None)
    more = infer_kind("Rain observations", "Rainfall measured in situ at weather stations with rain gauges.", None)
    assert one[0] == more[0] == "observation"
    assert one[1] < more[1]


@given(st.text(max_size=200), st.text(max_size=200), st.none() | st.text(max_size=50))
def test_confidence_is_a_share(title: str, abstract: str, lineage: str | None) -> None:
    kind, confidence = infer_kind(title, abstract, lineage)
    assert 0 <= confidence <= 1
    assert (confidence == 0) == (kind == "unknown")
