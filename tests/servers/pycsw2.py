"""pycsw 2.6.2: CSW 2.0.2 and 3.0, and OAI-PMH, over SQLite."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_stack.ports import free_port
from tests.servers.environments import python_of
from tests.servers.running import running

_CONFIG = """[server]
home={home}
url={url}
mimetype=application/xml; charset=UTF-8
encoding=UTF-8
language=en-US
maxrecords={maxrecords}
pretty_print=false
profiles=apiso
[manager]
transactions={harvests}
allowed_ips=127.0.0.1
csw_harvest_pagesize=50
[metadata:main]
identification_title=Test catalogue
identification_abstract=Records of the samples
identification_keywords=catalogue
identification_keywords_type=theme
identification_fees=None
identification_accessconstraints=None
provider_name=Sonde
provider_url=https://example.org/
contact_name=Test
contact_position=Test
contact_address=Test
contact_city=Test
contact_stateorprovince=Test
contact_postalcode=0
contact_country=Test
contact_phone=0
contact_fax=0
contact_email=test@example.org
contact_url=https://example.org/
contact_hours=0
contact_instructions=none
contact_role=pointOfContact
[repository]
database=sqlite:///{folder}/cite.db
table=records
[metadata:inspire]
enabled=false
"""

_SERVE = """
import sys, os
from socketserver import ThreadingMixIn
from wsgiref.simple_server import make_server, WSGIRequestHandler, WSGIServer
import pycsw.wsgi
class Quiet(WSGIRequestHandler):
    def log_message(self, *words): pass
class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
make_server("127.0.0.1", int(sys.argv[1]), pycsw.wsgi.application, Server, Quiet).serve_forever()
"""


@contextmanager
def pycsw(folder: Path, records: Path, *, maxrecords: int = 1000, harvests: bool = False) -> Iterator[str]:
    """The address of a pycsw that holds the ISO files of ``records``; the server caps pages at ``maxrecords``.

    ``harvests``: it takes Harvest requests.
    """
    python, port = python_of("pycsw2"), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    url = f"http://127.0.0.1:{port}/"
    config = folder / "pycsw.cfg"
    home = next(python.parent.parent.glob("lib/python*/site-packages/pycsw"))
    given = {"maxrecords": maxrecords, "harvests": str(harvests).lower()}
    config.write_text(_CONFIG.format(home=home, url=url, folder=folder, **given), "utf-8")
    environment = {**os.environ, "PYCSW_CONFIG": str(config), "PYCSW_ROOT": str(home.parent)}
    admin = [str(python), str(python.parent / "pycsw-admin.py"), "-f", str(config)]
    for command in (["-c", "setup_db"], ["-c", "load_records", "-p", str(records), "-r", "-y"]):
        done = subprocess.run([*admin, *command], capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr[-2000:]
    serve = [str(python), "-c", _SERVE, str(port)]
    probe = f"{url}?service=CSW&version=2.0.2&request=GetCapabilities"
    with running(serve, probe, folder, environment):
        yield url
