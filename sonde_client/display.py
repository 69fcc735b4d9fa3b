"""What a notebook shows: hits with a small map, and a bar for each signal that says why a hit is there.

Everything that a catalogue wrote is escaped, and only addresses of the web become links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import NamedTuple


class Box(NamedTuple):
    """Degrees WGS 84. ``west > east``: the box crosses the antimeridian."""

    west: float
    south: float
    east: float
    north: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a signal counted: its share of the score (``contribution``), and a sentence in English.

    ``normalised``: how well the record does by this signal alone, 0 to 1; None if it was not measured.
    """

    signal: str
    text: str
    contribution: float
    normalised: float | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What is shown of a record. ``facts`` and ``periods`` come under the title; ``reasons`` become bars."""

    title: str
    address: str | None
    facts: tuple[str, ...] = ()
    periods: tuple[tuple[str | None, str | None], ...] = ()
    boxes: tuple[Box, ...] = ()
    reasons: tuple[Reason, ...] = ()


_LABELS = {
    "bm25": ("words", "#2f6fb5"),
    "passage_bm25": ("words in a passage", "#2f6fb5"),
    "names": ("names", "#2f6fb5"),
    "dense": ("meaning", "#7a4fb0"),
    "passage_dense": ("meaning of a passage", "#7a4fb0"),
    "late_interaction": ("context", "#7a4fb0"),
    "cross_encoder": ("reading", "#7a4fb0"),
    "spatial": ("place", "#1d7f68"),
    "temporal": ("time", "#b0600a"),
}
"""Label and colour by signal, as on the page."""
_OTHER = "#7b8894"
_MAP_WIDTH_PX, _LEAST_SPAN_DEG = 300, 30.0
_MOST_BOXES = 20
_SOFT = "opacity:.7;font-size:.85em"


def entries_html(entries: Sequence[Entry], *lines: str) -> str:
    """A list of records next to a map of their boxes, with the same numbers. ``lines``: plain text above it."""
    lines_html = "".join(f'<div style="{_SOFT}">{escape(line)}</div>' for line in lines if line)
    items = "".join(_item_html(number, entry) for number, entry in enumerate(entries, 1))
    map_html = map_svg([(number, box) for number, entry in enumerate(entries, 1) for box in entry.boxes])
    return (
        f'<div class="sonde">{lines_html}<div style="display:flex;gap:1em;align-items:flex-start;flex-wrap:wrap">'
        f'<ol style="flex:1 1 24em;margin:.5em 0;padding-left:2em">{items}</ol>{map_html}</div></div>'
    )


def record_html(entry: Entry, abstract: str, calls: Sequence[str]) -> str:
    """Title, facts, abstract and the Python calls that open the data, next to a map."""
    items = "".join(f"<li><code>{escape(call)}</code></li>" for call in calls[:10])
    map_html = map_svg([(None, box) for box in entry.boxes])
    return (
        '<div class="sonde" style="display:flex;gap:1em;align-items:flex-start;flex-wrap:wrap">'
        f'<div style="flex:1 1 24em">{_head_html(entry)}'
        f'<p style="max-width:60em">{escape(_shorten(abstract, 600))}</p><ul>{items}</ul></div>{map_html}</div>'
    )


def map_svg(boxes: Sequence[tuple[int | None, Box]]) -> str:
    """The boxes over the world's land, with their numbers; empty if there are none."""
    if not boxes:
        return ""
    view = _view(box for _, box in boxes)
    # Large boxes first, so that small ones stay visible.
    large_first = sorted(
        _numbers_by_box(boxes).items(), key=lambda entry: -_width(entry[0]) * (entry[0].north - entry[0].south)
    )
    marks = "".join(_box_svg(", ".join(map(str, numbers)), box, view) for box, numbers in large_first)
    return (
        f'<svg role="img" aria-label="Map" viewBox="{view.left:g} {view.top:g} {view.width:g} {view.height:g}" '
        f'width="{_MAP_WIDTH_PX}" height="{_MAP_WIDTH_PX * view.height / view.width:.0f}" '
        f'style="background:#eef3f6;border:1px solid #7b8894;flex:none;margin-top:.5em">'
        f'<path d="{land_path()}" fill="#cfd8d2" fill-rule="evenodd"/>{marks}</svg>'
    )


@dataclass(frozen=True, slots=True)
class _View:
    """A part of the plate carrée map, in degrees; y is minus the latitude."""

    left: float
    top: float
    width: float
    height: float


def _view(boxes: Iterable[Box]) -> _View:
    """All boxes with some sea around them; the world if one crosses the antimeridian."""
    all_boxes = list(boxes)
    if any(box.west > box.east for box in all_boxes):
        return _View(-180, -90, 360, 180)
    west, east = min(box.west for box in all_boxes), max(box.east for box in all_boxes)
    south, north = min(box.south for box in all_boxes), max(box.north for box in all_boxes)
    width = min(360.0, max(_LEAST_SPAN_DEG, (east - west) * 1.2, (north - south) * 1.2))
    height = min(180.0, max(width / 2, (north - south) * 1.2))
    left = min(max((west + east - width) / 2, -180.0), 180.0 - width)
    top = min(max((-north - south - height) / 2, -90.0), 90.0 - height)
    return _View(left, top, width, height)


def _numbers_by_box(boxes: Sequence[tuple[int | None, Box]]) -> dict[Box, list[int]]:
    """The numbers at each box: several records often have the same."""
    numbers: dict[Box, list[int]] = {}
    for number, box in boxes[:_MOST_BOXES]:
        numbers.setdefault(box, []).extend([] if number is None else [number])
    return numbers


def _box_svg(label: str, box: Box, view: _View) -> str:
    line = view.width / 250
    halves = [box] if box.west <= box.east else [box._replace(east=180.0), box._replace(west=-180.0)]
    rectangles = "".join(
        f'<rect x="{half.west:g}" y="{-half.north:g}" width="{max(half.east - half.west, line * 2):g}" '
        f'height="{max(half.north - half.south, line * 2):g}" fill="#1d7f68" fill-opacity=".12" stroke="#1d7f68" '
        f'stroke-width="{line:g}"/>'
        for half in halves
    )
    if not label:
        return rectangles
    size = view.width / 22
    x, y = halves[0].west + size / 4, -halves[0].north + size
    return f'{rectangles}<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="#17212b">{label}</text>'


def _width(box: Box) -> float:
    return (box.east - box.west) % 360 or (360.0 if box.east > box.west else 0.0)


def _item_html(number: int, entry: Entry) -> str:
    bars = "".join(_bar_html(reason) for reason in entry.reasons if reason.contribution > 0)
    grid = "display:grid;grid-template-columns:max-content 8em 1fr;gap:0 .6em;font-size:.8em"
    return f'<li value="{number}" style="margin-bottom:.7em">{_head_html(entry)}<div style="{grid}">{bars}</div></li>'


def _bar_html(reason: Reason) -> str:
    """A bar as long as the signal's share of the score (1 is the full width), and the reason."""
    label, colour = _LABELS.get(reason.signal, (reason.signal.replace("_", " "), _OTHER))
    percent = min(100.0, max(0.0, reason.contribution * 100))
    return (
        f"<span>{escape(label)}</span>"
        f'<span style="align-self:center;background:rgba(123,136,148,.25);height:.6em">'
        f'<span style="display:block;height:100%;width:{percent:.0f}%;background:{colour}"></span></span>'
        f'<span style="opacity:.7">{escape(reason.text)}</span>'
    )


def _head_html(entry: Entry) -> str:
    title, address = f"<b>{escape(entry.title)}</b>", entry.address or ""
    if address.startswith(("https://", "http://")):
        title = f'<a href="{escape(address)}" rel="noopener" target="_blank">{title}</a>'
    facts = " · ".join(fact for fact in (*entry.facts, *map(_period_text, entry.periods[:3])) if fact)
    return f'{title}<div style="{_SOFT}">{escape(facts)}</div>'


def _period_text(period: tuple[str | None, str | None]) -> str:
    """By days: a notebook needs no more."""
    start, end = (moment.partition("T")[0] if moment else None for moment in period)
    return start if start and start == end else f"{start or '…'} – {end or '…'}"


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0] + " …"


@cache
def land_path() -> str:
    """Natural Earth's land as an SVG path, in degrees (``tests/client/land.py`` makes it)."""
    return files("sonde_client").joinpath("land.path").read_text("utf-8").strip()
