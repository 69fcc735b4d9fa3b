"""The tables that list what can be added say what the lists hold."""

from __future__ import annotations

import pytest

from indexer.formats.recognition import FORMATS
from indexer.sources.protocols import PROTOCOLS
from search_api.formats_out.formats import FORMATS as OUTPUT_FORMATS
from sonde.ops.tables import FILES, ROOT, formats, output_formats, protocols


@pytest.mark.parametrize("name", FILES)
def test_the_file_is_up_to_date(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert text == FILES[name](text), "write it anew: python -m sonde.ops.tables"


def test_an_entry_more_is_a_row_more(monkeypatch: pytest.MonkeyPatch) -> None:
    for known, page, write in (
        (PROTOCOLS, "docs/stewards/sources-and-schedules.md", protocols),
        (FORMATS, "docs/stewards/formats.md", formats),
        (OUTPUT_FORMATS, "docs/portals/standards.md", output_formats),
    ):
        before = (ROOT / page).read_text("utf-8")
        monkeypatch.setitem(known, "one more", next(iter(known.values())))  # type: ignore[arg-type]
        assert len(write(before).splitlines()) > len(before.splitlines())


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="no marks"):
        protocols("# A page\n")
