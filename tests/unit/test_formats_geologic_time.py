"""Times of the Earth's history in records: years where they are known, words always, never a modern date."""

from __future__ import annotations

import json

import pytest

from core.record import Record
from core.timespan import TimeSpan
from indexer.formats.registry import read
from indexer.formats.repair.geologic_time import geologic_span
from indexer.raw import RawRecord
from reading.time_forms import period_words
from tests.shared_data import shared_data

JURASSIC = (-201398000, -144998000)


def _record(content: bytes) -> Record:
    return read(RawRecord("x", content, "/x"), "test")


def _dataset(period: object) -> Record:
    said = {"@context": "https://schema.org/", "@type": "Dataset", "name": "Core log", "temporalCoverage": period}
    return _record(json.dumps(said).encode())


def _eml(begin: str, end: str) -> Record:
    return _record(
        f"""<eml:eml xmlns:eml="https://eml.ecoinformatics.org/eml-2.2.0" packageId="a.1.1" system="x"><dataset>
        <title>Pollen of a lake</title><coverage><temporalCoverage><rangeOfDates><beginDate>{begin}</beginDate>
        <endDate>{end}</endDate></rangeOfDates></temporalCoverage></coverage></dataset></eml:eml>""".encode()
    )


def _scale(name: str, age: str) -> str:
    return (
        f"<alternativeTimeScale><timeScaleName>{name}</timeScaleName><timeScaleAgeEstimate>{age}"
        "</timeScaleAgeEstimate></alternativeTimeScale>"
    )


def years(spans: tuple[TimeSpan, ...]) -> list[tuple[int | None, int | None]]:
    def year(text: str | None) -> int | None:
        return None if text is None else int(text.rsplit("-", 2)[0])

    return [(year(span.start_iso), year(span.end_iso)) for span in spans]


def words(record: Record) -> set[str]:
    return {keyword.term for keyword in record.keywords}


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("760 ka", (-758050, -758050)),
        ("66 Ma", (-65998050, -65998050)),
        ("10,000 cal yr BP", (-8050, -8050)),
        ("1950 BP", (0, 0)),
        ("4.2 ka BP to 21 ka BP", (-19050, -2250)),
        ("760-750 ka", None),  # a hyphen may also be a minus sign
        ("760 - 750 ka", (-758050, -748050)),
        ("145–66 Ma", (-144998050, -65998050)),
        ("Triassic-Jurassic", (-251900000, JURASSIC[1])),
        ("12 million years ago", (-11998050, -11998050)),
        ("21 ka to present", (-19050, None)),
        ("Jurassic", JURASSIC),
        ("jurassic period", JURASSIC),
        ("Triassic/Jurassic", (-251900000, JURASSIC[1])),
        ("Cambrian", (None, -290000000)),
        ("2000", None),
        ("2000 a", None),
        ("May 1999", None),
        ("present", None),
    ],
)
def test_an_age_or_an_era_has_its_years(text: str, span: tuple[int | None, int | None] | None) -> None:
    found = geologic_span(text)
    assert (None if found is None else years((found,))[0]) == span


def test_an_era_of_a_record_is_that_of_a_question() -> None:
    for name, period in period_words().meanings.items():
        if period.source == "ICS":
            found = geologic_span(name.title())
            assert found is not None
            assert years((found,))[0] == years((period.span(None),))[0]  # type: ignore[arg-type]


def test_a_case_of_the_field_keeps_its_years_and_words() -> None:
    folder = shared_data("cases", "09-schemaorg-geologic-time")
    interval, named = (_record((folder / f"{name}.json").read_bytes()) for name in ("interval", "named"))
    assert years(interval.times) == [(-758050, -748050)]
    assert "Eruption of a caldera, 760 to 750 ka" in words(interval)
    assert years(named.times) == [(-251900000, JURASSIC[1])]
    assert {"Triassic", "Jurassic"} <= words(named)


@pytest.mark.parametrize(
    ("period", "span", "word"),
    [
        ("Late Jurassic", (-161498000, JURASSIC[1]), "Late Jurassic"),
        ("Bartonian", None, "Bartonian"),
        ("after the last flood", None, "after the last flood"),
        ({"@type": "DefinedTerm", "name": "Jurassic"}, JURASSIC, "Jurassic"),
        (
            {
                "@type": "time:Instant",
                "time:inTimePosition": {
                    "time:hasTRS": {"@id": "http://resource.geosciml.org/classifier/cgi/geologicage"},
                    "gstime:geologicTimeUnitAbbreviation": {"@value": "Ma"},
                    "time:numericPosition": {"@value": "1.2"},
                },
            },
            (-1198050, -1198050),
            "1.2 Ma",
        ),
        (
            {"@type": "PeriodOfTime", "startDate": "Triassic", "endDate": "Jurassic"},
            (-251900000, JURASSIC[1]),
            "Triassic",
        ),
        ({"@type": "PeriodOfTime", "startDate": "Bartonian"}, None, "Bartonian"),
        ({"name": "Jurassic"}, JURASSIC, "Jurassic"),
        (
            {
                "@type": "time:Instant",
                "time:inTimePosition": {
                    "time:hasTRS": {"@id": "gstime:MillionsOfYears"},
                    "time:numericPosition": {"@value": "66"},
                },
            },
            (-65998050, -65998050),
            "66 million years",
        ),
        (
            {
                "@type": "ProperInterval",
                "intervalStartedBy": {"@id": "http://resource.geosciml.org/classifier/ics/ischart/LateJurassic"},
                "intervalFinishedBy": "isc:LateCretaceous",
            },
            (-161498000, -65998000),
            "Late Jurassic",
        ),
        (
            {
                "@type": "time:Interval",
                "time:hasBeginning": {
                    "time:inTimePosition": {"time:hasTRS": {"@id": "x:y"}, "time:numericPosition": 760}
                },
                "time:hasEnd": {"time:inXSDDate": "1950-01-01"},
            },
            None,
            "760 x:y",
        ),
    ],
)
def test_forms_of_schema_org(period: object, span: tuple[int, int] | None, word: str) -> None:
    record = _dataset(period)
    assert years(record.times) == ([] if span is None else [span])
    assert word in words(record)
    assert (span is not None) != any(word in warning for warning in record.warnings)


def test_an_object_with_calendar_dates_is_a_period() -> None:
    record = _dataset([{"@type": "PeriodOfTime", "startDate": "2001-01-01", "endDate": "2002"}, {"start": "2005"}])
    assert years(record.times) == [(2001, 2002), (2005, None)]
    assert not any(keyword.vocabulary == "temporal" for keyword in record.keywords)


def test_an_interval_of_calendar_dates_is_read() -> None:
    begin, end = ({"time:inXSDDate": {"@value": text}} for text in ("2001-01-01", "2003-12-31"))
    record = _dataset({"@type": "time:ProperInterval", "time:hasBeginning": begin, "time:hasEnd": end})
    assert years(record.times) == [(2001, 2003)]


@pytest.mark.parametrize(
    ("begin", "end", "span", "word"),
    [
        (_scale("Geologic time", "Jurassic"), _scale("Geologic time", "66 Ma"), (-201398000, -65998050), "Jurassic"),
        (_scale("Geologic time (Ma)", "150"), _scale("Geologic time (Ma)", "66"), (-149998050, -65998050), "150 Ma"),
        (_scale("years before present", "11,700"), "<calendarDate>1950</calendarDate>", (-9750, 1950), "11,700 yr BP"),
        (_scale("varves of the lake", "1200"), "<calendarDate>1950</calendarDate>", None, "1200 (varves of the lake)"),
        ("<calendarDate>1990</calendarDate>", "<calendarDate>1995</calendarDate>", (1990, 1995), None),
    ],
)
def test_time_scales_of_eml(begin: str, end: str, span: tuple[int, int] | None, word: str | None) -> None:
    record = _eml(begin, end)
    assert years(record.times) == ([] if span is None else [span])
    if word is not None:
        assert word in words(record)
        assert (span is not None) != any(word in warning for warning in record.warnings)
