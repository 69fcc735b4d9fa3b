"""What a notebook shows of hits and records."""

from __future__ import annotations

import math
from typing import Any

from lxml import etree, html

from sonde_client import Box, Hit, Record
from sonde_client.display import map_svg
from tests.client import land


def hit(**said: Any) -> Hit:
    explained = {
        "signals": [
            {"signal": "spatial", "raw": 0.9, "normalised": 0.9, "contribution": 0.25, "reason": "covers <Italy>"},
            {"signal": "kind", "raw": None, "normalised": 0.5, "contribution": 0.0, "reason": "no kind"},
        ]
    }
    links = [{"rel": "self", "href": said.pop("address", "https://sonde.example/one")}]
    feature = Record(
        {"id": "a:1", "properties": {"title": "One", **said}, "links": links, "sonde:explanation": explained}
    )
    return Hit(feature.id, feature.title, 0.7, {}, feature)


def test_a_bar_is_as_long_as_the_signals_share() -> None:
    shown = html.fromstring(hit()._repr_html_())
    bars = [one.get("style") for one in shown.iter("span") if "width:" in (one.get("style") or "")]
    assert ["width:25%" in style for style in bars if style] == [True]
    assert "covers <Italy>" in shown.text_content()
    assert [reason.normalised for reason in hit().reasons] == [0.9, None]


def test_texts_of_catalogues_stay_texts() -> None:
    evil = "<script>alert(1)</script>"
    one = hit(title=evil, description=evil, license=evil, address="javascript:alert(1)")
    shown = one._repr_html_() + one.feature._repr_html_()
    assert "<script" not in shown
    assert "javascript:" not in shown
    assert shown.count("&lt;script&gt;") == 4


def test_the_map_has_the_boxes_with_their_numbers() -> None:
    drawn = etree.fromstring(map_svg([(1, Box(5, 45, 15, 55)), (2, Box(5, 45, 15, 55)), (3, Box(170, -50, -170, -30))]))
    assert [text.text for text in drawn.iter("text")] == ["3", "1, 2"], "large first"
    assert [float(box.get("x", "")) for box in drawn.iter("rect")] == [170, -180, 5]
    assert drawn.get("viewBox") == "-180 -90 360 180"
    near = etree.fromstring(map_svg([(1, Box(5, 45, 15, 55))]))
    left, top, width, height = map(float, (near.get("viewBox") or "").split())
    assert left < 5 < 15 < left + width
    assert top < -55 < -45 < top + height
    assert map_svg([]) == ""
    point = etree.fromstring(map_svg([(None, Box(180, 90, 180, 90))]))
    assert all(math.isfinite(float(value)) for value in (point.get("viewBox") or "").split())


def test_the_outline_is_the_pages_land() -> None:
    assert land.STORED.read_text("utf-8") == land.path() + "\n"
