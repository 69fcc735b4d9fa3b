"""Small plots as SVG; pure: values in, SVG text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT = 560, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 130, 10, 30
_COLOURS = ("#1f5f8b", "#c2571a", "#4b8b3b", "#7a4f9a", "#8a6d1d", "#a03050")


def lines(series: Mapping[str, Sequence[tuple[str, float]]]) -> str:
    """One line for each series of (label, value 0..1); the labels of the first are on the x axis, evenly spaced."""
    labels = [label for label, _ in next(iter(series.values()))]
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(labels) - 1, 1)
    parts = [_axes()]
    parts += [_text(_LEFT + place * step, _HEIGHT - 10, label, "middle") for place, label in enumerate(labels)]
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{_LEFT + place * step:.1f},{_y(value):.1f}" for place, (_, value) in enumerate(points))
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        parts.append(_text(_WIDTH - _RIGHT + 8, _TOP + 14 + 16 * number, name, "start", colour))
    return _picture("".join(parts))


def histogram(values: Sequence[float], bins: int = 10) -> str:
    """The number of values (0..1) in each of ``bins`` equal steps; 1 itself is in the last."""
    counts = histogram_counts(values, bins)
    width = (_WIDTH - _LEFT - _RIGHT) / bins
    parts = [_axes(top=str(max(counts)))]
    for place, count in enumerate(counts):
        height = (_HEIGHT - _TOP - _BOTTOM) * count / max(*counts, 1)
        x = _LEFT + place * width
        parts.append(
            f'<rect x="{x + 1:.1f}" y="{_HEIGHT - _BOTTOM - height:.1f}" width="{width - 2:.1f}" height="{height:.1f}" '
            f'fill="{_COLOURS[0]}"><title>{count}</title></rect>'
        )
        parts.append(_text(x, _HEIGHT - 10, f"{place / bins:g}", "middle"))
    parts.append(_text(_WIDTH - _RIGHT, _HEIGHT - 10, "1", "middle"))
    return _picture("".join(parts))


def histogram_counts(values: Sequence[float], bins: int) -> list[int]:
    counts = [0] * bins
    for value in values:
        counts[min(int(value * bins), bins - 1)] += 1
    return counts


def _y(value: float) -> float:
    return _TOP + (1.0 - value) * (_HEIGHT - _TOP - _BOTTOM)


def _axes(top: str = "1") -> str:
    floor = _HEIGHT - _BOTTOM
    edges = f'<path d="M{_LEFT} {_TOP} V{floor} H{_WIDTH - _RIGHT}" fill="none" stroke="#888"/>'
    return edges + _text(_LEFT - 6, _TOP + 8, top, "end") + _text(_LEFT - 6, floor, "0", "end")


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#333") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _picture(inside: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" font-size="12">{inside}</svg>'
