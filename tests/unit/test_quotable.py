"""Sentences that may be quoted as an answer, and code, references, labels and letterheads, which may not."""

from __future__ import annotations

import pytest

from search_api.ask.extract import best_quotes, ranked_quotes
from search_api.search.passages.quotable import is_quotable
from search_api.search.passages.values import FoundPassage
from search_api.search.ranking.config import default_config


@pytest.mark.parametrize(
    "sentence",
    [
        "The mean depth of the lakes is 12 m.",
        "Temperatures of 3, 5, 8 and 13 °C were measured.",
        "Larsen, K. (2009) counted 31 springs in the valley.",
        "The reports are at https://example.org/reports.",
        "The argument mean() of a table gives the mean of each of its columns.",
        "If the depth is a, and the widths are b and c, then the area is V = a(b + c).",
        "Die Pegel werden alle 15 Minuten gelesen.",
        "La profondeur moyenne des lacs est de 12 m.",
        "Средняя глубина озёр составляет 12 метров.",
        "Bohrung Moor GmbH, Tel. 0123 4567, Verfahren Rotation, Tiefe 25 m, Durchmesser 14 cm, Datum 17.06.2013, Ort "
        "Amselgrund, Ton grau, Sand fein, Kies grob, Torf schwarz, Fels rot, Wasser kalt",
        "Inlet | 12 | 14 | 15",
        "salinity 35, temperature 14 °C, depth 20 m",
    ],
)
def test_prose_and_rows_are_quoted(sentence: str) -> None:
    assert is_quotable(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "> depth <- read_depths(lakes, unit = 'm')",
        "R> # the mean of the depths of all lakes",
        "+ colour = 'blue', width = 3,",
        "for (i in 1:n) { total = total + depth[i]; }",
        "lakes = open_table('lakes.csv', sep=';', header=True)",
        "Larsen, K. and Moe, T., 2009: Springs of the valley. J. Hydrol., 12(3), 45-67.",
        "[7] Amsel, R.: Brunnen im Moor, Hrsg. Amt für Wasser, 2011.",
        "Moe T, Larsen K (2014). Lakes and rivers. Journal of Lakes 3: 12-19, doi:10.5555/12.",
        "3.2 Lakes of the valley . . . . . . . . . . . 41",
        "Depth Depth Depth Width Width Depth",
        "1970 1975 1980 1985 inlet 0 50 100 outlet 0 50 100",
        "7 0.2594 0.0368 0.5137",
        "Moorstraße 12, 12345 Amselgrund, Tel. 0123 4567, post@amselgrund.example",
        "Inlet Outlet Depth Width Slope Discharge Velocity Roughness Temperature",
    ],
)
def test_code_references_labels_and_letterheads_are_not(sentence: str) -> None:
    assert not is_quotable(sentence)


def quotes(question: str, *texts: str) -> list[str]:
    passages = [FoundPassage(f"d#{n}", "d", text, n, relevance=0.9) for n, text in enumerate(texts, 1)]
    return [quote.text for quote in ranked_quotes(question, passages, None, default_config().quotes, "en")]


def test_a_reference_never_answers_although_it_has_all_the_words() -> None:
    reference = "Larsen, K., 2009: How deep are the lakes of the valley? J. Hydrol., 12(3), 45-67."
    prose = "The lakes are 12 m deep."
    assert quotes("How deep are the lakes of the valley?", reference, prose) == [prose]


def test_prose_behind_a_command_is_quoted_without_it() -> None:
    text = "> plot(depth, main = 'all') The depth of the lakes falls with time."
    assert quotes("How does the depth of the lakes change?", text) == ["The depth of the lakes falls with time."]


def test_of_a_table_only_the_row_is_quoted_whose_head_is_asked_for() -> None:
    rows = ["Lake | Depth in m | Width in m", "Asel lake | 12 | 140", "Biel lake | 14 | 150", "Cyan lake | 15 | 160"]
    table = FoundPassage("d#1", "d", "\n".join(rows), 1, 0.9, kind="table", table=1, header=(rows[0],))
    weights = default_config().quotes
    asked = best_quotes("How deep is lake Biel in m?", [table], None, 3, weights, "en")
    assert [quote.text for quote in asked] == [rows[2]]
    without_head = best_quotes("Which depths in m are known?", [table], None, 3, weights, "en")
    assert len(without_head) == 3


def test_a_line_that_each_slide_repeats_is_not_quoted() -> None:
    banner = "Lakes of the valley at a glance."
    texts = [f"{banner} Lake {name} is deep and cold." for name in ("Asel", "Biel", "Cyan")]
    assert banner not in quotes("Which lakes of the valley are deep?", *texts)
    assert banner in quotes("Which lakes of the valley are deep?", *texts[:2])
