"""Every test file of nine other projects is read or refused with its reason, and what it states is given."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from indexer.formats.survey import Survey, survey_of, with_tables
from indexer.sources.folder import FolderSource
from tests.shared_data import shared_data

DOC = Path(__file__).parents[2] / "docs" / "stewards" / "formats.md"


@cache
def _found() -> Survey:
    pages = FolderSource(shared_data("catalogues", "format_fixtures.tar.gz")).pages()
    return survey_of(pages)


def test_the_docs_hold_the_table_of_the_fixtures():
    text = DOC.read_text(encoding="utf-8")
    assert text == with_tables(text, _found()), "sonde formats FIXTURES --write docs/stewards/formats.md"


def test_at_least_98_percent_of_what_the_fixtures_state_is_given():
    assert _found().share() >= 0.98


def test_no_refusal_is_about_a_format_that_has_a_reader():
    """Standards that are read here never end as an unknown root."""
    read_here = ("gmd", "gmi", "19115/-3/mdb", "oai_dc", "datacite", "DIF", "idinfo", "eml-2", "csw/2.0.2}Record")
    unknown = [reason for reason in _found().refusals if reason.startswith("its root element is")]
    assert unknown
    assert not [reason for reason in unknown if any(name in reason for name in read_here)]


def test_every_refusal_says_why():
    assert all(len(reason) > len("it is") and origins for reason, origins in _found().refusals.items())
