"""Pictures of two runs, compared: which states look different, where, and how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image, ImageChops

_SAME = 24
"""Of 255, in each colour: the edges of letters differ by less from run to run."""
_MARK = (214, 39, 40)

Kind = Literal["same", "changed", "new", "gone"]


@dataclass(frozen=True)
class Change:
    """``share``: of the pixels, 0 to 1. ``marked``: the file of the newer picture with what changed in red."""

    file: str
    kind: Kind
    share: float = 0.0
    marked: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.kind}" + (f" {100 * self.share:.2f} %" if self.kind == "changed" else "")


def compared(before: Path, now: Path, marks: Path) -> Sequence[Change]:
    """Every picture (``*.png``) of two folders by name, most changed first; what changed is drawn into ``marks``."""
    old, new = ({path.name: path for path in folder.glob("*.png")} for folder in (before, now))
    changes = [Change(name, "gone") for name in old.keys() - new.keys()]
    changes += [Change(name, "new") for name in new.keys() - old.keys()]
    changes += [_change(old[name], new[name], marks / name) for name in old.keys() & new.keys()]
    return sorted(changes, key=lambda one: (one.kind == "same", -one.share, one.file))


def _change(before: Path, now: Path, marked: Path) -> Change:
    """A picture of another size has changed at least where the other has nothing."""
    with Image.open(before) as old, Image.open(now) as new:
        size = max(old.width, new.width), max(old.height, new.height)
        first, second = (_on_canvas(one, size) for one in (old, new))
    # One channel that is bright wherever any of the three differs by more than a letter's edge does.
    channels = ImageChops.difference(first, second).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    differs = most.point([0 if value <= _SAME else 255 for value in range(256)])
    number = differs.histogram()[255]
    if number == 0:
        return Change(now.name, "same")
    marked.parent.mkdir(parents=True, exist_ok=True)
    pale = Image.blend(second, Image.new("RGB", size, "white"), 0.6)
    pale.paste(_MARK, mask=differs)
    pale.save(marked)
    return Change(now.name, "changed", number / (size[0] * size[1]), marked.name)


def _on_canvas(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    """On magenta, which no page shows, so that what is missing in one of two differs."""
    canvas = Image.new("RGB", size, "magenta")
    canvas.paste(picture.convert("RGB"))
    return canvas
