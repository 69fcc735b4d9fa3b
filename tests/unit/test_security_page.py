"""Every test that the threat table of docs/security.md names is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
THREATS = [line for line in PAGE.partition("## Threats")[2].splitlines() if line.startswith("| ")][1:]


def test_every_threat_has_a_test_and_every_test_is_there() -> None:
    assert len(THREATS) >= 20
    for threat in THREATS:
        named = re.findall(r"`(tests/[a-z0-9_/]+\.py)::(test_\w+)`", threat)
        assert named, f"no test stands beside: {threat[:60]}"
        for file, name in named:
            assert re.search(rf"^def {name}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE), f"{file}::{name}"
