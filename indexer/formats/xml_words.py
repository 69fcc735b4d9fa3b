"""Describes XML syntax errors in words that a data steward knows."""

from __future__ import annotations

from lxml import etree

_PLAIN = (
    ("AttValue", "an attribute has no quotes around its value"),
    ("attributes construct error", 'an attribute is not written as name="value"'),
    ("Specification mandates value", "an attribute has no value"),
    ("xmlParseEntityRef", 'a "&" is not written as "&amp;"'),
    ("EntityRef", 'a "&" is not written as "&amp;"'),
    ("Entity '", "it uses an entity that XML does not know"),
    ("Unescaped '<'", 'a "<" is not written as "&lt;"'),
    ("StartTag", 'a "<" is not written as "&lt;"'),
    ("Opening and ending tag mismatch", "an element ends with the tag of another one"),
    ("Couldn't find end of Start Tag", "it breaks off inside a tag"),
    ("EndTag", "it breaks off before all elements are closed"),
    ("Premature end", "it breaks off"),
    ("expected '>'", "a tag is not closed"),
    ("Extra content", "something follows behind its end"),
    ("Document is empty", "no element begins where one should"),
    ("Start tag expected", "no element begins where one should"),
    ("PCDATA invalid Char", "it holds a character that XML forbids"),
    ("xmlParseCharRef", "it holds a character that XML forbids"),
    ("Input is not proper", "its characters are not in the encoding that it names"),
    ("encoder error", "its characters are not in the encoding that it names"),
    ("Excessive depth", "its elements lie too deep in each other"),
    ("Attribute", "an element has the same attribute twice"),
    ("Comment", "a comment is not closed"),
    ("CData", "a CDATA section is not closed"),
)


def plainly(error: etree.XMLSyntaxError) -> str:
    """``an attribute has no quotes around its value (line 3, column 7)``."""
    said = error.msg or ""
    what = next((plain for start, plain in _PLAIN if said.startswith(start)), "its markup is broken")
    line, column = error.position
    return f"{what} (line {line}, column {column})"
