"""A screen reader has something to say of each part of a search."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.transcript import ROOT, course, reader_script


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    folder = tmp_path_factory.mktemp("reader")
    for name in ("package.json", "package-lock.json", ".npmrc", "reader.mjs"):
        shutil.copy(ROOT / "web" / name, folder)
    subprocess.run([npm, "ci", "--ignore-scripts", "--silent"], cwd=folder, check=True, timeout=240)
    return reader_script(folder, folder)


def test_what_can_be_used_has_a_name_and_what_was_found_is_said(browser: Browser, address: str, script: Path) -> None:
    parts = course(browser, address, script).split("# ")[1:]
    assert [part.splitlines()[0] for part in parts] == [
        "The start page",
        "The answer to: rainfall in southern Africa since 1990",
        "The first record",
    ]
    lines = [line for part in parts for line in part.splitlines()]
    assert {"button", "link", "combobox", "checkbox", "image", "graphics-document"} & set(lines) == set()
    answer = parts[1].splitlines()
    told = answer.index("status", answer.index("main"))
    assert answer[told + 1].partition(" ")[2].startswith("records")
    whole = len(answer) - 3  # the transcript may end within a hit
    hits = [at for at, line in enumerate(answer) if line == "article" and at < whole]
    assert len(hits) > 2
    for at in hits:
        assert answer[at + 1].startswith("heading, ")
        assert answer[at + 1].endswith(", level 2")
        assert answer[at + 2].startswith("link, ")
