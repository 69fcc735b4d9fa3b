"""Numbers in the guides that count something of the code: formats, protocols, tools, languages, packages, ports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.scripts.words import budget_of, guides, name_of
from indexer.formats.recognition import FORMATS
from indexer.sources.protocols import PROTOCOLS
from search_api.formats_out.formats import FORMATS as OUTPUT_FORMATS
from search_api.protocols.mcp.server import TOOLS
from sonde.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_NUMBER = rf"(?<!files in )\b(\d+|{'|'.join(_WORDS)}) "
_PAGE_LANGUAGES = re.findall(r'^  (\w+): \{ name: "', (ROOT / "web/src/words/index.ts").read_text("utf-8"), re.M)
PAGES = [page for page in guides() if budget_of(name_of(page)) is not None]
_PACKAGES = re.findall(r"^[\w.-]+==", (ROOT / "requirements.lock").read_text("utf-8"), re.M)

METADATA_FORMATS = len(FORMATS) - 1
"""`data-file` is no metadata: Sonde writes it for the header of a data file."""

COUNTS = {
    r"(?:metadata |input )?formats\b(?! of\b| out\b)": METADATA_FORMATS,
    r"output formats\b": len(OUTPUT_FORMATS),
    r"(?:harvest(?:ing)? )?protocols\b": len(PROTOCOLS),
    r"(?:source types|types of sources?)\b": len(PROTOCOLS),
    r"(?:MCP )?tools\b": len(TOOLS),
    r"languages of the page\b|page languages\b": len(_PAGE_LANGUAGES),
    r"(?:Python packages|wheels)\b": len(_PACKAGES),
}


def wrong_counts(text: str) -> list[str]:
    """Each count that is not the code's, as it is written."""
    found = []
    for kind, right in COUNTS.items():
        for written in re.finditer(_NUMBER + f"(?:{kind})", " ".join(text.split()), re.I):
            number = written[1].lower()
            if (_WORDS.index(number) if number in _WORDS else int(number)) != right:
                found.append(f"{written[0].strip()}: there are {right}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_is_counted_is_there(page: Path) -> None:
    assert wrong_counts(page.read_text("utf-8")) == []


def test_a_wrong_count_would_be_found() -> None:
    assert wrong_counts("Sonde reads three metadata\nformats and 99 protocols.") == [
        f"three metadata formats: there are {METADATA_FORMATS}",
        f"99 protocols: there are {len(PROTOCOLS)}",
    ]
    assert wrong_counts(f"{len(TOOLS)} tools, {len(OUTPUT_FORMATS)} output formats") == []


def _default_ports() -> set[int]:
    """Of all settings, of Compose and of the image."""
    groups = [(group, getattr(Settings(), group)) for group in Settings.model_fields]
    named = {int(value) for _, group in groups for name, value in group if name.endswith("port") and value}
    texts = (ROOT / name for name in ("compose.yaml", "Dockerfile"))
    return named | {int(port) for text in texts for port in re.findall(r"\b(\d{4,5})\b", text.read_text("utf-8"))}


_OF_OTHERS = {11434}  # Ollama, a server of language models


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_addresses_of_this_machine_have_a_default_port_or_one_that_the_page_sets(page: Path) -> None:
    text = page.read_text("utf-8")
    used = {int(port) for port in re.findall(r"\b(?:localhost|127\.0\.0\.1):(\d{4,5})\b", text)}
    chosen = {int(port) for port in re.findall(r"(?:PORT=|--port |-p |http\.server )(\d{4,5})\b", text)}
    assert used - _default_ports() - chosen - _OF_OTHERS == set()
