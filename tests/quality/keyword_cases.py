"""What each line of the shared ``keyword_questions/cases.tsv`` asks for, as a condition on the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Answer = Mapping[str, Any]
Holds = Callable[[Answer], bool]


@dataclass(frozen=True, slots=True)
class Case:
    """``name``: its line in the list; ``question``: what is asked, if not the same; ``record``: that must be there."""

    name: str
    holds: Holds
    question: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    record: str = ""

    @property
    def asked(self) -> str:
        return self.question or self.name


def _titles(answer: Answer) -> list[str]:
    return [one["properties"]["title"] for one in answer["features"]]


def _read(answer: Answer, part: str) -> list[str]:
    return [one.get("name") or one.get("kind") or "" for one in answer["sonde:interpretation"][part]]


def first(pattern: str) -> Holds:
    """The first hit's title."""
    return lambda answer: bool(_titles(answer)) and bool(re.search(pattern, _titles(answer)[0], re.IGNORECASE))


def first_record(identifier: str) -> Holds:
    return lambda answer: bool(answer["features"]) and answer["features"][0]["id"].endswith(identifier)


def among(pattern: str, most: int = 5) -> Holds:
    """A title among the first hits."""
    return lambda answer: any(re.search(pattern, title, re.IGNORECASE) for title in _titles(answer)[:most])


def place(pattern: str) -> Holds:
    """A place that was read."""
    return lambda answer: any(re.search(pattern, name) for name in _read(answer, "places"))


def no_place(answer: Answer) -> bool:
    return not answer["sonde:interpretation"]["places"]


def period(text: str) -> Holds:
    return lambda answer: (answer["sonde:interpretation"]["datetime"] or "").startswith(text)


def of_contact(pattern: str) -> Holds:
    """Each of the first hits with this person or organisation comes before all others, and there is one."""

    def holds(answer: Answer) -> bool:
        borne = [bool(re.search(pattern, str(one["properties"].get("contacts", "")))) for one in answer["features"]]
        return any(borne) and borne == sorted(borne, reverse=True)

    return holds


def nothing(answer: Answer) -> bool:
    return not answer["features"]


def both(*conditions: Holds) -> Holds:
    return lambda answer: all(one(answer) for one in conditions)


def kinds(*wanted: str) -> Holds:
    return lambda answer: _read(answer, "kinds") == list(wanted)


def uncorrected(answer: Answer) -> bool:
    return "sonde:correctedFrom" not in answer


def states_area(answer: Answer) -> bool:
    """Records with an extent come before those without."""
    placed = [one["geometry"] is not None for one in answer["features"]]
    return bool(placed) and placed == sorted(placed, reverse=True)


def _without_series(answer: Answer) -> bool:
    return not any(re.search("Otuk Creek|Melsing Creek", title) for title in _titles(answer)[:3])


CASES = (
    Case(
        "soil moisture Oklahoma PDF",
        first("OKMESO Soil Moisture|Oklahoma Mesonet Soil Moisture"),
        record="edu.ucar.eol::84.001",
    ),
    Case("soil moisture Oklahoma NASA", first("soil moisture"), record="edu.ucar.eol::77.051"),
    Case(
        "ozone profiles Greenland NOAA", first("Boundary Layer Profiles for Ozone"), record="edu.ucar.eol::106.ARCSS100"
    ),
    Case("GOES visible images Florida July 2002", first_record("15.809"), record="edu.ucar.eol::15.809"),
    Case("MJO soundings Indian Ocean 2011", first("sonde|sounding")),
    Case("radiosonde ASCII Darwin Australia 2006", first("Darwin|radiosonde|sounding")),
    Case("CESM1 Last Millennium Ensemble", first("^CESM1 Last Millennium Ensemble$"), record="edu.ucar.gdex::d651058"),
    Case("Konrad Steffen", first_record("106.ARCSS066"), record="edu.ucar.eol::106.ARCSS066"),
    Case("Kathryn Moore", of_contact("Kathryn.*Moore|Moore.*Kathryn"), record="edu.ucar.eol::552.044"),
    Case("Pomona College", of_contact("Pomona College"), record="edu.ucar.eol::106.385"),
    Case("Karachi Pakistan heat wave", place("Karachi")),
    Case("Lima Peru fog", place("Lima")),
    Case("Victoria BC wind", place("Victoria")),
    Case("Boulder flood September 2013", place("Boulder")),
    Case("Essen air quality", place("Essen")),
    Case("tundra vegetation Toolik Lake", place("Toolik")),
    Case("cloud observations McMurdo Antarctica", place("McMurdo")),
    Case(
        "Paris agreement 1.5 degree warming scenarios",
        both(no_place, first("Low Warming")),
        record="edu.ucar.gdex::d651025",
    ),
    Case("Arctic char", both(no_place, nothing)),
    Case("Turkey vulture", no_place),
    Case("Georgia rainfall", both(place("Georgia"), lambda answer: len(answer["sonde:interpretation"]["areas"]) > 1)),
    Case(
        "rain gauges within 100 km of Denver",
        both(place("Denver"), lambda answer: answer["sonde:interpretation"]["thematic"] == "rain gauges"),
    ),
    Case("temperature observations Norway without model data", kinds("observation")),
    Case("no satellite", lambda answer: "observation" not in _read(answer, "kinds")),
    Case("gravity waves New Zealand winter 2014", period("2014-06")),
    Case(
        "the 1970s and 1980s precipitation",
        lambda answer: "1989" in (answer["sonde:interpretation"]["datetime"] or ""),
    ),
    Case("floods in Pakistan 2010", first("PERSIANN|Pakistan|Karakorum")),
    Case(
        "precipitation Peru, spatial=hausdorff",
        states_area,
        question="precipitation Peru",
        parameters={"spatial": "hausdorff"},
    ),
    Case("Hagel Argentinien", among("hail")),
    Case(
        "ozone aircraft measurements xqzvbn",
        both(first("ozone|O3"), lambda answer: answer.get("sonde:unknownWords") == ["xqzvbn"]),
    ),
    Case("How fast is Arctic sea ice disappearing?", first("sea ice")),
    Case("dropsonde Hurricane", first("Dropsonde Hurricane Archive|NOAA-DHA")),
    Case("Yukon River discharge", _without_series),
    Case(
        "Ozean Temperatur Daten Pazifik 1980er",
        both(uncorrected, lambda answer: "dates" not in answer["sonde:interpretation"]["thematic"]),
    ),
)
