"""Acronyms that texts define: Schwartz and Hearst's algorithm on sentences of real abstracts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.record_keys import defined_acronyms, of_keyword

# From abstracts of the NCAR catalogues (CC BY 4.0).
_WACCM = (
    "This dataset contains the outputs from assimilating MLT wind observations from ground-based Super Dual Auroral "
    "Radar Network (SuperDARN) and meteor radar networks into the Whole Atmosphere Community Climate Model (WACCM) "
    "using the Ensemble Adjustment Kalman Filter (EAKF) within the Data Assimilation Research Testbed (DART). Two "
    "Observing System Simulation Experiments (OSSEs) were conducted for the 2018/2019 Northern Hemisphere winter."
)
_TAO = (
    "This dataset contains high resolution upper air soundings derived from rawinsondes released during the Tropical "
    "Atmosphere Ocean Project (TAO) and the"
)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (
            _WACCM,
            {
                "SuperDARN": "Super Dual Auroral Radar Network",
                "WACCM": "Whole Atmosphere Community Climate Model",
                "EAKF": "Ensemble Adjustment Kalman Filter",
                "DART": "Data Assimilation Research Testbed",
                "OSSEs": "Observing System Simulation Experiments",
            },
        ),
        ("MISR (Multi-angle Imaging SpectroRadiometer) data", {"MISR": "Multi-angle Imaging SpectroRadiometer"}),
        ("the land surface temperature (LST; in kelvin) of", {"LST": "land surface temperature"}),
        ("Normalized Difference Vegetation Index [NDVI]", {"NDVI": "Normalized Difference Vegetation Index"}),
        ("measured by radar. Synthetic aperture radar (SAR)", {"SAR": "Synthetic aperture radar"}),
        ("two  phases of the\nTropical Ocean\nGlobal Atmosphere (TOGA)", {}),
        ("El Niño-Southern Oscillation (ENSO)", {"ENSO": "El Niño-Southern Oscillation"}),
        (_TAO, {"TAO": "Tropical Atmosphere Ocean Project"}),
        ("stations in Colorado (USA)", {}),
        ("rainfall at 12 stations (2010)", {}),
        ("wind speed (m/s) and temperature (C)", {}),
        ("as Smith said (see Figure 3)", {}),
        ("sea ice (in the Arctic)", {}),
        ("a word. Another (AW)", {}),
        ("unclosed land surface temperature (LST", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_the_pairs_of_a_text(text: str, pairs: dict[str, str]) -> None:
    assert {one.short: one.long for one in defined_acronyms(text)} == pairs


def test_a_pair_that_is_defined_twice_is_given_once() -> None:
    text = "sea surface temperature (SST) and again sea surface temperature (SST)"
    assert len(defined_acronyms(text)) == 1


@pytest.mark.parametrize(
    ("term", "long"),
    [
        ("DART > Data Assimilation Research Testbed", "Data Assimilation Research Testbed"),
        ("AVHRR-3 > Advanced Very High Resolution Radiometer-3", "Advanced Very High Resolution Radiometer-3"),
        ("EARTH SCIENCE > ATMOSPHERE > ALTITUDE", None),
        ("EARTH SCIENCE > OCEANS", None),
        ("Radiosondes", None),
    ],
)
def test_keywords_in_the_form_of_gcmd(term: str, long: str | None) -> None:
    found = of_keyword(term)
    assert (found.long if found is not None else None) == long


@given(st.text(alphabet="aAbBİß ()[]>;,.\n-1", max_size=200))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for one in defined_acronyms(text):
        assert one.short in text
        assert one.long.split()[-1] in text
        assert len(one.long) > len(one.short)


def test_long_texts_cost_little() -> None:
    assert defined_acronyms("a (" * 20_000) == []
    assert defined_acronyms("sea surface temperature (SST) " * 5_000)[0].short == "SST"
