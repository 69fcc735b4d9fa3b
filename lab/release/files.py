"""The files of a release that two runs make with the same bytes: packages, chart, lists of contents, the news."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import yaml

from core.errors import SondeError

CHECKSUMS = "SHA256SUMS"


def packages(checkout: Path, uv: Path, out: Path) -> list[Path]:
    """Wheels and source packages of the service and of its client.

    The moment of the commit stands in them, not that of the run.
    """
    for old in _packages(out):
        old.unlink()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": commit_moment(checkout)}
    for project in (checkout, checkout / "sonde_client"):
        run([uv, "build", "--quiet", "--out-dir", out, project], environment)
    (out / ".gitignore").unlink(missing_ok=True)
    return _packages(out)


def _packages(out: Path) -> list[Path]:
    return sorted(
        file for name in ("sonde", "sonde_client") for end in (".whl", ".tar.gz") for file in out.glob(f"{name}-*{end}")
    )


def chart(checkout: Path, out: Path) -> Path:
    """The chart as Helm packs it: one folder by the chart's name, with schema and README."""
    folder = checkout / "helm" / "sonde"
    described = yaml.safe_load((folder / "Chart.yaml").read_text("utf-8"))
    target = out / f"{described['name']}-chart-{described['version']}.tgz"
    packed(target, ((file, f"{described['name']}/{file.relative_to(folder)}") for file in _files(folder)), checkout)
    return target


def packed(target: Path, files: Iterable[tuple[Path, str]], checkout: Path) -> None:
    """A tar archive of (file, name in it), by gzip for ``.tgz``; owners and moments of this machine stay out."""
    moment = int(commit_moment(checkout))

    def bare(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = moment
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    with target.open("wb") as raw:
        # Without a name and a moment, which gzip would write.
        zipped = gzip.GzipFile("", "wb", 9, raw, 0) if target.suffix == ".tgz" else raw
        with zipped, tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for file, name in sorted(files, key=lambda one: one[1]):
                archive.add(file, name, recursive=False, filter=bare)


def contents(checkout: Path, version: str, out: Path) -> list[Path]:
    """What wheel and image hold, as CycloneDX lists; with the locks they are read from."""
    made = []
    for lock in ("requirements", "requirements-models"):
        copy = out / f"{lock}-{version}.lock"
        copy.write_bytes((checkout / f"{lock}.lock").read_bytes())
        listed = out / f"sbom{lock.removeprefix('requirements')}-{version}.json"
        tool = Path(sys.executable).with_name("cyclonedx-py")
        options: list[str | Path] = [
            "--pyproject",
            checkout / "pyproject.toml",
            "--output-reproducible",
            "--of",
            "JSON",
            "-o",
            listed,
        ]
        run([tool, "requirements", *options, checkout / f"{lock}.lock"])
        made += [copy, listed]
    return made


def news(checkout: Path, version: str, out: Path) -> Path:
    """The changelog's section of this version. Raises SondeError if there is none."""
    released = re.escape(version.partition(".dev")[0])
    text = (checkout / "CHANGELOG.md").read_text("utf-8")
    heading = rf"^## (?:Unreleased \({released}\)|{released}\b)"
    section = re.search(rf"{heading}.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None:
        raise SondeError(f"CHANGELOG.md has no section for {version}: begin one with '## {version}'.")
    target = out / f"CHANGELOG-{version}.md"
    target.write_text(section[0].rstrip() + "\n", "utf-8")
    return target


def checksums(files: Iterable[Path], out: Path) -> Path:
    """As `sha256sum --check` reads them."""
    target = out / CHECKSUMS
    lines = [f"{hashlib.file_digest(file.open('rb'), 'sha256').hexdigest()}  {file.name}\n" for file in sorted(files)]
    target.write_text("".join(lines), "utf-8")
    return target


def commit_moment(checkout: Path) -> str:
    """Seconds since 1970 of the commit that is released."""
    return run(["git", "-C", checkout, "log", "-1", "--format=%ct"]).strip()


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts]


def run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> str:
    """Raises SondeError with what the command said."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if done.returncode:
        raise SondeError(f"{' '.join(map(str, command))} failed:\n{done.stderr or done.stdout}")
    return done.stdout
