"""Writes drafts to the gazetteer's file: gzip of tab-separated lines; equal input gives equal bytes."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reading.gazetteer.build.drafts import Draft, iou, load
from reading.gazetteer.names import name_key

_SAME_PLACE_IOU = 0.6  # a name's second place that covers the first this much is the same place
_LONGEST_NAME = 8  # words; people do not type longer official names
_MOST_PER_NAME = 6
_SHORT = 3  # letters; a shorter name is nearly always a word, a unit or a formula


@dataclass(frozen=True, slots=True)
class Written:
    places: int
    names: int
    size: int


def write(drafts: Iterable[Draft], path: Path) -> Written:
    """Writes places (most important first), names, abbreviations and codes; ``gazetteer.py`` lists the columns."""
    kept = sorted(drafts, key=lambda draft: (-draft.importance, draft.name, draft.bbox.as_list()))
    names, adjectives = _index(kept)
    flagged = load("words.yaml")
    words = {name_key(word) for word in flagged["words"]}
    never = {name_key(word) for word in flagged["never"]}
    small = {name_key(word) for draft in kept for word in draft.small_adjectives}
    lines = [_place_line(draft) for draft in kept] + [""]
    keys = sorted((names.keys() | adjectives.keys()) - never)
    for key in keys:
        short = len(key) <= _SHORT and not (key in names and kept[names[key][0]].kind == "country")
        flags = ("w" if key in words or short else "") + ("a" if key not in names else "")
        flags += "s" if key in small and key not in names else ""
        numbers = [*names.get(key, []), *adjectives.get(key, [])][:_MOST_PER_NAME]
        lines.append(f"{key}\t{flags}\t{' '.join(map(str, numbers))}")
    lines.append("")
    for short, name in load("abbreviations.yaml").items():
        lines.append(f"{short}\t{names[name_key(name)][0]}")
    lines += [f"{draft.code}\t{number}" for number, draft in enumerate(kept) if draft.code]
    data = gzip.compress("\n".join(lines).encode(), 9, mtime=0)
    path.write_bytes(data)
    return Written(len(kept), len(keys), len(data))


def _index(drafts: list[Draft]) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    names: defaultdict[str, list[int]] = defaultdict(list)
    adjectives: defaultdict[str, list[int]] = defaultdict(list)
    for number, draft in enumerate(drafts):
        for key in {name_key(name) for name in draft.names}:
            if key and key.count(" ") < _LONGEST_NAME and not _known(draft, names[key], drafts):
                names[key].append(number)
        for key in {name_key(name) for name in draft.adjectives | draft.small_adjectives}:
            adjectives[key].append(number)
    for number, draft in enumerate(drafts):
        for key in {name_key(name) for name in draft.weak_names}:
            if not names[key] and key not in adjectives:
                names[key].append(number)
    return {key: found for key, found in names.items() if found}, dict(adjectives)


def _known(draft: Draft, numbers: list[int], drafts: list[Draft]) -> bool:
    return any(iou(draft.bbox, drafts[number].bbox) >= _SAME_PLACE_IOU for number in numbers)


def _place_line(draft: Draft) -> str:
    box = " ".join(f"{number:.3f}".rstrip("0").rstrip(".") for number in draft.bbox.as_list())
    estimated = "1" if draft.estimated else ""
    return "\t".join((draft.name, draft.kind, box, draft.country, f"{draft.importance:.3f}", estimated, draft.source))
