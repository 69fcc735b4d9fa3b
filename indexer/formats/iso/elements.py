"""Access to ISO 19139 XML: names, texts, code lists, numbers. Lookups go from child to child, which is fast."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from indexer.formats.repair.text import block, line
from indexer.formats.xml_documents import Element

GMD = "{http://www.isotc211.org/2005/gmd}"
GCO = "{http://www.isotc211.org/2005/gco}"
GMX = "{http://www.isotc211.org/2005/gmx}"
GMI = "{http://www.isotc211.org/2005/gmi}"
SRV = "{http://www.isotc211.org/2005/srv}"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
XLINK_TITLE = "{http://www.w3.org/1999/xlink}title"

_NAMESPACES = {"gmd": GMD, "gco": GCO, "gmi": GMI, "srv": SRV}
_FREE_TEXT = f"{GMD}PT_FreeText"


@lru_cache(maxsize=1024)
def clark_name(name: str) -> str:
    """The name in Clark notation: ``srv:extent``; without a prefix it is of gmd. Clark notation is unchanged."""
    if name.startswith("{"):
        return name
    prefix, _, local = name.rpartition(":")
    return _NAMESPACES[prefix or "gmd"] + local


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(clark_name(name) for name in path.split("/"))


def children(element: Element | None, name: str) -> Iterator[Element]:
    """Children with that name (see ``clark_name``), in order; none for None."""
    return iter(()) if element is None else element.iterchildren(clark_name(name))


def child(element: Element | None, name: str) -> Element | None:
    return next(children(element, name), None)


def object_in(prop: Element | None) -> Element | None:
    """The object inside a property, whatever its type: profiles use their own types. The parser removed comments."""
    return prop[0] if prop is not None and len(prop) else None


def objects(element: Element | None, path: str) -> Iterator[Element]:
    """The objects at the end of a path of properties (``distributionInfo/distributor``), every branch followed."""
    return iter(()) if element is None else _objects(element, _steps(path))


def _objects(element: Element, steps: tuple[str, ...]) -> Iterator[Element]:
    for prop in element.iterchildren(steps[0]):
        value = object_in(prop)
        if value is not None:
            if len(steps) == 1:
                yield value
            else:
                yield from _objects(value, steps[1:])


def first_object(element: Element | None, path: str) -> Element | None:
    return next(objects(element, path), None)


def raw_text(prop: Element | None) -> str:
    """The text of a property as written: CharacterString, Anchor, a date, a number, or plain text."""
    if prop is None:
        return ""
    value = object_in(prop)
    if value is None:
        return prop.text or ""
    if value.tag == _FREE_TEXT:
        return next((text for _, text in translations(prop) if text.strip()), "")
    main_text = value.text or ""
    if not main_text.strip():
        main_text = "".join(str(piece) for piece in value.itertext()) if len(value) else ""
        return main_text if main_text.strip() else next((text for _, text in translations(prop) if text.strip()), "")
    return main_text if not len(value) else "".join(str(piece) for piece in value.itertext())


def one_line(prop: Element | None) -> str:
    return line(raw_text(prop))


def paragraphs(prop: Element | None) -> str:
    return block(raw_text(prop))


def text_of(element: Element | None, name: str) -> str:
    """One line: the text of the first property with that name; the empty string where there is none."""
    return one_line(child(element, name))


def texts_of(element: Element | None, name: str) -> Iterator[str]:
    """One line for every property with that name and a meaningful text."""
    for prop in children(element, name):
        text = one_line(prop)
        if text:
            yield text


def href_of(prop: Element | None) -> str | None:
    """Where an Anchor (or the property itself) points."""
    if prop is None:
        return None
    value = object_in(prop)
    href = (value.get(XLINK_HREF) if value is not None else None) or prop.get(XLINK_HREF)
    return href.strip() if href and href.strip() else None


def code_of(prop: Element | None) -> str:
    """A code list value: the attribute, else the text, else a plain string in its place.

    Canada's registry writes ``RI_622`` in the attribute and ``dataset; jeuDonnées`` in the text.
    """
    code = object_in(prop)
    if code is None:
        return ""
    value = (code.get("codeListValue") or "").strip()
    if not value or value.startswith("RI_"):
        value = line(code.text).partition(";")[0] or value
    return value


def translations(prop: Element) -> Iterator[tuple[str, str]]:
    """Locale reference (``#DE``) and text of each translation."""
    for free_text in prop.iterchildren(_FREE_TEXT):
        for group in free_text.iterchildren(f"{GMD}textGroup"):
            for string in group.iterchildren(f"{GMD}LocalisedCharacterString"):
                yield string.get("locale") or "", string.text or ""
