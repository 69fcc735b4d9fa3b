"""Links of the texts that are no pages of the site, to files and headings of the repository, all lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.scripts.traces import files

ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = ("helm", "samples", "web", "sonde_client", "lab", "integrations", "encoders", "results")
TEXTS = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(page for folder in _FOLDERS for page in (ROOT / folder).rglob("*.md")))
    if "node_modules" not in page.parts
)
_CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]+`", re.M | re.S)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)|(?:src|href)=\"([^\"]+)\"")


def _anchors(text: str) -> set[str]:
    """Of all headings, as GitHub and as the site make them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", _CODE.sub(lambda code: code[0].strip("`"), text), re.M):
        plain = re.sub(r"[^\w\s-]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)).strip().lower()
        found |= {plain.replace(" ", "-"), re.sub(r"[-\s]+", "-", plain)}
    return found


def dead_links(page: Path, text: str) -> list[str]:
    links = [first or second for first, second in _LINK.findall(_CODE.sub("", text))]
    dead = []
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        headings = _anchors(target.read_text("utf-8")) if target.suffix == ".md" and target.exists() else {anchor}
        if not target.exists() or (anchor and anchor not in headings):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    assert dead_links(page, page.read_text("utf-8")) == []


def test_a_dead_link_is_found() -> None:
    text = (
        "# Start\n[a](nowhere.md), [b](#start), [c](#end), [d](docs/index.md#no-such) `[e](x.md)` [f](https://x.org)\n"
    )
    assert dead_links(ROOT / "OTHER.md", text.replace("[b](#start), ", "").replace("[c](#end), ", "")) == [
        "nowhere.md",
        "docs/index.md#no-such",
    ]
    assert _anchors("# Start it\n## `sonde up`: what, it is\n") >= {"start-it", "sonde-up-what-it-is"}


_NAMED = re.compile(r"(?<![\w/])docs/(?:[\w-]+/)*[\w.-]+\.(?:md|svg|png|ipynb|txt)\b|(?<![\w/])docs/adr/\d{4}\b")


def test_pages_that_code_and_messages_name_are_there() -> None:
    """In comments, docstrings and messages of the product, and in the chart."""
    gone = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files()
        if not {"tests", "scripts"} & set(path.parts) and path.suffix != ".md"
        for name in _NAMED.findall(path.read_text("utf-8"))
        if not list(ROOT.glob(f"{name}*" if "/adr/" in name else name))
    ]
    assert gone == []
