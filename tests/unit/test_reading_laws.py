"""No text makes a reader raise: sentences of time, place, number, relation, scale and kind words in six languages."""

from __future__ import annotations

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.documents.index.steps import PassageReader
from reading import relations, scale, time_words
from reading.gazetteer import Gazetteer
from reading.kinds import infer_kind
from reading.places import PlaceReader
from reading.sentences import sentences
from reading.times import TimeReader
from reading.vocabulary import only_own_vocabulary
from search_api.search.request import ALL_PARTS
from search_api.search.understanding.understand import Understander

PLACES = PlaceReader(Gazetteer())


def reads_all(text: str, today: date) -> None:
    """Every reader of questions and of passages; fails where one raises."""
    times = TimeReader(lambda: today)
    understood = Understander(PLACES, times, vocabulary=only_own_vocabulary).understand(text, ALL_PARTS)
    assert understood.failed == ()
    parts = (understood.places, understood.times, understood.scales, understood.kinds)
    for found in (one.mention for part in parts for one in part):
        assert text[found.start : found.end] == found.text
    for time in understood.times:
        assert (time.span.start_iso, time.span.end_iso) is not None  # both can be written
    PassageReader(PLACES, times).read(text)
    infer_kind(text, text, text)
    assert isinstance(sentences(text), list)


def _alternatives(*patterns: str) -> list[str]:
    """The words of patterns, without what only a pattern needs: good enough to meet each of them."""
    dull = str.maketrans("", "", "()[]?:+*\\{}$^")
    return [word.translate(dull) for pattern in patterns for word in pattern.split("|") if word.translate(dull)]


TIME = [
    *time_words.MONTHS, *time_words.SEASONS, *time_words.DECADES, *time_words.ORDINALS, *time_words.COUNTS,
    *time_words.UNITS,
    *_alternatives(
        time_words.LAST, time_words.NEXT, time_words.SINCE, time_words.FROM, time_words.UNTIL, time_words.BY,
        time_words.BEFORE, time_words.AFTER, time_words.AROUND, time_words.BETWEEN, time_words.AND, time_words.TO,
        time_words.OPENING, time_words.PRESENT, time_words.ONWARDS, time_words.ARTICLES, time_words.EARLY,
        time_words.MID, time_words.LATE,
    ),
    "end of February", "début du", "à la fin de", "a finales de", "no final de", "all'inizio di", "mi-juillet", "ago",
    "Jahrhundert", "siècle", "siglo", "secolo", "século", "century", "1990s", "1990er", "années 1990", "'90s",
    "BC", "AD", "BP", "ka", "Ma", "kyr ago", "Holocene", "Jura", "Little Ice Age", "recent", "heute", "Hadean",
]  # fmt: skip
PLACE = [
    "Kenya", "Berlin", "Paris", "Texas", "Georgia", "Victoria", "San Antonio", "Norditalien", "Nordseeküste", "US",
    "U.S.A.", "Côte d'Ivoire", "Española", "Rio de Janeiro", "Fiji", "Antarctica", "Norddeutschlands", "Lagos",
    "London, ON", "Boulder, CO", "Mer Méditerranée", "Golfo di Napoli", "Chukotka", "North", "the world",
]  # fmt: skip
NUMBER = st.one_of(
    st.sampled_from(
        ["0", "00", "0000", "9999", "10000", "-1", "99999", "290000000", "4600", "1e9", "½", "²", "٣", "１９９０"]
    ),
    st.integers(-10_000, 10_000).map(str),
    st.floats(-400, 400, allow_nan=False).map(lambda number: f"{number:.3f}"),
    st.dates(date(1, 1, 1), date(9999, 12, 31)).map(str),
    st.tuples(st.integers(1400, 2299), st.integers(0, 14), st.integers(0, 33)).map("{0[0]}-{0[1]:02}-{0[2]:02}".format),
    st.tuples(st.integers(0, 99), st.integers(0, 200)).map("{0[0]}N {0[1]}E".format),
    st.tuples(st.integers(0, 99), st.integers(0, 99)).map("{0[0]}-{0[1]}S".format),
)
OTHER = [
    *relations.COMPASS, *relations.ADJECTIVES,
    *_alternatives(
        relations.OF, relations.IN, relations.WITHIN, relations.OVER, relations.NEAR,
        relations.COAST, relations.OFF_COAST, relations.OUTSIDE, relations.GLOBAL,
        relations.CENTRAL,
    ),
    *scale.STEPS, *scale.STEP_UNITS,
    *_alternatives(scale.RESOLUTION, scale.MEASURES, scale.METRES, scale.DEGREES),
    "m", "km", "1:50 000", "1/4 degree", "30 m", "bbox", "lat", "lon", "observations", "Reanalyse", "doi:10.1/x",
]  # fmt: skip
JOINED = st.sampled_from([" ", " ", " ", "", "-", "–", ", ", "/", ".", "'", "\n", " the ", " de ", " und "])
LEADS = _alternatives(
    time_words.EARLY, time_words.MID, time_words.LATE, time_words.SINCE, time_words.UNTIL, time_words.BY
)
NAMED = [*time_words.MONTHS, *time_words.SEASONS, "", "12 July", "June-July", "last", "30000"]
AFTER = st.one_of(
    st.integers(1500, 2199).map(str), st.sampled_from(["1 BC", "99999 BC", "months", "weeks", "ka", "century"])
)
MOMENT = st.tuples(st.sampled_from(LEADS), st.sampled_from(NAMED), AFTER).map(" ".join)
WORD = st.one_of(
    MOMENT, st.sampled_from(TIME), NUMBER, st.sampled_from(PLACE), st.sampled_from(OTHER), st.text(max_size=6)
)
SENTENCE = st.lists(st.tuples(WORD, JOINED), max_size=14).map(
    lambda pairs: "".join(word + join for word, join in pairs)
)
TODAY = st.one_of(
    st.sampled_from([date(2024, 2, 29), date(2026, 1, 31), date(2025, 12, 31)]),
    st.dates(date(2000, 1, 1), date(2100, 1, 1)),
)


@settings(max_examples=200, deadline=None)
@given(SENTENCE, TODAY, st.sampled_from([str.lower, str.upper, str.title, str]))
def test_no_sentence_makes_a_reader_raise(text: str, today: date, written: type[str]) -> None:
    reads_all(written(text), today)


@settings(max_examples=150, deadline=None)
@given(st.lists(MOMENT, min_size=1, max_size=3).map(" ".join), TODAY)
def test_no_part_of_a_time_makes_a_reader_raise(text: str, today: date) -> None:
    reads_all(text, today)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), TODAY)
def test_no_text_makes_a_reader_raise(text: str, today: date) -> None:
    reads_all(text, today)
