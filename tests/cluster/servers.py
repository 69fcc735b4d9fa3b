"""Elasticsearch beside the pods, at the node's address: ``python -m tests.cluster.servers FOLDER``, in its namespaces.

``FOLDER/up`` is there once it answers; it ends when ``FOLDER/stop`` is there.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from local_stack.testing import elasticsearch_node

NODE = "10.77.0.1"


def main(folder: Path) -> None:
    """It listens on 127.0.0.1 of the cluster's network; pods come in at the node's address."""
    with elasticsearch_node(folder / "search", 19200, heap="768m"):
        way = subprocess.Popen(["socat", f"TCP-LISTEN:9200,bind={NODE},fork,reuseaddr", "TCP:127.0.0.1:19200"])
        (folder / "up").touch()
        try:
            while not (folder / "stop").exists():
                time.sleep(0.5)
        finally:
            way.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
