"""Words and lengths of sentences of the guides, by page: ``python docs/scripts/words.py [PAGE ...]``.

A page's words are its headings, sentences, lists and tables. Blocks of code and comments do not count, nor does what a
command generates: between ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``, or in the marks of a table of results.
An address or a piece of code is one word.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

BUDGETS: Mapping[str, int] = {
    "README.md": 600,
    "docs/index.md": 400,
    "docs/start/first-search.md": 600,
    "docs/start/glossary.md": 800,
    "docs/tutorials/": 2500,
    "docs/portals/search-api.md": 1800,
    "docs/portals/listing-and-stac.md": 900,
    "docs/portals/embed-and-theme.md": 900,
    "docs/portals/standards.md": 1500,
    "docs/portals/clients.md": 900,
    "docs/portals/agents.md": 500,
    "docs/portals/ckan.md": 220,
    "docs/stewards/sources-and-schedules.md": 1500,
    "docs/stewards/reports-and-problems.md": 900,
    "docs/stewards/formats.md": 1500,
    "docs/stewards/desk.md": 1500,
    "docs/stewards/documents.md": 600,
    "docs/operators/requirements.md": 600,
    "docs/operators/one-machine.md": 600,
    "docs/operators/docker.md": 500,
    "docs/operators/kubernetes.md": 1300,
    "docs/operators/upgrade.md": 1000,
    "docs/operators/backup.md": 600,
    "docs/operators/monitoring.md": 900,
    "docs/operators/security.md": 1450,
    "docs/operators/secrets.md": 600,
    "docs/operators/troubleshooting.md": 870,
    "docs/operators/settings.md": 400,
    "docs/quality/ranking.md": 1200,
    "docs/quality/figures.md": 600,
    "docs/quality/limits.md": 700,
    "docs/extending/index.md": 1800,
    "docs/extending/training.md": 1200,
    "docs/comparison.md": 600,
    "docs/roadmap.md": 400,
}
"""The most words of a page; a name with a slash at its end is all pages of a folder together."""

ALL_WORDS = 30_000
MEAN_WORDS = 15.0
LONGEST = 30
_SHORTEST = 3  # fewer words are a label, not a sentence

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
_GENERATED = re.compile(
    r"<!-- ([a-z -]+): begin -->.*?<!-- \1: end -->|<!-- results: [^>]*-->.*?<!-- end of results -->", re.S
)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_CODE = re.compile(r"^ *(```+|~~~+)[^\n]*\n.*?^ *\1 *$", re.M | re.S)
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])")
_ITEM = re.compile(r"^ *(?:[-*+]|\d+\.) +", re.M)
_BOLD_HEAD = re.compile(r"(?:\A|\n\n)\*\*([^*\n]+?)(?:[.:]\*\*|\*\*:)\s")
_RULE = re.compile(r"^ *\|?[ :|-]+\|? *$")
_END = re.compile(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(*]*[A-Z0-9`§])")
_ABBREVIATED = re.compile(r"\b(e\.g|i\.e|etc|vs|no|cf|al)\.$", re.I)


@dataclass(frozen=True)
class Page:
    """What a page says: the texts of its headings, of its paragraphs and list items, and of its table cells.

    ``bold_heads``: bold words before a paragraph that are a heading in all but its anchor.
    """

    headings: tuple[str, ...]
    prose: tuple[str, ...]
    cells: tuple[str, ...]
    bold_heads: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        return sum(len(words(text)) for text in (*self.headings, *self.prose, *self.cells))

    @property
    def sentences(self) -> list[str]:
        return [sentence for text in self.prose for sentence in _sentences(text)]

    @property
    def mean(self) -> float:
        """Words of a sentence in the mean, tables and headings apart."""
        counts = [len(words(sentence)) for sentence in self.sentences]
        return sum(counts) / len(counts) if counts else 0.0

    @property
    def long_sentences(self) -> list[str]:
        """Long sentences, those of table cells included."""
        sentences = (*self.sentences, *(sentence for text in self.cells for sentence in _sentences(text)))
        return [sentence for sentence in sentences if len(words(sentence)) > LONGEST]


def words(text: str) -> list[str]:
    """A piece of code or an address is one word; signs alone are none."""
    text = re.sub(r"`+[^`]+`+|<?https?://\S+", " code ", text)
    return [word for word in text.split() if re.search(r"\w", word)]


def _sentences(text: str) -> Iterator[str]:
    sentence = ""
    for part in _END.split(text):
        sentence = f"{sentence} {part}".strip()
        if _ABBREVIATED.search(sentence):
            continue
        if len(words(sentence)) >= _SHORTEST:
            yield sentence
        sentence = ""


def without_code(text: str) -> str:
    """The page's own text: front matter, generated parts, comments and blocks of code are taken out."""
    text = _FRONT_MATTER.sub("", text)
    for pattern in (_GENERATED, _COMMENT, _CODE):
        text = pattern.sub("", text)
    return _LINK.sub(r"\1", _PICTURE.sub(r"\1", text))


def read_page(text: str) -> Page:
    headings: list[str] = []
    prose: list[str] = []
    cells: list[str] = []
    for block in re.split(r"\n\s*\n", without_code(text)):
        lines = block.strip("\n").splitlines()
        headings += [line.lstrip("# ") for line in lines if line.startswith("#")]
        rows = [line for line in lines if line.lstrip().startswith("|")]
        cells += [cell.strip() for row in rows if not _RULE.match(row) for cell in row.split("|") if cell.strip()]
        prose_lines = [line for line in lines if not line.startswith("#") and not line.lstrip().startswith("|")]
        prose += [" ".join(item.split()) for item in _ITEM.split("\n".join(prose_lines)) if item.strip()]
    bold = tuple(_BOLD_HEAD.findall(without_code(text)))
    return Page(tuple(headings), tuple(prose), tuple(cells), bold)


def guides() -> list[Path]:
    """README and all pages of the site; not the decision records."""
    pages = (page for page in sorted(DOCS.rglob("*.md")) if DOCS / "adr" not in page.parents)
    return [ROOT / "README.md", *pages]


def name_of(page: Path) -> str:
    """The page's path in its checkout."""
    page = page.resolve()
    root = next((folder for folder in page.parents if (folder / "mkdocs.yml").is_file()), ROOT)
    return page.relative_to(root).as_posix()


def budget_of(name: str) -> tuple[str, int] | None:
    """The entry of ``BUDGETS`` for the page."""
    return next(((key, limit) for key, limit in BUDGETS.items() if name == key or f"{Path(name).parent}/" == key), None)


def faults(pages: Mapping[str, Page]) -> list[str]:
    """What is too long, as sentences for the author."""
    messages: list[str] = []
    for key, limit in BUDGETS.items():
        word_count = sum(page.words for name, page in pages.items() if (budget_of(name) or ("", 0))[0] == key)
        if word_count > limit:
            messages.append(f"{key}: {word_count} words, at most {limit}")
    messages += [f"{name}: no budget; add one to docs/scripts/words.py" for name in pages if budget_of(name) is None]
    for name, page in pages.items():
        if page.mean > MEAN_WORDS:
            messages.append(f"{name}: {page.mean:.1f} words a sentence, at most {MEAN_WORDS:.0f}")
        messages += [f"{name}: {len(words(sentence))} words: {sentence}" for sentence in page.long_sentences]
        messages += [f"{name}: a bold head, which has no anchor: {sentence}" for sentence in page.bold_heads]
    if (total := sum(page.words for page in pages.values())) > ALL_WORDS:
        messages.append(f"all pages: {total} words, at most {ALL_WORDS}")
    return messages


def main(arguments: Iterable[str]) -> int:
    paths = [Path(argument) for argument in arguments] or guides()
    pages = {name_of(path): read_page(path.read_text("utf-8")) for path in paths}
    print(f"{'page':44}{'words':>7}{'most':>7}{'sentences':>11}{'mean':>7}{'longest':>9}")
    for name, page in pages.items():
        budget = budget_of(name)
        budget_text = "" if budget is None else f"{budget[1]}{'*' if budget[0].endswith('/') else ''}"
        longest = max((len(words(sentence)) for sentence in page.sentences), default=0)
        print(f"{name:44}{page.words:7}{budget_text:>7}{len(page.sentences):11}{page.mean:7.1f}{longest:9}")
    print(f"{'all':44}{sum(page.words for page in pages.values()):7}{ALL_WORDS:7}    (*: the folder together)")
    messages = faults(pages)
    print("", *messages, sep="\n")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
