"""A change of a mapping is a new schema, so that an index without it can be told from one that has it."""

from __future__ import annotations

import hashlib
import json

from core.ports import EmbedderCard
from es_mappings import loader
from es_mappings.meta import SCHEMA_VERSION
from es_mappings.names import KINDS

FINGERPRINT = (3, "5909e72a0fa8d265")
"""The schema version and what the mappings of that version hash to."""


def _fingerprint() -> str:
    card = EmbedderCard("any", 8, 256, -1.0)
    mappings = {kind: loader.mapping(kind, card) for kind in KINDS}
    for mapping in mappings.values():
        del mapping["_meta"]
    return hashlib.sha256(json.dumps([mappings, loader.settings()], sort_keys=True).encode()).hexdigest()[:16]


def test_a_changed_mapping_raises_the_schema_version() -> None:
    """Where this fails: raise SCHEMA_VERSION (once a release), say there what is new, and put both values here."""
    assert (SCHEMA_VERSION, _fingerprint()) == FINGERPRINT
