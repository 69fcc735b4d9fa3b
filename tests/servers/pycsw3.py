"""geonode-pycsw 3.0 beta: OGC API - Records and STAC, over SQLite."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_stack.ports import free_port
from tests.servers.environments import python_of
from tests.servers.running import running

_CONFIG = """
server:
  url: {url}
  mimetype: application/xml; charset=UTF-8
  encoding: UTF-8
  language: en-US
  maxrecords: 40
  timeout: 30
  pretty_print: false
logging:
  level: ERROR
profiles:
  - apiso
manager:
  transactions: false
  allowed_ips: []
metadata:
  identification:
    title: Test catalogue
    description: Records of the samples
    keywords: [catalogue]
    keywords_type: theme
    fees: None
    accessconstraints: None
  provider: {{name: Sonde, url: https://example.org/}}
  contact:
    name: Test
    position: Test
    address: Test
    city: Test
    stateorprovince: Test
    postalcode: "0"
    country: Test
    phone: "0"
    fax: "0"
    email: test@example.org
    url: https://example.org/
    hours: "0"
    instructions: none
    role: pointOfContact
  inspire: {{enabled: false}}
repository:
  database: sqlite:///{folder}/cite.db
  mappings: null
  table: records
  facets: [type]
"""

_SERVE = """
import sys
from werkzeug.serving import make_server
from pycsw.wsgi_flask import APP
make_server("127.0.0.1", int(sys.argv[1]), APP, threaded=True).serve_forever()
"""


@contextmanager
def pycsw3(folder: Path, records: Path) -> Iterator[str]:
    """The address of a pycsw 3 that holds the ISO files of ``records``; STAC lies below ``stac/``."""
    python, port = python_of("pycsw3"), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    url = f"http://127.0.0.1:{port}/"
    config = folder / "pycsw.yml"
    config.write_text(_CONFIG.format(url=url.rstrip("/"), folder=folder), "utf-8")
    environment = {**os.environ, "PYCSW_CONFIG": str(config)}
    admin = [str(python.parent / "pycsw-admin.py")]
    for command in (
        ["setup-repository", "-c", str(config)],
        ["load-records", "-c", str(config), "-p", str(records), "-r", "-y"],
    ):
        done = subprocess.run([*admin, *command], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    with running([str(python), "-c", _SERVE, str(port)], f"{url}collections?f=json", folder, environment):
        yield url
