"""Reference lists in four forms: what cannot be read is reported with its line, and the rest is read."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.record import Link, Record
from search_api.formats_out.bibliography import CITATION_FORMATS, Citation, Party, bibtex, csl, of_record, ris
from search_api.library.references import MOST_REFERENCES, ReferenceProblem, read_references

BIBTEX = """@string{wr = {Water Research}}
@article{amsel, title = {Peat cores}, journal = wr, doi = {10.1234/peat}, year = 2015}

@article{broken, title = "no end
@book{hecht, title = {Rivers}, author = {Hecht, H.}}
"""
RIS = """TY  - JOUR
TI  - Peat cores
AU  - Amsel, Anna
PY  - 2015/05//
DO  - 10.1234/peat
ER  -

no entry at all
ER  -
TY  - RPRT
T1  - Rivers
ER  -
"""
CSL = json.dumps(
    [
        {"title": "Peat cores", "DOI": "10.1234/peat", "issued": {"date-parts": [[2015, 5]]}},
        {"note": "neither title nor DOI"},
        7,
        {"title": "Rivers", "author": [{"family": "Hecht", "given": "H."}, {"literal": "USGS"}]},
    ]
)
DOIS = "10.1234/peat\n# a comment\nrubbish\nhttps://doi.org/10.1234/rivers\n"


@pytest.mark.parametrize(
    ("text", "titles", "lines"),
    [
        (BIBTEX, ["Peat cores", "Rivers"], [4]),
        (RIS, ["Peat cores", "Rivers"], [8]),
        (CSL, ["Peat cores", "Rivers"], [None, None]),
        (DOIS, ["10.1234/peat", "10.1234/rivers"], [3]),
    ],
)
def test_a_bad_part_is_reported_and_the_others_are_read(text: str, titles: list[str], lines: list[int | None]) -> None:
    read = read_references(text)
    assert [one.title for one in read.references] == titles
    assert [one.line for one in read.problems] == lines
    assert read.references[0].doi == "10.1234/peat"


def test_values_of_the_forms() -> None:
    assert read_references(BIBTEX).references[0].journal == "Water Research"
    assert read_references(RIS).references[0].published == "2015-05"
    assert read_references(RIS).references[0].authors == ("Amsel, Anna",)
    assert read_references(CSL).references[0].published == "2015-05"
    assert read_references(CSL).references[1].authors == ("H. Hecht", "USGS")


def test_a_repeated_key_or_field_costs_nothing() -> None:
    read = read_references("@misc{a, title={One}, title={Again}}\n@misc{a, title={Two}}")
    assert [one.title for one in read.references] == ["One", "Two"]
    assert read.problems == ()


@pytest.mark.parametrize("text", ["nothing", "[]", "{}", "[1, 2]", "[" * 5000, "@article{", "TY  - JOUR\n", "ER  -"])
def test_a_list_without_a_reference_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_references(text)


def test_too_many_are_refused() -> None:
    text = "\n".join(f"10.1234/{number}" for number in range(MOST_REFERENCES + 1))
    with pytest.raises(InvalidInput, match="at most"):
        read_references(text)


@given(st.text(max_size=200))
def test_no_text_breaks_the_readers(text: str) -> None:
    for beginning in ("", "[", "TY  - JOUR\n", "@article{a, "):
        with suppress(InvalidInput):
            assert all(isinstance(one, ReferenceProblem) for one in read_references(beginning + text).problems)


_PLAIN = st.characters(codec="utf-8", exclude_categories=("C", "Z"))
_TITLES = st.text(_PLAIN, min_size=1)
_CITED = st.builds(
    Citation,
    key=st.just("a"),
    kind=st.sampled_from(("article", "report", "dataset", "software", "misc")),
    title=st.lists(_TITLES, min_size=1, max_size=6).map(" ".join),
    address=st.just("https://example.org/a"),
    authors=st.lists(st.builds(Party, st.sampled_from(("Jörg Müller", "U.S. Survey")), st.booleans())).map(tuple),
    published=st.sampled_from((None, "2014", "2014-05", "2014-05-03")),
    doi=st.sampled_from((None, "10.1234/a_b")),
)


@given(_CITED)
def test_what_goes_out_as_ris_or_csl_comes_in_again(one: Citation) -> None:
    for written in (ris([one]), csl([one])):
        (read,) = read_references(written).references
        assert read.title == " ".join(one.title.split())
        assert read.doi == one.doi
        assert (read.published or "")[:4] == (one.published or "")[:4]
        assert len(read.authors) == len(one.authors)


@pytest.mark.parametrize("title", ["100 % of {braces} & under_scores", "Depth #1: \\alpha, $5", "Größe der Flüsse"])
def test_bibtex_is_sound_and_comes_in_again(title: str) -> None:
    one = Citation(
        "a", "article", title, "https://example.org/a_b", (Party("Jörg Müller"), Party("a, b, c, d")), doi="10.1234/a_b"
    )
    (read,) = read_references(bibtex([one])).references
    assert read.doi == "10.1234/a_b"
    assert read.authors == ("Jörg Müller", "a, b, c, d")
    if "\\" not in title:
        assert read.title == title.replace("{", "(").replace("}", ")")


def test_each_format_takes_several() -> None:
    many = [Citation(key, "dataset", f"Title {key}", "https://example.org") for key in ("a", "b")]
    for form in CITATION_FORMATS.values():
        text = form.write(many)
        assert "Title a" in text
        assert "Title b" in text


_HERE = "http://localhost:8080/collections/all/items/s:1"
_PAGE = Link("https://data.example.org/rain", rel="about")


@pytest.mark.parametrize(
    ("doi", "links", "cited"),
    [
        ("10.1234/rain", (_PAGE,), "https://doi.org/10.1234/rain"),
        (None, (Link("https://data.example.org/rain.nc", rel="download"), _PAGE), _PAGE.href),
        (None, (_PAGE, Link("https://example.org/cite/rain", rel="cite-as")), "https://example.org/cite/rain"),
        (None, (Link("ftp://data.example.org/rain", rel="about"),), _HERE),
        (None, (), _HERE),
    ],
)
def test_a_record_is_cited_by_doi_else_landing_page_else_the_service(
    doi: str | None, links: tuple[Link, ...], cited: str
) -> None:
    record = Record(id="s:1", source="s", identifier="1", title="Rain", doi=doi, links=links)
    citation = of_record(record, _HERE)
    assert citation.link == cited
    for form in CITATION_FORMATS.values():
        assert cited in form.write([citation])
