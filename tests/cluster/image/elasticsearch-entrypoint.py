#!/usr/bin/env python3
"""The entry point of the stand-in for Elasticsearch's image: settings from the environment, the user `elastic` by
``ELASTIC_PASSWORD``, then the server. The official image keeps that password in a keystore, whose tool is not had here:
this one writes a file realm.
"""

import base64
import hashlib
import os
import pathlib
import sys

HOME = pathlib.Path("/usr/share/elasticsearch")
CONFIG = HOME / "config"
LOGGING = """\
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""
# Where the rebuilt archive lacks a module, the node does not know its settings.
MODULES = {"ingest.geoip.": "ingest-geoip"}


def main() -> None:
    """Raises KeyError without a password."""
    if sys.argv[1:] != ["eswrapper"]:
        os.execvp(sys.argv[1], sys.argv[1:])
    settings = {
        name: value for name, value in os.environ.items() if "." in name and name == name.lower() and known(name)
    }
    settings |= {"network.host": "0.0.0.0", "xpack.security.authc.reserved_realm.enabled": "false"}
    lines = [f"{name}: {value}\n" for name, value in settings.items()]
    (CONFIG / "elasticsearch.yml").write_text("".join(lines))
    (CONFIG / "log4j2.properties").write_text(LOGGING)
    salt = os.urandom(32)
    digest = hashlib.pbkdf2_hmac("sha512", os.environ.pop("ELASTIC_PASSWORD").encode(), salt, 10_000, 32)
    words = "$".join(base64.b64encode(part).decode() for part in (salt, digest))
    (CONFIG / "users").write_text(f"elastic:{{PBKDF2}}10000${words}\n")
    (CONFIG / "users_roles").write_text("superuser:elastic\n")
    java = os.environ["ES_JAVA_HOME"]
    os.environ |= {
        "ES_DISTRIBUTION_TYPE": "tar",  # "docker" takes settings from the environment itself, unknown ones too
        "JAVA_TYPE": "ES_JAVA_HOME",
        "JAVA": f"{java}/bin/java",
        "ES_HOME": str(HOME),
        "ES_PATH_CONF": str(CONFIG),
        "ES_TMPDIR": "/tmp",
    }
    os.chdir(HOME)
    launcher = ["-cp", "lib/tools/server-launcher/*", "org.elasticsearch.server.launcher.ServerLauncher"]
    os.execv(f"{java}/bin/java", ["java", "-Xms4m", "-Xmx64m", "-XX:+UseSerialGC", *launcher])


def known(name: str) -> bool:
    """Whether the node has the module of this setting."""
    return all((HOME / "modules" / module).is_dir() for prefix, module in MODULES.items() if name.startswith(prefix))


if __name__ == "__main__":
    main()
