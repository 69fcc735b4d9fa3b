"""Files that mean harm: each ends in a named state, in a process of its own, and this one lives on."""

from __future__ import annotations

import time
from dataclasses import replace

import psutil
import pytest

from indexer.documents.failures import DocumentRefused
from indexer.documents.isolation import Parsed, read_isolated
from indexer.documents.limits import Limits, Ocr
from tests.pdf_files import PdfPage, Put, docx_bomb, encrypted_pdf, paragraph, pdf, with_javascript
from tests.shared_data import shared_data

NO_OCR = Ocr(command=None)
LIMITS = Limits(seconds=60.0)
LINES = [f"Line {number} of a page that says nothing of interest at all." for number in range(40)]


def read(data: bytes, limits: Limits = LIMITS) -> Parsed:
    return read_isolated(data, limits, NO_OCR)


def reason(data: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(DocumentRefused) as refused:
        read(data, limits)
    assert str(refused.value)
    return refused.value.reason


def page(text: str) -> PdfPage:
    return PdfPage([Put(72, 100, text)])


def test_a_good_document_comes_back_whole() -> None:
    parsed = read(pdf([page("The lake is deep.")]))
    assert [block.text for block in parsed.document.blocks] == ["The lake is deep."]
    assert parsed.attempts == 1


def test_an_encrypted_pdf() -> None:
    assert reason(encrypted_pdf()) == "encrypted"


def test_a_pdf_without_pages() -> None:
    assert reason(pdf([])) == "empty"


def test_a_pdf_whose_pages_say_nothing() -> None:
    assert reason(pdf([PdfPage()])) == "no_text"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_truncated_pdf_is_damaged(share: float) -> None:
    whole = pdf([page("The lake is deep."), page("The river is long.")])
    assert reason(whole[: int(share * len(whole))]) == "damaged"


def test_a_file_of_two_thousand_pages() -> None:
    assert reason(pdf([page(f"Page {number}") for number in range(2000)])) == "too_many_pages"


def test_a_pdf_under_another_name_is_a_pdf_and_a_picture_under_pdf_is_a_picture() -> None:
    assert read(pdf([page("Named as text.")])).document.format == "pdf"
    assert reason(b"\x89PNG\r\n\x1a\n" + b"no picture") == "unsupported"  # a picture, and no OCR is configured


def test_words_that_pretend_to_be_a_pdf() -> None:
    assert reason(b"%PDF-1.7\nThese are words.") == "damaged"


def test_a_script_in_a_pdf_is_not_run() -> None:
    started = time.monotonic()
    document = read(with_javascript("A page with a script that never ends.")).document
    assert [block.text for block in document.blocks] == ["A page with a script that never ends."]
    assert time.monotonic() - started < LIMITS.seconds


def test_a_zip_bomb_in_a_docx_is_refused_before_it_is_unpacked() -> None:
    assert reason(docx_bomb(150)) == "too_large"


def test_a_file_larger_than_the_limit() -> None:
    assert reason(b"words " * 1000, replace(LIMITS, max_bytes=1000)) == "too_large"


def test_the_pages_read_so_far_are_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.documents.isolation._LOOK_S", 0.005)
    heard: list[tuple[int, int]] = []
    many = pdf([PdfPage(paragraph(40, 20, LINES * 2, leading=9)) for _ in range(40)])
    read_isolated(many, LIMITS, NO_OCR, lambda done, total: heard.append((done, total)))
    assert heard[-1] == (40, 40)
    assert heard == sorted(set(heard))


def test_a_document_that_takes_too_long_is_killed_and_leaves_no_process() -> None:
    many = pdf([PdfPage(paragraph(40, 20, LINES * 2, leading=9)) for _ in range(400)])
    assert reason(many, replace(LIMITS, seconds=0.8)) == "out_of_time"
    children = psutil.Process().children(recursive=True)
    assert not [child for child in children if "indexer.documents.child" in " ".join(child.cmdline())]


def test_a_document_that_needs_too_much_memory_is_ended_and_the_limit_is_named() -> None:
    """80 MB of one XML part, under the limit of what a part may unpack to, in 160 MiB of address space."""
    tight = replace(LIMITS, memory_bytes=160 * 1024 * 1024)
    with pytest.raises(DocumentRefused) as refused:
        read(docx_bomb(80), tight)
    assert refused.value.reason == "out_of_memory"
    assert "160 MiB" in str(refused.value)


def test_the_child_gets_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from indexer.documents import isolation

    monkeypatch.setenv("SONDE_ELASTICSEARCH__PASSWORD", "secret")
    assert not [name for name in isolation._environment(isolation._ROOT) if name.startswith("SONDE")]


def test_memory_of_the_child_stays_under_the_limit_on_real_files() -> None:
    """A limit of the address space holds for resident memory too: what passes it is ended."""
    data = shared_data("pdfs", "jss816.pdf").read_bytes()
    assert read(data, replace(LIMITS, memory_bytes=512 * 1024 * 1024)).document.pages == 31
