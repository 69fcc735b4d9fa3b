"""Climate-FEVER: claims about the climate, searched in all distinct evidence sentences from Wikipedia.

A sentence is relevant (grade 1) if it supports or refutes the claim; claims without one are left out. A sentence is
searched alone, without its article's name.
"""

from __future__ import annotations

import json
from pathlib import Path

from core.json_types import Json
from evaluation.collection import Collection, Question, checked
from evaluation.collections.beir import text_record

NAME = "climate_fever"

_RELEVANT = ("SUPPORTS", "REFUTES")


def load(data: Path) -> Collection:
    """From ``judged/climate_fever`` under ``data``; ids of sentences have ``_`` for white space."""
    path = data / "judged" / "climate_fever" / "climate-fever.jsonl"
    with path.open(encoding="utf-8") as file:
        claims: list[Json] = [json.loads(line) for line in file]
    sentences = {_id(one): one["evidence"] for claim in claims for one in claim["evidences"]}
    records = {name: text_record(name, "", text) for name, text in sentences.items()}
    qrels = {
        claim["claim_id"]: {_id(one): 1 for one in claim["evidences"] if one["evidence_label"] in _RELEVANT}
        for claim in claims
    }
    return checked(
        Collection(
            name=NAME,
            records=tuple(records.values()),
            questions=tuple(Question(claim["claim_id"], claim["claim"]) for claim in claims),
            qrels={claim: grades for claim, grades in qrels.items() if grades},
            documents={record.id: name for name, record in records.items()},
        )
    )


def _id(evidence: Json) -> str:
    return "_".join(evidence["evidence_id"].split())
