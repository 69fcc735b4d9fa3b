"""Every command that the guides name is one that exists: `sonde`, `make` and `python -m`, with options and choices.

The decision records and the changelog tell of their own time and are left out.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest

from sonde.cli import cli

ROOT = Path(__file__).resolve().parents[2]
_GUIDES = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "adr"]
PAGES = [
    *sorted(_GUIDES),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "helm/sonde/README.md", "web/README.md")),
]
_BLOCK = re.compile(r"^ *```(?:console|bash|sh)\n(.*?)^ *```", re.M | re.S)
_INLINE = re.compile(r"`((?:\S*/)?(?:sonde|make|python -m) [^`]+)`")
_PROMPT = re.compile(r"^ *\$ (.*)$", re.M)
_SONDE = re.compile(r"(?:^|[\s(/])sonde ((?!->)[a-z-]+(?:[^;&|\n]|\|(?=[A-Z]))*)")
_PLACEHOLDER = re.compile(r"^[A-Z_|.]+$|^\.\.\.$")


def _texts(page: Path) -> Iterator[str]:
    """Each command line of the page, continued lines joined, comments cut off; then what its sentences name."""
    text = page.read_text("utf-8")
    for block in _BLOCK.findall(text):
        for line in _PROMPT.findall(re.sub(r"\\\n\s*", " ", block)):
            yield re.sub(r"\s#\s.*$", "", line)
    for named in _INLINE.findall(_BLOCK.sub("", text)):
        yield " ".join(named.replace("[", " ").replace("]", " ").split())


def _commands(page: Path) -> list[str]:
    """What stands behind the word `sonde`; not where it is a name of a release, a chart or a folder."""
    lines = [line for line in _texts(page) if "helm " not in line.partition("sonde ")[0]]
    found = [one.strip() for line in lines for one in _SONDE.findall(line)]
    return [one.removesuffix("'") if one.count("'") % 2 else one for one in found]  # the last word of `sh -c '...'`


def _resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command and what is left. Raises LookupError for a word that is no command of its group."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        if _PLACEHOLDER.match(words[0]):
            break
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            raise LookupError(f"{command.name} has no command {words[0]!r}")
        command, words = found, words[1:]
    return command, words


def _wrong(line: str) -> str | None:
    """What the command line does not know, as a sentence."""
    try:
        command, rest = _resolved(shlex.split(line))
    except (LookupError, ValueError) as error:
        return str(error)
    given_by = (one for one in command.params if isinstance(one, click.Option))
    options = {name: one for one in given_by for name in (*one.opts, *one.secondary_opts)}
    for word, after in pairwise([*rest, ""]):
        name, _, value = word.partition("=")
        if not name.startswith("--") or name == "--help":
            continue
        if name not in options:
            return f"{command.name} has no option {name}"
        kind, given = options[name].type, value or after
        if isinstance(kind, click.Choice) and not _PLACEHOLDER.match(given) and given not in kind.choices:
            return f"{command.name} {name} does not take {given!r}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sonde_knows_every_command_of_the_page(page: Path) -> None:
    assert [f"sonde {line}: {why}" for line in _commands(page) if (why := _wrong(line))] == []


def test_the_pages_name_most_of_the_commands() -> None:
    """So that a change of the pages' form does not leave this test without anything to read."""
    named = {line.split()[0] for page in PAGES for line in _commands(page)}
    assert len(named) > 20
    assert {"backup", "reindex", "harvest", "evaluate", "chaos"} <= named


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("reindex --roll-back", "reindex has no option --roll-back"),
        ("keys ad --subject x", "keys has no command 'ad'"),
        ("evaluate --half tset", "evaluate --half does not take 'tset'"),
    ],
)
def test_a_stale_command_would_be_found(line: str, why: str) -> None:
    assert _wrong(line) == why


def _is_target(name: str) -> bool:
    """Whether make knows how to make it; nothing is made."""
    return (
        subprocess.run(["make", "--dry-run", name], cwd=ROOT, capture_output=True, timeout=60, check=False).returncode
        == 0
    )


def test_every_target_of_make_and_every_module_is_there() -> None:
    lines = [line for page in PAGES for line in _texts(page)]
    made = {name for line in lines for name in re.findall(r"(?:^|&& )make ([a-z-]+)", line)}
    assert len(made) > 3
    assert [name for name in sorted(made) if not _is_target(name)] == []
    modules = {name for line in lines for name in re.findall(r"python3? -m ([\w.]+)", line)}
    own = {name for name in modules if (ROOT / name.partition(".")[0]).is_dir() and name.partition(".")[2] != "NAME"}
    assert len(own) > 5
    paths = {name: ROOT / name.replace(".", "/").removesuffix("/NAME") for name in own}
    assert [name for name, path in paths.items() if not (path.with_suffix(".py").is_file() or path.is_dir())] == []


def test_the_map_of_the_code_names_folders_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (block,) = re.findall(r"^```\n(search_api/ .*?)^```", text, re.M | re.S)
    package = ""
    for line in block.splitlines():
        folders = re.findall(r"(?<!\S)([a-z_]+)/(?!\S)", line)
        if not line.startswith(" "):
            package = folders.pop(0)
        assert [folder for folder in folders if not (ROOT / package / folder).is_dir()] == []
