"""The guides as a site: every page is in its menu, every link and anchor leads somewhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
_SECONDS = 60  # the most that a build may take


def _build(checkout: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """By the arguments of `make docs`, so that a flag there that hides warnings fails here."""
    recipe = subprocess.run(["make", "--dry-run", "docs"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    arguments = shlex.split(re.sub(r"\\\n", " ", recipe).partition(" mkdocs ")[2].splitlines()[0])
    command = [sys.executable, "-m", "mkdocs", *arguments, "--site-dir", str(site)]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False, timeout=_SECONDS)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = _build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_start_page_has_the_version_and_a_picture(site: Path) -> None:
    start = (site / "index.html").read_text("utf-8")
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] in start
    pictures = [name for name in re.findall(r'<img [^>]*src="([^"]+)"', start) if not name.startswith("data:")]
    assert [name for name in pictures if (site / name).is_file()], "no picture"


def test_the_search_leaves_out_the_decisions(site: Path) -> None:
    found = {one["location"] for one in json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]}
    assert "index.html" in found
    assert (site / "adr" / "0001-the-house.html").is_file()
    assert [location for location in found if location.startswith("adr/")] == []


def test_a_command_can_be_copied_without_its_prompt(site: Path) -> None:
    """The prompt is an element of its own, which site.css takes out of what is copied."""
    start = (site / "start" / "first-search.html").read_text("utf-8")
    assert re.search(r'<div class="language-console highlight">.*?<span class="gp">\$ ?</span>', start, re.S)
    assert "scripts/site.css" in start


def test_no_script_of_ours_is_published(site: Path) -> None:
    assert list(site.rglob("*.py")) == []


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ("[gone](nowhere.md)", "nowhere.md"),
        ("[gone](index.md#no-such-heading)", "#no-such-heading"),
        ("![gone](pictures/nothing.png)", "pictures/nothing.png"),
        ("[outside](../NOWHERE.md)", "../NOWHERE.md"),
    ],
)
def test_a_dead_link_ends_the_build(tmp_path: Path, planted: str, said: str) -> None:
    index = _small(tmp_path)
    index.write_text(f"# Start\n\n{planted}\n", "utf-8")
    done = _build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    assert f"{said}'" in done.stderr


def test_a_link_to_a_file_that_is_no_page_names_the_file(tmp_path: Path) -> None:
    index = _small(tmp_path)
    index.write_text("# Start\n\nSee [the project](../pyproject.toml).\n", "utf-8")
    done = _build(tmp_path, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    assert "See the project (<code>pyproject.toml</code>)." in (tmp_path / "site" / "index.html").read_text("utf-8")
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text('[project]\nversion = "1"\nurls = {Repository = "https://example.org/sonde"}\n', "utf-8")
    assert _build(tmp_path, tmp_path / "site").returncode == 0
    start = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert '<a href="https://example.org/sonde/blob/main/pyproject.toml">the project</a>' in start


def _small(folder: Path) -> Path:
    """A site of one page with the configuration of the whole one; the page."""
    (folder / "docs").mkdir()
    shutil.copytree(ROOT / "docs" / "scripts", folder / "docs" / "scripts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    (folder / "mkdocs.yml").write_text(text[: text.index("\nnav:\n")] + "\nnav: [index.md]\n", "utf-8")
    return folder / "docs" / "index.md"


def _menu(entries: list[object]) -> list[str]:
    """The pages of the menu, in its order."""
    pages: list[str] = []
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else (entry,):
            pages += _menu(value) if isinstance(value, list) else [str(value)]
    return pages


def test_every_page_is_once_in_the_menu() -> None:
    menu = _menu(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    docs = ROOT / "docs"
    pages = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md") if docs / "adr" not in page.parents}
    assert sorted(menu) == sorted(pages)
