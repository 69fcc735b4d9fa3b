"""Every command of the guides and the results is one that exists: `sonde`, `make` and `python -m`, with their options.

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

from lab.results.tables import load_tables, newest_results
from sonde.cli import cli

ROOT = Path(__file__).resolve().parents[2]
_GUIDES = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "adr"]
PAGES = [
    *sorted(_GUIDES),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "helm/sonde/README.md", "web/README.md")),
]
MEASURED = sorted({row.command for table in load_tables(newest_results()).values() for row in table.rows.values()})
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
    of_modules = [line for line in lines if "python" in line]
    assert len(of_modules) > 5
    assert [f"{line}: {why}" for line in of_modules if (why := _wrong_module(line))] == []


def _wrong_module(line: str) -> str | None:
    """The module of ours that is not there, or the option that its sources do not name. None for modules of others."""
    found = re.search(r"python3? -m ([\w.]+)([^;&|]*)", line)
    if found is None or found[1].endswith("NAME") or not (ROOT / found[1].partition(".")[0]).is_dir():
        return None
    path = ROOT / found[1].replace(".", "/")
    files = sorted(path.glob("*.py")) if (path / "__main__.py").is_file() else [path.with_suffix(".py")]
    if not all(file.is_file() for file in files):
        return f"there is no module {found[1]}"
    sources = "".join(file.read_text("utf-8") for file in files)
    options = re.findall(r"\s(--[a-z-]+)", found[2])
    unknown = [option for option in options if not re.search(rf'["/]{option}["/]', sources)]
    return f"{found[1]} has no option {unknown[0]}" if unknown else None


_MESSAGES = (
    "*.py",
    "*.yaml",
    "*.tpl",
    "*.sh",
    "*.toml",
    "*.ts",
    "*.tsx",
    "web/src/**/*.json",
    ":!search_api/page/bundle",
)


def test_sonde_knows_every_command_of_messages_and_comments() -> None:
    listed = subprocess.run(["git", "ls-files", *_MESSAGES], cwd=ROOT, capture_output=True, text=True, check=True)
    joined = {
        name: re.sub(r'"\s*\n\s*f?"', "", (ROOT / name).read_text("utf-8")) for name in listed.stdout.splitlines()
    }
    named = {(line, name) for name, text in joined.items() for line in re.findall(r"`sonde ([a-z][^`\n]+)`", text)}
    assert len(named) > 50
    plain = [(re.sub(r"\{[^}]*\}", "NAME", line.replace("[", " ").replace("]", " ")), name) for line, name in named]
    assert [f"{name}: {why}" for line, name in plain if (why := _wrong(line))] == []


@pytest.mark.parametrize("command", [one for one in MEASURED if not one.startswith("not a command")])
def test_every_command_of_the_results_is_one_that_exists(command: str) -> None:
    assert [why for line in command.split("; ") if (why := _wrong_measurement(line))] == []


def _wrong_measurement(line: str) -> str | None:
    """Settings and `time` come before the command."""
    line = re.sub(r"^(?:[A-Z_]+=\S+ |time )+", "", line)
    program, _, rest = line.partition(" ")
    if program == "sonde":
        return _wrong(rest)
    if program == "make":
        return None if _is_target(rest) else f"make has no target {rest}"
    path = rest if program == "pytest" else program
    if "/" in path and not (ROOT / path).is_file():
        return f"there is no file {path}"
    return _wrong_module(line)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("SONDE_LOG__LEVEL=ERROR sonde evaluate --hlaf test", "evaluate has no option --hlaf"),
        ("make clutser-check", "make has no target clutser-check"),
        ("pytest tests/unit/test_gone.py", "there is no file tests/unit/test_gone.py"),
        ("lab/load/gone.sh FOLDER", "there is no file lab/load/gone.sh"),
        ("python -m tests.quality.gone FOLDER", "there is no module tests.quality.gone"),
        ("python -m lab.peers --cilents 8", "lab.peers has no option --cilents"),
        ("time python -m lab.peers --clients 8", None),
    ],
)
def test_a_stale_measurement_would_be_found(line: str, why: str | None) -> None:
    assert _wrong_measurement(line) == why


def test_the_map_of_the_code_names_folders_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (block,) = re.findall(r"^```\n(search_api/ .*?)^```", text, re.M | re.S)
    package = ""
    for line in block.splitlines():
        folders = re.findall(r"(?<!\S)([a-z_]+)/(?!\S)", line)
        if not line.startswith(" "):
            package = folders.pop(0)
        assert [folder for folder in folders if not (ROOT / package / folder).is_dir()] == []
