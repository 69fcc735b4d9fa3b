"""The container image as an OCI archive, built without Docker by the builder of the cluster check (root, Debian)."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from core.errors import SondeError
from lab.release.files import commit_moment, packed, run

_BUILDER = Path("tests", "cluster", "image")
_TOOLS = ("buildah", "mmdebstrap")
"""Debian's packages have the names of the commands."""

Extra = Literal["", "models"]


def image(checkout: Path, version: str, extra: Extra, out: Path) -> Path:
    """``sonde-VERSION[-EXTRA].oci.tar``, for `podman load`, `docker load`, `ctr images import` and skopeo.

    Raises SondeError if a tool of the builder is missing.
    """
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        packages = " ".join(missing)
        raise SondeError(f"The image needs a Debian with: apt-get install {packages}. Or leave it out: IMAGES=no.")
    tag = f"{version}-{extra}" if extra else version
    environment = {
        **os.environ,
        "SOURCE_DATE_EPOCH": commit_moment(checkout),
        "VERSION": version,
        "REVISION": run(["git", "-C", checkout, "rev-parse", "HEAD"]).strip(),
    }
    run([checkout / _BUILDER / "build.sh", checkout, tag, extra], environment)
    return _saved(checkout, tag, environment, out)


def _saved(checkout: Path, tag: str, environment: Mapping[str, str], out: Path) -> Path:
    target = out / f"sonde-{tag}.oci.tar"
    with tempfile.TemporaryDirectory(dir=out) as folder:
        run([checkout / _BUILDER / "save.sh", f"localhost/sonde:{tag}", folder], environment)
        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        packed(target, ((file, str(file.relative_to(folder))) for file in files), checkout)
    return target
