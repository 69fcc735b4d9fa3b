"""What another host sends costs a bounded time, and is never answered as a defect of ours."""

from __future__ import annotations

import struct
import time
from collections.abc import Mapping
from typing import Any

import pytest

from core.errors import Unavailable
from core.record import Link, Record
from net.exchange import HttpAnswer, Outgoing
from search_api.catalogue.pictures import geotiff
from search_api.catalogue.pictures.reader import PictureReader
from search_api.catalogue.rows.grids import SeriesWindow
from search_api.catalogue.rows.tables import TableReader, read_features, read_rows

_LONG = "x" * 140_000
_INTEGERS = b"Dataset { Int32 v[n = 1]; } d;"


class Host:
    """A gate to one host: by the end of the address, what it sends."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files

    def request(self, outgoing: Outgoing) -> Any:
        (content,) = (content for end, content in self.files.items() if end in outgoing.url)

        class Answer:
            def expect_ok(self) -> Any:
                return self

        answer: Any = Answer()
        answer.content = content
        return answer


def _record(href: str) -> Record:
    return Record("a:x", "a", "x", "Rain", links=(Link(href, "download"),))


@pytest.mark.parametrize(
    "text", [f"a,b\n1,{_LONG}\n2,3\n", 'a,b\n1,"\n' + "2,345\n" * 40_000], ids=["long", "open quote"]
)
def test_a_table_with_a_huge_cell_is_no_table(text: str) -> None:
    with pytest.raises(Unavailable, match="field larger"):
        read_rows("http://h/x.csv", text, 40_000, is_whole=True)


def test_the_separator_of_a_long_line_is_guessed_in_no_time() -> None:
    began = time.process_time()
    read_rows("http://h/x.csv", "a,b\n" + " 'a" * 10_000 + "\n1,2\n", 5, is_whole=True)
    assert time.process_time() - began < 3


def test_features_that_are_nested_too_deeply_are_none() -> None:
    with pytest.raises(Unavailable, match="something else than features"):
        read_features("http://h/x.geojson", b"[" * 100_000, 5)


@pytest.mark.parametrize(
    ("declared", "attributes", "sent"),
    [
        (_INTEGERS, b"", _INTEGERS.replace(b" v[", b" w[") + b"\nData:\n" + struct.pack(">IIi", 1, 1, 7)),
        (
            _INTEGERS,
            b'Attributes { v { String units "days since 2000-01-01"; } }',
            _INTEGERS.replace(b"Int32", b"String") + b"\nData:\n" + struct.pack(">II", 1, 3) + b"abc\0",
        ),
        ("Dataset { Int32 v[n = ²]; } d;".encode(), b"", b""),
    ],
    ids=["another variable", "text for a time", "a size that is no number"],
)
def test_a_data_set_that_contradicts_itself_cannot_be_read(declared: bytes, attributes: bytes, sent: bytes) -> None:
    host: Any = Host({".dds": declared, ".das": attributes, ".dods": sent})
    with pytest.raises(Unavailable, match="cannot be read"):
        TableReader(lambda: host).first_rows(_record("http://h/dodsC/x.nc"), None, SeriesWindow(5, "v"))


def test_a_service_that_sends_nothing_has_no_picture() -> None:
    host: Any = Host({"GetCapabilities": b""})
    with pytest.raises(Unavailable, match="cannot be drawn"):
        PictureReader(lambda: host).draw(_record("http://h/wms"), None)


def test_blocks_far_apart_are_not_fetched_with_all_that_lies_between_them() -> None:
    blocks = [geotiff._Block(place * 30_000, 10, 0, 0, 0, 1, 1) for place in range(2_000)]
    asked: list[int] = []

    def fetch(offset: int, length: int) -> bytes:
        asked.append(length)
        return bytes(10)

    assert len(list(geotiff._fetched(blocks, fetch))) == 2_000
    assert max(asked) <= geotiff._MOST_BYTES


def test_an_answer_that_is_nested_too_deeply_is_no_json() -> None:
    with pytest.raises(Unavailable, match="did not answer in JSON"):
        HttpAnswer("http://h/x", 200, {}, b"[" * 100_000).parsed()
