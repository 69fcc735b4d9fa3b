"""The bundle that is committed: small, served safely, and made of the sources in ``web/``."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.page_files import files_of_a_visit
from tests.service import Service

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
PAGES = ROOT / "search_api" / "page" / "bundle"
LARGEST_BYTES = 400 * 1024  # gzipped, without map data and the reader of PDFs
LARGEST_READER_BYTES = 500 * 1024  # gzipped; loaded only where a file is shown
LARGEST_VISIT_BYTES = 120 * 1024


def test_the_bundle_is_small() -> None:
    files = [file for file in PAGES.iterdir() if not file.name.startswith(("world-", "pdf-"))]
    assert _packed(files) <= LARGEST_BYTES
    assert _packed(list(PAGES.glob("pdf-*"))) <= LARGEST_READER_BYTES


def _packed(files: list[Path]) -> int:
    return sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in files)


def test_a_visit_in_english_loads_little() -> None:
    files = files_of_a_visit()
    assert len(files) > 10
    assert _packed(files) <= LARGEST_VISIT_BYTES


def test_no_registry_is_named() -> None:
    assert '"resolved"' not in (WEB / "package-lock.json").read_text("utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of ``web/`` with its packages; the bundle made of it lies in ``out``."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    copy = tmp_path_factory.mktemp("page") / "web"
    shutil.copytree(WEB, copy, ignore=shutil.ignore_patterns("node_modules"))
    _run(copy, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    _run(copy, npm, "run", "build", "--", str(copy / "out"))
    return copy


def _run(folder: Path, *command: str) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=240)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_sources_make_the_committed_bundle_byte_for_byte(built: Path) -> None:
    made = {file.name: file.read_bytes() for file in (built / "out").iterdir()}
    kept = {file.name: file.read_bytes() for file in PAGES.iterdir()}
    assert sorted(made) == sorted(kept)
    assert [name for name in kept if made[name] != kept[name]] == []


def test_the_sources_have_sound_types_and_pass_their_own_tests(built: Path) -> None:
    npm = shutil.which("npm")
    assert npm is not None
    _run(built, npm, "run", "types")
    _run(built, npm, "test")


def test_the_types_of_the_api_are_those_that_its_document_describes(
    built: Path, samples: Service, tmp_path: Path
) -> None:
    npm = shutil.which("npm")
    assert npm is not None
    document = tmp_path / "api.json"
    document.write_bytes(samples.http.get("/api").data)
    types = built / "src" / "openapi.ts"
    committed = types.read_text("utf-8")
    _run(built, npm, "run", "api-types", "--", str(document))
    assert types.read_text("utf-8") == committed


def test_a_language_is_one_file_and_one_line(built: Path, tmp_path: Path) -> None:
    npm = shutil.which("npm")
    assert npm is not None
    guide = (ROOT / "docs" / "extending" / "index.md").read_text("utf-8")
    (section,) = re.findall(r"^## A language of the page\n(.*?)^## ", f"{guide}\n## ", re.MULTILINE | re.DOTALL)
    messages, line = re.findall(r"^```(?:json|ts)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    web = tmp_path / "web"
    shutil.copytree(built, web, ignore=shutil.ignore_patterns("node_modules", "out"))
    (web / "node_modules").symlink_to(built / "node_modules")
    words = web / "src" / "words"
    german = json.loads((words / "de.json").read_text("utf-8"))
    (words / "lb.json").write_text(json.dumps(german | json.loads(messages)), "utf-8")
    listed = words / "index.ts"
    head, last, rest = listed.read_text("utf-8").partition("} satisfies")
    listed.write_text(f"{head}{line}{last}{rest}", "utf-8")
    _run(web, npm, "run", "types")
    _run(web, npm, "test", "--", "words.test.ts", "languages.test.ts")
    _run(web, npm, "run", "build", "--", str(web / "out"))
    (own,) = (web / "out").glob("lb-*.js")
    assert "Wat sicht Dir?" in own.read_text("utf-8")
    loaded = [web / "out" / "page.js", *(web / "out").glob("chunk-*.js")]
    assert any("Lëtzebuergesch" in file.read_text("utf-8") for file in loaded)


def test_files_are_sent_packed_and_tagged_and_no_others(address: str) -> None:
    script = httpx.get(f"{address}page/page.js")
    assert script.headers["content-encoding"] == "gzip"
    assert script.content == (PAGES / "page.js").read_bytes()
    assert script.headers["cache-control"] == "no-cache"
    shell = httpx.get(address, headers={"Accept": "text/html"}).text
    chunks = re.findall(r'<link rel="modulepreload" href="(page/[^"]+)">', shell)
    assert chunks
    for chunk in chunks:  # another content has another name
        assert "immutable" in httpx.get(f"{address}{chunk}").headers["cache-control"]
    again = httpx.get(f"{address}page/page.js", headers={"If-None-Match": script.headers["etag"]})
    assert again.status_code == 304
    plain = httpx.get(f"{address}page/page.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    for other in ("..%2Fpage.py", "nope.js", "index.html", "%2e%2e"):
        assert httpx.get(f"{address}page/{other}").status_code == 404


def test_the_page_may_run_only_what_comes_with_it(address: str) -> None:
    policy = httpx.get(address, headers={"Accept": "text/html"}).headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["worker-src"] == "'self'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert "unsafe" not in policy
