"""The loss of one of the three Elasticsearch nodes beside the cluster: the master, by `kill -9`."""

from __future__ import annotations

import json
import time

from tests.cluster.faults import Release
from tests.cluster.node import Node, wait_until
from tests.cluster.servers import NODES

_ENDED_POD_LEAVES_ITS_SERVICE_S = 2.0


def master_killed(release: Release) -> None:
    """Returns when every index has its copies again, on the two nodes that are left."""
    node = release.node
    name = _asked(node, NODES[0], "/_cat/master?h=node").strip()
    lost = NODES[int(name.removeprefix("node-")) - 1]
    told = json.loads(_asked(node, lost, "/_nodes/_local/process?filter_path=nodes.*.process.id"))
    (one,) = told["nodes"].values()
    node.run("kill", "-9", str(one["process"]["id"]))
    time.sleep(_ENDED_POD_LEAVES_ITS_SERVICE_S)
    left = [address for address in NODES if address != lost]
    endpoints = json.dumps({"endpoints": [{"addresses": [address]} for address in left]})
    node.kubectl("patch", "endpointslice", "elasticsearch", "--type", "merge", "-p", endpoints)
    wait_until(lambda: _is_green(node, left[0]), 240, "every index has its copies again")
    release.wait()


def left_address(node: Node) -> str:
    """Of a node that answers."""
    return str(node.get("endpointslice", "elasticsearch")["endpoints"][0]["addresses"][0])


def _is_green(node: Node, address: str) -> bool:
    done = node.attempt("curl", "--silent", "--max-time", "10", f"http://{address}:9200/_cluster/health")
    told = json.loads(done.stdout) if done.returncode == 0 else {}
    return bool(told.get("status") == "green" and told["number_of_nodes"] == len(NODES) - 1)


def _asked(node: Node, address: str, path: str) -> str:
    return node.run("curl", "--silent", "--fail", f"http://{address}:9200{path}")
