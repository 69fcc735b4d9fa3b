"""The geo_shape field type, compiled against the node it goes into."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from local_stack.accounts import make_shared_folder
from local_stack.errors import FetchFailed
from local_stack.fetching import copy_artifact
from local_stack.java import MINIMUM_VERSION, Java
from local_stack.part import Reporter

PLUGIN_NAME = "sonde-geo-shape"
_SOURCES = Path(__file__).parent / "geo_shape"
COMPILER_ARTIFACT = "org.eclipse.jdt:ecj:3.43.0"  # only where a Java has no javac; never part of what we ship
_STAMP = "source.sha256"
_COMPILE_TIMEOUT_S = 180


def descriptor(elasticsearch_version: str) -> str:
    """``plugin-descriptor.properties``: the node refuses a plugin built for another version."""
    values = {
        "name": PLUGIN_NAME,
        "description": "geo_shape field type for a node without the spatial module",
        "version": "1",
        "java.version": str(MINIMUM_VERSION),
        "elasticsearch.version": elasticsearch_version,
        "classname": "org.sonde.geoshape.GeoShapePlugin",
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def sources(elasticsearch_version: str) -> list[Path]:
    """What both majors share, and what the major of this version needs."""
    major = elasticsearch_version.partition(".")[0]
    return [*sorted(_SOURCES.glob("*.java")), *sorted((_SOURCES / major).glob("*.java"))]


def plugin_digest(elasticsearch_version: str) -> str:
    """Says whether an installed plugin is still the one these sources make."""
    texts = b"".join(source.read_bytes() for source in sources(elasticsearch_version))
    return hashlib.sha256(texts + descriptor(elasticsearch_version).encode()).hexdigest()


def is_installed(home: Path, elasticsearch_version: str) -> bool:
    stamp = home / "plugins" / PLUGIN_NAME / _STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == plugin_digest(elasticsearch_version)


def install_plugin(
    home: Path, elasticsearch_version: str, java: Java, environment: Mapping[str, str], report: Reporter
) -> None:
    """Compiles it and puts it into ``plugins/``, in one step and in place of an older one.

    Raises FetchFailed with the compiler's words where it does not compile.
    """
    report("elasticsearch.compiling_plugin", plugin=PLUGIN_NAME, javac=java.compiler is not None)
    partial_folder = home / f".{PLUGIN_NAME}.partial"
    shutil.rmtree(partial_folder, ignore_errors=True)
    make_shared_folder(partial_folder)
    with tempfile.TemporaryDirectory(prefix="sonde-plugin-") as scratch:
        classes = Path(scratch) / "classes"
        command = _compiler(java, environment, Path(scratch))
        jars = os.pathsep.join(str(jar) for jar in sorted((home / "lib").glob("*.jar")))  # ecj knows no "lib/*"
        _run([*command, "-cp", jars, "-d", str(classes), *map(str, sources(elasticsearch_version))])
        pack(classes, partial_folder / f"{PLUGIN_NAME}.jar")
    (partial_folder / "plugin-descriptor.properties").write_text(descriptor(elasticsearch_version), encoding="utf-8")
    (partial_folder / _STAMP).write_text(plugin_digest(elasticsearch_version), encoding="utf-8")
    _move(partial_folder, home / "plugins" / PLUGIN_NAME)


def _move(built: Path, folder: Path) -> None:
    for file in built.iterdir():
        file.chmod(0o644)
    make_shared_folder(folder.parent)
    shutil.rmtree(folder, ignore_errors=True)
    built.rename(folder)


def _compiler(java: Java, environment: Mapping[str, str], scratch: Path) -> list[str]:
    release = str(MINIMUM_VERSION)
    if java.compiler is not None:
        return [str(java.compiler), "--release", release, "-nowarn"]
    ecj = copy_artifact(environment, COMPILER_ARTIFACT, scratch)
    return [str(java.program), "-jar", str(ecj), "-source", release, "-target", release, "-nowarn"]


def _run(command: list[str]) -> None:
    completed = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_TIMEOUT_S, check=False)  # noqa: S603 - a compiler that was found
    if completed.returncode != 0:
        raise FetchFailed(
            f"the geo_shape plugin does not compile: {(completed.stderr or completed.stdout).strip()[:600]}"
        )


def pack(classes: Path, jar: Path) -> None:
    """All compiled classes of a folder; the same classes make the same bytes."""
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(classes.rglob("*.class")):
            # Without the moment of the compilation, so that two releases of one commit hold the same file.
            entry = zipfile.ZipInfo(file.relative_to(classes).as_posix())
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
