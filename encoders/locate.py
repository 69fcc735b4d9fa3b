"""Resolves a model's name to a folder on this machine: shipped, in a package, in a jar on Maven Central, or of a hub.
Uses the network only if the caller allows it.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import shutil
import subprocess  # nosec B404
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from core.errors import ModelMissing
from core.json_types import Json
from encoders.files import exclusive_lock, publish_folder
from encoders.pinned import (
    MAVEN,
    PACKAGED,
    SUBSTITUTES,
    MavenModel,
    PackagedModel,
    check_file,
    file_sha256,
    files_sha256,
)

_FETCH_TIMEOUT_S = 900
_HUB_FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "*.onnx", "*.onnx?data", "*/config.json"]
_ARTIFACT = "artifact:"
_SHIPPED = "shipped:"
SHIPPED = Path(__file__).resolve().parent / "shipped"
"""Our own models, which are part of the code: one folder with its card each."""


@dataclass(frozen=True, slots=True)
class Located:
    """A model's folder and the SHA-256 of its weights, which identifies it in our cache.

    A graph that was compared with published weights has their SHA-256.
    """

    name: str
    folder: Path
    digest: str


def default_cache() -> Path:
    """Where prepared models are stored if no folder is configured."""
    return platformdirs.user_cache_path("sonde") / "models"


def locate(name: str, cache: Path, *, allow_hub: bool = False, fetch: bool = True) -> Located:
    """The folder of a name: ``shipped:<name>``, ``artifact:<name>``, a folder, or a hub id.

    A hub id is searched in the packages we pin, then in the hub's cache, and on the hub only with ``allow_hub``.
    Without ``fetch`` nothing comes from Maven's repository either. Raises ModelMissing with one sentence that says what
    to do.
    """
    if name.startswith(_ARTIFACT):
        return _locate_artifact(name, cache, fetch=fetch)
    if name.startswith(_SHIPPED):
        return _locate_shipped(name)
    if Path(name).expanduser().is_dir():
        folder = Path(name).expanduser().resolve()
        return Located(name, folder, weights_digest(folder))
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise ModelMissing(f"there is no model folder {name!r}, and it is not the id of a model on a hub either")
    if name not in SUBSTITUTES:
        return _locate_on_hub(name, allow_hub=allow_hub)
    try:
        return _locate_pinned(name, SUBSTITUTES[name], cache, fetch=fetch)
    except ModelMissing as missing:
        with suppress(ModelMissing):
            return _locate_on_hub(name, allow_hub=allow_hub)
        raise missing from None


def weights_digest(folder: Path) -> str:
    """SHA-256 of the weights. Raises ModelMissing if there are none in a format that cannot contain code."""
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.onnx")) or sorted(folder.glob("onnx/*.onnx"))
    files += sorted(folder.glob("[0-9]*_*/*.safetensors"))  # the modules of sentence-transformers: heads
    if not files:
        raise ModelMissing(f"{folder} holds no weights as safetensors or ONNX; pickled weights are not loaded")
    return files_sha256(files)


def _locate_shipped(name: str) -> Located:
    """By the folder's name; the part after the colon is not a path."""
    folders = {folder.name: folder for folder in SHIPPED.iterdir() if folder.is_dir()} if SHIPPED.is_dir() else {}
    folder = folders.get(name.removeprefix(_SHIPPED))
    if folder is None:
        names = ", ".join(f"{_SHIPPED}{folder_name}" for folder_name in sorted(folders)) or "none"
        raise ModelMissing(f"{name} does not come with Sonde; these do: {names}")
    return Located(name, folder, weights_digest(folder))


def _locate_artifact(name: str, cache: Path, *, fetch: bool) -> Located:
    package = name.removeprefix(_ARTIFACT)
    if package not in PACKAGED and package not in MAVEN:
        names = ", ".join(f"{_ARTIFACT}{artifact}" for artifact in sorted({*PACKAGED, *MAVEN}))
        raise ModelMissing(f"{name} is not a package that Sonde knows; these are: {names}")
    return _locate_pinned(name, package, cache, fetch=fetch)


def _locate_pinned(name: str, bare: str, cache: Path, *, fetch: bool) -> Located:
    """From an installed package, else from Maven's repository."""
    package, jar = PACKAGED.get(bare), MAVEN.get(bare)
    if package is not None and (jar is None or importlib.util.find_spec(package.module) is not None):
        return _locate_package(name, package, cache)
    if jar is None:
        raise ModelMissing(f"{name} is not a package that Sonde knows")
    folder = find_maven_model(jar, cache) or _made_from(jar.weights, cache)
    if folder is None:
        if not fetch:
            raise ModelMissing(f"the model {name} is not on this machine")
        folder = _fetched(jar, cache, package)
    return Located(name, folder, jar.weights or file_sha256(folder / "model.onnx"))


def _made_from(weights: str, cache: Path) -> Path | None:
    """The folder that was prepared from these weights. Sonde's image has only such folders, without the weights."""
    cards = sorted(cache.glob(f"*-{weights[:12]}-v*/card.json")) if weights else []
    return cards[-1].parent if cards else None


def _fetched(jar: MavenModel, cache: Path, package: PackagedModel | None) -> Path:
    try:
        return fetch_from_maven(jar, cache)
    except ModelMissing as error:
        if package is None:
            raise
        without_maven = "Sonde's extra `models` (`make env` in a checkout) brings the same weights without Maven"
        raise ModelMissing(f"{error}; {without_maven}") from None


def _locate_package(name: str, model: PackagedModel, cache: Path) -> Located:
    spec = importlib.util.find_spec(model.module)
    if spec is None or spec.origin is None:
        raise ModelMissing(
            f"{name} needs the package {model.distribution}: install Sonde's extra `{model.extra}` "
            f"(`make lean EXTRA={model.extra}` in a checkout)"
        )
    folder = Path(spec.origin).parent / model.folder
    if not (folder / model.weights).exists() and (prepared_folder := _made_from(model.files[model.weights], cache)):
        return Located(name, prepared_folder, model.files[model.weights])
    for file, sha256 in model.files.items():
        check_file(folder / file, sha256)
    return Located(name, folder, model.files[model.weights])


def _locate_on_hub(name: str, *, allow_hub: bool) -> Located:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        # The operator names the model; without allow_hub nothing is fetched, and code never is.
        snapshot = snapshot_download(  # nosec B615
            name, local_files_only=not allow_hub, allow_patterns=_HUB_FILES
        )
    except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError):
        raise ModelMissing(_missing_on_hub(name, allow_hub=allow_hub)) from None
    folder = Path(snapshot)
    return Located(name, folder, weights_digest(folder))


def _missing_on_hub(name: str, *, allow_hub: bool) -> str:
    if allow_hub:
        return f"the model {name} could not be fetched from the hub"
    return (
        f"the model {name} is not on this machine: name a folder that holds it, "
        "or allow downloads from the hub in the settings"
    )


def find_maven_model(model: MavenModel, cache: Path) -> Path | None:
    """The model's folder if it was fetched before. Raises ModelMissing if a file in it is not the pinned one."""
    folder = _folder(model, cache)
    if not (folder / "card.json").is_file():
        return None
    for name, sha256 in model.members.values():
        check_file(folder / name, sha256)
    return folder


def fetch_from_maven(model: MavenModel, cache: Path) -> Path:
    """Fetches and unpacks; two processes at the same time fetch once. Raises ModelMissing."""
    folder = _folder(model, cache)
    with exclusive_lock(folder):
        if (unpacked_folder := find_maven_model(model, cache)) is not None:
            return unpacked_folder
        with publish_folder(folder) as target, tempfile.TemporaryDirectory(dir=cache) as download:
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
        # The command has only constants; no shell reads them.
        process = subprocess.run(  # noqa: S603 # nosec B603
            command, cwd=into, capture_output=True, text=True, timeout=_FETCH_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise ModelMissing(f"mvn did not fetch {model.coordinates} within {_FETCH_TIMEOUT_S} s") from None
    jar = into / f"{model.artifact}-{model.version}.jar"
    if process.returncode != 0 or not jar.is_file():
        reason = next((line for line in process.stdout.splitlines() if "ERROR" in line), "no reason given")
        raise ModelMissing(f"mvn could not fetch {model.coordinates}: {reason[:300]}")
    return jar


def _unpack(jar: Path, model: MavenModel, target: Path) -> None:
    if file_sha256(jar) != model.jar_sha256:
        raise ModelMissing(f"the jar fetched for {model.coordinates} is not the one Sonde pins (SHA-256 differs)")
    with zipfile.ZipFile(jar) as archive:
        for member, (name, sha256) in model.members.items():
            with archive.open(member) as packed_file, (target / name).open("wb") as file:
                shutil.copyfileobj(packed_file, file)
            check_file(target / name, sha256)
    facts: Json = {"pooling": model.pooling, "max_tokens": model.max_tokens, "dims": model.dims}
    if model.weights:
        facts["weights"] = model.weights
    (target / "card.json").write_text(json.dumps(facts, indent=2), encoding="utf-8")
