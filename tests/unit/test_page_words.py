"""The words of the page know what the service says: codes of reasons, fields that a record lacks, doubts."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.record import Record, doubts
from core.timespan import TimeSpan
from indexer.formats.iso import structure as iso_structure
from indexer.formats.repair import antimeridian
from indexer.quality.quality import SHORT_ABSTRACT, WEIGHTS

ROOT = Path(__file__).resolve().parents[2]
WORDS = ROOT / "web" / "src" / "words"
OF_PASSAGES = {"relevance"}  # the page does not show why a passage was chosen
CODES_IN = ROOT / "search_api" / "search" / "ranking"
LANGUAGES = re.findall(r'^  (\w+): \{ name: "', (WORDS / "index.ts").read_text("utf-8"), re.MULTILINE)


def words(language: str) -> Any:
    return json.loads((WORDS / f"{language}.json").read_text("utf-8"))


def codes() -> Iterator[str]:
    """The second argument of each ``Reason(...)``."""
    for file in CODES_IN.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason":
                code = node.args[1]
                assert isinstance(code, ast.Constant), ast.unparse(node)
                yield str(code.value)


def test_six_languages_are_listed() -> None:
    assert LANGUAGES == ["en", "de", "fr", "es", "it", "pt"]


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_each_reason_of_the_service_has_a_sentence(language: str) -> None:
    assert set(words(language)["reasons"]) == set(codes()) - OF_PASSAGES


def test_what_a_source_lacks_and_what_was_repaired_is_recognised() -> None:
    known = set(words("en")["findings"].values())
    assert {*WEIGHTS, SHORT_ABSTRACT} <= known
    plain = {antimeridian.SWAPPED_WARNING, antimeridian.ACROSS_WARNING, iso_structure.STRUCTURE_REPAIRED}
    assert plain <= known


def test_each_doubt_has_a_sentence() -> None:
    record = Record("a:b", "a", "b", "B", times=(TimeSpan.from_iso("0042", "4000"),))
    found = [doubt.code for doubt in doubts(record)]
    assert len(found) == 2
    assert set(found) <= set(words("en")["doubts"])
