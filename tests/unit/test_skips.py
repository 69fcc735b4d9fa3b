"""The list of tests that the gate may leave out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.skips import Skip, unlisted

KNOWN = [Skip("tests/unit/test_a.py::*", "*not installed*")]


@pytest.mark.parametrize(
    ("skip", "fails"),
    [
        (Skip("tests/unit/test_a.py::test_one", "pandoc is not installed here"), False),
        (Skip("tests/unit/test_a.py::test_one", "no time"), True),
        (Skip("tests/unit/test_b.py::test_one", "pandoc is not installed here"), True),
    ],
)
def test_a_skip_is_known_by_its_test_and_its_reason(skip: Skip, fails: bool) -> None:
    assert unlisted([skip], KNOWN) == ([skip] if fails else [])


@pytest.mark.parametrize(("gate", "code"), [("true", 1), ("", 0)])
def test_a_skip_that_is_not_listed_fails_the_gate_and_is_told_everywhere(tmp_path: Path, gate: str, code: int) -> None:
    (tmp_path / "test_left_out.py").write_text(
        "import pytest\ndef test_it():\n    pytest.skip('no moon tonight')\ndef test_other():\n    pass\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tests.skips",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(tmp_path),
            str(tmp_path),
        ],
        cwd=Path(__file__).resolve().parents[2],
        env={"CI": gate, "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout
    assert "NOT LISTED in tests/skips.toml: " in done.stdout
    assert "no moon tonight" in done.stdout
