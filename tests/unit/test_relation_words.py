"""Each relation of a record has a heading in words on its page."""

from __future__ import annotations

import json
from pathlib import Path

from search_api.catalogue.related.relations import RELATIONS

WORDS = Path(__file__).parents[2] / "web" / "src" / "words"


def test_each_relation_has_a_heading_in_each_language() -> None:
    for file in sorted(WORDS.glob("*.json")):
        titles = json.loads(file.read_text("utf-8"))["kin"]["titles"]
        assert [name for name in RELATIONS if not titles.get(name)] == [], file.name
