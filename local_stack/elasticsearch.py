"""The Elasticsearch of one machine: a single node on 127.0.0.1, started without its shell script.

Also from the archive of Elastic that an operator unpacked: nothing is written into its folder. Configuration, data and
logs are in the same folders as for a fetched one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from local_stack.accounts import (
    Account,
    can_reach,
    make_private_folder,
    make_shared_folder,
    node_folder,
    reachable_cache,
    unprivileged_account,
)
from local_stack.distribution import ensure_distribution
from local_stack.errors import RequirementMissing
from local_stack.fetching import PLUGIN_NAME
from local_stack.java import Java, find_java
from local_stack.part import External, Reporter, StackPart
from local_stack.process import Command
from local_stack.settings import NodeConfig, Port, StackConfig
from local_stack.state import Login, login_of, made_login, user_lines

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


CERTIFICATE, KEY = "transport.pem", "transport.key"
_LASTS = timedelta(days=3650)
_CLOCK = timedelta(days=1)
NAME = "elasticsearch"
# A laptop's disk is often fuller than the 90 % at which a node stops taking shards; but a full disk damages more than
# Sonde. So the node becomes read-only while there is still room for its logs and for a person to act.
_DISK = {
    "cluster.routing.allocation.disk.watermark.low": "3gb",
    "cluster.routing.allocation.disk.watermark.high": "2gb",
    "cluster.routing.allocation.disk.watermark.flood_stage": "1gb",
}
_LAUNCHER = "lib/tools/server-launcher"  # from version 9.1 on
_ASK_TIMEOUT_S = 3.0
_STOP_GRACE_S = 60.0  # it flushes its translogs
# For the JVM whose standard output says how the server is started: a warning among it (of control groups, say) is no
# part of that.
CLI_JAVA_OPTS = ("-Xms4m", "-Xmx64m", "-XX:+UseSerialGC", "-Xlog:disable", "-Xlog:all=warning:stderr")
# All to the console, which we keep in the stack's own log folder. Deprecations go into the answers' headers.
_LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] [%node_name]%marker %m%consoleException%n
appender.header_warning.type = HeaderWarningAppender
appender.header_warning.name = header_warning
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
logger.deprecation.name = org.elasticsearch.deprecation
logger.deprecation.level = warn
logger.deprecation.appenderRef.header_warning.ref = header_warning
logger.deprecation.additivity = false
"""


def write_transport_key(config: Path) -> None:
    """A key and a certificate that signs itself and is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sonde-local")])
    issued_at = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(issued_at - _CLOCK)
        .not_valid_after(issued_at + _LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    (config / CERTIFICATE).write_bytes(certificate.public_bytes(Encoding.PEM))
    (config / KEY).touch(mode=0o600)
    (config / KEY).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


@dataclass(frozen=True, slots=True)
class NodeFolders:
    """Where one node keeps its things; all below ``root``, which the account it runs as can reach."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "config"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def scratch(self) -> Path:
        return self.root / "tmp"

    @property
    def crashes(self) -> Path:
        return self.root / "crashes"

    @property
    def snapshots(self) -> Path:
        """Where repositories of snapshots may lie; kept like the data."""
        return self.root / "snapshots"


def elasticsearch_part(stack: StackConfig) -> StackPart | External:
    """The node of this stack, or the server its settings name."""
    settings = stack.elasticsearch
    url = stack.elasticsearch_url
    if settings.url is not None:
        return External(NAME, without_login(settings.url), lambda: external_trouble(url, settings.ca_certs))
    log = stack.folder / "logs" / f"{NAME}.log"
    return StackPart(
        name=NAME,
        log=log,
        prepare=lambda report: _prepare(stack, log, report),
        trouble=lambda: trouble(url, login_of(stack.folder) if settings.with_login else None),
        address=url,
        ports=(
            Port("127.0.0.1", settings.http_port, settings.http_port_setting),
            Port("127.0.0.1", settings.transport_port, settings.transport_port_setting),
        ),
        start_timeout_s=settings.start_timeout_s,
        stop_grace_s=_STOP_GRACE_S,
    )


def trouble(url: str, login: Login | None = None) -> str | None:
    """What is wrong with an Elasticsearch, as a phrase; None where it answers and has all its primary shards."""
    address = f"{url.rstrip('/')}/_cluster/health"
    try:
        # No proxy of the environment: it cannot reach this machine, and the login is not for it.
        answer = httpx.get(address, timeout=_ASK_TIMEOUT_S, auth=login.as_pair if login else None, trust_env=False)
        answer.raise_for_status()
        health = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        return f"does not answer ({type(error).__name__})"
    if health.get("status") not in ("green", "yellow"):
        return f"is {health.get('status')}: {health.get('unassigned_shards')} shards are not there"
    return None


def external_trouble(url: str, ca_certs: Path | None = None) -> str | None:
    """As ``trouble``, for a server of someone else: one that asks who we are (401, 403) is there.

    What we may do on it is for those who hold the password to find out.
    """
    verify = ssl.create_default_context(cafile=ca_certs) if ca_certs else True
    try:
        answer = httpx.get(
            without_login(url), timeout=_ASK_TIMEOUT_S, verify=verify, follow_redirects=True, trust_env=False
        )
    except httpx.HTTPError as error:
        return f"does not answer ({type(error).__name__})"
    return None if answer.status_code in (200, 401, 403) else f"answers {answer.status_code}"


def without_login(url: str) -> str:
    """The address without the user and password it may hold."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def node_settings(settings: NodeConfig, folders: NodeFolders) -> dict[str, str | int | bool]:
    """``elasticsearch.yml``. Only settings that this distribution knows: it refuses to start on any other."""
    return {
        "cluster.name": "sonde-local",
        "node.name": settings.node,
        "path.data": str(folders.data),
        "path.logs": str(folders.crashes),
        "path.repo": str(folders.snapshots),
        "network.host": "127.0.0.1",
        "http.port": settings.http_port,
        "transport.port": settings.transport_port,
        **_discovery(settings),
        **_security(settings),
        **_DISK,
        "action.destructive_requires_name": True,
        "xpack.ml.enabled": False,
        "xpack.watcher.enabled": False,
        "xpack.profiling.enabled": False,
    }


def _settings_of_modules(home: Path) -> dict[str, bool]:
    """For modules that the fetched distribution lacks: a node knows the settings of its own modules only."""
    return {"ingest.geoip.downloader.enabled": False} if (home / "modules" / "ingest-geoip").is_dir() else {}


def _security(settings: NodeConfig) -> dict[str, str | bool]:
    """With a login, passwords pass in the open, but only on 127.0.0.1; the transport port takes its own key alone."""
    if not settings.with_login:
        return {"xpack.security.enabled": False}
    return {
        "xpack.security.enabled": True,
        "xpack.security.enrollment.enabled": False,
        "xpack.security.http.ssl.enabled": False,
        "xpack.security.transport.ssl.enabled": True,
        "xpack.security.transport.ssl.client_authentication": "required",
        "xpack.security.transport.ssl.verification_mode": "certificate",
        "xpack.security.transport.ssl.key": KEY,
        "xpack.security.transport.ssl.certificate": CERTIFICATE,
        "xpack.security.transport.ssl.certificate_authorities": CERTIFICATE,
    }


def _discovery(settings: NodeConfig) -> dict[str, str]:
    if not settings.members:
        return {"discovery.type": "single-node"}
    hosts = ",".join(f"127.0.0.1:{port}" for port in settings.members.values())
    return {"discovery.seed_hosts": hosts, "cluster.initial_master_nodes": ",".join(settings.members)}


def node_jvm_options(settings: NodeConfig) -> list[str]:
    """What is laid over the distribution's ``jvm.options``.

    Touching all of the heap at the start costs seconds and memory that a small catalogue never needs; dumps of the
    heap and logs of the garbage collector fill disks without anyone noticing.
    """
    heap = [f"-Xms{settings.heap}", f"-Xmx{settings.heap}", "-XX:-AlwaysPreTouch"]
    quiet_options = ["-XX:-HeapDumpOnOutOfMemoryError", "-Xlog:disable", "-Xlog:all=warning:stderr:utctime,level,tags"]
    return [*heap, *quiet_options, *settings.jvm_options]


def prepare_server(stack: StackConfig, report: Reporter) -> tuple[Account | None, Java, Path]:
    """The account that the node runs as, its Java, and the folder of a whole Elasticsearch: the installed one of the
    settings, or one of the cache, fetched where there is none. Raises StackError.
    """
    settings = stack.elasticsearch
    account = unprivileged_account(settings.run_as)
    if settings.home is not None:
        home = installed_home(settings.home, settings, account)
        return account, java_of(home, stack.environment, account), home
    java = find_java(stack.environment, account)
    cache = reachable_cache(stack.cache, account)
    return account, java, ensure_distribution(cache, settings.version, java, stack.environment, report)


def _prepare(stack: StackConfig, log: Path, report: Reporter) -> Command:
    account, java, home = prepare_server(stack, report)
    settings = stack.elasticsearch
    folders = NodeFolders(node_folder(stack.folder, account))
    if not folders.root.is_relative_to(stack.folder):
        report(f"{NAME}.relocated", folder=str(folders.root), account=account.name if account else "")
    _make_folders(folders, account)
    _configure(home, folders, settings)
    if settings.with_login:
        _write_users(folders.config, made_login(stack.folder))
        write_transport_key(folders.config)
    if account is not None:
        _give(folders.config, account)
    return Command(_argv(java, home, folders), _environment(java, home, folders, stack.environment), home, log, account)


def _make_folders(folders: NodeFolders, account: Account | None) -> None:
    make_shared_folder(folders.root)
    for passing in (folders.config, folders.scratch):  # recreated: no half-written file survives a power cut
        shutil.rmtree(passing, ignore_errors=True)
    for folder in (folders.config, folders.data, folders.scratch, folders.crashes, folders.snapshots):
        make_private_folder(folder, account)


def _configure(home: Path, folders: NodeFolders, settings: NodeConfig) -> None:
    for name in CONFIGURATION:
        shutil.copyfile(home / "config" / name, folders.config / name)
    (folders.config / "log4j2.properties").write_text(_LOGGING, encoding="utf-8")
    # JSON scalars are YAML scalars, quoted as they must be.
    config = {**node_settings(settings, folders), **_settings_of_modules(home)}
    lines = [f"{name}: {json.dumps(value)}\n" for name, value in config.items()]
    (folders.config / "elasticsearch.yml").write_text("".join(lines), encoding="utf-8")
    options = folders.config / "jvm.options.d"
    options.mkdir()
    (options / "sonde.options").write_text("\n".join(node_jvm_options(settings)) + "\n", encoding="utf-8")


def _write_users(config: Path, login: Login) -> None:
    for name, line in zip(("users", "users_roles"), user_lines(login), strict=True):
        (config / name).write_text(line, encoding="utf-8")
        (config / name).chmod(0o600)


def _give(folder: Path, account: Account) -> None:
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, account.uid, account.gid)


def _argv(java: Java, home: Path, folders: NodeFolders) -> tuple[str, ...]:
    """What ``bin/elasticsearch`` would start; the fetched archive lacks that script, and the one of a package takes its
    configuration from elsewhere. This first JVM starts the server.
    """
    program = (str(java.program), *CLI_JAVA_OPTS, "-XX:TieredStopAtLevel=1")
    if (home / _LAUNCHER).is_dir():
        return (*program, "-cp", f"{_LAUNCHER}/*", "org.elasticsearch.server.launcher.ServerLauncher")
    properties = {  # version 8
        "cli.name": "server",
        "cli.script": str(home / "bin" / "elasticsearch"),
        "cli.libs": "lib/tools/server-cli",
        "es.path.home": str(home),
        "es.path.conf": str(folders.config),
        "es.distribution.type": "tar",
        "es.java.type": "ES_JAVA_HOME",
    }
    options = [f"-D{name}={value}" for name, value in properties.items()]
    return (*program, *options, "-cp", "lib/*:lib/cli-launcher/*", "org.elasticsearch.launcher.CliToolLauncher")


def _environment(
    java: Java, home: Path, folders: NodeFolders, environment_of_caller: Mapping[str, str]
) -> dict[str, str]:
    """Little is passed on: a stray ES_JAVA_OPTS or JAVA_TOOL_OPTIONS would change the node."""
    return {
        "PATH": environment_of_caller.get("PATH", "/usr/bin:/bin"),
        "HOME": str(folders.scratch),
        "LANG": "C.UTF-8",
        "ES_DISTRIBUTION_TYPE": "tar",
        "JAVA_TYPE": "ES_JAVA_HOME",
        "ES_JAVA_HOME": str(java.home),
        "JAVA": str(java.program),
        "CLI_JAVA_OPTS": " ".join(CLI_JAVA_OPTS),
        "ES_HOME": str(home),
        "ES_PATH_CONF": str(folders.config),
        "ES_TMPDIR": str(folders.scratch),
    }
