"""Which folder of an installed Elasticsearch Sonde starts, and what it says of the others."""

import os
from pathlib import Path

import pytest

from local_stack.accounts import Account
from local_stack.elasticsearch import (
    CONFIGURATION,
    installed_home,
    installed_version,
    is_supported,
    java_of,
    why_unfit,
)
from local_stack.errors import RequirementMissing
from local_stack.java import NEEDED_MODULES
from local_stack.settings import NodeConfig

SETTINGS = NodeConfig()


def laid_out(folder: Path, version: str = "9.4.3", shapes: str = "modules/spatial") -> Path:
    """The files of Elastic's archive by which it is recognised."""
    configuration = (f"config/{name}" for name in CONFIGURATION)
    for name in ("bin/elasticsearch", f"lib/elasticsearch-{version}.jar", "lib/lucene-core.jar", *configuration):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "lib" / f"elasticsearch-core-{version}.jar").touch()
    (folder / shapes).mkdir(parents=True)
    return folder


def java_home(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").touch(mode=0o755)
    (folder / "release").write_text(f'JAVA_VERSION="25.0.1"\nMODULES="{" ".join(NEEDED_MODULES)}"\n')
    return folder


@pytest.mark.parametrize("version", ["8.19.0", "8.19.13", "9.0.0", "9.4.3", "9.12.1"])
@pytest.mark.parametrize("shapes", ["modules/spatial", "plugins/sonde-geo-shape"])
def test_a_whole_one_of_a_supported_version_is_taken_as_it_is(tmp_path: Path, version: str, shapes: str) -> None:
    home = laid_out(tmp_path / "elasticsearch", version, shapes)
    assert why_unfit(home) is None
    assert installed_version(home) == version
    assert installed_home(home, SETTINGS, None) == home.resolve()


@pytest.mark.parametrize(
    ("version", "supported"),
    [("7.17.29", False), ("8.18.8", False), ("8.19.13", True), ("9.0.0", True), ("10.0.0", False)],
)
def test_supported_are_8_19_and_9(version: str, supported: bool) -> None:
    assert is_supported(version) is supported


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        ("bin/elasticsearch", "has no bin/elasticsearch"),
        ("config/jvm.options", "comes from a Debian or RPM package"),
        ("config/roles.yml", "has no config/roles.yml that you may read"),
        ("lib/elasticsearch-9.4.3.jar", "has no lib/elasticsearch-VERSION.jar"),
        ("modules/spatial", "has no modules/spatial"),
    ],
)
def test_what_is_missing_is_named_with_the_setting(tmp_path: Path, missing: str, reason: str) -> None:
    home = laid_out(tmp_path)
    path = home / missing
    path.rmdir() if path.is_dir() else path.unlink()
    with pytest.raises(RequirementMissing) as refused:
        installed_home(home, SETTINGS, None)
    assert str(refused.value).startswith(f"SONDE_ELASTICSEARCH__HOME={home}: the folder ")
    assert reason in str(refused.value)


def test_another_version_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequirementMissing, match=r"holds Elasticsearch 8\.17\.4\. Sonde needs 8\.19 or 9"):
        installed_home(laid_out(tmp_path, "8.17.4"), SETTINGS, None)


def test_a_folder_that_the_account_cannot_enter_is_refused(tmp_path: Path) -> None:
    home = laid_out(tmp_path / "closed" / "elasticsearch")
    (tmp_path / "closed").chmod(0o700)
    stranger = Account("stranger", uid=os.getuid() + 4711, gid=os.getgid() + 4711)
    with pytest.raises(RequirementMissing, match="cannot be entered by the account stranger"):
        installed_home(home, SETTINGS, stranger)


def test_its_own_java_is_used_unless_another_is_named(tmp_path: Path) -> None:
    home = laid_out(tmp_path / "elasticsearch")
    usual, named = java_home(tmp_path / "usual"), java_home(tmp_path / "named")
    environment = {"JAVA_HOME": str(usual)}
    assert java_of(home, environment, None).home == usual
    bundled = java_home(home / "jdk")
    assert java_of(home, environment, None).home == bundled
    assert java_of(home, {**environment, "ES_JAVA_HOME": str(named)}, None).home == named
