"""The offline bundle: all that one machine needs to install and run Sonde without any network."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lab.release.files import packed, run
from local_stack.distribution import ensure_distribution
from local_stack.java import find_java
from local_stack.report import Report
from local_stack.settings import DEFAULT_VERSION

_SCRIPTS = Path(__file__).with_name("offline")


def bundle(checkout: Path, version: str, own: Sequence[Path], pip: Path, out: Path, report: Report) -> Path:
    """Wheels for this machine's Python and processor, models, Elasticsearch with its plugin, install script.

    Python and a JDK are not in it. Raises SondeError if something cannot be fetched.
    """
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    name = f"sonde-offline-{version}-{sys.platform}-{platform.machine()}-{python}"
    with tempfile.TemporaryDirectory(dir=out) as temporary:
        folder = Path(temporary)
        report("release.bundle", part="packages")
        lock = checkout / "requirements.lock"
        run([pip, "download", "--quiet", "--no-deps", "--require-hashes", "-r", lock, "-d", folder / "wheels"])
        for wheel in own:
            shutil.copy(wheel, folder / "wheels")
        shutil.copy(lock, folder)
        report("release.bundle", part="models")
        prepare = [sys.executable, "-m", "sonde.ops.prepare_models", "artifact:multilingual-e5-small"]
        run(prepare, {**os.environ, "SONDE_MODELS__FOLDER": str(folder / "models"), "PYTHONPATH": str(checkout)})
        report("release.bundle", part="Elasticsearch")
        ensure_distribution(folder / "downloads", DEFAULT_VERSION, find_java(os.environ), os.environ, report)
        for file in _SCRIPTS.iterdir():
            shutil.copy(file, folder)
        target = out / f"{name}.tar"
        for left in folder.glob("*/*.lock"):  # hidden ones too
            left.unlink()
        files = [file for file in folder.rglob("*") if file.is_file()]
        packed(target, ((file, f"{name}/{file.relative_to(folder)}") for file in files), checkout)
    return target
