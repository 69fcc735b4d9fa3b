"""The image's recipe as far as a machine without Docker can hold it: clean, complete, and its entry point runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from sonde.environment import secret_settings
from sonde.settings import Settings

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
    copied = [name for line in re.findall(r"^COPY (?!-)(.+)$", DOCKERFILE, re.MULTILINE) for name in line.split()[:-1]]
    assert all((ROOT / name).exists() for name in copied)
    assert set(copied).isdisjoint(left_out)
    # What the wheel is made of beside its packages: without it the build of the image fails.
    wanted = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"])
    assert wanted <= set(copied)
    assert all(f"!{name}" in left_out for name in wanted if f"{name.split('/')[0]}/*" in left_out)
    assert {name.split("/")[0] for name in wanted}.isdisjoint(left_out)


def test_the_image_runs_as_nobody_special() -> None:
    assert re.search(r"^USER 10001$", DOCKERFILE, re.MULTILINE)
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
        [TOOLS / "cyclonedx-py", "requirements", "--of", "JSON", "-o", listed, ROOT / "requirements-multilingual.lock"],
        capture_output=True,
        check=True,
    )
    pinned = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements-multilingual.lock").read_text("utf-8"), re.MULTILINE)
    assert len(pinned) > 100
    names = set(re.findall(r'"purl": "pkg:pypi/([a-z0-9.-]+)@', listed.read_text("utf-8")))
    assert set(pinned) <= names


_LOADED = "from sonde.settings import load_settings\nsettings = load_settings()\n"


def _settings_in_the_image(script: str, folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """What ``script`` says in an environment that the entry point made: its `sonde` is this script."""
    command = folder / "sonde"
    command.write_text(f"#!{sys.executable}\n{_LOADED}{script}\n")
    command.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": str(ROOT), **given}
    return subprocess.run(["/bin/sh", ENTRY, "x"], env=environment, capture_output=True, text=True, timeout=60)


def test_a_setting_that_ends_in_file_is_no_mounted_secret(tmp_path: Path) -> None:
    font = tmp_path / "own.woff2"
    font.write_bytes(b"wOF2\0\xff")
    said = _settings_in_the_image("print(settings.portal.font_file)", tmp_path, SONDE_PORTAL__FONT_FILE=str(font))
    assert said.stdout.strip() == str(font), said.stderr


def test_every_secret_setting_can_be_mounted_and_stays_out_of_the_environment(tmp_path: Path) -> None:
    values = {
        "SONDE_ELASTICSEARCH__URL": "https://one.example:9200",
        "SONDE_BROKER__URL": "rediss://:word@two.example:6379/0",
    }
    given = {}
    for place, name in enumerate(secret_settings(Settings)):
        (tmp_path / name).write_text(values.setdefault(name, f"a long enough secret {place}") + "\n")
        given[f"{name}_FILE"] = str(tmp_path / name)
    script = (
        "import json, os\n"
        "from pydantic import SecretStr\n"
        "opened = lambda value: value.get_secret_value() if isinstance(value, SecretStr) else value\n"
        "names = [name.removesuffix('_FILE') for name in os.environ if name.startswith('SONDE_')]\n"
        "of = lambda name: name.removeprefix('SONDE_').lower().split('__')\n"
        "print(json.dumps({n: opened(getattr(getattr(settings, of(n)[0]), of(n)[1])) for n in names}))\n"
        "assert not set(names) & set(os.environ)"
    )
    said = _settings_in_the_image(script, tmp_path, **given)
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout) == values
    secrets = {name for name in values if name.endswith(("__PASSWORD", "__SECRET", "__KEY", "__API_KEY"))}
    assert len(secrets) >= 7
    assert all(name in values for name in sorted(_secret_fields())), "the list follows the settings"


def test_a_secret_that_is_not_mounted_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "away"
    said = _settings_in_the_image("", tmp_path, SONDE_ALERTS__SECRET_FILE=str(missing))
    assert f"SONDE_ALERTS__SECRET_FILE names {missing}" in said.stderr


def _secret_fields() -> set[str]:
    return {
        f"SONDE_{group}__{name}".upper()
        for group, entry in Settings.model_fields.items()
        for name, field in entry.annotation.model_fields.items()  # type: ignore[union-attr]
        if "SecretStr" in repr(field.annotation)
    }
