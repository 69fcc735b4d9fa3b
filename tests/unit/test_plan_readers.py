"""Reading in processes beside this one gives what reading here gives, also after a process was killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest

from indexer.plan.parsed_record import ParsedRecord
from indexer.plan.readers import LARGE, Readers
from indexer.raw import RawRecord, RecordRefused

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes that read are only started on Linux")


def _documents(count: int) -> list[RawRecord]:
    """Every tenth is no record."""
    return [
        RawRecord(str(number), b"{}" if number % 10 == 9 else _dublin_core(number), f"document {number}")
        for number in range(count)
    ]


def _dublin_core(number: int) -> bytes:
    return (
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>Rain gauge {number}</dc:title><dc:identifier>gauge-{number}</dc:identifier></oai_dc:dc>"
    ).encode()


@pytest.fixture
def readers() -> Iterator[Readers]:
    readers = Readers("test", processes=2)
    yield readers
    readers.close()


def _seen(results: list[ParsedRecord | RecordRefused]) -> list[object]:
    return [result if isinstance(result, ParsedRecord) else str(result) for result in results]


def _children(readers: Readers) -> list[int]:
    return list(readers._pool._processes) if readers._pool is not None else []


def _started(readers: Readers) -> list[int]:
    readers.read(_documents(LARGE))
    readers.start_if_large()
    return _children(readers)


def test_the_results_are_the_same_and_in_order(readers: Readers) -> None:
    documents = _documents(100)
    assert len(_started(readers)) == 2
    assert _seen(readers.read(documents)) == _seen(Readers("test").read(documents))


def test_a_small_harvest_starts_no_process(readers: Readers) -> None:
    readers.read(_documents(LARGE - 1))
    readers.start_if_large()
    assert not _children(readers)


def test_one_core_starts_no_process() -> None:
    assert not _started(Readers("test", processes=1))


def test_after_a_killed_process_this_one_reads_on(readers: Readers) -> None:
    documents = _documents(100)
    os.kill(_started(readers)[0], signal.SIGKILL)
    assert _seen(readers.read(documents)) == _seen(Readers("test").read(documents))
    assert not _children(readers)
