"""What a release holds, and what a user of it sees: ``python -m tests.cluster.held URL PREFIX KEY FILE``.

Runs in the cluster's network. ``FILE`` then has a JSON object: a digest of each document of each index, a digest of
each of the user's files, and how many of the user's documents and of the harvested records answer a question.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx

from lab.operating.filling import Contents, User, contents
from lab.waiting import wait_until
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from tests.cluster.servers import SEARCH


@dataclass(frozen=True)
class Held:
    contents: Contents
    files: Mapping[str, str]
    own_hits: int
    hits: int


def main(url: str, prefix: str, key: str, file: Path) -> None:
    os.environ |= {"SONDE_ELASTICSEARCH__URL": SEARCH, "SONDE_INDEX__PREFIX": prefix}
    user = User(url, key)
    wait_until(user.is_ready, 600, "the user's documents are ready")
    files = {id: hashlib.sha256(content).hexdigest() for id, content in user.files().items()}
    found = httpx.get(f"{url}/search", params={"q": "rainfall in southern Africa"}, timeout=60.0).raise_for_status()
    client = elasticsearch_client(load_settings(), timeout_s=60.0, retry=True)
    held = Held(
        contents(client, prefix), files, len(user.finds("rainfall over southern Africa")), len(found.json()["features"])
    )
    client.close()
    file.write_text(json.dumps(asdict(held)), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]))
