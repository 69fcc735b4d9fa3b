"""The guides are short: a budget of words for each page, and sentences that a reader takes in at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from docs.scripts.words import ALL_WORDS, BUDGETS, ROOT, faults, guides, name_of, read_page


def test_every_page_keeps_its_budget_and_every_sentence_is_short() -> None:
    pages = {name_of(page): read_page(page.read_text("utf-8")) for page in guides()}
    assert [name for name in BUDGETS if not (ROOT / name).exists()] == []
    assert faults(pages) == []


def test_the_budgets_together_are_what_a_reader_has_time_for() -> None:
    assert sum(BUDGETS.values()) < ALL_WORDS * 1.1


_PAGE = """# Two words

One `sonde harvest --full samples` of [a source](x.md). See the table, i.e. this one:

| name | what it is |
|---|---|
| `q` | the question |

```console
$ sonde status    # not counted, however long
```

<!-- rows: begin -->
| not | counted |
<!-- rows: end -->
- A list item.
- Another one
  on two lines.
"""


def test_what_counts() -> None:
    page = read_page(_PAGE)
    assert page.headings == ("Two words",)
    assert page.sentences == [
        "One `sonde harvest --full samples` of a source.",
        "See the table, i.e. this one:",
        "A list item.",
        "Another one on two lines.",
    ]
    assert page.cells == ("name", "what it is", "`q`", "the question")
    assert page.words == 2 + 5 + 6 + 3 + 5 + 1 + 3 + 1 + 2
    assert page.mean == (5 + 6 + 3 + 5) / 4


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("docs/index.md", "word " * 401, "docs/index.md: 401 words, at most 400"),
        ("docs/roadmap.md", "Word " * 31 + "end.", "docs/roadmap.md: 32 words: Word"),
        ("docs/roadmap.md", "| a |\n|---|\n| " + "word " * 31 + "|", "docs/roadmap.md: 31 words: word"),
        ("docs/roadmap.md", ("Word " * 16 + "end. ") * 3, "docs/roadmap.md: 17.0 words a sentence, at most 15"),
        ("docs/roadmap.md", "**Rules.** Keep it short.", "docs/roadmap.md: a bold head, which has no anchor: Rules"),
        ("docs/other.md", "Text.", "docs/other.md: no budget; add one to docs/scripts/words.py"),
    ],
)
def test_what_is_too_long_is_found(name: str, text: str, fault: str) -> None:
    assert [one for one in faults({name: read_page(text)}) if one.startswith(fault)]


def test_a_folder_has_one_budget_for_its_pages() -> None:
    two = {f"docs/tutorials/{name}.md": read_page("word " * 1300) for name in ("portals", "agents")}
    assert "docs/tutorials/: 2600 words, at most 2500" in faults(two)


def test_the_command_counts_the_pages_that_it_is_given() -> None:
    command = [sys.executable, "docs/scripts/words.py", "docs/index.md"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert "docs/index.md" in said
    assert "README.md" not in said
