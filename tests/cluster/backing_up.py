"""The chart's backup: its job, started as the schedule would, and a restore after every index was deleted."""

from __future__ import annotations

import time

from tests.cluster.faults import Release, records, uploads
from tests.cluster.node import Node, wait_until
from tests.cluster.progress import say

_BACKUP = {"backup": {"enabled": True, "register": {"type": "fs", "settings": {"location": "sonde"}}, "keep": 2}}
_WRITERS = "app.kubernetes.io/component in (worker-harvest,worker-documents,worker-library,worker-embed,beat)"


def backed_up(release: Release) -> None:
    node = release.node
    release.must("install", _BACKUP)
    node.kubectl("create", "job", "backup-now", "--from=cronjob/demo-sonde-backup")
    node.kubectl("wait", "--for=condition=complete", "job/backup-now", "--timeout=240s")
    release.must("install")
    release.wait()


def restored(release: Release, key: str, address: str) -> str:
    """A line of the page. ``address``: of an Elasticsearch node. Raises RuntimeError where something is missing."""
    node, before = release.node, records(release.node)
    node.kubectl("scale", "deploy", "--replicas=0", "-l", _WRITERS)
    lost = _deleted_indices(node, address)
    began = time.monotonic()
    node.kubectl("exec", "deploy/demo-sonde-api", "--", "sonde", "backup", "restore", "--replace")
    took_s = time.monotonic() - began
    node.kubectl("scale", "deploy", "--replicas=1", "-l", _WRITERS)
    release.wait()
    wait_until(lambda: records(node) == before, 60, "every record is back")
    if (states := uploads(node, key)) != ["ready"]:
        raise RuntimeError(f"the user's document is {states}")
    say(f"{lost} indices deleted, restored in {took_s:.0f} s")
    return (
        f"- The chart's job took it. All {lost} indices were deleted and restored in {took_s:.0f} s: "
        f"{before} records, and a user's key and document, as before."
    )


def _deleted_indices(node: Node, address: str) -> int:
    """How many there were."""
    url = f"http://{address}:9200"
    names = node.run("curl", "--silent", "--fail", f"{url}/_cat/indices/sonde-*?h=index").split()
    node.run("curl", "--silent", "--fail", "-X", "DELETE", f"{url}/{','.join(names)}")
    return len(names)
