"""Records for the servers: the samples, and as many copies under other identifiers as a test wants."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

_SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "records"
_IDENTIFIER = "{http://www.isotc211.org/2005/gmd}fileIdentifier/{http://www.isotc211.org/2005/gco}CharacterString"


def write_records(folder: Path, number: int) -> list[str]:
    """``number`` valid ISO 19139 files, the samples over and over; the identifiers, sorted."""
    folder.mkdir(parents=True, exist_ok=True)
    files = sorted(_SAMPLES.glob("*.xml"))
    identifiers = []
    for index in range(number):
        tree = etree.parse(str(files[index % len(files)]))
        element = tree.find(_IDENTIFIER)
        assert element is not None
        element.text = f"{element.text}-{index:05d}"
        identifiers.append(element.text)
        tree.write(str(folder / f"{index:05d}.xml"), encoding="UTF-8", xml_declaration=True)
    return sorted(identifiers)
