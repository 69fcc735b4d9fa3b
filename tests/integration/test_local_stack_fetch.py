"""Single files out of an archive on a real web server, by range; what is damaged or absent is refused."""

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from local_stack.errors import FetchFailed
from local_stack.fetching import fetch_entries, list_entries

CONTENTS = {f"carrier/elasticsearch/lib/{n}.jar": bytes([n]) * (1000 * n + 1) for n in range(12)}
EXECUTABLE = "carrier/elasticsearch/lib/3.jar"
DIGESTS = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENTS.items()}


@dataclass
class Archive:
    """What the server serves, and how much of it was asked for."""

    body: bytearray
    url: str = ""
    sent_bytes: int = 0


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    served = Archive(bytearray(packed(tmp_path / "carrier.zip").read_bytes()))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path != "/carrier.zip":
                self.send_error(404)
                return
            first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")
            size = len(served.body)
            begin = int(first) if first else max(0, size - int(last))
            end = min(int(last), size - 1) if first and last else size - 1
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{end}/{size}")
            self.send_header("Content-Length", str(end - begin + 1))
            self.end_headers()
            served.sent_bytes += end - begin + 1
            self.wfile.write(served.body[begin : end + 1])

        def log_message(self, format: str, *args: object) -> None:
            """Quiet: the test says what went wrong."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}/carrier.zip"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield served
    server.shutdown()
    server.server_close()


def packed(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as written:  # stored, so that a byte of a file is a byte of the archive
        written.writestr("carrier/large-and-unwanted.bin", bytes(2_000_000))
        for name, content in CONTENTS.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o100755 if name == EXECUTABLE else 0o100640) << 16
            written.writestr(info, content)
    return path


def test_only_what_is_wanted_goes_over_the_wire_and_arrives_whole(archive: Archive, tmp_path: Path) -> None:
    entries = [entry for entry in list_entries(archive.url) if entry.name in CONTENTS]
    heard: list[int] = []
    fetch_entries(archive.url, entries, tmp_path / "out", DIGESTS, heard.append)
    assert {entry.name: (tmp_path / "out" / entry.path).read_bytes() for entry in entries} == CONTENTS
    assert heard == sorted(heard)
    assert heard[-1] == sum(len(content) for content in CONTENTS.values())
    assert archive.sent_bytes < 2_000_000


def test_everyone_may_read_what_was_fetched_and_run_what_was_a_program(archive: Archive, tmp_path: Path) -> None:
    entries = [entry for entry in list_entries(archive.url) if entry.name in CONTENTS]
    fetch_entries(archive.url, entries, tmp_path / "out", DIGESTS, lambda _done: None)
    modes = {entry.name: (tmp_path / "out" / entry.path).stat().st_mode & 0o777 for entry in entries}
    assert modes.pop(EXECUTABLE) == 0o755
    assert set(modes.values()) == {0o644}
    assert (tmp_path / "out" / "carrier").stat().st_mode & 0o777 == 0o755


def test_a_damaged_file_is_refused_by_its_checksum(archive: Archive, tmp_path: Path) -> None:
    entries = [entry for entry in list_entries(archive.url) if entry.name == EXECUTABLE]
    content = CONTENTS[EXECUTABLE]
    archive.body[archive.body.index(content)] ^= 0xFF
    with pytest.raises(FetchFailed):
        fetch_entries(archive.url, entries, tmp_path / "out", DIGESTS, lambda _done: None)


@pytest.mark.parametrize("digests", [{**DIGESTS, EXECUTABLE: DIGESTS[max(DIGESTS)]}, {}], ids=["another", "unknown"])
def test_a_file_that_was_exchanged_is_refused_though_its_checksum_fits(
    archive: Archive, tmp_path: Path, digests: dict[str, str]
) -> None:
    """CRC-32 finds damage; whoever exchanges a file makes its CRC fit."""
    entries = [entry for entry in list_entries(archive.url) if entry.name == EXECUTABLE]
    with pytest.raises(FetchFailed, match="SHA-256"):
        fetch_entries(archive.url, entries, tmp_path / "out", digests, lambda _done: None)
    assert not (tmp_path / "out" / EXECUTABLE).exists()


def test_an_archive_that_is_not_there_is_one_sentence(archive: Archive) -> None:
    with pytest.raises(FetchFailed, match="could not be fetched"):
        list_entries(archive.url.replace("carrier", "nothing"))
