"""Decision records: a page each, current or superseded by a named one, and in the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "adr"
RECORDS = sorted(FOLDER.glob("0*.md"))
_WORDS = 500  # a page
_STATUS = re.compile(r"^Status: (accepted|superseded by \[(\d{4})\]\(([^)]+)\))", re.M)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_it_is_one_page_with_a_status(record: Path) -> None:
    text = record.read_text("utf-8")
    assert text.startswith(f"# {record.stem[:4]}: ")
    assert "\n## Decision\n" in text
    assert len(text.split()) <= _WORDS
    status = _STATUS.search(text)
    assert status is not None
    assert status[2] is None or (FOLDER / status[3]).is_file()


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_what_it_names_is_there(record: Path) -> None:
    """Files and folders of the code; not of a superseded one."""
    text = record.read_text("utf-8")
    if "Status: superseded" in text:
        return
    named = re.findall(r"`((?:tests|docs|web|[a-z_]+)/[a-z0-9_/.-]*\.(?:py|json|ts|toml|md))`", text)
    assert [name for name in named if not list(ROOT.glob(name)) and not list(ROOT.glob(f"*/{name}"))] == []


def test_the_index_lists_all_with_title_and_status() -> None:
    index = (FOLDER / "README.md").read_text("utf-8")
    for record in RECORDS:
        text = record.read_text("utf-8")
        status = _STATUS.search(text)
        assert status is not None
        said = f"superseded by {status[2]}" if status[2] else "accepted"
        title = text.partition("\n")[0].partition(": ")[2]
        assert f"| [{record.stem[:4]}]({record.name}) | {title} | {said} |\n" in index
