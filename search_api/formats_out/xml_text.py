"""XML elements from texts of metadata."""

from __future__ import annotations

import re

from lxml import etree

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    """The text without characters that XML 1.0 forbids."""
    return _NOT_XML.sub("", text)


def child(parent: etree._Element, tag: str, text: str | None = None, **attributes: str) -> etree._Element:
    """Appends a child to ``parent``."""
    element = etree.SubElement(parent, tag, {name: legal(value) for name, value in attributes.items()})
    if text is not None:
        element.text = legal(text)
    return element
