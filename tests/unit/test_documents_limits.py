"""Whatever a document holds, what is kept of it has limits, and the time grows with its length alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import pytest

from indexer.documents.index.steps import stored_table
from indexer.documents.parse.clean import join_lines
from indexer.documents.parse.limits import LONGEST_HEADING, DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import Block, Box, FrontMatter, Page, ReadDocument, Rule, Table, Word
from indexer.documents.parse.pdf.bordered_tables import bordered_tables
from indexer.documents.parse.pdf.furniture import find_furniture
from indexer.documents.parse.pdf.reading_order import rows
from indexer.documents.parse.pdf.unruled_tables import unruled_tables
from indexer.documents.parse.read import read_document
from indexer.documents.parse.sections import split_references
from indexer.documents.segment.passages import Segmentation, SegmentOptions, segment
from indexer.documents.segment.units import Piece, join_short
from lab.hostile_documents.course import KINDS, WordPieces
from lab.hostile_documents.pdf_files import pdf
from lab.hostile_documents.texts import HostileKind, docx
from reading.sentences import sentences

NO_OCR = Ocr(command=None)


def read(data: bytes, **limits: int) -> ReadDocument:
    return read_document(data, replace(Limits(), **limits), NO_OCR)  # type: ignore[arg-type]


def passages(document: ReadDocument, most: int = 10_000) -> Segmentation:
    return segment(document, "d", WordPieces(), SegmentOptions(most_passages=most))


def texts(document: ReadDocument) -> str:
    cells = [cell for table in document.tables for row in table.rows for cell in row]
    return " ".join([*(block.text for block in document.blocks), *cells])


def row(*cells: str) -> str:
    return f"<w:tr>{''.join(cells)}</w:tr>"


def cell(text: str, width: str = "1") -> str:
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{width}"/></w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>'


def table_of(*found: str) -> bytes:
    return docx(f"<w:tbl>{''.join(found)}</w:tbl>".encode())


def test_cells_of_a_hundred_columns_cost_what_their_texts_cost() -> None:
    """The file that cost 5.7 GiB: 2,000 cells of 100 columns, and twenty rows of one cell."""
    wide = row(*(cell(f"w{n}", "100") for n in range(2000)))
    document = read(table_of(wide, *(row(cell(f"long{n}")) for n in range(20))))
    assert sum(len(table.rows) * table.columns for table in document.tables) < 50_000
    assert all(f"w{n}" in texts(document) for n in (0, 1999))
    assert all(f"long{n}" in texts(document) for n in range(20)), "nothing is lost"
    found = passages(document).passages
    assert len(found) < 50
    assert all(any(character.isalnum() for character in one.text) for one in found)


def test_a_header_over_two_columns_keeps_both() -> None:
    data = table_of(row(cell("Lake"), cell("Depth", "2")), row(cell("Ammer"), cell("38"), cell("81")), row(cell("")))
    assert read(data).tables[0].rows == (("Lake", "Depth", ""), ("Ammer", "38", "81"))


@pytest.mark.parametrize("width", ["abc", "-3", "0", "", "9" * 5000, "1.5", "²"])
def test_a_span_that_is_no_number_is_one_column(width: str) -> None:
    data = table_of(row(cell("a", width), cell("b")), row(cell("c"), cell("d")))
    assert read(data).tables[0].rows == (("a", "b"), ("c", "d"))


def test_tables_in_tables_are_read_once() -> None:
    inside = "<p>The lake is deep.</p><table><tr><th>Lake<th>Depth<tr><td>Ammer<td>81</table>"
    for _ in range(20):
        inside = f"<table><tr><td>{inside}</td><td>side</td></tr></table>"
    document = read(f"<!doctype html><p>Before.</p>{inside}<p>After.</p>".encode())
    assert texts(document).count("The lake is deep.") == 1
    assert [table.rows for table in document.tables] == [(("Lake", "Depth"), ("Ammer", "81"))]
    assert texts(document).count("side") == 20
    assert "After." in texts(document)


def test_html_that_nests_deeply_is_read_to_its_depth_and_says_so() -> None:
    deep = read(b"<!doctype html><body>" + b"<div>" * 1500 + b"<p>Deep text.</p>" + b"</div>" * 1500 + b"<p>After.</p>")
    assert texts(deep) == "Deep text. After."
    assert deep.warnings == ()
    deeper = read(b"<!doctype html><body><p>Before.</p>" + b"<div>" * 5000 + b"Deep text.")
    assert "nests too deeply" in deeper.warnings[0]


PARAGRAPHS = [f"Lake number {n} is deep and cold." for n in range(200)]
FORMATS: dict[str, Callable[[], bytes]] = {
    "text": lambda: "\n\n".join(PARAGRAPHS).encode(),
    "html": lambda: ("<!doctype html>" + "".join(f"<p>{one}</p>" for one in PARAGRAPHS)).encode(),
    "docx": lambda: docx("".join(f"<w:p><w:r><w:t>{one}</w:t></w:r></w:p>" for one in PARAGRAPHS).encode()),
    "pdf": lambda: pdf(
        [f"BT/F1 10 Tf 1 0 0 1 72 {400 - n} Tm({one})Tj ET".encode() for n, one in enumerate(PARAGRAPHS)]
    ),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    ("limit", "unit"), [({"max_characters": 1500}, "characters"), ({"max_blocks": 40}, "paragraphs and tables")]
)
def test_what_is_beyond_a_limit_is_left_out_with_a_sentence(format: str, limit: dict[str, int], unit: str) -> None:
    document = read(FORMATS[format](), **limit)
    assert document.blocks[0].text == PARAGRAPHS[0]
    assert sum(len(block.text) for block in document.blocks) <= limit.get("max_characters", 10_000)
    assert len(document.blocks) <= limit.get("max_blocks", 100)
    sentence = f"Only the first {next(iter(limit.values())):,} {unit} are read; the rest is left out."
    assert document.warnings.count(sentence) == 1


@pytest.mark.parametrize("format", ["html", "docx"])
def test_a_table_beyond_the_cells_is_cut_between_rows_with_a_sentence(format: str) -> None:
    body = [[f"lake{n}", str(n)] for n in range(100)]
    data = {
        "html": "<!doctype html><table>" + "".join(f"<tr><td>{a}<td>{b}" for a, b in body) + "</table>",
        "docx": "",
    }[format].encode() or table_of(*(row(cell(a), cell(b)) for a, b in body))
    document = read(data, max_cells=60)
    assert document.tables[0].rows == tuple(map(tuple, body[:30]))
    assert document.warnings[0] == "Only the first 60 cells of its tables are kept; the rest is left out."


def test_text_of_too_many_pages_is_cut_with_a_sentence() -> None:
    document = read(b"\f".join(b"Page %d is here." % n for n in range(30)), max_pages=10)
    assert document.pages == 10
    assert "SONDE_DOCUMENTS__MAX_PAGES" in document.warnings[0]


def test_a_character_that_is_cut_off_is_no_other_encoding() -> None:
    assert read("ü".encode() * 3000, max_characters=1000).blocks[0].text == "ü" * 1000


def test_a_gigantic_heading_is_text_so_that_no_passage_repeats_it() -> None:
    heading = "Lake " * 1000
    data = f"<!doctype html><h1>{heading}</h1>" + "".join(f"<p>{one}</p>" for one in PARAGRAPHS)
    found = passages(read(data.encode())).passages
    assert all(sum(map(len, one.section_path)) <= LONGEST_HEADING for one in found)


def test_a_title_and_names_have_a_length() -> None:
    data = pdf(
        [b"BT/F1 10 Tf 72 700 Td(Deep lakes of the north.)Tj ET"], extra={5: b"<</Title(%s)>>" % (b"Lake " * 9000)}
    )
    front = read(data).front
    assert len(front.title) <= LONGEST_HEADING


def test_passages_beyond_the_limit_are_left_out_with_a_sentence() -> None:
    document = ReadDocument("html", tuple(Block("caption", f"Figure {n}: a lake") for n in range(50)))
    found = passages(document, most=20)
    assert len(found.passages) == 20
    assert "30 are left out." in found.warnings[0]


def test_a_word_that_the_model_does_not_know_is_not_one_endless_token() -> None:
    class Unknown(WordPieces):
        def count_tokens(self, texts: Sequence[str]) -> list[int]:
            return [len(text.split()) + 2 for text in texts]

    found = segment(ReadDocument("text", (Block("text", "x" * 100_000),)), "d", Unknown(), SegmentOptions())
    assert max(len(one.text) for one in found.passages) <= 512 * 16
    assert sum(one.text.count("x") for one in found.passages) == 100_000


# Time by length alone: what is called for four times as much is about four times as often called.


def calls(work: Callable[[], object]) -> int:
    """How many functions this calls, those of C among them."""
    count = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def word(text: str, x: float, y: float, size: float = 10.0, width: float = 5.0) -> Word:
    return Word(text, Box(x, y - size, x + width, y), size, y)


def page(words: Sequence[Word], rules: Sequence[Rule] = (), number: int = 1) -> Page:
    return Page(number, 612, 792, tuple(words), tuple(rules))


def many_rows(n: int) -> object:
    return rows([word("a", 37 * k % 500, 780 * k / n, 1000 / n) for k in range(n)])


def small_beside_large(n: int) -> object:
    large = [word("A", 10 * k, 400, 12) for k in range(n)]
    return rows([*large, *(word("b", 10 * (n + k), 404, 5) for k in range(n))])


def false_rows(n: int) -> object:
    found = [word("1", 40 + 60 * column + k % 7, 14 * k) for k in range(n) for column in range(6)]
    return unruled_tables(found, (), (), ())


def a_grid(n: int) -> object:
    far = 5.0 * n
    levels = [Rule(Box(0, 5 * k, far, 5 * k)) for k in range(n)]
    uprights = [Rule(Box(5 * k, 0, 5 * k, far)) for k in range(n)]
    return bordered_tables(page([word("a", 7, 7)], [*levels, *uprights]), [word("a", 7, 7)])


def running_feet(n: int) -> object:
    return find_furniture([page([word(str(k), 300, 780), word("Lake", 72, 400)], number=k) for k in range(1, n + 1)])


def paragraphs_apart(n: int) -> object:
    pieces = [Piece("deep", "text", (), None, 500, 10 * k, 10 * k) for k in range(n)]
    captions = [Piece("a lake", "caption", (), None, 500, None, None)] * n
    return join_short([*pieces[: n // 2], *captions, *pieces[n // 2 :]], WordPieces().count_tokens)


def short_paragraphs(n: int) -> object:
    blocks = tuple(Block("text", "deep.") for _ in range(n))
    return passages(ReadDocument("html", blocks))


def long_table(n: int) -> object:
    table = Table(tuple((f"lake{k}", str(k)) for k in range(n)))
    return passages(ReadDocument("html", (Block("table", "", table=table),))), stored_table(table)


def a_paragraph_over_pages(n: int) -> object:
    breaks = tuple((20 * k, k) for k in range(1, n))
    text = "The lake is deep. It " * n
    return passages(ReadDocument("pdf", (Block("text", text, 1, n, breaks=breaks),), FrontMatter(), pages=n))


STEPS: tuple[Callable[[int], object], ...] = (
    many_rows,
    small_beside_large,
    running_feet,
    paragraphs_apart,
    short_paragraphs,
    long_table,
    a_paragraph_over_pages,
)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_four_times_as_much_is_four_times_the_work(step: Callable[[int], object]) -> None:
    step(10)
    few, many = calls(lambda: step(400)), calls(lambda: step(1600))
    assert many < 6 * few


@pytest.mark.parametrize("step", [false_rows, a_grid], ids=lambda step: step.__name__)
def test_a_page_that_is_no_table_has_a_most_of_work(step: Callable[[int], object]) -> None:
    """Each pair of rules, and each start of a table, is looked at; so the page has a limit instead."""
    assert calls(lambda: step(400)) < 5_000_000


def test_a_gigantic_paragraph_is_joined_piece_by_piece() -> None:
    """Quadratic work of this size would not end in hours."""
    assert len(join_lines(["a"] * 100_000)) == 199_999
    assert len(join_lines(["ab-"] * 100_000)) == 200_001
    assert join_lines(["ab-", "Ab", "c"]) == "ab-Ab c"


def test_sentences_and_references_take_one_look_at_each_character() -> None:
    assert len(sentences("Seen by e.g. Smith. " * 20_000)) == 20_000
    blocks = [Block("heading", "References", level=1), *(Block("text", "Smith and others") for _ in range(20_000))]
    assert len(split_references(blocks)[1][0]) == 17 * 20_000 - 1


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_documents_of_an_attacker_are_read_within_the_limits_or_refused(kind: HostileKind) -> None:
    limits, document = Limits(), ReadDocument("text", ())
    with suppress(DocumentRefused):
        document = read(kind.make(kind.small))
    found = passages(document)
    assert len(document.blocks) <= limits.max_blocks
    assert sum(len(table.rows) * table.columns for table in document.tables) <= limits.max_cells
    assert len(found.passages) <= 10_000
