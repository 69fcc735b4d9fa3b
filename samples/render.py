"""``python -m samples.render`` writes ``records/*.xml`` from the hand-written catalogue."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from samples.entry import HERE, SampleEntry, Registers, load_catalogue, load_registers
from samples.iso_record import Catalogue, metadata

RECORDS = HERE / "records"


def render(entry: SampleEntry, registers: Registers, titles: Catalogue) -> bytes:
    """The ISO 19139 file of one entry, UTF-8, indented."""
    tree = metadata(entry, registers, titles)
    etree.cleanup_namespaces(tree)
    etree.indent(tree)
    return etree.tostring(tree, xml_declaration=True, encoding="UTF-8") + b"\n"


def render_all() -> dict[str, bytes]:
    """File name -> content, for every entry."""
    entries, registers = load_catalogue(), load_registers()
    titles = {entry.id: entry.title for entry in entries}
    return {f"{entry.id}.xml": render(entry, registers, titles) for entry in entries}


def write_all(folder: Path = RECORDS) -> None:
    """Write every file and remove those that no entry gives any more."""
    folder.mkdir(exist_ok=True)
    wanted = render_all()
    for stale in {path.name for path in folder.glob("*.xml")} - wanted.keys():
        (folder / stale).unlink()
    for name, content in wanted.items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    write_all()
