"""The platforms, instruments and operations of ISO 19115-2's acquisition information."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.formats.iso_xml import GMI, Element, objects


@dataclass(frozen=True, slots=True)
class Acquired:
    """The elements in document order; instruments mounted on a platform follow those that stand alone."""

    platforms: tuple[Element, ...]
    instruments: tuple[Element, ...]
    operations: tuple[Element, ...]


def acquired_in(metadata: Element) -> Acquired:
    stated = list(objects(metadata, f"{GMI}acquisitionInformation"))
    platforms = [one for part in stated for one in objects(part, f"{GMI}platform")]
    mounting = [*stated, *platforms]
    return Acquired(
        tuple(platforms),
        tuple(one for part in mounting for one in objects(part, f"{GMI}instrument")),
        tuple(one for part in stated for one in objects(part, f"{GMI}operation")),
    )
