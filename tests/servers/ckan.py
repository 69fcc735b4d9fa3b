"""CKAN 2.12 itself, on PostgreSQL, Solr and Valkey."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from local_stack.ports import free_port
from tests.servers.environments import find_uv, not_possible, python_of
from tests.servers.postgres import postgres
from tests.servers.running import running
from tests.servers.solr import solr

_HERE = Path(__file__).resolve().parent
EXTENSION = _HERE.parents[1] / "integrations" / "ckanext-sonde"


@dataclass(frozen=True)
class Portal:
    """``token`` is an administrator's; ``run`` is ``ckan`` on the command line."""

    url: str
    token: str
    ini: Path
    environment: Mapping[str, str]

    def action(self, name: str, *, as_steward: bool = False, **data: Any) -> Any:
        """The result of an action; ``as_steward`` as the administrator. Fails where CKAN does not call it a success."""
        headers = {"Authorization": self.token} if as_steward else {}
        answer = httpx.post(f"{self.url}/api/3/action/{name}", json=data, headers=headers, timeout=60)
        assert answer.status_code == 200, answer.text[:2000]
        return answer.json()["result"]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(python_of("ckan").parent / "ckan"), "-c", str(self.ini), *arguments]
        return subprocess.run(
            command, env=dict(self.environment), capture_output=True, text=True, check=False, timeout=120
        )


@contextmanager
def ckan(
    folder: Path, broker: str, datasets: Sequence[Mapping[str, Any]], settings: Mapping[str, str] | None = None
) -> Iterator[Portal]:
    """A portal with those data sets and an organisation ``survey``; with settings for it our extension is on."""
    folder.mkdir(parents=True, exist_ok=True)
    python, port = python_of("ckan"), free_port()
    environment = dict(os.environ)
    if settings is not None:
        environment["PYTHONPATH"] = str(_installed_extension(folder, python))
    schema = next(python.parent.parent.glob("lib/python*/site-packages/ckan/config/solr/schema.xml"))
    with postgres("ckan") as database, solr(folder / "solr", schema) as search:
        url = f"http://127.0.0.1:{port}"
        own = {
            "use": "egg:ckan",
            "SECRET_KEY": secrets.token_urlsafe(32),
            "sqlalchemy.url": database,
            "solr_url": search,
            "ckan.redis.url": broker,
            "ckan.site_url": url,
            "ckan.site_id": folder.name,  # names the queue of its jobs: the broker is shared
            "ckan.storage_path": str(folder / "storage"),
            "ckan.plugins": "sonde" if settings is not None else "",
            "ckan.auth.create_unowned_dataset": "true",
        }
        ini = _ini(folder, {**own, **(settings or {})})
        filled, token = folder / "datasets.json", folder / "token"
        filled.write_text(json.dumps(list(datasets)), "utf-8")
        command = [
            str(python),
            str(_HERE / "inside_ckan" / "fill_and_serve.py"),
            str(ini),
            str(port),
            str(filled),
            str(token),
        ]
        with running(command, f"{url}/api/3/action/status_show", folder, environment):
            yield Portal(url, token.read_text("utf-8"), ini, environment)


def _ini(folder: Path, settings: Mapping[str, str]) -> Path:
    """The settings as CKAN's ini file; what it does not name has CKAN's default."""
    ini = folder / "ckan.ini"
    ini.write_text("\n".join(("[app:main]", *(f"{name} = {value}" for name, value in settings.items()), "")), "utf-8")
    return ini


def _installed_extension(folder: Path, python: Path) -> Path:
    """A folder for PYTHONPATH that holds our extension with its entry point, and nothing else."""
    target = folder / "extension"
    command = [find_uv(), "pip", "install", "-q", "--python", str(python), "--no-deps", "--target", str(target)]
    done = subprocess.run([*command, str(EXTENSION)], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        not_possible(done.stderr.strip()[-400:])
    return target
