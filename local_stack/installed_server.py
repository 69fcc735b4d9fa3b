"""An Elasticsearch that the operator installed: the unpacked archive of Elastic, started in its own folder.

Nothing is written into its folder. Configuration, data and logs are in the same folders as for a fetched one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from local_stack.accounts import Account, can_reach
from local_stack.errors import RequirementMissing
from local_stack.geo_shape_plugin import PLUGIN_NAME
from local_stack.java import Java, find_java
from local_stack.settings import NodeConfig

CONFIGURATION = ("jvm.options", "role_mapping.yml", "roles.yml", "users", "users_roles")
"""What a node takes over from the folder ``config``."""
_SERVER_JAR = re.compile(r"elasticsearch-(?P<version>\d+\.\d+\.\d+\S*)\.jar")
_OLDEST_MINOR = {8: 19, 9: 0}
_GIVES_SHAPES = ("modules/spatial", f"plugins/{PLUGIN_NAME}")
_BUNDLED_JAVA = ("jdk", "jdk.app/Contents/Home")  # the second in the archive for macOS


def installed_home(home: Path, settings: NodeConfig, account: Account | None) -> Path:
    """The folder itself, made absolute. Raises RequirementMissing that says why Sonde cannot start what it holds."""
    absolute = home.expanduser().resolve()
    if account is not None and not can_reach(account, absolute):
        refusal: str | None = f"cannot be entered by the account {account.name}, as which Elasticsearch runs; move it"
    else:
        refusal = why_unfit(absolute)
    if refusal is not None:
        raise RequirementMissing(f"{settings.home_setting}={home}: the folder {refusal}")
    return absolute


def why_unfit(home: Path) -> str | None:
    """Why Sonde cannot start what the folder holds, as the end of a sentence; None where it can."""
    if not (home / "bin" / "elasticsearch").is_file():
        return "has no bin/elasticsearch. Name the folder into which you unpacked Elastic's archive"
    if not (home / "config" / "jvm.options").is_file():
        return (
            "has no config/jvm.options, so it comes from a Debian or RPM package. Unpack Elastic's archive (.tar.gz), "
            "or start the package's service and name it in the url setting"
        )
    for name in CONFIGURATION:
        if not os.access(home / "config" / name, os.R_OK):
            return f"has no config/{name} that you may read. Unpack the archive again, as the user who starts Sonde"
    version = installed_version(home)
    if version is None:
        return "has no lib/elasticsearch-VERSION.jar. Unpack the archive again"
    if not is_supported(version):
        return f"holds Elasticsearch {version}. Sonde needs 8.19 or 9"
    if not any((home / module).is_dir() for module in _GIVES_SHAPES):
        return "has no modules/spatial, so it cannot index geo_shape. Take the whole archive of Elastic"
    return None


def installed_version(home: Path) -> str | None:
    """``9.4.3``, by the server's own library; None where there is none."""
    matches = (_SERVER_JAR.fullmatch(path.name) for path in sorted((home / "lib").glob("elasticsearch-*.jar")))
    return next((match["version"] for match in matches if match is not None), None)


def is_supported(version: str) -> bool:
    """8.19 and 9: the versions that `sonde doctor` accepts."""
    major, minor = (int(number) for number in version.split(".")[:2])
    return major in _OLDEST_MINOR and minor >= _OLDEST_MINOR[major]


def java_of(home: Path, environment: Mapping[str, str], account: Account | None) -> Java:
    """The Java of ES_JAVA_HOME, else the one in the folder, else one of the machine. Raises RequirementMissing."""
    bundled_java = next((home / path for path in _BUNDLED_JAVA if (home / path / "bin" / "java").is_file()), None)
    if bundled_java is None or environment.get("ES_JAVA_HOME"):
        return find_java(environment, account)
    return find_java({**environment, "ES_JAVA_HOME": str(bundled_java)}, account)
