"""All parts of Kubernetes in one binary (etcd, API server, kubelet, kubectl, ...): unpacked once, kept in a cache."""

from __future__ import annotations

import lzma
import os
import shutil
from pathlib import Path

import platformdirs

from local_stack.state import file_lock

_ROOT = Path(__file__).resolve().parents[2]


class NoKubernetes(Exception):
    """There is no binary, and none was built."""


def packed_binary() -> Path:
    """``../shared/reference/local-kubernetes/bin/cluster.xz``; SONDE_SHARED names another ``../shared``."""
    shared = Path(os.environ.get("SONDE_SHARED", _ROOT.parent / "shared"))
    return shared / "reference" / "local-kubernetes" / "bin" / "cluster.xz"


def cache_folder() -> Path:
    return platformdirs.user_cache_path("sonde") / "kubernetes"


def kubernetes_binary() -> Path:
    """``SONDE_KUBERNETES`` where it is set, what ``binary/build.sh`` built, or the packed one, unpacked into the cache.

    A link ``kubectl`` lies beside it. Raises NoKubernetes where there is none.
    """
    if named := os.environ.get("SONDE_KUBERNETES"):
        return Path(named)
    built = cache_folder() / "built" / "cluster"
    return built if built.exists() else _unpacked(packed_binary())


def _unpacked(packed: Path) -> Path:
    """The folder is named after the packed file's size: another file gives another folder."""
    if not packed.is_file():
        raise NoKubernetes(f"no Kubernetes: {packed} is absent, and tests/cluster/binary/build.sh was not run")
    binary = cache_folder() / str(packed.stat().st_size) / "cluster"
    binary.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(binary.with_suffix(".lock")):
        if not binary.exists():
            partial = binary.with_suffix(".partial")
            with lzma.open(packed) as source, partial.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            partial.chmod(0o755)
            (binary.parent / "kubectl").unlink(missing_ok=True)
            (binary.parent / "kubectl").symlink_to("cluster")
            partial.rename(binary)
    return binary
