"""Files that mean harm: each ends in a named state, in a process of its own, and this one lives on."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from PIL import Image, ImageDraw

from indexer.confinement import environment_for_child, landlock_version
from indexer.documents.parse.child import read_answer
from indexer.documents.parse.isolation import ParseResult, confinement_here, read_isolated
from indexer.documents.parse.job_files import read_progress
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from lab.hostile_documents.course import HONEST, KINDS, HonestReadings, ReadingTerms, ReadOutcome, read_course
from tests.pdf_files import PdfPage, Put, docx_bomb, encrypted_pdf, paragraph, pdf, with_javascript
from tests.shared_data import shared_data

NO_OCR = Ocr(command=None)
LIMITS = Limits(seconds=60.0)
_KIND = {kind.name: kind for kind in KINDS}
LINES = [f"Line {number} of a page that says nothing of interest at all." for number in range(40)]


def read(data: bytes, limits: Limits = LIMITS) -> ParseResult:
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
    monkeypatch.setattr("indexer.documents.parse.isolation._LOOK_S", 0.005)
    heard: list[tuple[int, int]] = []
    many = pdf([PdfPage(paragraph(40, 20, LINES * 2, leading=9)) for _ in range(40)])
    read_isolated(many, LIMITS, NO_OCR, lambda done, total: heard.append((done, total)))
    assert heard[-1] == (40, 40)
    assert heard == sorted(set(heard))


def test_a_document_that_takes_too_long_is_killed_and_leaves_no_process() -> None:
    many = pdf([PdfPage(paragraph(40, 20, LINES * 2, leading=9)) for _ in range(400)])
    assert reason(many, replace(LIMITS, seconds=0.8)) == "out_of_time"
    children = psutil.Process().children(recursive=True)
    assert not [child for child in children if "indexer.documents.parse.child" in " ".join(child.cmdline())]


def test_a_document_that_needs_too_much_memory_is_ended_and_the_limit_is_named() -> None:
    """80 MB of one XML part, under the limit of what a part may unpack to, in 160 MiB of address space."""
    tight = replace(LIMITS, memory_bytes=160 * 1024 * 1024)
    with pytest.raises(DocumentRefused) as refused:
        read(docx_bomb(80), tight)
    assert refused.value.reason == "out_of_memory"
    assert "160 MiB" in str(refused.value)


def test_the_child_gets_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__PASSWORD", "secret")
    assert not [name for name in environment_for_child(Path("/")) if name.startswith("SONDE")]


def test_the_child_can_ask_nobody_and_read_neither_our_environment_nor_our_files() -> None:
    """Here, as the user that the tests run as: the command that doctor asks leaves, and tries to come back."""
    found = confinement_here()
    assert found.network_closed
    assert found.secrets_hidden
    assert found.files_limited == bool(landlock_version())


def child_that(does: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a document that has taken over its reader could run, in the place where the document would be read."""
    code = "import sys; from pathlib import Path; from indexer.confinement import confine_process\n"
    code += f"confine_process(Path(sys.argv[1]))\n{does}"
    argv = [sys.executable, "-c", code, str(folder)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60, cwd=Path.cwd())


@pytest.mark.parametrize(
    "does",
    [
        "import os; open(f'/proc/{os.getppid()}/environ', 'rb').read()",
        "import os; open(f'/proc/{os.getppid()}/mem', 'rb').read()",
        "open('/etc/passwd').read()",
        "import os; os.kill(os.getppid(), 0)",
        "import os; os.listdir('/proc')",
        "open('/tmp/sonde-left-behind', 'w')",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import subprocess; subprocess.run(['cat', '/etc/passwd'], check=True)",
    ],
)
def test_what_a_document_could_do_if_it_ran_is_refused(does: str, tmp_path: Path) -> None:
    if not landlock_version():
        pytest.skip("this kernel has no Landlock")
    done = child_that(does, tmp_path)
    assert done.returncode != 0
    assert "PermissionError" in done.stderr or "CalledProcessError" in done.stderr


def test_it_may_use_its_own_folder_and_start_installed_programs(tmp_path: Path) -> None:
    does = "import subprocess; (Path(sys.argv[1]) / 'own').write_text('x'); subprocess.run(['true'], check=True)"
    assert child_that(does, tmp_path).stderr == ""
    assert (tmp_path / "own").read_text() == "x"


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed (.ci/run installs it)")
def test_a_picture_is_still_read_by_a_program_of_its_own() -> None:
    picture, out = Image.new("L", (1600, 400), 255), io.BytesIO()
    ImageDraw.Draw(picture).text((50, 100), "The lake is deep and cold", fill=0, font_size=60)
    picture.save(out, "PNG", dpi=(200, 200))
    (block,) = read_isolated(out.getvalue(), LIMITS, Ocr()).document.blocks
    assert block.text == "The lake is deep and cold"


def test_without_landlock_the_worker_hides_itself_and_root_is_given_up(tmp_path: Path) -> None:
    """An older kernel: the worker cannot be read by its own user, and a process of root becomes nobody."""
    (tmp_path / "job").mkdir(mode=0o777)
    tmp_path.chmod(0o777)
    lacks = "import indexer.confinement as c; c.landlock_version = lambda: 0; import sys, os, subprocess\n"
    child = f"{lacks}from pathlib import Path; print(c.try_to_escape(Path(sys.argv[1])))"
    parent = f"{lacks}c.hide_from_children(); subprocess.run([sys.executable, '-c', {child!r}, sys.argv[1]])"
    argv = [sys.executable, "-c", parent, str(tmp_path / "job")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60, cwd=Path.cwd())
    assert "secrets_hidden=True, network_closed=True" in done.stdout


def test_an_answer_larger_than_its_limit_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_bytes(b'{"document":' + b"[" * 5_000_000)
    with pytest.raises(DocumentRefused) as refused:
        read_answer(tmp_path, replace(LIMITS, max_answer_bytes=1024 * 1024))
    assert refused.value.reason == "too_large"
    assert reason(b"The lake is deep. " * 10_000, replace(LIMITS, max_answer_bytes=1000)) == "too_large"


def test_a_pipe_or_a_link_in_place_of_an_answer_is_neither_waited_for_nor_followed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "answer.json")
    with pytest.raises(OSError, match="no plain file"):
        read_answer(tmp_path, LIMITS)
    os.mkfifo(tmp_path / "pages")
    assert read_progress(tmp_path) is None
    (tmp_path / "answer.json").unlink()
    (tmp_path / "answer.json").symlink_to("/etc/hostname")
    with pytest.raises(OSError, match="symbolic link"):
        read_answer(tmp_path, LIMITS)


def test_pdfium_without_memory_is_named_so() -> None:
    data = _KIND["pdf: a bomb of spaces"].make(300_000_000)
    assert reason(data, replace(LIMITS, memory_bytes=256 * 1024 * 1024)) == "out_of_memory"


def test_four_megabytes_of_one_letter_lines_are_read() -> None:
    """What is joined in quadratic time would still be at work when the limit kills it."""
    parsed = read(b"a\n" * 2_000_000, replace(LIMITS, seconds=200.0))
    assert sum(len(block.text) for block in parsed.document.blocks) == 3_999_999


@pytest.mark.parametrize("name", ["docx: cells of 100 columns", "html: tables in tables", "pdf: a grid of rules"])
def test_a_course_in_short(name: str, tmp_path: Path) -> None:
    """The short form of `sonde chaos documents`: a few kinds in their small size, beside honest documents."""
    kind, terms = _KIND[name], ReadingTerms()
    found, others = read_course([kind], HONEST, terms, tmp_path, lambda one: one.small)
    assert isinstance(found, ReadOutcome)
    assert found.wrong(terms) == []
    assert isinstance(others, HonestReadings)
    assert (others.wrong, others.read >= len(HONEST)) == ([], True)


def test_memory_of_the_child_stays_under_the_limit_on_real_files() -> None:
    """A limit of the address space holds for resident memory too: what passes it is ended."""
    data = shared_data("pdfs", "jss816.pdf").read_bytes()
    assert read(data, replace(LIMITS, memory_bytes=512 * 1024 * 1024)).document.pages == 31
