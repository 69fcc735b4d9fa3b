"""The workflow that publishes a release: each script of it is run with recorders for what reaches registries."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
_RECORDED = ("docker", "helm", "cosign", "gh", "uv", "skopeo", "sudo", "make")
_DIGEST = f"sha256:{'a' * 64}"
_RECORDER = f"""#!/bin/sh
case "$*" in *--password-stdin) cat > /dev/null ;; esac
printf '%s\\n' "$(basename "$0") $*" >> "$RECORD"
case "$*" in
  push*) echo "Digest: {_DIGEST}" >&2 ;;
  *"imagetools inspect"*) echo "{_DIGEST}" ;;
esac
"""
_VALUES = {
    "github.ref_name": "v1.2.3",
    "github.sha": "c" * 40,
    "github.actor": "someone",
    "github.token": "secret-token",
    "vars.REGISTRY": "registry.example/geo",
    "matrix.processor": "arm64",
}


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    text = (CHECKOUT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    content: dict[str, Any] = yaml.safe_load(text)
    return content


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with the files of a release, and recorders in ``bin``."""
    (tmp_path / "bin").mkdir()
    for name in _RECORDED:
        program = tmp_path / "bin" / name
        program.write_text(_RECORDER)
        program.chmod(0o755)
    (tmp_path / "dist").mkdir()
    for name in ("sonde_search-1.2.3-py3-none-any.whl", "sonde_search-1.2.3.tar.gz", "sonde-chart-1.2.3.tgz"):
        (tmp_path / "dist" / name).touch()
    (tmp_path / "pyproject.toml").write_text('version = "1.2.3"\n')
    return tmp_path


def _run_job(workflow: dict[str, Any], job: str, folder: Path, **values: str) -> list[str]:
    """The commands that reached a recorder. Raises CalledProcessError where a script of the job fails."""
    record = folder / "record"
    for step in workflow["jobs"][job]["steps"]:
        if "run" not in step:
            continue
        assert "${{" not in step["run"], "a value of GitHub's goes through the environment, never into a script"
        named = {**workflow["jobs"][job].get("env", {}), **step.get("env", {})}
        environment = {name: _expanded(value, values) for name, value in named.items()}
        environment |= {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "RECORD": str(record), "HOME": str(folder)}
        subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], cwd=folder, env=environment, check=True)
    return record.read_text("utf-8").splitlines()


def _expanded(value: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: (_VALUES | values)[found[1]], value)


def test_a_tag_that_is_not_the_version_stops_the_workflow(workflow: dict[str, Any], folder: Path) -> None:
    assert "make release IMAGES=no" in _run_job(workflow, "files", folder)
    with pytest.raises(subprocess.CalledProcessError):
        _run_job(workflow, "files", folder, **{"github.ref_name": "v1.2.4"})


def test_each_processor_has_an_image_with_its_provenance(workflow: dict[str, Any], folder: Path) -> None:
    image = workflow["jobs"]["image"]
    assert {one["processor"]: one["machine"] for one in image["strategy"]["matrix"]["include"]} == {
        "amd64": "ubuntu-24.04",
        "arm64": "ubuntu-24.04-arm",
    }
    build = _run_job(workflow, "image", folder)[-1]
    assert "--provenance=mode=max --sbom=true" in build
    assert build.endswith("--output type=oci,dest=sonde-arm64.oci.tar .")


def test_what_is_published_is_signed_by_its_digest(workflow: dict[str, Any], folder: Path) -> None:
    done = _run_job(workflow, "publish", folder)
    assert f"cosign sign --yes --recursive registry.example/geo/sonde@{_DIGEST}" in done
    assert f"cosign sign --yes registry.example/geo/charts/sonde@{_DIGEST}" in done
    assert "helm push dist/sonde-chart-1.2.3.tgz oci://registry.example/geo/charts" in done
    (published,) = (line for line in done if line.startswith("uv publish"))
    assert published.endswith("dist/sonde_search-1.2.3-py3-none-any.whl dist/sonde_search-1.2.3.tar.gz")
    assert not any("secret-token" in line for line in done), "a token is never an argument"


def test_only_a_pushed_tag_publishes_and_every_action_is_pinned(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        if set(job["permissions"]) & {"packages", "pages"} or "write" in job["permissions"].get("contents", ""):
            assert (job["if"], job["environment"]) == ("github.event_name == 'push'", "release"), name
        for step in job["steps"]:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", f"a/b@{'0' * 40}")), step["uses"]
