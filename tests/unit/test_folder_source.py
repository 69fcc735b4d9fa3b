"""The folder source on real folders, tars and zips: order, resuming, limits, and what is skipped by name."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFound
from indexer.raw import RawPage, SkippedMember
from indexer.sources.folder import FolderSource
from indexer.sources.members import ArchiveLimits, LimitReached, SourceBroken, is_wanted, unsafe_name

FILES = {"b.xml": b"<b/>", "a/2.xml": b"<a2/>", "a/1.json": b"{}", "a.xml": b"<a/>", "c/d/e.ttl": b"."}
IN_ORDER = ["a/1.json", "a/2.xml", "a.xml", "b.xml", "c/d/e.ttl"]


def _folder(path: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        file = path / "data" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return path / "data"


def _tar(path: Path, files: Mapping[str, bytes], mode: str = "w:gz") -> Path:
    archive = path / "data.tar.gz"
    with tarfile.open(archive, mode) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 86400
            tar.addfile(info, io.BytesIO(content))
    return archive


def _zip(path: Path, files: Mapping[str, bytes]) -> Path:
    archive = path / "data.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return archive


def _ids(pages: list[RawPage]) -> list[str]:
    return [record.native_id for page in pages for record in page.records]


def _skipped(pages: list[RawPage]) -> list[SkippedMember]:
    return [one for page in pages for one in page.skipped]


def test_a_folder_is_read_in_order(tmp_path):
    pages = list(FolderSource(_folder(tmp_path, FILES), page_size=2).pages())
    assert _ids(pages) == IN_ORDER
    assert [len(page.records) for page in pages] == [2, 2, 1]
    assert {page.total for page in pages} == {5}
    first = pages[0].records[0]
    assert (first.content, first.media_type) == (b"{}", "application/json")
    assert first.origin == f"{tmp_path}/data/a/1.json"


@pytest.mark.parametrize("make", [_folder, _tar, _zip])
def test_every_page_resumes_where_it_ended(tmp_path, make: Callable[[Path, Mapping[str, bytes]], Path]):
    source = FolderSource(make(tmp_path, FILES), page_size=1)
    pages = list(source.pages())
    everything = _ids(pages)
    assert sorted(everything) == sorted(FILES)
    for number, page in enumerate(pages, 1):
        position = json.loads(json.dumps(page.position))
        assert _ids(list(source.pages(position))) == everything[number:]


def test_a_folder_resumes_though_the_last_file_is_gone(tmp_path):
    folder = _folder(tmp_path, FILES)
    source = FolderSource(folder, page_size=2)
    position = next(source.pages()).position
    (folder / "a/2.xml").unlink()
    assert _ids(list(source.pages(position))) == ["a.xml", "b.xml", "c/d/e.ttl"]


def test_a_changed_tar_starts_again_and_loses_nothing(tmp_path):
    source = FolderSource(_tar(tmp_path, FILES), page_size=2)
    position = next(source.pages()).position
    _tar(tmp_path, {"new.xml": b"<n/>", **FILES})
    assert _ids(list(source.pages(position))) == ["new.xml", *FILES]


def test_a_tar_keeps_its_own_order_and_times(tmp_path):
    archive = _tar(tmp_path, FILES)
    (page,) = FolderSource(archive).pages()
    assert [record.native_id for record in page.records] == list(FILES)
    assert page.records[0].modified == "1970-01-02T00:00:00Z"
    assert page.records[0].origin == f"{archive}!b.xml"
    assert page.total is None


@pytest.mark.parametrize("mode", ["w", "w:bz2", "w:xz"])
def test_other_compressions_of_tar(tmp_path, mode):
    assert sorted(_ids(list(FolderSource(_tar(tmp_path, FILES, mode)).pages()))) == sorted(FILES)


def test_a_single_file(tmp_path):
    file = _folder(tmp_path, {"one.xml": b"<x/>"}) / "one.xml"
    (page,) = FolderSource(file).pages()
    assert (_ids([page]), page.total, page.records[0].origin) == (["one.xml"], 1, str(file))
    assert list(FolderSource(file).pages(page.position)) == []


def test_nothing_there(tmp_path):
    with pytest.raises(NotFound, match="no such file or folder"):
        list(FolderSource(tmp_path / "absent").pages())
    (tmp_path / "empty").mkdir()
    assert list(FolderSource(tmp_path / "empty").pages()) == []


def test_hidden_files_and_other_suffixes_are_passed_over(tmp_path):
    files = {".git/x.xml": b"", "._a.xml": b"", "__MACOSX/a.xml": b"", "a.tif": b"", "A.XML": b"<a/>"}
    for make in (_folder, _tar, _zip):
        pages = list(FolderSource(make(tmp_path, files)).pages())
        assert (_ids(pages), _skipped(pages)) == (["A.XML"], [])
    assert _ids(list(FolderSource(tmp_path / "data", suffixes=frozenset({".tif"})).pages())) == ["a.tif"]


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "s.xml").write_bytes(b"<s/>")
    folder = _folder(tmp_path, {"a.xml": b"<a/>"})
    (folder / "l.xml").symlink_to(secret / "s.xml")
    (folder / "m").symlink_to(secret)
    pages = list(FolderSource(folder).pages())
    assert _ids(pages) == ["a.xml"]
    assert _skipped(pages) == [SkippedMember(f"{folder}/l.xml", "a link to no file inside the folder, so not followed")]


def test_links_and_devices_in_a_tar_are_skipped(tmp_path):
    archive = tmp_path / "x.tar"
    with tarfile.open(archive, "w") as tar:
        for name, kind in (("l.xml", tarfile.SYMTYPE), ("h.xml", tarfile.LNKTYPE), ("f.xml", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            tar.addfile(info)
    pages = list(FolderSource(archive).pages())
    assert _ids(pages) == []
    assert [one.origin.partition("!")[2] for one in _skipped(pages)] == ["l.xml", "h.xml", "f.xml"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/x.xml", "the name is absolute"),
        ("../x.xml", "the name leads out of the archive"),
        ("a/../../x.xml", "the name leads out of the archive"),
        ("..\\x.xml", "the name leads out of the archive"),
        ("C:\\x.xml", "the name is absolute"),
        ("a/x.xml", None),
        ("a..b/x.xml", None),
    ],
)
def test_names_that_lead_out_of_an_archive(tmp_path, name, reason):
    assert unsafe_name(name) == reason
    for make in (_tar, _zip):
        pages = list(FolderSource(make(tmp_path, {name: b"<x/>", "ok.xml": b"<o/>"})).pages())
        assert [one.reason for one in _skipped(pages)] == ([] if reason is None else [reason])
        assert "ok.xml" in _ids(pages)


@pytest.mark.parametrize("make", [_folder, _tar, _zip])
def test_a_file_past_the_limit_is_skipped_and_named(tmp_path, make):
    source = FolderSource(
        make(tmp_path, {"big.xml": b"x" * 11, "small.xml": b"x" * 10}), limits=ArchiveLimits(file_bytes=10)
    )
    pages = list(source.pages())
    assert _ids(pages) == ["small.xml"]
    (skipped,) = _skipped(pages)
    assert skipped.origin.endswith("big.xml")
    assert skipped.reason == "11 bytes are more than the limit of 10"


@pytest.mark.parametrize("make", [_folder, _tar, _zip])
def test_too_many_files_end_the_run_after_what_was_read(tmp_path, make):
    source = FolderSource(make(tmp_path, FILES), limits=ArchiveLimits(files=2))
    seen: list[RawPage] = []
    with pytest.raises(LimitReached, match="more than 2 files"):
        seen.extend(source.pages())


@pytest.mark.parametrize("make", [_tar, _zip])
def test_a_bomb_ends_the_run(tmp_path, make):
    bomb = make(tmp_path, {f"{number}.xml": bytes(1 << 20) for number in range(20)})
    assert bomb.stat().st_size < 1 << 18
    with pytest.raises(LimitReached, match="bytes unpacked"):
        list(FolderSource(bomb, limits=ArchiveLimits(total_bytes=5 << 20)).pages())


def test_other_files_of_a_tar_count_too_because_they_are_unpacked(tmp_path):
    bomb = _tar(tmp_path, {"zeros.bin": bytes(8 << 20), "a.xml": b"<a/>"})
    with pytest.raises(LimitReached, match="bytes unpacked"):
        list(FolderSource(bomb, limits=ArchiveLimits(total_bytes=1 << 20)).pages())


def test_a_broken_member_of_a_zip_is_named_and_the_others_come(tmp_path):
    archive = _zip(tmp_path, {"a.xml": b"<a/>" * 50, "b.xml": b"<b/>"})
    content = bytearray(archive.read_bytes())
    content[content.index(b"a.xml") + 8] ^= 0xFF  # inside the first member's compressed bytes
    archive.write_bytes(content)
    pages = list(FolderSource(archive).pages())
    assert _ids(pages) == ["b.xml"]
    assert [one.origin for one in _skipped(pages)] == [f"{archive}!a.xml"]


def test_a_tar_that_is_cut_off_gives_what_came_before_and_is_not_complete(tmp_path):
    files = {f"{number:03}.xml": os.urandom(2000) for number in range(50)}
    archive = _tar(tmp_path, files)
    archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    seen: list[str] = []
    source = FolderSource(archive, page_size=10)

    def collect() -> None:
        for page in source.pages():
            seen.extend(record.native_id for record in page.records)

    with pytest.raises(SourceBroken, match="breaks off"):
        collect()
    assert 15 <= len(seen) < 50
    assert seen == sorted(files)[: len(seen)]


def test_a_name_of_megabytes_in_a_tar_is_refused(tmp_path):
    archive = tmp_path / "x.tar.gz"
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 64 << 20
    with gzip.open(archive, "wb") as target:
        target.write(info.tobuf(tarfile.GNU_FORMAT) + bytes(64 << 20))
    with pytest.raises(SourceBroken, match="a name of 67108864 bytes"):
        list(FolderSource(archive).pages())


def test_an_unreadable_archive_is_handed_over_as_one_file(tmp_path):
    (tmp_path / "x.tar.gz").write_bytes(b"no archive")
    (page,) = FolderSource(tmp_path / "x.tar.gz").pages()
    assert page.records[0].content == b"no archive"


def test_a_file_name_that_is_not_utf_8(tmp_path):
    folder = _folder(tmp_path, {"a.xml": b"<a/>"})
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.xml")).write_bytes(b"<f/>")
    pages = list(FolderSource(folder, page_size=1).pages())
    assert _ids(pages) == ["\\xff.xml", "a.xml"]
    assert json.loads(json.dumps(pages[0].position)) == pages[0].position
    assert pages[0].records[0].content == b"<f/>"


@given(st.text("abé _-", min_size=1, max_size=30))
def test_a_hidden_name_or_another_suffix_is_never_wanted(name):
    assert is_wanted(f"d/x{name}.xml", frozenset({".xml"}))
    assert not is_wanted(f"d/.{name}.xml", frozenset({".xml"}))
    assert not is_wanted(f".{name}/x.xml", frozenset({".xml"}))
    assert not is_wanted(name, frozenset())


def test_a_configmap_as_kubernetes_mounts_it_is_read_once_and_follows_its_swap(tmp_path):
    folder = tmp_path / "mounted"
    for stamp, text in (("..2026_11_01", "old"), ("..2026_11_02", "new")):
        (folder / stamp).mkdir(parents=True)
        (folder / stamp / "a.xml").write_text(text)
    (folder / "..data").symlink_to("..2026_11_01")
    (folder / "a.xml").symlink_to("..data/a.xml")
    assert [(r.native_id, r.content) for page in FolderSource(folder).pages() for r in page.records] == [
        ("a.xml", b"old")
    ]
    (folder / "..data").unlink()
    (folder / "..data").symlink_to("..2026_11_02")
    assert [(r.native_id, r.content) for page in FolderSource(folder).pages() for r in page.records] == [
        ("a.xml", b"new")
    ]


def test_links_inside_the_folder_give_each_file_once_and_circles_and_escapes_are_named(tmp_path):
    folder = tmp_path / "f"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/real.xml").write_text("x")
    (tmp_path / "outside.xml").write_text("secret")
    (folder / "again.xml").symlink_to("sub/real.xml")
    (folder / "circle.xml").symlink_to("circle.xml")
    (folder / "gone.xml").symlink_to("nowhere.xml")
    (folder / "out.xml").symlink_to("../outside.xml")
    (folder / "up").symlink_to("..")
    pages = list(FolderSource(folder).pages())
    assert [record.native_id for page in pages for record in page.records] == ["sub/real.xml"]
    skipped = [Path(one.origin).name for page in pages for one in page.skipped]
    assert skipped == ["circle.xml", "gone.xml", "out.xml"]
