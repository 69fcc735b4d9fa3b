"""Finds phrases of no use to readers in texts that readers see: ``python docs/scripts/traces.py [FILE ...]``.

Dates of measurements, papers by number, folders and machines that only their author had, names of present work, and
figures in another form than Sonde's. Without arguments it reads guides, decisions, the product's code and its tests.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Kind(Enum):
    """The readers of a file; each kind also has the patterns of the kinds after it."""

    GUIDE = "guide"
    PRODUCT = "product"
    TEST = "test"


_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_IN_GUIDES: Mapping[str, str] = {
    "a date of a measurement": r"\b202[5-9]-\d\d-\d\d\b",
    "a target as what was asked": r"\| *asked *\|[^\n]*\b(?:now|measured) *\||[(,] ?asked(?::| for)? ?<?\d|\basked: ",
    "whether a target was reached": r"\bnot \**reached\**(?=\s*(?:[.,;:|)]|$))|\*\*(?:not )?reached",
    "likewise": r"\blikewise\b",
    "a figure without a zero before its point": r"(?<![\w.*/\]-])\.\d+\b(?!\.)",
    "a diary": r"\bSince then\b|\bHow it got there\b|\bthat (?:day|evening|night)\b",
}
_IN_PRODUCT: Mapping[str, str] = {
    "a date of a measurement": rf"\b\d{{1,2}} (?:{_MONTHS}) 202[5-9]\b",
    "the folder beside the checkout": r"\.\./shared\b",
    "a commit": r"\bcommit `?[0-9a-f]{7,40}\b|\bat [0-9a-f]{8}\b",
}
_EVERYWHERE: Mapping[str, str] = {
    "a paper by a number": r"\b[Pp]apers?(?:'s)? `?00[0-9]\b|\bPapers? [01]\b",
    "an issue by its number": r"\b[Ii]ssues? #?\d+\b",
    "a list of findings": r"\bfindings[-/]\d*\w|\b[Ff]inding \d+\b",
    "a machine that somebody lent": r"\blent\b[^.]{0,20}\b(?:GPU|card|machine)|\bNVIDIA H\d00\b|\bH[12]00\b",
    "work of others": r"\b(?:engineers'|other people's) work\b|\bnight's machine\b|\bmachine that tests Sonde\b",
    "a session": r"\b(?:this|another|helper|that) session of\b|\bthis session's\b|\bhelper session\b",
    "a registry that is not reached": r"\bregistr(?:y|ies)\b[^.|]{0,40}\b(?:not reached|refus(?:es|ed)|unreachable)\b",
}
_PATTERNS: Mapping[Kind, Mapping[str, re.Pattern[str]]] = {
    Kind.TEST: {fault: re.compile(pattern) for fault, pattern in _EVERYWHERE.items()},
    Kind.PRODUCT: {name: re.compile(pattern) for name, pattern in {**_EVERYWHERE, **_IN_PRODUCT}.items()},
}
_PROSE = {fault: re.compile(pattern) for fault, pattern in _IN_GUIDES.items()}
_CODE = re.compile(r"^ *(```+|~~~+)[^\n]*\n.*?^ *\1 *$|<!--.*?-->|`[^`\n]+`|\]\([^)]*\)", re.M | re.S)

_TEXTS = (
    "README.md",
    "CONTRIBUTING.md",
    "CODE_OF_CONDUCT.md",
    "GOVERNANCE.md",
    "SECURITY.md",
    "samples/README.md",
    "web/README.md",
)
_PACKAGES = (
    "core", "es_gateway", "es_mappings", "encoders", "net", "reading", "indexer", "workers", "search_api", "evaluation",
    "training", "local_stack", "sonde", "sonde_client", "lab", "integrations", "helm", "web/src", "docs/scripts",
)  # fmt: skip
_SINGLE = (
    "Makefile", "Dockerfile", "compose.yaml", "compose-secrets.sh", "mkdocs.yml", "pyproject.toml", "server.json",
    "sources.yaml",
)  # fmt: skip
_SUFFIXES = {".py", ".pyi", ".sh", ".yaml", ".yml", ".tpl", ".txt", ".toml", ".ts", ".css", ".html", ".md"}
_ITSELF = ("docs/scripts/traces.py", "tests/unit/test_docs_traces.py")
_NOT_OURS = {"node_modules", "made", "__pycache__", "bundle"}


def kind_of(path: Path) -> Kind:
    name = _name_of(path)
    if name.startswith("tests/"):
        return Kind.TEST
    return Kind.GUIDE if name.endswith(".md") else Kind.PRODUCT


def files() -> Iterator[Path]:
    """All files that the script reads without arguments."""
    yield from (ROOT / name for name in (*_TEXTS, *_SINGLE) if (ROOT / name).is_file())
    yield from sorted((ROOT / "docs").rglob("*.md"))
    for folder in (*_PACKAGES, "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            is_card = path.name == "card.json"
            if (path.suffix in _SUFFIXES or is_card) and path.is_file() and not _NOT_OURS & set(path.parts):
                yield path


def traces(text: str, kind: Kind) -> Iterator[tuple[int, str, str]]:
    """Line, kind of fault, and the words; in the order of the text within each pattern."""
    patterns = _PATTERNS[Kind.TEST if kind is Kind.TEST else Kind.PRODUCT]
    for fault, pattern in patterns.items():
        yield from ((text.count("\n", 0, match.start()) + 1, fault, match[0]) for match in pattern.finditer(text))
    if kind is Kind.GUIDE:
        prose = _CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
        for fault, pattern in _PROSE.items():
            yield from ((prose.count("\n", 0, match.start()) + 1, fault, match[0]) for match in pattern.finditer(prose))


def faults(paths: Iterable[Path]) -> list[str]:
    """File, line, kind of fault, and the words."""
    messages: list[str] = []
    for path in paths:
        name = _name_of(path)
        if name not in _ITSELF:
            messages += [
                f"{name}:{line}: {fault}: {' '.join(words.split())}"
                for line, fault, words in sorted(traces(path.read_text("utf-8"), kind_of(path)))
                if not (fault == "a commit" and path.name == "card.md")  # a model card names the commit of its weights
            ]
    return messages


def _name_of(path: Path) -> str:
    path = path.resolve()
    root = next((folder for folder in path.parents if (folder / "mkdocs.yml").is_file()), ROOT)
    return path.relative_to(root).as_posix()


if __name__ == "__main__":
    faults_found = faults([Path(name) for name in sys.argv[1:]] or files())
    print(*faults_found, sep="\n")
    sys.exit(1 if faults_found else 0)
