"""Servers beside the pods, at addresses of the node: ``python -m tests.cluster.servers FOLDER``, in its namespaces.

Three Elasticsearch nodes at port 9200 of ``NODES``, and a slow catalogue at port 8999 of the first. ``FOLDER/up`` is
there once they answer; all of it ends when ``FOLDER/stop`` is there.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from lab.chaos.harvests import catalogue_server
from lab.cluster.chaos_cluster import made_titles
from local_stack.accounts import node_folder, unprivileged_account
from tests.search_cluster import elasticsearch_cluster

NODES = ("10.77.0.1", "10.77.0.2", "10.77.0.3")
SEARCH = f"http://{NODES[0]}:9200"
CATALOGUE_PORT, CATALOGUE_RECORDS = 8999, 400
_PAGE, _PAGE_S = 20, 4.0


def main(folder: Path) -> None:
    """They listen on 127.0.0.1 of the cluster's network; pods come in at the node's addresses."""
    with ExitStack() as running:
        catalogue = running.enter_context(catalogue_server(made_titles(CATALOGUE_RECORDS), _PAGE, _PAGE_S))
        nodes = running.enter_context(elasticsearch_cluster(folder / "search", len(NODES)))
        _share_snapshots(folder / "search")
        running.enter_context(_way(f"{NODES[0]}:{CATALOGUE_PORT}", catalogue))
        for address, url in zip(NODES, nodes, strict=True):
            running.enter_context(_way(f"{address}:9200", url))
        (folder / "up").touch()
        while not (folder / "stop").exists():
            time.sleep(0.5)


def _share_snapshots(folder: Path) -> None:
    """One folder on all nodes, as Elasticsearch asks of a repository in a file system."""
    account = unprivileged_account("nobody")
    first, *others = (node_folder(folder / f"node-{one + 1}", account) / "snapshots" for one in range(len(NODES)))
    for other in others:
        subprocess.run(["mount", "--bind", str(first), str(other)], check=True)


def _way(at: str, url: str) -> ExitStack:
    """From an address of the node to a server's."""
    host, _, port = at.partition(":")
    process = subprocess.Popen(
        ["socat", f"TCP-LISTEN:{port},bind={host},fork,reuseaddr", f"TCP:{urlsplit(url).netloc}"]
    )
    way = ExitStack()
    way.callback(process.terminate)
    return way


if __name__ == "__main__":
    main(Path(sys.argv[1]))
