"""docs/imports.svg, drawn from the imports themselves: `python -m tests.import_graph > docs/imports.svg`.

Each package stands above all that it imports, and so does each of its folders inside it. An arrow that others imply is
left out: where A imports B and B imports C, none is drawn from A to C.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
_NAME_W, _MODULE_W, _LINE_H, _PAD, _GAP_X, _GAP_Y = 9.5, 7.0, 19.0, 10.0, 34.0, 44.0
_CHIPS_W = 470.0
"""The widest line of folders in a package."""

Edges = Mapping[str, frozenset[str]]


def packages() -> list[str]:
    """As import-linter knows them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return list(project["tool"]["importlinter"]["root_packages"])


def edges_between(graph: grimp.ImportGraph, names: list[str]) -> Edges:
    """Which of the packages or folders imports which other."""
    modules = {name: {name, *graph.find_descendants(name)} for name in names}
    home = {module: name for name, inside in modules.items() for module in inside}
    found: dict[str, set[str]] = {name: set() for name in names}
    for module, name in home.items():
        found[name] |= {home[each] for each in graph.find_modules_directly_imported_by(module) if each in home} - {name}
    return {name: frozenset(imported) for name, imported in found.items()}


def rows(edges: Edges) -> list[list[str]]:
    """Top first: each name lies above all that it imports. Names that import each other in a circle share a row."""

    @cache
    def reach(name: str) -> frozenset[str]:
        seen: set[str] = set()
        todo = [name]
        while todo:
            new = edges[todo.pop()] - seen
            seen |= new
            todo += new
        return frozenset(seen)

    @cache
    def depth(name: str) -> int:
        below = [other for other in reach(name) if name not in reach(other)]
        return 1 + max(map(depth, below), default=-1)

    deepest = max(map(depth, edges), default=-1)
    return [sorted(name for name in edges if depth(name) == level) for level in range(deepest, -1, -1)]


def reduced(edges: Edges) -> Iterator[tuple[str, str]]:
    """The arrows that no others imply."""
    for name, imported in edges.items():
        implied = {far for near in imported for far in _reached(edges, near, {name})}
        yield from ((name, each) for each in sorted(imported - implied))


def _reached(edges: Edges, start: str, seen: set[str]) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        new = edges[todo.pop()] - found - seen
        found |= new
        todo += new
    return found


@dataclass(frozen=True, slots=True)
class Box:
    """A package; ``lines`` are its folders, those that import the others first."""

    name: str
    lines: tuple[str, ...]

    @property
    def width(self) -> float:
        return 2 * _PAD + max(80.0, _NAME_W * len(self.name), *(_MODULE_W * len(line) for line in self.lines))

    @property
    def height(self) -> float:
        return 2 * _PAD + _LINE_H * (1 + len(self.lines)) - 4


def boxes(graph: grimp.ImportGraph, names: list[str]) -> dict[str, Box]:
    return {name: Box(name, tuple(_lines(graph, name))) for name in names}


def _lines(graph: grimp.ImportGraph, package: str) -> Iterator[str]:
    folders = [child for child in sorted(graph.find_children(package)) if graph.find_children(child)]
    for row in rows(edges_between(graph, folders)):
        line = ""
        for folder in (name.rpartition(".")[2] for name in row):
            if line and _MODULE_W * (len(line) + len(folder) + 3) > _CHIPS_W:
                yield line
                line = ""
            line = f"{line} · {folder}" if line else folder
        if line:
            yield line


def picture(graph: grimp.ImportGraph, names: list[str]) -> str:
    """The whole SVG."""
    edges, drawn = edges_between(graph, names), boxes(graph, names)
    levels = rows(edges)
    width = max(sum(drawn[name].width + _GAP_X for name in level) for level in levels) + _GAP_X
    placed: dict[str, tuple[float, float]] = {}
    y = _PAD
    for level in levels:
        x = (width - sum(drawn[name].width for name in level) - _GAP_X * (len(level) - 1)) / 2
        for name in level:
            placed[name] = (x, y)
            x += drawn[name].width + _GAP_X
        y += max(drawn[name].height for name in level) + _GAP_Y
    height = y - _GAP_Y + _PAD
    arrows = [_arrow(placed, drawn, *each) for each in reduced(edges)]
    shapes = [_box(drawn[name], *placed[name]) for name in names]
    return "\n".join((*_head(width, height), *arrows, *shapes, "</svg>", ""))


def _head(width: float, height: float) -> tuple[str, ...]:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif">',
        "<title>Which package imports which: each one only those below it</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
    )


def _arrow(placed: Mapping[str, tuple[float, float]], drawn: Mapping[str, Box], start: str, end: str) -> str:
    (x1, y1), (x2, y2) = placed[start], placed[end]
    x1, y1, x2 = x1 + drawn[start].width / 2, y1 + drawn[start].height, x2 + drawn[end].width / 2
    bend = (y2 - y1) / 2
    path = f"M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"
    return f'<path d="{path}" fill="none" stroke="#57606a" marker-end="url(#tip)"/>'


def _box(box: Box, x: float, y: float) -> str:
    middle = x + box.width / 2
    first = f'x="{middle:.0f}" y="{y + _PAD + 12:.0f}" font-size="15" font-weight="600"'
    text = [f"<text {first}>{escape(box.name)}</text>"]
    for number, line in enumerate(box.lines, start=1):
        at = y + _PAD + 12 + number * _LINE_H
        text.append(f'<text x="{middle:.0f}" y="{at:.0f}" font-size="12" fill="#444">{escape(line)}</text>')
    frame = f'<rect x="{x:.0f}" y="{y:.0f}" width="{box.width:.0f}" height="{box.height:.0f}" rx="6"'
    return "\n".join((f'{frame} fill="#f3f7f4" stroke="#2f6f55"/>', '<g text-anchor="middle">', *text, "</g>"))


def drawn_now() -> str:
    """The picture of the checkout. Kept in no cache: it is drawn after an import was changed."""
    names = packages()
    return picture(grimp.build_graph(*names, cache_dir=None), names)


if __name__ == "__main__":
    sys.stdout.write(drawn_now())
