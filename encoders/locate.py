"""Resolves a model's name to a folder on this machine. Uses the network only if the caller allows it."""

from __future__ import annotations

import importlib.util
import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from core.errors import ModelMissing
from encoders.maven import fetch_from_maven, unpacked_from_maven
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

_HUB_FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "*.onnx", "*/config.json"]
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
        return _artifact(name, cache, fetch=fetch)
    if name.startswith(_SHIPPED):
        return _shipped(name)
    if Path(name).expanduser().is_dir():
        folder = Path(name).expanduser().resolve()
        return Located(name, folder, weights_digest(folder))
    if name.count("/") != 1 or name.startswith((".", "/", "~")):
        raise ModelMissing(f"there is no model folder {name!r}, and it is not the id of a model on a hub either")
    if name not in SUBSTITUTES:
        return _from_hub(name, allow_hub=allow_hub)
    try:
        return _pinned(name, SUBSTITUTES[name], cache, fetch=fetch)
    except ModelMissing as missing:
        with suppress(ModelMissing):
            return _from_hub(name, allow_hub=allow_hub)
        raise missing from None


def weights_digest(folder: Path) -> str:
    """SHA-256 of the weights. Raises ModelMissing if there are none in a format that cannot contain code."""
    files = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.onnx")) or sorted(folder.glob("onnx/*.onnx"))
    files += sorted(folder.glob("[0-9]*_*/*.safetensors"))  # the modules of sentence-transformers: heads
    if not files:
        raise ModelMissing(f"{folder} holds no weights as safetensors or ONNX; pickled weights are not loaded")
    return files_sha256(files)


def _shipped(name: str) -> Located:
    """Only existing names: the part after the colon is not a path."""
    there = {folder.name: folder for folder in SHIPPED.iterdir() if folder.is_dir()} if SHIPPED.is_dir() else {}
    folder = there.get(name.removeprefix(_SHIPPED))
    if folder is None:
        known = ", ".join(f"{_SHIPPED}{each}" for each in sorted(there)) or "none"
        raise ModelMissing(f"{name} does not come with Sonde; these do: {known}")
    return Located(name, folder, weights_digest(folder))


def _artifact(name: str, cache: Path, *, fetch: bool) -> Located:
    bare = name.removeprefix(_ARTIFACT)
    if bare not in PACKAGED and bare not in MAVEN:
        known = ", ".join(f"{_ARTIFACT}{each}" for each in sorted({*PACKAGED, *MAVEN}))
        raise ModelMissing(f"{name} is not a package that Sonde knows; these are: {known}")
    return _pinned(name, bare, cache, fetch=fetch)


def _pinned(name: str, bare: str, cache: Path, *, fetch: bool) -> Located:
    """From an installed package, else from Maven's repository."""
    package, jar = PACKAGED.get(bare), MAVEN.get(bare)
    if package is not None and (jar is None or importlib.util.find_spec(package.module) is not None):
        return _packaged(name, package, cache)
    if jar is None:
        raise ModelMissing(f"{name} is not a package that Sonde knows")
    folder = unpacked_from_maven(jar, cache) or _made_from(jar.weights, cache)
    if folder is None:
        if not fetch:
            raise ModelMissing(f"the model {name} is not on this machine")
        folder = _fetched(jar, cache, package)
    return Located(name, folder, jar.weights or file_sha256(folder / "model.onnx"))


def _made_from(weights: str, cache: Path) -> Path | None:
    """The folder that was prepared from these weights, for where the weights themselves were removed: in the image."""
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


def _packaged(name: str, model: PackagedModel, cache: Path) -> Located:
    found = importlib.util.find_spec(model.module)
    if found is None or found.origin is None:
        raise ModelMissing(f"{name} needs the package {model.distribution}; install it")
    folder = Path(found.origin).parent / model.folder
    if not (folder / model.weights).exists() and (made := _made_from(model.files[model.weights], cache)):
        return Located(name, made, model.files[model.weights])
    for file, expected in model.files.items():
        check_file(folder / file, expected)
    return Located(name, folder, model.files[model.weights])


def _from_hub(name: str, *, allow_hub: bool) -> Located:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        # The operator names the model; without allow_hub nothing is fetched, and code never is.
        found = snapshot_download(  # nosec B615
            name, local_files_only=not allow_hub, allow_patterns=_HUB_FILES
        )
    except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError):
        raise ModelMissing(_missing_on_hub(name, allow_hub=allow_hub)) from None
    folder = Path(found)
    return Located(name, folder, weights_digest(folder))


def _missing_on_hub(name: str, *, allow_hub: bool) -> str:
    if allow_hub:
        return f"the model {name} could not be fetched from the hub"
    return (
        f"the model {name} is not on this machine: name a folder that holds it, "
        "or allow downloads from the hub in the settings"
    )
