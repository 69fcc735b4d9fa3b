"""Solr 9 as CKAN needs it, from Maven: its own jars with its own Jetty, no distribution."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from local_stack.ports import free_port
from tests.servers.environments import not_possible
from tests.servers.running import running

_HERE = Path(__file__).resolve().parent / "solr"


@contextmanager
def solr(folder: Path, schema: Path) -> Iterator[str]:
    """The address of a core named ``ckan`` with that schema, whose word lists are empty."""
    conf = folder / "home" / "ckan" / "conf"
    conf.mkdir(parents=True)
    (folder / "home" / "solr.xml").write_text("<solr></solr>", "utf-8")
    (conf.parent / "core.properties").write_text("name=ckan\n", "utf-8")
    shutil.copy(schema, conf / "schema.xml")
    shutil.copy(_HERE / "solrconfig.xml", conf)
    for words in ("synonyms", "stopwords", "protwords"):
        (conf / f"{words}.txt").touch()
    port = free_port()
    url = f"http://127.0.0.1:{port}/solr/ckan"
    command = [_java(), "-Xmx384m", "-XX:TieredStopAtLevel=1", f"-Dsolr.install.dir={folder}", "-cp", f"{_jars()}/*"]
    command += [str(_HERE / "Node.java"), str(folder / "home"), str(port)]
    with running(command, f"{url}/select?q=*:*", folder, os.environ):
        yield url


def _java() -> str:
    found = shutil.which("java")
    if found is None:
        not_possible("java is not on the path")
    return found


def _jars() -> Path:
    """Solr's jars, fetched once by Maven."""
    cache = Path(os.environ.get("SONDE_STACK__CACHE") or platformdirs.user_cache_path("sonde")) / "test-servers"
    cache.mkdir(parents=True, exist_ok=True)
    jars = cache / "solr-9.8.1"
    with (cache / "solr.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not (jars / "complete").exists():
            shutil.rmtree(jars, ignore_errors=True)
            maven = ["mvn", "-q", "-B", "-f", str(_HERE / "pom.xml"), "dependency:copy-dependencies"]
            done = subprocess.run(
                [*maven, f"-DoutputDirectory={jars}"], capture_output=True, text=True, check=False, timeout=280
            )
            if done.returncode != 0:
                not_possible(done.stdout.strip()[-400:])
            (jars / "complete").touch()
    return jars
