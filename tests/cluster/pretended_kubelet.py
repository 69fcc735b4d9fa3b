"""Ends the pods of jobs where no kubelet runs them, so that their job succeeds or fails."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.cluster.control_plane import ControlPlane

_RESTARTS_OF_A_LOST_CAUSE = 50  # above every backoffLimit


@contextmanager
def jobs_end(control: ControlPlane, namespace: str, *, well: bool) -> Iterator[None]:
    """While it lasts, each pod of a job ends well, or restarts until its job gives up."""
    over = threading.Event()
    thread = threading.Thread(target=_end_pods, args=(control, namespace, well, over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _end_pods(control: ControlPlane, namespace: str, well: bool, over: threading.Event) -> None:
    pods = f"/api/v1/namespaces/{namespace}/pods"
    pending = {"labelSelector": "job-name", "fieldSelector": "status.phase=Pending"}
    with control.http() as http:
        while not over.wait(0.2):
            for pod in http.get(pods, params=pending).json()["items"]:
                http.patch(
                    f"{pods}/{pod['metadata']['name']}/status",
                    json={"status": _status(pod, well)},
                    headers={"Content-Type": "application/merge-patch+json"},
                ).raise_for_status()


def _status(pod: dict[str, Any], well: bool) -> dict[str, Any]:
    container = pod["spec"]["containers"][0]
    state = {"terminated": {"exitCode": 0}} if well else {"waiting": {"reason": "CrashLoopBackOff"}}
    told = {"name": container["name"], "image": container["image"], "imageID": "none", "ready": False, "state": state}
    restarts = 0 if well else _RESTARTS_OF_A_LOST_CAUSE
    return {"phase": "Succeeded" if well else "Running", "containerStatuses": [told | {"restartCount": restarts}]}
