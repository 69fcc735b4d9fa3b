"""A Kubernetes without nodes for the length of a ``with``: etcd, API server and controllers. It runs no pod."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from local_stack.ports import free_port

_TOKEN = "admin-token"  # of a server on 127.0.0.1 that lives for a minute
_STARTS_WITHIN_S = 60


@dataclass(frozen=True)
class ControlPlane:
    """How it is asked: by kubectl, by Helm with ``kubeconfig``, and over HTTP at ``url``."""

    binary: Path
    kubeconfig: Path
    url: str

    def http(self) -> httpx.Client:
        """Quicker than kubectl, which takes a third of a second of processor time to start."""
        return _client(self.url)

    def kubectl(self, *arguments: str, given: object = None) -> subprocess.CompletedProcess[str]:
        """Ends with its code; ``given`` is a list of manifests for ``-f -``."""
        manifests = yaml.safe_dump_all(given) if isinstance(given, list) else None
        command = [str(self.binary), "kubectl", "--kubeconfig", str(self.kubeconfig), *arguments]
        return subprocess.run(command, input=manifests, capture_output=True, text=True, check=False, timeout=60)

    def get(self, *arguments: str) -> Any:
        """What ``kubectl get -o json`` finds. Raises AssertionError with its message."""
        done = self.kubectl("get", *arguments, "-o", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def done(self, *arguments: str, given: object = None) -> None:
        """As ``kubectl``. Raises AssertionError with its message where it fails."""
        done = self.kubectl(*arguments, given=given)
        assert done.returncode == 0, done.stderr


@contextlib.contextmanager
def control_plane(binary: Path, folder: Path) -> Iterator[ControlPlane]:
    """On free ports of 127.0.0.1, with its data below ``folder``. Fails with the last words of a part that ended."""
    etcd, peers, api = (f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{free_port()}", free_port())
    key, tokens, kubeconfig = _keys(folder, api)
    with contextlib.ExitStack() as parts:
        run = _Runner(binary, folder, parts)
        run(
            "etcd",
            *("--data-dir", str(folder / "etcd"), "--unsafe-no-fsync"),
            *("--listen-client-urls", etcd, "--advertise-client-urls", etcd),
            *("--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers),
            *("--initial-cluster", f"default={peers}"),
        )
        run(
            "kube-apiserver",
            *("--etcd-servers", etcd, "--secure-port", str(api), "--bind-address", "127.0.0.1"),
            *("--cert-dir", str(folder / "certificates"), "--token-auth-file", str(tokens)),
            *("--authorization-mode", "RBAC", "--service-cluster-ip-range", "10.79.0.0/16"),
            *("--service-account-issuer", "https://kubernetes.default.svc"),
            *("--service-account-key-file", str(key), "--service-account-signing-key-file", str(key)),
        )
        run.wait_for(f"https://127.0.0.1:{api}")
        run(
            "kube-controller-manager",
            *("--kubeconfig", str(kubeconfig), "--leader-elect=false", "--secure-port", "0"),
            *("--service-account-private-key-file", str(key), "--use-service-account-credentials"),
            *("--horizontal-pod-autoscaler-sync-period", "1s"),
        )
        yield ControlPlane(binary, kubeconfig, f"https://127.0.0.1:{api}")


def _keys(folder: Path, port: int) -> tuple[Path, Path, Path]:
    """The service accounts' key, the list of tokens, and the administrator's kubeconfig."""
    key, tokens, kubeconfig = folder / "accounts.key", folder / "tokens.csv", folder / "kubeconfig"
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    plain = serialization.NoEncryption()
    key.write_bytes(
        private.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, plain)
    )
    tokens.write_text(f"{_TOKEN},admin,admin,system:masters\n")
    server = {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "it", "cluster": server}],
        "users": [{"name": "admin", "user": {"token": _TOKEN}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "admin"}}],
        "current-context": "it",
    }
    kubeconfig.write_text(yaml.safe_dump(config))
    return key, tokens, kubeconfig


@dataclass(frozen=True)
class _Runner:
    """Starts parts of the binary, each with a log; they end with ``parts``, the last first."""

    binary: Path
    folder: Path
    parts: contextlib.ExitStack

    def __call__(self, name: str, *arguments: str) -> None:
        log = self.parts.enter_context((self.folder / f"{name}.log").open("wb"))
        process = subprocess.Popen([str(self.binary), name, *arguments], cwd=self.folder, stdout=log, stderr=log)
        self.parts.callback(_end, process)

    def wait_for(self, url: str) -> None:
        ends = time.monotonic() + _STARTS_WITHIN_S
        with _client(url) as client:
            while time.monotonic() < ends:
                with contextlib.suppress(httpx.HTTPError):
                    if client.get("/readyz").status_code == 200:
                        return
                time.sleep(0.2)
        words = (self.folder / "kube-apiserver.log").read_text("utf-8", "replace")
        raise AssertionError(f"the API server does not answer: {words[-2000:]}")


def _client(url: str) -> httpx.Client:
    """The server signs its certificate itself."""
    return httpx.Client(base_url=url, verify=False, headers={"Authorization": f"Bearer {_TOKEN}"}, timeout=10)


def _end(process: subprocess.Popen[bytes]) -> None:
    """At once: nothing that they hold is wanted again."""
    process.kill()
    process.wait()
