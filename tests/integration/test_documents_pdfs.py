"""Three hand-checked files and one scanned page: what was counted by eye is what is read."""

from __future__ import annotations

import re
import shutil
from functools import cache

import pypdfium2 as pdfium
import pytest

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.pdf.read_pdf import page_image, read_pdf
from indexer.documents.parse.pdf.tesseract import ocr_image
from tests.shared_data import shared_data


@cache
def read(name: str) -> ReadDocument:
    return read_pdf(shared_data("pdfs", name).read_bytes(), Limits(), Ocr(command=None))


def letters(text: str) -> str:
    """Letters alone, so that hyphens, spaces and ligatures do not count."""
    return "".join(character for character in text.lower() if character.isalpha())


def text_of(document: ReadDocument) -> str:
    return letters(" ".join(block.text for block in document.blocks))


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("NES_manuscript.pdf", [(29, 5), (30, 13)]),  # Table 1: header and 28 variables; Table 2: two header rows
        ("jss816.pdf", [(8, 2)]),  # Table 1: header and 7 methods, two of them over two lines
        ("goce-2011.pdf", []),
    ],
)
def test_every_table_has_its_rows_and_columns(name: str, tables: list[tuple[int, int]]) -> None:
    assert [(len(table.rows), table.columns) for table in read(name).tables] == tables


def test_cells_captions_and_headers_are_what_is_printed() -> None:
    first, second = read("NES_manuscript.pdf").tables
    assert first.caption == "Table 1. Number of measurements (n) for each variable in each NES region."
    assert first.rows[0] == ("Variable", "Western", "Central", "Northeastern", "Southeastern")
    assert first.rows[12] == ("Total N", "152", "176", "1", "245")
    assert second.header_rows == 2
    assert second.rows[4][0] == "Mean depth (m)"
    assert second.rows[4][1:4] == ("16.71", "±", "27.08")


RUNNING_TEXT = {
    "goce-2011.pdf": [
        "The new observations of GOCE present a challenge to develop new calculation methods that take into "
        "account the sphericity of the Earth. We address this problem by using a discretization with a series "
        "of tesseroids.",
        "mainly on two factors. First, the number of points used to discretize the integrand function, i.e. "
        "the GLC nodes. Second, the distance from the computation point to the tesseroid relative to its "
        "size.",
        "In this scenario, an accurate result can be obtained by splitting the tesseroid into smaller ones "
        "and calculating their combined effect. The splitting can be done recursively until the resulting "
        "tesseroids are small enough to achieve the desired accuracy. Fig. 1 shows a two-dimensional sketch "
        "of this computation scheme.",
        "This contradicts previous assumptions that the same ratio is valid for both derivatives of the "
        "gravitational potential. Furthermore, our results suggest that the optimum size-to-distance ratio "
        "does not depend on the absolute size of the tesseroid.",
    ],
    "use-the-disturbance.pdf": [
        "Hence, geophysicists are usually only interested in the gravitational component of the observed "
        "gravity because that is what that reflects the Earth's internal density distribution.",
        "If these effects are properly removed, the resultant observations are considered to be solely the "
        "sum of the centrifugal acceleration due to the Earth's rotation and the gravitational acceleration "
        "produced by the internal density distribution of the whole Earth.",
        "For modern acquisitions, this requires no extra work because GPS already provide geometric heights. "
        "The free-air correction can even be bypassed entirely",
    ],
    "NES_manuscript.pdf": [
        "Effective management of inland freshwater lakes requires an understanding of the factors that affect "
        "water quality and how these factors change over time.",
        "Eutrophication of surface waters from increased phosphorus and nitrogen loading has been observed in "
        "connection with altered land-use especially in areas of rapid urbanization and intensive agriculture",
        "This reanalysis considered population level trends in the NES lakes but did not consider trends in "
        "individual lakes or potential environmental drivers contributing to observed trends.",
        "The final NES dataset contains observations from 775 lakes and the distribution of these lakes was "
        "spatially variable.",
    ],
}


@pytest.mark.parametrize("name", sorted(RUNNING_TEXT))
def test_running_text_is_kept_in_its_order_over_lines_columns_and_pages(name: str) -> None:
    found = text_of(read(name))
    for passage in RUNNING_TEXT[name]:
        assert letters(passage) in found


HEADS = {
    "use-the-disturbance.pdf": (r"Oliveira Jr et al\.? *\d* *Gravity anomaly or gravity disturbance", 10),
    "jss816.pdf": (r"spacetime: Spatio-Temporal Data in R\b|Journal of Statistical Software \d", 30),
    "NES_manuscript.pdf": (None, 12),
}


@pytest.mark.parametrize("name", sorted(HEADS))
def test_running_heads_and_page_numbers_are_dropped(name: str) -> None:
    """All of them: on pages 2 to 11 and 2 to 31 a head, on 1 to 12 a page number."""
    pattern, pages = HEADS[name]
    document = read(name)
    furnished = {region.page for region in document.regions if region.kind in ("header", "footer")}
    assert len(furnished) >= 0.95 * pages
    if pattern is not None:
        left = [b for b in document.blocks if re.search(pattern, b.text) and (b.first_page or 0) > 1]
        assert len(left) <= 1  # the article's own imprint on its last page names the journal again


def test_line_numbers_of_a_manuscript_are_dropped() -> None:
    document = read("NES_manuscript.pdf")
    (numbers,) = [region.text for region in document.regions if region.kind == "line_number" and region.page == 8]
    assert sorted(numbers.replace("1 ", "1").replace("2 ", "2").split()) == ["10", "15", "20", "5"]
    assert " 15 are provided as a zip file" not in " ".join(block.text for block in document.blocks)


def test_front_matter_of_the_files() -> None:
    front = read("use-the-disturbance.pdf").front
    assert front.title == "Should geophysicists use the gravity disturbance or the anomaly?"
    assert front.authors == (
        "Vanderlei C. Oliveira Jr",
        "Leonardo Uieda",
        "Kristoffer A. T. Hallam",
        "Valéria C. F. Barbosa",
    )
    assert "Observatório Nacional" in front.affiliations[0]
    paper = read("10.21105.jose.00090.pdf").front
    assert (paper.doi, paper.journal) == ("10.21105/jose.00090", "Journal of Open Source Education")
    assert paper.source["doi"] == "xmp"
    assert read("NES_manuscript.pdf").front.doi is None  # the DOI in its abstract is the data set's


def test_references_are_split_off() -> None:
    assert len(read("goce-2011.pdf").references) == 7
    assert "Gauss-Legendre" in read("goce-2011.pdf").references[0]
    assert not [b for b in read("goce-2011.pdf").blocks if b.text.startswith("[3] Li, Z.")]


def test_a_page_that_lies_on_its_side_is_read_upright() -> None:
    text = " ".join(block.text for block in read("swissgeol-16132.pdf").blocks)
    assert "Niveau piézométrique" in text or "piézométrique" in text
    assert "Fin du forage à -15.00 m" in text


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed (.ci/run installs it)")
def test_a_scanned_page_is_read_by_ocr() -> None:
    """Page 9 of the 1974 report, typewritten, 300 dpi."""
    document = pdfium.PdfDocument(shared_data("pdfs", "NES_1.pdf"))
    ocr = Ocr()
    found = ocr_image(page_image(document[8], ocr.dpi), 9, ocr, Limits())
    assert found is not None
    assert found.page.read_by == "ocr"
    assert found.confidence > 80
    text = found.text
    assert "FIELD SAMPLING METHODS" in text
    assert "Sampling sites were selected based upon available information on lake" in text
