"""What makes a fetched Elasticsearch whole, and what a node is told."""

import json
import os
import stat
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import pytest

import sonde.settings
from local_stack.distribution import (
    DISTRIBUTIONS,
    MANIFEST,
    ArchiveContents,
    Distribution,
    digest,
    fault,
    manifest,
    require,
    server_files,
)
from local_stack.elasticsearch import NodeFolders, node_jvm_options, node_settings, without_login
from local_stack.errors import FetchFailed
from local_stack.fetching import ArchiveEntry, descriptor, pack, sources
from local_stack.settings import DEFAULT_VERSION, NodeConfig
from local_stack.state import login_of, made_login, password_file, user_lines


def entry(path: str, content: bytes = b"") -> ArchiveEntry:
    return ArchiveEntry(f"carrier/elasticsearch/{path}", path, len(content), zlib.crc32(content), 0o644)


def whole(home: Path) -> Path:
    (home / "lib").mkdir(parents=True)
    (home / "lib" / "server.jar").write_bytes(b"server")
    (home / MANIFEST).write_text(json.dumps(manifest("9.4.3", [entry("lib/server.jar", b"server")])))
    return home


def test_only_the_servers_own_files_are_wanted_in_order_of_their_paths() -> None:
    names = [
        "carrier/README",
        "carrier/elasticsearch/modules/x-pack-inference/a.jar",
        "carrier/elasticsearch/bin/elasticsearch.bat",
        "carrier/elasticsearch/modules/x-pack-core/b.jar",
        "carrier/elasticsearch/lib/a.jar",
    ]
    found = server_files(ArchiveEntry(name, name, 1, 1, 0) for name in names)
    assert [item.path for item in found] == ["lib/a.jar", "modules/x-pack-core/b.jar"]
    assert found[0].name == "carrier/elasticsearch/lib/a.jar"


def test_an_archive_that_differs_in_one_byte_is_refused() -> None:
    tried = [entry("lib/a.jar", b"abc"), entry("lib/b.jar", b"de")]
    distribution = Distribution("9.9.9", "1.0", ArchiveContents(entries=2, size=5, digest=digest(tried)))
    require(tried, distribution)
    for other in ([entry("lib/a.jar", b"abX"), tried[1]], tried[:1], [*tried, entry("lib/c.jar")]):
        with pytest.raises(FetchFailed, match=r"9\.9\.9"):
            require(other, distribution)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_every_file_of_a_version_has_its_digest(distribution: Distribution) -> None:
    known = distribution.digests
    assert len(known) == distribution.expected.entries
    assert all(len(one) == 64 for one in known.values())
    assert not any(path.startswith(("/", "..")) or "inference/" in path for path in known)


def test_a_whole_distribution_has_no_fault(tmp_path: Path) -> None:
    assert fault(whole(tmp_path), "9.4.3") is None


def test_a_folder_without_its_manifest_was_interrupted(tmp_path: Path) -> None:
    (whole(tmp_path) / MANIFEST).unlink()
    assert fault(tmp_path, "9.4.3") == "never fetched to the end"
    (tmp_path / MANIFEST).write_text('{"version": "9.4')
    assert fault(tmp_path, "9.4.3") == "never fetched to the end"


def test_a_missing_a_cut_and_a_damaged_file_are_named(tmp_path: Path) -> None:
    jar = whole(tmp_path) / "lib" / "server.jar"
    jar.write_bytes(b"serve")
    assert fault(tmp_path, "9.4.3") == "lib/server.jar is missing or cut"
    jar.write_bytes(b"serveX")
    assert fault(tmp_path, "9.4.3") == "lib/server.jar is damaged"
    jar.unlink()
    assert fault(tmp_path, "9.4.3") == "lib/server.jar is missing or cut"


def test_another_version_is_not_used(tmp_path: Path) -> None:
    recorded = json.loads((whole(tmp_path) / MANIFEST).read_text())
    (tmp_path / MANIFEST).write_text(json.dumps({**recorded, "version": "9.3.0"}))
    assert fault(tmp_path, "9.4.3") == "of another version"


def test_the_versions_that_can_be_chosen_are_those_that_are_known() -> None:
    offered = get_args(sonde.settings.ElasticsearchSettings.model_fields["version"].annotation)
    assert set(offered) == set(DISTRIBUTIONS)
    assert offered[0] == DEFAULT_VERSION
    assert all(len(sources(version)) == 2 for version in DISTRIBUTIONS)


def test_a_node_listens_on_this_machine_only() -> None:
    told = node_settings(NodeConfig(http_port=9271, transport_port=9371), NodeFolders(Path("/n")))
    assert told["network.host"] == "127.0.0.1"
    assert (told["http.port"], told["transport.port"]) == (9271, 9371)
    assert (told["path.data"], told["discovery.type"]) == ("/n/data", "single-node")


def test_a_node_becomes_read_only_before_its_disk_is_full() -> None:
    told = node_settings(NodeConfig(), NodeFolders(Path("/n")))
    assert "cluster.routing.allocation.disk.threshold_enabled" not in told, "it is on by default"
    marks = [told[f"cluster.routing.allocation.disk.watermark.{name}"] for name in ("low", "high", "flood_stage")]
    assert marks == ["3gb", "2gb", "1gb"]


def test_a_login_is_made_once_and_elasticsearch_gets_its_hash(tmp_path: Path) -> None:
    assert login_of(tmp_path) is None
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: made_login(tmp_path), range(16)))
    assert made == {login_of(tmp_path)}
    assert stat.S_IMODE(password_file(tmp_path).stat().st_mode) == 0o600
    (login,) = made
    assert len(login.password) == 64
    assert login.password not in repr(login)
    users, roles = user_lines(login, b"s" * 32)
    assert users.startswith("sonde:{PBKDF2}10000$")
    assert login.password not in users
    assert roles == "superuser:sonde\n"


def test_a_node_with_a_login_takes_nobody_else_on_its_transport_port() -> None:
    told = node_settings(NodeConfig(with_login=True), NodeFolders(Path("/n")))
    assert told["xpack.security.enabled"] is True
    assert told["xpack.security.transport.ssl.client_authentication"] == "required"
    assert node_settings(NodeConfig(), NodeFolders(Path("/n")))["xpack.security.enabled"] is False


def test_the_heap_is_fixed_and_later_options_win() -> None:
    options = node_jvm_options(NodeConfig(heap="700m", jvm_options=("-Xmx900m",)))
    assert options[:2] == ["-Xms700m", "-Xmx700m"]
    assert options[-1] == "-Xmx900m"


def test_the_same_classes_make_the_same_plugin(tmp_path: Path) -> None:
    (tmp_path / "classes" / "org").mkdir(parents=True)
    compiled = tmp_path / "classes" / "org" / "Extent.class"
    made = []
    for moment in (1_000_000_000, 1_500_000_000):
        compiled.write_bytes(b"the same code")
        os.utime(compiled, (moment, moment))
        pack(tmp_path / "classes", tmp_path / "plugin.jar")
        made.append((tmp_path / "plugin.jar").read_bytes())
    assert made[0] == made[1]


def test_the_plugin_says_which_server_it_was_built_for() -> None:
    assert "elasticsearch.version=9.4.3\n" in descriptor("9.4.3")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:9200", "http://127.0.0.1:9200"),
        ("https://elastic:se@cret@search.example:9200/es", "https://search.example:9200/es"),
        ("redis://:secret@broker.example:6379/0", "redis://broker.example:6379/0"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, said: str) -> None:
    assert without_login(url) == said
