"""HTML, DOCX and plain text come through the same path; front matter, dates and references by hand-made examples."""

from __future__ import annotations

import pytest

from indexer.documents.index.linked_documents import pdf_of_page
from indexer.documents.parse.byline import date_in, split_names, whole_date
from indexer.documents.parse.clean import hyphenated_words, join_lines, normalise_text
from indexer.documents.parse.front_matter import front_matter, read_xmp
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr, file_kind
from indexer.documents.parse.model import Block, ReadDocument
from indexer.documents.parse.read import read_document
from indexer.documents.parse.sections import role_of
from indexer.text_encoding import decode
from tests.pdf_files import docx

_P = '<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'


def read(data: bytes) -> ReadDocument:
    return read_document(data, Limits(), Ocr(command=None))


def test_html_gives_headings_paragraphs_lists_and_tables_without_navigation() -> None:
    page = b"""<!doctype html><html><head><title>Lakes</title><meta name="citation_doi" content="10.1234/abc">
    <script>var x = "ignored";</script></head><body><nav>Home | About</nav><h1>Lakes of Bavaria</h1>
    <p>There are <b>many</b> lakes.</p><h2>Depths</h2><ul><li>First</li><li>Second</li></ul>
    <table><caption>Depths in m</caption><tr><th>Lake</th><th>Depth</th></tr>
    <tr><td>Ammersee</td><td>81</td></tr></table>
    <footer>Imprint</footer></body></html>"""
    document = read(page)
    assert document.format == "html"
    assert [(b.kind, b.text) for b in document.blocks] == [
        ("heading", "Lakes of Bavaria"),
        ("text", "There are many lakes."),
        ("heading", "Depths"),
        ("list", "First"),
        ("list", "Second"),
        ("table", ""),
    ]
    assert document.tables[0].rows == (("Lake", "Depth"), ("Ammersee", "81"))
    assert document.tables[0].caption == "Depths in m"
    assert document.front.doi == "10.1234/abc"


def test_a_page_without_a_charset_is_utf_8_or_else_of_windows() -> None:
    page = "<html><body><h1>Böden der Alpen</h1><p>Über die Böden – viel.</p></body></html>"
    stated = page.replace("<body>", '<head><meta charset="iso-8859-1"></head><body>').replace("–", "-")
    for data in (page.encode(), page.encode("cp1252"), stated.encode("latin-1")):
        texts = [block.text.replace("–", "-") for block in read(data).blocks]
        assert texts == ["Böden der Alpen", "Über die Böden - viel."]


@pytest.mark.parametrize("stated", ["", '<meta charset="utf-16">', '<meta charset="utf-8">'])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8"])
def test_a_page_in_utf_16_is_read_by_its_mark_or_its_zeros_whatever_it_states(encoding: str, stated: str) -> None:
    page = f"<!DOCTYPE html><html><head>{stated}</head><body><h1>Böden der Alpen</h1><p>Über sie.</p></body></html>"
    document = read(page.encode(encoding))
    assert (document.format, document.front.title) == ("html", "Böden der Alpen")
    assert [block.text for block in document.blocks] == ["Böden der Alpen", "Über sie."]
    landing = f'<html><head>{stated}<meta name="citation_pdf_url" content="/ä.pdf"></head><body>x</body></html>'
    assert pdf_of_page(landing.encode(encoding), "https://a.org/b") == "https://a.org/ä.pdf"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "cp1252"])
def test_plain_text_in_utf_16_is_read(encoding: str) -> None:
    (block,) = read("Größe der Seen, tief.".encode(encoding)).blocks
    assert block.text == "Größe der Seen, tief."
    assert decode("Größe".encode("utf-16") + b"\x41") == "Größe"


def test_lines_and_cells_of_html_are_separate_words() -> None:
    cells = "<tr><td>10<br>20</td><td><p>a</p><p>b</p></td></tr>"
    page = f"<html><p>one<br>two</p><table><tr><th>A</th><th>B</th></tr>{cells}</table><pre>x<br>y</pre></html>"
    document = read(page.encode())
    assert [block.text for block in document.blocks] == ["one two", "", "x\ny"]
    assert document.tables[0].rows == (("A", "B"), ("10 20", "a b"))


def test_cells_of_html_that_span_rows_and_columns_keep_the_columns() -> None:
    head = "<tr><th rowspan=2>Site</th><th colspan=2>Depth</th></tr><tr><th>min</th><th>max</th></tr>"
    body = "<tr><td rowspan=2>A</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>"
    (table,) = read(f"<html><table>{head}{body}<tr><th colspan=3>Group B</th></tr></table></html>".encode()).tables
    assert table.rows[1:] == (("", "min", "max"), ("A", "1", "2"), ("", "3", "4"), ("Group B", "", ""))
    assert table.header_rows == 2  # the row in the middle of the table is not one of its head
    thead = "<thead><tr><td>Lake</td><td>Depth</td></tr><tr><td></td><td>m</td></tr></thead>"
    page = f"<html><table>{thead}<tr><td>Como</td><td>410</td></tr></table></html>"
    assert read(page.encode()).tables[0].header_rows == 2


def test_the_header_of_an_article_and_a_form_around_the_page_are_text() -> None:
    title, text = "<h1>Groundwater of the county</h1>", "<p>The level fell by two metres in ten years.</p>"
    search = "<form><p>Search here</p><button>Go</button></form>"
    page = f"<html><body><header>{search}</header><article><header>{title}</header>{text}</article></body></html>"
    asp = f"<html><body><form id='aspnetForm'>{title}{text}<button>Go</button></form></body></html>"
    for data in (page, asp):
        assert [block.text for block in read(data.encode()).blocks] == [
            "Groundwater of the county",
            "The level fell by two metres in ten years.",
        ]


def test_metadata_of_html_name_each_author_once_and_keep_a_slash_in_the_title() -> None:
    names = {
        "citation_title": "Salinity/temperature of lakes", "citation_author": "Doe, Jane", "author": "Jane Doe",
        "citation_publication_date": "2020/05/06", "citation_doi": "10.1234/abc",
    }  # fmt: skip
    metas = "".join(f'<meta name="{name}" content="{content}">' for name, content in names.items())
    page = f"<html><head>{metas}</head><body><h1>Salinity/temperature of lakes</h1><p>Text.</p></body></html>"
    front = read(page.encode()).front
    assert (front.title, front.authors) == ("Salinity/temperature of lakes", ("Jane Doe",))
    assert (front.published, front.source["title"]) == ("2020-05-06", "xmp")


def test_docx_styles_name_headings_and_tables_are_tables() -> None:
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    row = "<w:tr>" + cell + cell + "</w:tr>"
    table = "<w:tbl>" + row.format("Lake", "Depth") + row.format("Ammersee", "81") + "</w:tbl>"
    body = _P.format(style="Heading1", text="Results") + _P.format(style="Normal", text="It rained.") + table
    document = read(docx(body))
    assert [(b.kind, b.text, b.level) for b in document.blocks] == [
        ("heading", "Results", 1),
        ("text", "It rained.", 0),
        ("table", "", 0),
    ]
    assert document.tables[0].rows == (("Lake", "Depth"), ("Ammersee", "81"))
    assert document.tables[0].header_rows == 1


def test_styles_of_docx_in_any_language_and_those_based_on_them_are_headings() -> None:
    style = '<w:style w:styleId="{}"><w:name w:val="{}"/><w:basedOn w:val="{}"/></w:style>'
    styles = style.format("Kop2", "heading 2", "a") + style.format("Mijn", "Mijn kop", "Kop2")
    styles += style.format("a", "Normal", "b") + style.format("b", "Other", "a") + style.format("B", "caption", "a")
    body = "".join(_P.format(style=id, text=id) for id in ("Kop2", "Mijn", "a", "B"))
    blocks = read(docx(body, styles)).blocks
    assert [(block.kind, block.level) for block in blocks] == [
        ("heading", 2),
        ("heading", 2),
        ("text", 0),
        ("caption", 0),
    ]


def test_docx_reads_controls_boxes_symbols_and_formulas_once() -> None:
    control = "<w:sdt>{}<w:sdtContent>{}</w:sdtContent></w:sdt>"
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    box = "<w:txbxContent>" + _P.format(style="", text="Boxed") + "</w:txbxContent>"
    spaces = "http://schemas.openxmlformats.org"
    boxes = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    boxes = f'<mc:A xmlns:mc="{spaces}/markup-compatibility/2006">{boxes}</mc:A>'
    formula = f'<m:oMath xmlns:m="{spaces}/officeDocument/2006/math"><m:r><m:t>x=1</m:t></m:r></m:oMath>'
    symbols = '10 </w:t><w:sym w:font="Symbol" w:char="F06D"/><w:sym w:font="Symbol" w:char="zz"/><w:t>m '
    cover = control.format("", _P.format(style="Title", text="A cover"))
    contents = control.format(gallery, _P.format(style="", text="1 Results 3"))
    moved = "<w:p><w:moveFrom><w:r><w:t>Moved.</w:t></w:r></w:moveFrom></w:p>"
    cells = f"<w:tc>{_P.format(style='', text='10')}{_P.format(style='', text='20')}</w:tc>" * 2
    row = f"<w:tr>{cells}{control.format('', cells)}</w:tr>"
    body = f"{cover}{contents}<w:p><w:r>{boxes}</w:r></w:p><w:p><w:r><w:t>{symbols}</w:t></w:r>{formula}</w:p>{moved}"
    document = read(docx(f"{body}<w:tbl>{row}{row}</w:tbl>"))
    assert [block.text for block in document.blocks] == ["A cover", "Boxed", "10 μm x=1", ""]
    assert document.tables[0].rows == (("10 20",) * 4,) * 2


def _note(kind: str, id: int, *paragraphs: str, type: str = "") -> str:
    texts = "".join(f"<w:p><w:r><w:footnoteRef/></w:r><w:r><w:t> {text}</w:t></w:r></w:p>" for text in paragraphs)
    return f'<w:{kind} w:id="{id}"{type}>{texts}</w:{kind}>'


def test_the_notes_of_docx_end_the_section_that_refers_to_them() -> None:
    foot, end = '<w:r><w:footnoteReference w:id="{}"/></w:r>', '<w:r><w:endnoteReference w:id="{}"/></w:r>'
    text = "<w:p><w:r><w:t>{}</w:t></w:r>{}<w:r><w:t>{}</w:t></w:r></w:p>"
    cell = f"<w:tc>{text.format('81', foot.format(4), ' m')}</w:tc>"
    body = (
        text.format("It rained", foot.format(3) + end.format(1), " a lot.")
        + text.format("Then it snowed.", foot.format(2), "")
        + _P.format(style="Heading1", text="Depths")
        + f"<w:tbl><w:tr>{cell * 2}</w:tr><w:tr>{cell}</w:tr></w:tbl>"
        + text.format("Unknown", foot.format(9), " and repeated.")
    )
    notes = {
        "footnotes": _note("footnote", -1, "A line", type=' w:type="separator"') + _note("footnote", 2, "From radar.")
        + _note("footnote", 3, "At Hohenpeißenberg.", "", "Since 1781.") + _note("footnote", 4, "By sonar.")
        + _note("footnote", 5, "Nobody refers to it."),
        "endnotes": _note("endnote", 1, "Gauge no. 7."),
    }  # fmt: skip
    document = read(docx(body, **notes))
    assert [(block.kind, block.text) for block in document.blocks] == [
        ("text", "It rained a lot."),
        ("text", "Then it snowed."),
        ("footnote", "At Hohenpeißenberg."),
        ("footnote", "Since 1781."),
        ("footnote", "Gauge no. 7."),
        ("footnote", "From radar."),
        ("heading", "Depths"),
        ("table", ""),
        ("text", "Unknown and repeated."),
        ("footnote", "By sonar."),
    ]
    assert document.warnings == ()


def test_a_note_of_a_reference_in_docx_is_kept() -> None:
    entry = '<w:p><w:r><w:t>[1] Abel, A. 2001. On lakes.</w:t></w:r><w:r><w:endnoteReference w:id="1"/></w:r></w:p>'
    body = _P.format(style="", text="It rained.") + _P.format(style="Heading1", text="References") + entry
    document = read(docx(body, endnotes=_note("endnote", 1, "Out of print.")))
    assert [block.text for block in document.blocks] == ["It rained.", "Out of print."]
    assert document.references == ("[1] Abel, A. 2001. On lakes.",)


def test_notes_of_docx_that_are_damaged_are_left_out_with_a_warning() -> None:
    document = read(docx(_P.format(style="", text="It rained."), footnotes="<broken>"))
    assert [block.text for block in document.blocks] == ["It rained."]
    assert document.warnings[0].startswith("The footnotes are left out: word/footnotes.xml is not XML")


def test_the_rows_that_docx_repeats_on_each_page_are_the_header() -> None:
    cells = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>" * 2
    header = "<w:tr><w:trPr><w:tblHeader/></w:trPr>" + cells + "</w:tr>"
    body = (
        header.format("Lake", "Depth") + header.format("", "m") + ("<w:tr>" + cells + "</w:tr>").format("Como", "410")
    )
    (table,) = read(docx(f"<w:tbl>{body}</w:tbl>")).tables
    assert (table.header_rows, table.rows[2]) == (2, ("Como", "410"))


def test_an_xml_entity_in_a_docx_is_not_resolved() -> None:
    evil = b'<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    body = _P.format(style="Normal", text="before &e; after")
    data = docx(body)
    import io
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        text = old.read("word/document.xml").replace(b"?>\n", b"?>\n" + evil, 1)
        new.writestr("word/document.xml", text)
    assert "root:" not in " ".join(block.text for block in read(out.getvalue()).blocks)


def test_plain_text_has_headings_by_mark_by_underline_and_by_number_and_pages_by_form_feed() -> None:
    text = "# Title of it\n\nFirst para-\ngraph.\n\nMethods\n=======\n\nWe looked.\n\f2.1 Sampling\n\n- one\n- two\n"
    document = read(text.encode())
    assert [(b.kind, b.text, b.first_page) for b in document.blocks] == [
        ("heading", "Title of it", 1),
        ("text", "First paragraph.", 1),
        ("heading", "Methods", 1),
        ("text", "We looked.", 1),
        ("heading", "2.1 Sampling", 2),
        ("list", "- one", 2),
        ("list", "- two", 2),
    ]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.4 ...", "pdf"),
        (b"\x89PNG\r\n\x1a\n...", "image"),
        (b"<!DOCTYPE html><html>", "html"),
        (b"plain words", "text"),
        ("Größe".encode("utf-16"), "text"),
        ("<html>Größe".encode("utf-16-be"), "html"),
    ],
)
def test_a_file_is_what_its_bytes_say(data: bytes, kind: str) -> None:
    assert file_kind(data) == kind


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"  \n ", "empty"),
        (b"PK\x03\x04broken", "damaged"),
        (b"\xd0\xcf\x11\xe0" + b"\0" * 20, "unsupported"),
        (bytes(range(256)) * 4, "unsupported"),
        (bytes(byte for number in range(1, 200) for byte in (number, 0)), "unsupported"),
    ],
)
def test_what_is_no_document_is_refused_by_name(data: bytes, reason: str) -> None:
    with pytest.raises(DocumentRefused) as refused:
        file_kind(data)
    assert refused.value.reason == reason


def test_lines_are_joined_as_people_read_them() -> None:
    compounds = hyphenated_words(["a long-term study"])
    assert join_lines(["the tempera-", "ture of long-", "term", "GEO-", "GPT ran"], compounds) == (
        "the temperature of long-term GEO-GPT ran"
    )
    assert normalise_text("ﬁrst\u00ad  ﬂow\u200b\x00end ✿✿✿") == "first flow end"


def test_names_of_authors_lose_their_marks_and_affiliations_are_none() -> None:
    line = "Joseph Stachelek1 , Chanse Ford2 , Vanderlei C. Oliveira Jr∗ and Valéria C. F. Barbosa∗"
    assert split_names(line) == ["Joseph Stachelek", "Chanse Ford", "Vanderlei C. Oliveira Jr", "Valéria C. F. Barbosa"]
    assert split_names("Leonardo Uieda(1), Everton P. Bomfim(2,3)") == ["Leonardo Uieda", "Everton P. Bomfim"]
    assert split_names("Department of Lakes, University of Bern") == []
    assert split_names("The World Meteorological") == []  # of a sentence


def test_the_page_comes_before_xmp_but_for_the_doi_and_a_title_that_the_page_prints() -> None:
    xmp = b"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/">
      <rdf:Description><dc:title><rdf:Alt><rdf:li>Lakes in XMP</rdf:li></rdf:Alt></dc:title>
      <prism:doi>10.1234/XMP</prism:doi></rdf:Description></rdf:RDF></x:xmpmeta>"""
    blocks = [
        Block("heading", "Lakes on the page and more", 1, 1, level=1),
        Block("text", "Anna Meier and Berta Huber", 1, 1),
        Block("text", "Institute of Limnology, Konstanz, Germany", 1, 1),
        Block("text", "July 26, 2017", 1, 1),
        Block("heading", "Abstract", 1, 1, level=1),
        Block("text", "Lakes. See doi:10.9999/other for data.", 1, 1),
    ]
    front = front_matter(blocks, {"Title": "Microsoft Word - x.doc"}, read_xmp(xmp))
    assert (front.title, front.doi, front.published) == ("Lakes on the page and more", "10.1234/xmp", "2017-07-26")
    assert front.authors == ("Anna Meier", "Berta Huber")
    assert front.affiliations == ("Institute of Limnology, Konstanz, Germany",)
    assert front.source == {
        "title": "page",
        "doi": "xmp",
        "authors": "page",
        "affiliations": "page",
        "published": "page",
    }
    printed = [Block("heading", "Journal of Lakes", 1, 1, level=1), Block("text", "All of our deep lakes", 1, 1)]
    assert front_matter(printed, {"Title": "All of our deep lakes"}, {}).title == "All of our deep lakes"
    assert front_matter(blocks, {"Title": "Lakes of a template"}, {}).title == "Lakes on the page and more"
    assert front_matter([], {"CreationDate": "D:20200101"}, {}).published is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Published: 23 May 2024", "2024-05-23"),
        ("December 14, 2020", "2020-12-14"),
        ("November 2012, Volume 51", "2012-11"),
        ("vom 3. März 1999", "1999-03-03"),
        ("2019-01-21", "2019-01-21"),
        ("Section 12 of 1990 pages", None),
    ],
)
def test_dates_of_publication(text: str, date: str | None) -> None:
    assert date_in(text) == date


def test_days_that_there_are_not_never_come_out() -> None:
    assert whole_date("2017-07-26T12:00:00Z") == "2017-07-26"
    assert whole_date("2017") == "2017"
    assert whole_date("1910-00-80") is None
    assert whole_date("yesterday") is None
    assert date_in("Stand: 22.12.2021") == "2021-12-22"
    assert date_in("30 February 2020") is None


@pytest.mark.parametrize(
    ("path", "role"),
    [
        (("2 Methods", "2.1 Site"), "methods"),
        (("Code and data availability",), "data_availability"),
        (("4. CONCLUSIONS",), "conclusions"),
        (("ABSTRACT",), "abstract"),
        (("The lakes",), None),
        ((), None),
    ],
)
def test_roles_of_sections(path: tuple[str, ...], role: str | None) -> None:
    assert role_of(path) == role
