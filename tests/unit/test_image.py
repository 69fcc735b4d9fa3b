"""The image's recipe as far as a machine without Docker can hold it: clean, complete, and its entry point runs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
ENTRY = ROOT / "docker-entrypoint.sh"
TOOLS = Path(sys.executable).parent


def test_hadolint_finds_nothing() -> None:
    done = subprocess.run([TOOLS / "hadolint", ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_package_is_copied_and_none_is_left_out_of_the_context() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    assert set(re.findall(r"^COPY (\w+) \1$", DOCKERFILE, re.MULTILINE)) == {*packages, "sonde_client"}
    left_out = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert packages.isdisjoint(left_out)
    assert "lab" in left_out
    assert "lab" not in packages
    laboratory = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text("utf-8"))["project"]
    assert laboratory["version"] == project["project"]["version"]
    copied = [name for line in re.findall(r"^COPY (?!-)(.+)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]]
    assert all((ROOT / name).exists() for name in copied)
    assert set(copied).isdisjoint(left_out)
    # What the wheel is made of beside its packages: without it the build of the image fails.
    wanted = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"])
    assert wanted <= set(copied)
    assert all(f"!{name}" in left_out for name in wanted if f"{name.split('/')[0]}/*" in left_out)
    assert {name.split("/")[0] for name in wanted}.isdisjoint(left_out)


def test_the_image_runs_as_nobody_special_and_says_its_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert re.search(r"^USER 10001$", DOCKERFILE, re.MULTILINE)
    assert f"ARG VERSION={project['version']}\n" in DOCKERFILE
    assert 'org.opencontainers.image.licenses="Apache-2.0"' in DOCKERFILE
    assert DOCKERFILE.count("\nFROM ") == 2


def test_the_image_holds_compiled_libraries_as_its_account_cannot_write_them() -> None:
    assert "PYTHONDONTWRITEBYTECODE=1" in DOCKERFILE
    assert DOCKERFILE.index("\nENV UV_COMPILE_BYTECODE=1\n") < DOCKERFILE.index("uv pip install")
    # A release's image gives all files one moment: files compiled for another one would be compiled in each process.
    assert DOCKERFILE.index("\nENV PYC_INVALIDATION_MODE=UNCHECKED_HASH\n") < DOCKERFILE.index("uv pip install")


def test_anything_else_is_a_command_of_sonde() -> None:
    done = subprocess.run(
        ["/bin/sh", ENTRY, "--help"],
        env={"PATH": f"{TOOLS}:/usr/bin:/bin", "HOME": "/tmp"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert "harvest" in done.stdout


def test_the_list_of_what_is_in_the_image_names_every_pinned_package(tmp_path: Path) -> None:
    listed = tmp_path / "sbom.json"
    subprocess.run(
        [TOOLS / "cyclonedx-py", "requirements", "--of", "JSON", "-o", listed, ROOT / "requirements.lock"],
        capture_output=True,
        check=True,
    )
    pinned = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    assert len(pinned) > 100
    names = set(re.findall(r'"purl": "pkg:pypi/([a-z0-9.-]+)@', listed.read_text("utf-8")))
    assert set(pinned) <= names
