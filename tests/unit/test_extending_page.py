"""The guide for extensions as a new engineer uses it: the lists that it names exist, its modules pass `make check`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending" / "index.md").read_text("utf-8")
NAMED = re.findall(r"In `([\w/]+\.(?:py|ts))`,.* to `(\w+)`", PAGE)
MODULES = re.findall(r"^```python\n(# ([\w/]+\.py)\n.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_list_is_in_the_file(file: str, name: str) -> None:
    assert re.search(rf"\b{name}\b.* = [{{(\[]", (ROOT / file).read_text("utf-8"))


def test_each_extension_names_its_list() -> None:
    assert len(NAMED) == 7


@pytest.mark.parametrize(("text", "file"), MODULES, ids=[file for _, file in MODULES])
def test_the_module_passes_the_checks_of_style(text: str, file: str) -> None:
    ruff = [sys.executable, "-m", "ruff", "check", "--stdin-filename", file, "-"]
    done = subprocess.run(ruff, cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
