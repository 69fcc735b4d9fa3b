"""The API imports neither Celery, nor the tasks of the workers, nor any protocol of harvests, nor the laboratory; and
no package that none of its searches needs.
"""

from __future__ import annotations

import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import indexer.sources
from encoders.imports import hidden
from sonde.wsgi import OPTIONAL_PACKAGES

NEVER = {"celery", "kombu", "redbeat", "workers.app", "workers.jobs", "workers.slices", "lab"}
NEVER |= {f"indexer.sources.{each.name}" for each in pkgutil.iter_modules(indexer.sources.__path__)}
UNUSED = {*OPTIONAL_PACKAGES, "cryptography", "PIL", "jwt", "spacy", "torch", "transformers"}
NEVER -= {"indexer.sources.politeness"}  # the pauses between requests to a host: no protocol, and link checks know them


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True, timeout=120
    )


def test_importing_the_wsgi_module_names_none_of_them() -> None:
    listed = _run("-X", "importtime", "-c", "import sonde.wsgi").stderr
    imported = set(re.findall(r"\|\s+([\w.]+)$", listed, re.MULTILINE))
    assert "sonde.wsgi" in imported
    assert imported.isdisjoint(NEVER)


def test_an_app_that_is_made_has_imported_none_of_them(tmp_path: Path) -> None:
    program = "import sys, sonde.wsgi; sonde.wsgi.create(); print(*sys.modules)"
    nobody = {"SONDE_ELASTICSEARCH__URL": "http://127.0.0.1:9", "SONDE_BROKER__URL": "redis://127.0.0.1:9/0"}
    sources = tmp_path / "sources.yaml"
    sources.write_text(
        "sources:\n  - {id: a, type: csw, url: 'http://a.example/', schedule: {cron: 0 3 * * *}}\n", "utf-8"
    )
    made = _run("-c", program, **nobody, SONDE_HARVEST__SOURCES=str(sources), SONDE_API__WORKERS="1")
    imported = set(made.stdout.splitlines()[-1].split())
    assert {"sonde.wiring.api", "search_api.app"} <= imported
    assert imported.isdisjoint(NEVER)
    assert imported.isdisjoint(UNUSED)
    assert (
        "rich" in _run("-c", program + "; import rich; print(*sys.modules)", **nobody).stdout.splitlines()[-1].split()
    )


def test_an_app_with_an_issuer_can_check_signatures() -> None:
    program = "import sonde.wsgi; sonde.wsgi.create(); import jwt.algorithms; print(jwt.algorithms.has_crypto)"
    issuer = {"SONDE_ACCESS__OIDC_ISSUER": "https://a.example", "SONDE_ACCESS__OIDC_AUDIENCE": "sonde"}
    nobody = {"SONDE_ELASTICSEARCH__URL": "http://127.0.0.1:9", "SONDE_BROKER__URL": "redis://127.0.0.1:9/0"}
    assert _run("-c", program, **nobody, **issuer, SONDE_API__WORKERS="1").stdout.splitlines()[-1] == "True"


def test_importing_the_server_imports_no_optional_package() -> None:
    program = (
        "import sys, sonde.server.__main__ as main; from sonde.settings import ApiSettings;"
        " main.gunicorn_settings(ApiSettings(workers=1)); print(*sys.modules)"
    )
    imported = set(_run("-c", program).stdout.split())
    assert "sonde.server.worker" in imported
    assert imported.isdisjoint(UNUSED)


def test_a_hidden_package_can_be_imported_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    with hidden("this", "os"):
        with pytest.raises(ImportError):
            import this  # noqa: F401
        import os
    assert "this" not in sys.modules
    assert sys.modules["os"] is os


def test_the_titles_and_groups_of_sources_are_read_without_them(tmp_path: Path) -> None:
    sources = tmp_path / "sources.yaml"
    sources.write_text(
        "sources:\n  - {id: a, type: csw, url: 'http://a.example/', title: A, access: {restricted_to: [staff]}}\n",
        "utf-8",
    )
    program = (
        "import sys; from sonde.settings import load_settings; from sonde.wiring.pushing import groups_of_source;"
        " from sonde.wiring.portal import source_descriptions; settings = load_settings();"
        " print(groups_of_source(settings, 'a'), source_descriptions(settings)['a'].title); print(*sys.modules)"
    )
    read, imported = _run("-c", program, SONDE_HARVEST__SOURCES=str(sources)).stdout.splitlines()
    assert read == "('staff',) A"
    assert set(imported.split()).isdisjoint(NEVER)
