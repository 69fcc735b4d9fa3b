"""One name has one meaning: no two public classes of the product have the same name.

The client and the integrations are distributions of their own, whose names are those that their users write.
"""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OF_THEIR_OWN = {"sonde_client"}

PENDING = frozenset(
    [
        "Sent",
        "UnreadInRun",
        "Answer",
        "Arm",
        "Asked",
        "Asking",
        "Batch",
        "Block",
        "Bm25",
        "Candidate",
        "Citation",
        "Collection",
        "Comparison",
        "Decision",
        "Document",
        "Draft",
        "Drawn",
        "EmbedderSettings",
        "Entry",
        "Evaluation",
        "Evidence",
        "Finding",
        "Fitted",
        "Form",
        "Found",
        "HeldOut",
        "Judgement",
        "LateInteraction",
        "Limits",
        "LinkPath",
        "Listed",
        "Listing",
        "Measured",
        "Moment",
        "Named",
        "Names",
        "OaiError",
        "Operation",
        "Ordered",
        "Outside",
        "Page",
        "Parsed",
        "Parted",
        "Parts",
        "Place",
        "PlaceNames",
        "Problem",
        "Question",
        "Read",
        "Readiness",
        "Refused",
        "Resolution",
        "Round",
        "Rows",
        "Rule",
        "Said",
        "Sentence",
        "Serving",
        "Teacher",
        "Tokens",
        "Told",
        "Turn",
        "Unit",
        "Used",
        "Where",
        "Window",
        "Word",
        "Written",
    ],
)
"""Names that still have several meanings; each that gets one leaves the list."""


def _classes() -> dict[str, list[str]]:
    """The files that define a public class at their top level, by its name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = set(project["tool"]["importlinter"]["root_packages"]) - OF_THEIR_OWN
    classes = defaultdict(list)
    for file in (file for package in sorted(packages) for file in sorted((ROOT / package).rglob("*.py"))):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(str(file.relative_to(ROOT)))
    return classes


def test_no_two_public_classes_have_one_name() -> None:
    ambiguous = {name: files for name, files in _classes().items() if len(files) > 1}
    assert {name: files for name, files in ambiguous.items() if name not in PENDING} == {}
