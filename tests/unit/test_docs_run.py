"""Every block of commands in the guides says before it which test runs it, or why none does.

``<!-- run: FILE -->``: the test reads the page and runs the block as it stands. ``<!-- tried: FILE ... -->``: the tests
run the same commands with values of their own. ``<!-- not run: REASON -->``: none does. Browsers do not show the marks.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "adr"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "web" / "README.md",
]
_MARK = r"(?:^ *<!-- (?P<kind>run|tried|not run): (?P<said>.+?) -->\n)?"
_BLOCK = re.compile(_MARK + r"^ *```(?P<language>console|bash|sh|python)\n(?P<text>.*?)^ *```", re.M | re.S)


@dataclass(frozen=True)
class Block:
    page: Path
    line: int
    kind: str | None
    said: str
    text: str
    is_python: bool = False

    @property
    def commands(self) -> tuple[str, ...]:
        """What a reader types: continued lines joined, comments cut off."""
        lines = re.sub(r"\s+#\s.*$", "", re.sub(r"\\\n\s*", " ", self.text), flags=re.M)
        return tuple(one.strip() for one in re.split(r"^ *\$ ", lines, flags=re.M)[1:])


def blocks(page: Path, text: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(text):
        line, is_python = text.count("\n", 0, found.start()) + 1, found["language"] == "python"
        yield Block(page, line, found["kind"], found["said"] or "", found["text"], is_python)


def fault(block: Block) -> str | None:
    """What is wrong with the mark, as a sentence."""
    if block.kind is None:
        return "no mark says which test runs this block"
    if block.kind == "not run":
        return None if len(block.said.split()) > 2 else "the reason is too short"
    files = block.said.split()
    if missing := [name for name in files if not (ROOT / name).is_file()]:
        return f"there is no {missing[0]}"
    texts = "".join((ROOT / name).read_text("utf-8") for name in files)
    if block.kind == "run":
        return None if block.page.name in texts else f"{files[0]} does not read this page"
    return next((f"{block.said} does not try: {one}" for one in block.commands if not _tried(one, texts)), None)


def _tried(command: str, texts: str) -> bool:
    """Whether the text of the tests has the command's words or its address, each as a value of its own."""
    if address := re.search(r"(?:localhost:8080|\$S)/([a-z]+(?:/[a-z]+)?)", command):
        return re.search(rf"[\"'/]{address[1]}\b", texts) is not None
    words = command.partition("sonde ")[2].split()[:2] if "sonde " in command else []
    if words:
        return all(
            f'"{word}"' in texts or f'"{word} ' in texts or f" {word}" in texts for word in words if word.isalpha()
        )
    return command.startswith("export ") or shlex.split(command.rpartition("&& ")[2])[0] in texts


_ALL = [block for page in PAGES for block in blocks(page, page.read_text("utf-8")) if not block.is_python]


@pytest.mark.parametrize("page", sorted({block.page for block in _ALL}), ids=lambda page: page.stem)
def test_each_block_says_what_runs_it(page: Path) -> None:
    here = [block for block in _ALL if block.page == page]
    assert [f"{page.name}:{block.line}: {why}" for block in here if (why := fault(block))] == []


def test_most_blocks_of_the_service_s_own_commands_are_run() -> None:
    own = [block for block in _ALL if any(re.search(r"\bsonde |localhost:8080|\$S/", one) for one in block.commands)]
    run = [block for block in own if block.kind in ("run", "tried")]
    assert len(own) > 30
    assert len(run) / len(own) > 0.6


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        ("", "no mark says which test runs this block"),
        ("<!-- not run: later -->\n", "the reason is too short"),
        ("<!-- run: tests/nowhere.py -->\n", "there is no tests/nowhere.py"),
        ("<!-- run: tests/unit/test_geo.py -->\n", "tests/unit/test_geo.py does not read this page"),
        ("<!-- tried: tests/unit/test_geo.py -->\n", "tests/unit/test_geo.py does not try: sonde backup take"),
    ],
)
def test_a_wrong_mark_would_be_found(mark: str, why: str) -> None:
    text = f"{mark}```console\n$ sonde backup take    # now\n```\n"
    (block,) = blocks(ROOT / "docs" / "operators" / "backup.md", text)
    assert fault(block) == why
