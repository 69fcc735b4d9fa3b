"""Times in a text. Today is 1 March 2026; expected spans are written as first and last day."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.timespan import TimeSpan
from reading.times import TimeMention, TimeReader, read_months

TODAY = date(2026, 3, 1)
READER = TimeReader(lambda: TODAY)
OPEN = None


def only(text: str, language: str | None = None) -> TimeMention:
    mentions = READER.read(text, language)
    assert len(mentions) == 1, mentions
    return mentions[0]


@pytest.mark.parametrize(
    "text",
    [
        "1500年前", "2010年13月", "20151345", "2164537 samples", "MOD-20150315-v6 a-20150315-b", "March 15 to April 2",
        "PMID 20150315", "doi 20150315", "id: 20150315", "#20150315", "depth > 1500", "elevation >= 2000",
        "45°10'-20' N",
    ],
)  # fmt: skip
def test_other_numbers_are_no_dates(text: str) -> None:
    assert READER.read(text) == []


@pytest.mark.parametrize(("text", "span"), [("hot springs 2003-2005", (2003, 2005)), ("2015 may be wet", (2015, 2015))])
def test_words_like_seasons_and_months_leave_the_years_whole(text: str, span: tuple[int, int]) -> None:
    assert spans(text) == [TimeSpan.from_iso(*map(str, span))]


@pytest.mark.parametrize("text", ["Q1-Q3 2015", "2015 Q1-Q3", "Q1 to Q3 2015", "first and second quarter of 2015"])
def test_several_quarters_are_not_the_last_one(text: str) -> None:
    assert spans(text) == [TimeSpan.from_iso("2015", "2015")]


@pytest.mark.parametrize("text", ["2005 -> 2010", "2005->2010"])
def test_an_arrow_is_no_comparison(text: str) -> None:
    assert all(span.end_ms is not None for span in spans(text))


def test_years_after_a_season_have_it_too() -> None:
    summers = [TimeSpan.from_iso(f"{year}-06", f"{year}-08") for year in (2003, 2005, 2007)]
    assert spans("summers of 2003, 2005 and 2007") == summers
    assert spans("summer 2003 and 2004-2006")[1] == TimeSpan.from_iso("2004", "2006")


def spans(text: str) -> list[TimeSpan]:
    return [mention.span for mention in READER.read(text)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("since 2010", "2010", OPEN),
        ("from 1990 on", "1990", OPEN),
        ("from 1990 onwards", "1990", OPEN),
        ("1990 to present", "1990", OPEN),
        ("1990-present", "1990", OPEN),
        ("2004-continuing", "2004", OPEN),
        ("before 1950", OPEN, "1949-12-31"),
        ("pre-1950", OPEN, "1949-12-31"),
        ("until 2000", OPEN, "2000-12-31"),
        ("after 1980", "1981-01-01", OPEN),
        ("1981-2010", "1981", "2010"),
        ("1981–2010", "1981", "2010"),
        ("1981/2010", "1981", "2010"),
        ("2010-1981", "1981", "2010"),
        ("between 1990 and 2000", "1990", "2000"),
        ("from 1990 to 2000", "1990", "2000"),
        ("1990 to 2000", "1990", "2000"),
        ("between May 2003 and 2005", "2003-05", "2005"),
        ("1990-95", "1990", "1995"),
        ("1990s", "1990", "1999"),
        ("the nineties", "1990", "1999"),
        ("90s", "1990", "1999"),
        ("since the 1980s", "1980", OPEN),
        ("1950s to 2000s", "1950", "2009"),
        ("early 1990s", "1990", "1993"),
        ("mid-1990s", "1994", "1996"),
        ("late 1990s", "1997", "1999"),
        ("around 1900", "1895", "1905"),
        ("May 2003", "2003-05-01", "2003-05-31"),
        ("12 May 2003", "2003-05-12", "2003-05-12"),
        ("May 12, 2003", "2003-05-12", "2003-05-12"),
        ("2003-05-12", "2003-05-12", "2003-05-12"),
        ("12.05.2003", "2003-05-12", "2003-05-12"),
        ("05/23/2003", "2003-05-23", "2003-05-23"),
        ("29 February 2004", "2004-02-29", "2004-02-29"),
        ("summer 2003", "2003-06-01", "2003-08-31"),
        ("winter 2003/04", "2003-12-01", "2004-02-29"),
        ("winter 2003", "2002-12-01", "2003-02-28"),
        ("June–August 2003", "2003-06-01", "2003-08-31"),
        ("from June to August 2003", "2003-06-01", "2003-08-31"),
        ("March 15-20, 2015", "2015-03-15", "2015-03-20"),
        ("March 15th to 20th, 2015", "2015-03-15", "2015-03-20"),
        ("March 15 to April 2, 2015", "2015-03-15", "2015-04-02"),
        ("between March 15 and April 2, 2015", "2015-03-15", "2015-04-02"),
        ("from 15 March to 2 April 2015", "2015-03-15", "2015-04-02"),
        ("15. März bis 2. April 2015", "2015-03-15", "2015-04-02"),
        ("del 15 de marzo al 2 de abril de 2015", "2015-03-15", "2015-04-02"),
        ("Dec 20 - Jan 5, 2015", "2014-12-20", "2015-01-05"),
        ("Mar 15, 2015", "2015-03-15", "2015-03-15"),
        ("15 to 20 March 2015", "2015-03-15", "2015-03-20"),
        ("15/16 March 2015", "2015-03-15", "2015-03-16"),
        ("15-Mar-2015", "2015-03-15", "2015-03-15"),
        ("15-MAR-2015 to 20-MAR-2015", "2015-03-15", "2015-03-20"),
        ("15.03.2015-20.03.2015", "2015-03-15", "2015-03-20"),
        ("2015 March 15", "2015-03-15", "2015-03-15"),
        ("2015 March", "2015-03-01", "2015-03-31"),
        ("May-2003", "2003-05-01", "2003-05-31"),
        ("20150315", "2015-03-15", "2015-03-15"),
        ("summer 2003-2005", "2003-06-01", "2005-08-31"),
        ("summers of 2003 to 2005", "2003-06-01", "2005-08-31"),
        ("2003-2005 summer", "2003-06-01", "2005-08-31"),
        ("winter of 2010/11", "2010-12-01", "2011-02-28"),
        ("winters 2005-2011", "2004-12-01", "2011-02-28"),
        ("water years 2003-2005", "2002-10-01", "2005-09-30"),
        ("spring and summer 1998", "1998-03-01", "1998-08-31"),
        ("autumn to spring 2003", "2002-09-01", "2003-05-31"),
        ("autumn and winter 2003", "2003-09-01", "2004-02-29"),
        ("between 2010 and present", "2010", OPEN),
        ("first half of 2015", "2015-01-01", "2015-06-30"),
        ("second half of the 20th century", "1951", "2000"),
        ("2000年", "2000", "2000"),
        ("2000年代", "2000", "2009"),
        ("2010年3月", "2010-03-01", "2010-03-31"),
        ("2010年3月15日", "2010-03-15", "2010-03-15"),
        ("2000年から2010年", "2000", "2010"),
        ("2000-2010年", "2000", "2010"),
        ("2010年まで", OPEN, "2010-12-31"),
        ("2010년 3월", "2010-03-01", "2010-03-31"),
        ("November-February 2004", "2003-11-01", "2004-02-29"),
        ("2000-01-01/2010-12-31", "2000-01-01", "2010-12-31"),
        ("../2010", OPEN, "2010-12-31"),
        ("2010/..", "2010", OPEN),
        ("19th century", "1801", "1900"),
        ("twentieth century", "1901", "2000"),
        ("1800s", "1800", "1899"),
        ("between 10 and 5 ka BP", "-8550", "-2800"),
        ("20-10 ka", "-19050", "-7550"),
        ("from 21 to 6 ka", "-20100", "-3750"),
        ("500-300 BC", "-0499", "-0299"),
        ("between 500 and 300 BCE", "-0499", "-0299"),
        ("500 v. Chr.", "-0499", "-0499"),
        ("1000 to 1200 AD", "1000", "1200"),
        ("AD 1000-1200", "1000", "1200"),
        ("5th century BC", "-0499", "-0400"),
        ("5th to 3rd century BC", "-0499", "-0200"),
        ("18th and 19th centuries", "1701", "1900"),
        ("from the 18th to the 20th century", "1701", "2000"),
        ("from the 18th century to the 20th", "1701", "2000"),
        ("from the 5th century BC to the 3rd", "-0499", "-0200"),
        ("XIX century", "1801", "1900"),
        ("from the 1960s", "1960", "1969"),
        ("from the sixties", "1960", "1969"),
        ("from the 1960s onwards", "1960", OPEN),
        ("from 1990-95", "1990", "1995"),
        ("from summer 2003-2005", "2003-06", "2005-08"),
        ("latter half of the 20th century", "1951", "2000"),
        ("last quarter of the 20th century", "1976", "2000"),
        ("first quarter of 2015", "2015-01", "2015-03"),
        ("Q1 2015", "2015-01", "2015-03"),
        ("2015-Q3", "2015-07", "2015-09"),
        ("Q4 2015 to Q1 2016", "2015-10", "2016-03"),
        ("2014..2020", "2014", "2020"),
        ("'95-'99", "1995", "1999"),
        ("from '95 to '05", "1995", "2005"),
        ("up to and including 1999", OPEN, "1999"),
        (">2010", "2011", OPEN),
        (">= 2010", "2010", OPEN),
        ("< 2010", OPEN, "2009"),
        ("≤ 2010", OPEN, "2010"),
        ("throughout the 1970s", "1970", "1979"),
        ("15-20 March 2015", "2015-03-15", "2015-03-20"),
        ("from 15 to 20 March 2015", "2015-03-15", "2015-03-20"),
        ("15.-20. März 2015", "2015-03-15", "2015-03-20"),
        ("1950 and earlier", OPEN, "1950"),
        ("1950 oder früher", OPEN, "1950"),
    ],
)
def test_explicit_times(text: str, start: str | None, end: str | None) -> None:
    mention = only(f"rainfall in Kenya {text}")
    assert mention.span == TimeSpan.from_iso(start, end)
    assert mention.kind == "explicit"
    assert mention.text.endswith(text.removeprefix("the "))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("seit 1990", "1990", OPEN),
        ("ab 1990", "1990", OPEN),
        ("depuis 1990", "1990", OPEN),
        ("desde 1990", "1990", OPEN),
        ("dal 1990", "1990", OPEN),
        ("à partir de 1990", "1990", OPEN),
        ("vor 1950", OPEN, "1949-12-31"),
        ("avant 1950", OPEN, "1949-12-31"),
        ("antes de 1950", OPEN, "1949-12-31"),
        ("prima del 1950", OPEN, "1949-12-31"),
        ("nach 1980", "1981-01-01", OPEN),
        ("zwischen 1990 und 2000", "1990", "2000"),
        ("entre 1990 et 2000", "1990", "2000"),
        ("entre 1990 y 2000", "1990", "2000"),
        ("tra il 1990 e il 2000", "1990", "2000"),
        ("von 1990 bis 2000", "1990", "2000"),
        ("de 1990 à 2000", "1990", "2000"),
        ("de 1990 a 2000", "1990", "2000"),
        ("dal 1990 al 2000", "1990", "2000"),
        ("1990 bis heute", "1990", OPEN),
        ("1990er Jahre", "1990", "1999"),
        ("90er Jahre", "1990", "1999"),
        ("neunziger Jahre", "1990", "1999"),
        ("années 1990", "1990", "1999"),
        ("años noventa", "1990", "1999"),
        ("anni '90", "1990", "1999"),
        ("anos 1990", "1990", "1999"),
        ("Mai 2003", "2003-05", "2003-05"),
        ("12. Mai 2003", "2003-05-12", "2003-05-12"),
        ("mayo de 2003", "2003-05", "2003-05"),
        ("12 de maio de 2003", "2003-05-12", "2003-05-12"),
        ("été 2003", "2003-06", "2003-08"),
        ("19. Jahrhundert", "1801", "1900"),
        ("XIXe siècle", "1801", "1900"),
        ("siglo XIX", "1801", "1900"),
        ("XIX secolo", "1801", "1900"),
        ("im 18. Jh.", "1701", "1800"),
        ("vom 18. bis zum 20. Jahrhundert", "1701", "2000"),
        ("du XVIIIe au XXe siècle", "1701", "2000"),
        ("des XVIIIe et XIXe siècles", "1701", "1900"),
        ("dal XVIII al XX secolo", "1701", "2000"),
        ("del siglo XVIII al XX", "1701", "2000"),
        ("de los siglos XVIII y XIX", "1701", "1900"),
        ("siglos XVI y XX", "1501", "1600"),
        ("dagli anni Sessanta ad oggi", "1960", OPEN),
        ("bis einschließlich 1999", OPEN, "1999"),
        ("dagli anni 60 agli anni 80", "1960", "1989"),
        ("dai 1990 ai 2000", "1990", "2000"),
        ("des années 60 aux années 80", "1960", "1989"),
        ("dos anos 60 aos anos 80", "1960", "1989"),
        ("von den 1960er bis zu den 1980er Jahren", "1960", "1989"),
        ("zweite Hälfte des 19. Jahrhunderts", "1851", "1900"),
        ("3. Quartal 2015", "2015-07", "2015-09"),
        ("premier trimestre 2015", "2015-01", "2015-03"),
        ("primer trimestre de 2015", "2015-01", "2015-03"),
        ("ultimo quarto del XX secolo", "1976", "2000"),
        ("segundo trimestre de 2015", "2015-04", "2015-06"),
    ],
)
def test_explicit_times_in_other_languages(text: str, start: str | None, end: str | None) -> None:
    assert only(f"Pluie, Regen, lluvia {text}").span == TimeSpan.from_iso(start, end)


@pytest.mark.parametrize(
    ("early", "mid", "late"),
    [
        ("early July 2021", "mid-July 2021", "late July 2021"),
        ("beginning of July 2021", "the middle of July 2021", "the end of July 2021"),
        ("Anfang Juli 2021", "Mitte Juli 2021", "Ende Juli 2021"),
        ("début juillet 2021", "mi-juillet 2021", "fin juillet 2021"),
        ("au début de juillet 2021", "au milieu de juillet 2021", "à la fin de juillet 2021"),
        ("a principios de julio de 2021", "a mediados de julio de 2021", "a finales de julio de 2021"),
        ("inizio luglio 2021", "metà luglio 2021", "fine luglio 2021"),
        ("all'inizio di luglio 2021", "a metà di luglio 2021", "alla fine di luglio 2021"),
        ("no início de julho de 2021", "em meados de julho de 2021", "no final de julho de 2021"),
    ],
)
def test_thirds_of_a_month_are_whole_days(early: str, mid: str, late: str) -> None:
    assert only(f"floods {early}").span == TimeSpan.from_iso("2021-07-01", "2021-07-11")
    assert only(f"floods {mid}").span == TimeSpan.from_iso("2021-07-12", "2021-07-21")
    assert only(f"floods {late}").span == TimeSpan.from_iso("2021-07-22", "2021-07-31")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("fin décembre 1999", "1999-12-22", "1999-12-31"),
        ("late February 2021", "2021-02-20", "2021-02-28"),
        ("late February 2020", "2020-02-21", "2020-02-29"),
        ("late June-July 2021", "2021-07-12", "2021-07-31"),
        ("since late July 2021", "2021-07-22", OPEN),
        ("mid winter 2003", "2003-01", "2003-01"),
        ("late 3 July 2021", "2021-07-03T16:00", "2021-07-03"),
        ("late 2021-07-03T10:00:00Z", "2021-07-03T10:00:00Z", "2021-07-03T10:00:00Z"),  # an instant has no thirds
        ("late December 2199", "2199-12-22", "2199-12-31"),
        ("late 1 BC", "0000-09", "0000-12"),
        ("late 99999 BC", "-99998-09", "-99998-12"),
    ],
)
def test_thirds_at_the_edges_of_the_calendar(text: str, start: str, end: str | None) -> None:
    assert only(text).span == TimeSpan.from_iso(start, end)


def test_months_past_the_calendar_are_no_time() -> None:
    assert READER.read("the last 30000 months") == []
    assert READER.read("290000 months ago") == []


@given(st.integers(1500, 2199), st.integers(1, 12))
def test_the_thirds_of_a_month_follow_each_other_and_are_the_month(year: int, month: int) -> None:
    name = date(2000, month, 1).strftime("%B")
    whole = only(f"{name} {year}").span
    early, mid, late = (only(f"{word} {name} {year}").span for word in ("early", "mid", "late"))
    assert (early.start_ms, late.end_ms) == (whole.start_ms, whole.end_ms)
    assert mid.start_ms == (early.end_ms or 0) + 1
    assert late.start_ms == (mid.end_ms or 0) + 1


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last 30 years", "1996-03-01", "2026-03-01"),
        ("past thirty years", "1996-03-01", "2026-03-01"),
        ("last decade", "2016-03-01", "2026-03-01"),
        ("letzten 30 Jahre", "1996-03-01", "2026-03-01"),
        ("letztes Jahrzehnt", "2016-03-01", "2026-03-01"),
        ("30 dernières années", "1996-03-01", "2026-03-01"),
        ("últimos 30 años", "1996-03-01", "2026-03-01"),
        ("ultimi 30 anni", "1996-03-01", "2026-03-01"),
        ("últimos 30 anos", "1996-03-01", "2026-03-01"),
        ("seit 20 Jahren", "2006-03-01", "2026-03-01"),
        ("last 6 months", "2025-09-01", "2026-03-01"),
        ("last 2000 years", "0026-03-01", "2026-03-01"),
        ("last year", "2025", "2025"),
        ("last month", "2026-02", "2026-02"),
        ("this year", "2026", "2026"),
        ("10 years ago", "2016", "2016"),
        ("2.5 years ago", "2024", "2024"),
        ("5.3 million years ago", "-5562974", "-5032974"),
        ("last 1.5 million years", "-1497974", "2026-03-01"),
        ("vor 20 Jahren", "2006", "2006"),
    ],
)
def test_relative_times(text: str, start: str, end: str) -> None:
    mention = only(f"snow {text}")
    assert mention.span == TimeSpan.from_iso(start, end)
    assert mention.kind == "relative"


def test_thirty_years_before_a_leap_day_end_on_the_last_of_february() -> None:
    reader = TimeReader(lambda: date(2024, 2, 29))
    assert reader.read("last 30 years")[0].span == TimeSpan.from_iso("1994-02-28", "2024-02-29")
    assert reader.read("recent data")[0].span == TimeSpan.from_iso("2019-02-28", "2024-02-29")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("pre-industrial", "1850", "1900"),
        ("industrial era", "1750", OPEN),
        ("climate reference period", "1991", "2020"),
        ("normal period", "1991", "2020"),
        ("Little Ice Age", "1450", "1850"),
        ("Medieval warm period", "0950", "1250"),
        ("historical", "1850", "2014"),
        ("Holocene", "-9700", OPEN),  # 11,700 years before 2000
        ("Holozän", "-9700", OPEN),
        ("Pleistocene", "-2578000", "-9700"),
        ("Last Glacial Maximum", "-21000", "-17000"),
        ("Eocene", "-55998000", "-33898000"),
        ("since the Holocene", "-9700", OPEN),
        ("before the Holocene", OPEN, "-9701"),
    ],
)
def test_periods(text: str, start: str | None, end: str | None) -> None:
    mention = only(f"lake levels {text}")
    assert mention.span == TimeSpan.from_iso(start, end)
    assert mention.kind == "period"


def test_what_is_older_than_64_bits_of_milliseconds_is_cut() -> None:
    assert only("Devonian reefs").span == TimeSpan.from_iso(OPEN, "-290000000")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("future", "2026-03-01", OPEN),
        ("Zukunft", "2026-03-01", OPEN),
        ("near future", "2021", "2040"),
        ("mid-century", "2041", "2060"),
        ("end of the century", "2081", "2100"),
        ("by 2050", "2026-03-01", "2050"),
        ("until 2100", "2026-03-01", "2100"),
        ("2100", "2100", "2100"),
        ("2041-2060", "2041", "2060"),
        ("next 30 years", "2026-03-01", "2056-03-01"),
    ],
)
def test_the_future(text: str, start: str, end: str | None) -> None:
    mention = only(f"runoff {text}")
    assert mention.span == TimeSpan.from_iso(start, end)
    assert mention.kind == "future"


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("recent", 5),
        ("latest", 1),
        ("near real time", 1),
        ("current conditions", 1),
        ("at present", 1),
        ("aktuelle", 1),
        ("récentes", 5),
    ],
)
def test_recency(text: str, years: int) -> None:
    mention = only(f"{text} sea ice")
    assert mention.span == TimeSpan.from_iso(f"{2026 - years}-03-01", "2026-03-01")
    assert mention.kind == "recent"


@pytest.mark.parametrize(
    "text",
    [
        "500 hPa", "1:50 000", "1:2000", "30 m", "RCP 8.5", "Landsat 8", "ERA5", "CMIP6", "MOD13Q1", "version 2010",
        "2 m temperature", "1000 m", "2000 m", "2000m", "5000 stations", "2010 stations", "GISP2", "SSP2-4.5",
        "2000 metres", "resolution 1000", "1500-2000 m", "from 1500 to 2000 m depth", "EPSG:2154", "WGS 1984",
        "2000 x 2000", "10.1594/PANGAEA.2003", "1990.5", "ocean current", "actual evapotranspiration", "60S",
        "2003-13-45", "the roaring forties", "May", "between 1500 and 2000 m depth",
    ],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert READER.read(f"data {text} data") == []


def test_mars_is_a_month_only_where_the_text_is_not_english() -> None:
    assert only("précipitations mars 2020", "fr").span == TimeSpan.from_iso("2020-03", "2020-03")
    assert only("Mars 2020 rover", "en").span == TimeSpan.from_iso("2020", "2020")


def test_several_times_in_one_text() -> None:
    assert spans("rain before 1950 and after 2000, and in 1990,1995") == [
        TimeSpan.from_iso(OPEN, "1949"),
        TimeSpan.from_iso("2001", OPEN),
        TimeSpan.from_iso("1990", "1990"),
        TimeSpan.from_iso("1995", "1995"),
    ]


def test_offsets_hold_where_lower_case_is_longer() -> None:
    mention = only("İİİ Niederschlag seit 1990 ß")
    assert (mention.text, mention.start, mention.end) == ("seit 1990", 17, 26)


PIECES = st.sampled_from(
    [
        *(
            "since",
            "from",
            "to",
            "between",
            "and",
            "the",
            "1990",
            "2050",
            "1990s",
            "-",
            "",
            "/",
            "..",
            "May",
            "12",
            ".",
        ),
        *(",", "m", "last", "30", "years", "early", "century", "19th", "before", "Holocene", "seit", "bis", "31"),
        *("February", "2003-05", "ka", "BP", "000", "until", "winter", "İ"),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=25).map(" ".join), st.lists(PIECES).map("".join)))
def test_laws_of_any_text(text: str) -> None:
    mentions = READER.read(text)
    for mention in mentions:
        assert mention.text == text[mention.start : mention.end] != ""
        assert 0 < mention.confidence <= 1
    for one, other in pairwise(mentions):
        assert one.end <= other.start
    assert [mention.span for mention in READER.read("rain in Kenya " + text)] == [mention.span for mention in mentions]


@pytest.mark.parametrize("unit", ["1990 ", "1990-", "1", " ", "1.000.", "a_a_", "the last the since ", "2000 m to "])
def test_long_texts_end(unit: str) -> None:
    """With a pattern that backtracks without bound this would not end within pytest's limit."""
    assert isinstance(READER.read(unit * (60_000 // len(unit)) + "!"), list)


@pytest.mark.parametrize("text", ["31 February 2003", "29 February 2003", "2003-02-30T10:00:00Z", "31.02.2003"])
def test_a_day_that_does_not_exist_leaves_its_month(text: str) -> None:
    assert only(f"storms on {text}").span == TimeSpan.from_iso("2003-02", "2003-02")


@pytest.mark.parametrize(
    ("text", "months", "is_attached"),
    [
        ("snow in winter", (12, 1, 2), False),
        ("ozone during spring and fall", (3, 4, 5, 9, 10, 11), False),
        ("rain from November to March", (11, 12, 1, 2, 3), False),
        ("data in Jan", (1,), False),
        ("sea ice in september", (9,), False),
        ("Niederschlag im Sommer", (6, 7, 8), False),
        ("températures en été", (6, 7, 8), False),
        ("chuva no verão", (6, 7, 8), False),
        ("aerosol JJA", (6, 7, 8), False),
        ("summer monsoon", (6, 7, 8), True),
        ("May precipitation", (5,), True),
        ("October rainfall", (10,), True),
    ],
)
def test_months_of_any_year(text: str, months: tuple[int, ...], is_attached: bool) -> None:
    (mention,) = read_months(text, [], [], None)
    assert (mention.months, mention.is_attached) == (months, is_attached)


@pytest.mark.parametrize(
    ("text", "language", "months"),
    [
        ("Ozon Oktober", "de", [(10,)]),
        ("pluie juillet", "fr", [(7,)]),
        ("nieve junio a agosto", "es", [(6, 7, 8)]),
        ("neige hiver", "fr", [(12, 1, 2)]),
        ("sonde été", "fr", []),  # also a participle
        ("neige Robert Janvier", "fr", []),
        ("pluie juillet", "en", []),
    ],
)
def test_months_in_the_language_of_the_question_need_no_preposition(
    text: str, language: str, months: list[tuple[int, ...]]
) -> None:
    assert [mention.months for mention in read_months(text, [], [], language)] == months


def test_seasons_of_the_south_are_the_other_ones() -> None:
    assert [m.months for m in read_months("rain in summer and JJA", [], [], "en", in_south=True)] == [
        (12, 1, 2, 6, 7, 8)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "winter wheat yield", "spring discharge", "in spring water", "fall speed of drops", "dust may settle",
        "March of the penguins", "Winter Park snow", "Robert May ecology", "water on Mars", "datos son públicos",
        "a été mesuré", "Summer School", "set of data",
    ],
)  # fmt: skip
def test_no_months(text: str) -> None:
    assert read_months(text, [], [], None) == []


def test_months_joined_to_a_year_have_one() -> None:
    text = "rain in June, July 1998"
    assert read_months(text, [], [(14, 23)], "en") == []
